//! How far a long command is, on a terminal.

use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use std::fmt::Write;

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    /// Rows of the book.
    Rows,
    /// Bytes of a file.
    Bytes,
    /// Tables whose indexes are made.
    Tables,
}

impl Unit {
    fn template(self) -> &'static str {
        match self {
            Self::Rows => "{bar:40} {human_pos} of {human_len} rows, {rate}, {eta} left",
            Self::Tables => "{bar:40} indexes of {human_pos} of {human_len} tables",
            Self::Bytes => "{bar:40} {binary_bytes} of {binary_total_bytes}, {binary_bytes_per_sec}, {eta} left",
        }
    }
}

/// A bar on standard error; nothing where that is no terminal.
pub(super) fn progress(length: u64, unit: Unit) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(length), ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template(unit.template()) {
        let write_rate = |state: &ProgressState, out: &mut dyn Write| {
            // A bar that cannot be drawn is not worth an error.
            let _ = out.write_str(&rate(state.per_sec()));
        };
        bar.set_style(style.with_key("rate", write_rate));
    }
    bar
}

/// Whole ones a second.
fn rate(per_second: f64) -> String {
    let whole = per_second.round().max(0.0);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "not negative, and what is too much stays the most there is"
    )]
    let whole = whole as u64;
    format!("{} a second", HumanCount(whole))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_has_no_fractions() {
        assert_eq!(rate(3277.2566), "3,277 a second");
        assert_eq!(rate(0.4), "0 a second");
        assert_eq!(rate(f64::NAN), "0 a second");
    }

    #[test]
    fn every_unit_can_be_drawn() {
        for unit in [Unit::Rows, Unit::Bytes] {
            assert!(ProgressStyle::with_template(unit.template()).is_ok());
        }
    }
}

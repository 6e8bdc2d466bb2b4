//! The table that the bench prints.

use serde_json::{Value, json};
use std::time::Duration;

/// Figures with their yardsticks.
pub(crate) struct Table {
    rows: Vec<Row>,
}

/// A measure.
struct Row {
    /// What is measured.
    work: String,
    figure: f64,
    unit: &'static str,
    yardstick: Yardstick,
    /// What is promised.
    budget: Budget,
}

/// What a figure is compared with, in the same run: its name and figure, in the same unit.
pub(crate) type Yardstick = Option<(&'static str, f64)>;

/// A promise.
#[derive(Clone, Copy)]
pub(crate) enum Budget {
    None,
    /// The figure is at least so much.
    AtLeast(f64),
    AtMost(f64),
    /// The figure is at least this part of the yardstick.
    Ratio(f64),
    RatioAtMost(f64),
}

impl Row {
    fn ratio(&self) -> Option<f64> {
        self.yardstick.map(|(_, yardstick)| self.figure / yardstick)
    }

    fn is_met(&self) -> Option<bool> {
        match self.budget {
            Budget::None => None,
            Budget::AtLeast(least) => Some(self.figure >= least),
            Budget::AtMost(most) => Some(self.figure <= most),
            Budget::Ratio(least) => self.ratio().map(|ratio| ratio >= least),
            Budget::RatioAtMost(most) => self.ratio().map(|ratio| ratio <= most),
        }
    }
}

impl Budget {
    fn text(self) -> String {
        match self {
            Self::None => String::new(),
            Self::AtLeast(least) => format!("≥ {}", short(least)),
            Self::AtMost(most) => format!("≤ {}", short(most)),
            Self::Ratio(least) => format!("ratio ≥ {least}"),
            Self::RatioAtMost(most) => format!("ratio ≤ {most}"),
        }
    }
}

/// A number with as many digits as it is worth.
fn short(number: f64) -> String {
    if number >= 100.0 {
        let digits = format!("{number:.0}");
        let mut text = String::new();
        for (at, digit) in digits.chars().enumerate() {
            if at > 0 && (digits.len() - at) % 3 == 0 {
                text.push(',');
            }
            text.push(digit);
        }
        text
    } else if number >= 10.0 {
        format!("{number:.1}")
    } else {
        format!("{number:.2}")
    }
}

impl Table {
    pub(crate) fn new() -> Self {
        Self { rows: Vec::new() }
    }

    /// Adds a measure, and says so at once: the whole takes minutes.
    pub(crate) fn add(
        &mut self,
        work: impl Into<String>,
        (figure, unit): (f64, &'static str),
        yardstick: Yardstick,
        budget: Budget,
    ) {
        let work = work.into();
        eprintln!("{work}: {} {unit}", short(figure));
        self.rows.push(Row { work, figure, unit, yardstick, budget });
    }

    /// Adds times: the median, and what 99 of 100 stay within.
    pub(crate) fn times(&mut self, work: &str, mut times: Vec<Duration>) {
        times.sort_unstable();
        let within = |share: usize| {
            let at = times.len().saturating_sub(1) * share / 100;
            times.get(at).copied().unwrap_or_default().as_secs_f64() * 1e3
        };
        let work = format!("{work}, {} times", times.len());
        self.add(format!("{work}, median"), (within(50), "ms"), None, Budget::None);
        self.add(format!("{work}, 99 of 100"), (within(99), "ms"), None, Budget::None);
    }

    pub(crate) fn print(&self) {
        println!("| ratio | work | figure | yardstick | budget | met |\n|---|---|---|---|---|---|");
        for row in &self.rows {
            let yardstick = row.yardstick.map(|(name, figure)| format!("{name}: {} {}", short(figure), row.unit));
            let met = row.is_met().map_or("", |met| if met { "yes" } else { "no" });
            println!(
                "| {} | {} | {} {} | {} | {} | {met} |",
                row.ratio().map_or_else(String::new, short),
                row.work,
                short(row.figure),
                row.unit,
                yardstick.unwrap_or_default(),
                row.budget.text(),
            );
        }
        let rows: Vec<Value> = (self.rows.iter())
            .map(|row| {
                json!({
                    "work": row.work, "figure": row.figure, "unit": row.unit,
                    "yardstick": row.yardstick.map(|(name, _)| name),
                    "yardstickFigure": row.yardstick.map(|(_, figure)| figure),
                    "ratio": row.ratio(), "budget": row.budget.text(), "met": row.is_met(),
                })
            })
            .collect();
        println!("\n{}", json!({"machine": machine(), "measures": rows}));
    }
}

/// The machine in the words of its system, where it has them.
fn machine() -> Value {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let after = |text: String, name: &str| {
        let line = text.lines().find(|line| line.starts_with(name));
        line.and_then(|line| line.split_once(':')).map(|(_, value)| value.trim().to_owned())
    };
    json!({
        "cores": std::thread::available_parallelism().map_or(0, usize::from),
        "processor": after(read("/proc/cpuinfo"), "model name"),
        "memory": after(read("/proc/meminfo"), "MemTotal"),
        "kernel": read("/proc/sys/kernel/osrelease").trim(),
        "database": match std::env::var("HERDBOOK_BENCH_POSTGRES") {
            Ok(_) => "PostgreSQL",
            Err(_) => "SQLite",
        },
    })
}

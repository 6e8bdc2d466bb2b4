//! Names: a calf's name starts with its dam's letter.

use super::streams::Stream;

const TEXT: &str = include_str!("../data/names.txt");

/// The lists of names.
pub(crate) struct Names {
    cows: Vec<&'static str>,
    bulls: Vec<&'static str>,
    pub(crate) farms: Vec<&'static str>,
    pub(crate) families: Vec<&'static str>,
    pub(crate) persons: Vec<&'static str>,
}

impl Names {
    pub(crate) fn load() -> Self {
        let list = |title: &str| {
            let from = TEXT.lines().skip_while(|line| *line != title).skip(1);
            let lines = from.take_while(|line| !line.starts_with('['));
            lines.flat_map(|line| line.split(", ")).collect()
        };
        Self {
            cows: list("[cows]"),
            bulls: list("[bulls]"),
            farms: list("[farms]"),
            families: list("[families]"),
            persons: list("[persons]"),
        }
    }

    /// Any name.
    pub(crate) fn any(&self, stream: &mut Stream, female: bool) -> &'static str {
        let names = self.list(female);
        names.get(stream.below(names.len())).copied().unwrap_or_default()
    }

    /// A name with the first letter of another one, if there is such a name.
    pub(crate) fn like(&self, stream: &mut Stream, female: bool, other: &str) -> &'static str {
        let letter = other.chars().next();
        let fits: Vec<&'static str> =
            self.list(female).iter().copied().filter(|name| name.chars().next() == letter).collect();
        match fits.get(stream.below(fits.len())) {
            Some(name) => name,
            None => self.any(stream, female),
        }
    }

    fn list(&self, female: bool) -> &[&'static str] {
        if female { &self.cows } else { &self.bulls }
    }
}

#[cfg(test)]
mod tests {
    use super::{Names, Stream};

    #[test]
    fn a_daughter_takes_the_letter_of_her_dam() {
        let names = Names::load();
        assert!(names.cows.len() > 180 && names.bulls.len() > 90);
        let mut stream = Stream::new(1, "names", 0);
        assert!(names.like(&mut stream, true, "Зорька").starts_with('З'));
        assert!(!names.like(&mut stream, false, "Wanda").is_empty());
    }
}

//! A run of the checks: what the Association set, and which check runs over which window.

use super::check::{Check, Rule};
use super::day::Day;
use super::finding::{Finding, Severity};
use super::limits::{Key, Thresholds};
use super::list::{check, checks};
use super::reporter::Reporter;
use super::rules::herd_test_days::exact;
use super::window::{Animal, Book, Context, Herd, Package};

/// What the Association set about a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Setting {
    /// Whether it runs.
    pub enabled: bool,
    /// Severity of its findings; none: as built in.
    pub severity: Option<Severity>,
}

/// What the Association set about the checks.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Settings(Vec<(&'static str, Setting)>);

impl Settings {
    /// The rows of `check-settings`; an unknown code says nothing.
    pub fn from_rows<'a>(rows: impl IntoIterator<Item = (&'a str, Setting)>) -> Self {
        let setting_of = |(code, setting): (&str, Setting)| Some((check(code)?.code, setting));
        Self(rows.into_iter().filter_map(setting_of).collect())
    }

    fn of(&self, check: &Check) -> Setting {
        let set = self.0.iter().find(|(code, _)| *code == check.code);
        set.map_or(Setting { enabled: true, severity: None }, |(_, setting)| *setting)
    }
}

/// The checks that run, with what was set resolved once.
#[derive(Debug, Clone)]
pub struct Run {
    checks: Vec<(&'static Check, Option<Severity>)>,
    limits: Thresholds,
    today: Day,
}

impl Run {
    /// Every check that is not switched off.
    #[must_use]
    pub fn new(today: Day, settings: &Settings, limits: Thresholds) -> Self {
        let with = |check: &'static Check| (check, settings.of(check));
        let running = checks().map(with).filter(|(_, setting)| setting.enabled);
        Self { checks: running.map(|(check, setting)| (check, setting.severity)).collect(), limits, today }
    }

    /// Only the checks of these codes.
    #[must_use]
    pub fn only(mut self, codes: &[&str]) -> Self {
        self.checks.retain(|(check, _)| codes.contains(&check.code));
        self
    }

    /// How many checks run over a book: all but those of packages.
    #[must_use]
    pub fn over_the_book(&self) -> usize {
        let of_packages = |check: &Check| matches!(check.rule, Rule::Package(_));
        let over = self.checks.iter().filter(|(check, _)| !of_packages(check));
        over.count()
    }

    /// The checks of single animals. The animal's rows are sorted ([`Animal::sort`]).
    pub fn animal(&self, animal: &Animal, context: &Context, findings: &mut Vec<Finding>) {
        self.each(findings, |check, reporter| {
            if let Rule::Animal(run) = check.rule {
                run(animal, context, reporter);
            }
        });
    }

    /// The checks of a herd; those that ask for [`Key::HerdMin`] only where it has so many animals.
    pub fn herd(&self, herd: &Herd<'_>, findings: &mut Vec<Finding>) {
        let large = exact(herd.members().count()) >= self.limits.get(Key::HerdMin);
        self.each(findings, |check, reporter| match check.rule {
            Rule::Herd(run) if large || !check.limits.contains(&Key::HerdMin) => run(herd, reporter),
            _ => {}
        });
    }

    /// The checks of a package.
    pub fn package(&self, package: &Package, findings: &mut Vec<Finding>) {
        self.each(findings, |check, reporter| {
            if let Rule::Package(run) = check.rule {
                run(package, reporter);
            }
        });
    }

    /// The checks of the whole book.
    pub fn book(&self, book: &Book, findings: &mut Vec<Finding>) {
        self.each(findings, |check, reporter| {
            if let Rule::Book(run) = check.rule {
                run(book, reporter);
            }
        });
    }

    fn each(&self, findings: &mut Vec<Finding>, mut run: impl FnMut(&Check, &mut Reporter<'_>)) {
        for (check, graded) in &self.checks {
            let mut reporter = Reporter {
                code: check.code,
                sentence: check.sentence,
                grade: check.grade,
                graded: *graded,
                limits: &self.limits,
                today: self.today,
                others: Vec::new(),
                findings,
            };
            run(check, &mut reporter);
        }
    }
}

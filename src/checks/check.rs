//! What a check is.

use super::finding::Sentence;
use super::limits::Key;
use super::reporter::{Grade, Reporter};
use super::window::{Animal, Book, Context, Herd, Package};

/// Group of checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// Identity of an animal.
    Passport,
    /// Parents and what is inherited.
    Pedigree,
    /// Calvings and services.
    Reproduction,
    /// Milk, weights, and breeding values of them.
    Production,
    /// Exterior, breeding values, gradings.
    Evaluation,
    /// Birth to disposal.
    Lifecycle,
    /// Herds and packages as a whole.
    Herd,
}

impl Group {
    /// Every group.
    pub const ALL: [Self; 7] = [
        Self::Passport,
        Self::Pedigree,
        Self::Reproduction,
        Self::Production,
        Self::Evaluation,
        Self::Lifecycle,
        Self::Herd,
    ];

    /// Name in the printed list.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Passport => "passport",
            Self::Pedigree => "pedigree",
            Self::Reproduction => "reproduction",
            Self::Production => "production",
            Self::Evaluation => "evaluation",
            Self::Lifecycle => "lifecycle",
            Self::Herd => "herd",
        }
    }
}

/// How far a check looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Window {
    /// One row and the animals that it names.
    Row,
    /// An animal with its rows, its relatives and its children.
    Animal,
    /// The animals of a herd.
    Herd,
    /// The rows of a package.
    Package,
    /// The whole book.
    Book,
}

impl Window {
    /// Name in the printed list.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Row => "row",
            Self::Animal => "animal",
            Self::Herd => "herd",
            Self::Package => "package",
            Self::Book => "book",
        }
    }
}

/// The function of a check: window in, findings out, nothing else.
#[derive(Debug, Clone, Copy)]
pub enum Rule {
    /// Over an animal and what is known around it.
    Animal(fn(&Animal, &Context, &mut Reporter<'_>)),
    /// Over a herd.
    Herd(fn(&Herd<'_>, &mut Reporter<'_>)),
    /// Over a package.
    Package(fn(&Package, &mut Reporter<'_>)),
    /// Over the book.
    Book(fn(&Book, &mut Reporter<'_>)),
}

#[derive(Debug, Clone, Copy)]
pub struct Check {
    /// Stable code, kebab-case.
    pub code: &'static str,
    /// How grave its findings are.
    pub grade: Grade,
    /// Whether it refuses a single write too.
    pub refuses: bool,
    /// How far it looks.
    pub window: Window,
    /// Its thresholds.
    pub limits: &'static [Key],
    /// What it looks for, and how where that is not plain.
    pub meaning: &'static str,
    /// The sentence for people.
    pub sentence: Sentence,
    /// Its function.
    pub rule: Rule,
}

impl Check {
    /// A check whose findings must be corrected.
    pub(crate) const fn fix(code: &'static str, rule: Rule) -> Self {
        Self::new(code, Grade::Fix, rule)
    }

    /// A check whose findings are notes.
    pub(crate) const fn note(code: &'static str, rule: Rule) -> Self {
        Self::new(code, Grade::Note, rule)
    }

    /// A check with two limits.
    pub(crate) const fn both(code: &'static str, rule: Rule) -> Self {
        Self::new(code, Grade::Both, rule)
    }

    const fn new(code: &'static str, grade: Grade, rule: Rule) -> Self {
        let window = match rule {
            Rule::Animal(_) => Window::Animal,
            Rule::Herd(_) => Window::Herd,
            Rule::Package(_) => Window::Package,
            Rule::Book(_) => Window::Book,
        };
        Self {
            code,
            grade,
            refuses: false,
            window,
            limits: &[],
            meaning: "",
            sentence: Sentence { english: "", russian: "" },
            rule,
        }
    }

    /// It looks at single rows.
    pub(crate) const fn row(mut self) -> Self {
        self.window = Window::Row;
        self
    }

    /// It refuses a single write too.
    pub(crate) const fn refuses(mut self) -> Self {
        self.refuses = true;
        self
    }

    /// Its thresholds.
    pub(crate) const fn limits(mut self, limits: &'static [Key]) -> Self {
        self.limits = limits;
        self
    }

    /// What it looks for.
    pub(crate) const fn means(mut self, meaning: &'static str) -> Self {
        self.meaning = meaning;
        self
    }

    /// The sentence in English and in Russian.
    pub(crate) const fn says(mut self, english: &'static str, russian: &'static str) -> Self {
        self.sentence = Sentence { english, russian };
        self
    }
}

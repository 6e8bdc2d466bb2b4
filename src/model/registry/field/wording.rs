//! What a text that the server writes says to people: pages, cards and tables for people show that in place of what
//! programs read.

use crate::registry::Field;

/// How people read a text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Wording {
    /// As it stands.
    #[default]
    Own,
    /// A sentence about what is wrong, in English; perhaps behind a name and a colon.
    Sentence,
    /// It is in this language alone; pages in others leave it out.
    In(&'static str),
    /// The code of a fault.
    Code,
    /// One of these words, which have names as the values of a choice have.
    Words(Vec<String>),
    /// One of these words; of another one this field of the row is the name.
    WordsOr(Vec<String>, &'static str),
    /// The slug of a collection, which has a name.
    Collection,
    /// What has values: the slug of a dictionary, or collection and path of a choice (`calvings:ease`).
    Values,
    /// The path of a field of the collection that this field of the row names.
    PathIn(&'static str),
    /// A value of the field whose collection and path these fields of the row name, as logs have it.
    ValueIn(&'static str, &'static str),
    /// Changes of a row, as the log of operations has them (`status: new → approved`); this field of the row is the type of
    /// that row.
    Changes(&'static str),
    /// The path of a field, which may be one of several collections.
    Path,
    /// The name of a set of rows that packages carry.
    Set,
    /// The path of a field of the set that this field of the row names; of any set where it names none.
    PathInSet(&'static str),
    /// The sheets of a file with their columns.
    Sheets,
    /// Often one of these words, which have names as the values of a choice have; any other text stands as it is.
    Known(Vec<String>),
    /// A unit of measure.
    Unit,
    /// Values by words of the choice of this collection at this path.
    Keys(&'static str, &'static str),
    /// The id of a record of the collection that this field of the row names.
    Record(&'static str),
    /// A person; of one whom the reader does not read, this field of the row says on which side he stands.
    Person(&'static str),
    /// A state; this one of it reads as sent back once this field of the row, the remark, is filled.
    SentBack(&'static str, &'static str),
    /// A number with so many decimals.
    Rounded(usize),
    /// Lists are sorted by it, and nobody reads it.
    SortKey,
}

impl Field {
    /// How people read it.
    pub fn wording(mut self, wording: Wording) -> Self {
        self.wording = wording;
        self
    }
    /// It is for programs more than for people.
    pub fn aside(mut self) -> Self {
        self.aside = true;
        self
    }
    /// It is one of these words of the server; their names are those of options.
    pub fn words<W: Into<String>>(self, words: impl IntoIterator<Item = W>) -> Self {
        self.wording(Wording::Words(words.into_iter().map(Into::into).collect()))
    }
    /// The fields of the row that say what the value means.
    pub fn explained_by(&self) -> [Option<&'static str>; 2] {
        match self.wording {
            Wording::PathIn(about)
            | Wording::PathInSet(about)
            | Wording::WordsOr(_, about)
            | Wording::Record(about)
            | Wording::Person(about)
            | Wording::SentBack(_, about)
            | Wording::Changes(about) => [Some(about), None],
            Wording::ValueIn(about, path) => [Some(about), Some(path)],
            _ => [None; 2],
        }
    }
    /// The field of the row that names the set of whose fields this is the path.
    pub fn named_set(&self) -> Option<&'static str> {
        match self.wording {
            Wording::PathInSet(set) => Some(set),
            _ => None,
        }
    }
    /// Often it is one of these words; their names are those of options.
    pub fn often<W: Into<String>>(self, words: impl IntoIterator<Item = W>) -> Self {
        self.wording(Wording::Known(words.into_iter().map(Into::into).collect()))
    }
    /// The values that have names for people, and those it often has.
    pub fn known_values(&self) -> &[String] {
        match &self.wording {
            Wording::Known(words) => words,
            _ => self.named_values(),
        }
    }
    /// The values that have names for people.
    pub fn named_values(&self) -> &[String] {
        use super::Kind;
        match (&self.kind, &self.wording) {
            (Kind::Select(words) | Kind::Selects(words), _)
            | (_, Wording::Words(words) | Wording::WordsOr(words, _)) => words,
            _ => &[],
        }
    }
}

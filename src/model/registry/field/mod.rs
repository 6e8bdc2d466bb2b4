//! A field as data: what it holds, who may write and see it, how it is checked.
//! Builders and marks are listed in docs/design/registry.md, *Notation*.

pub(crate) mod through;
pub(crate) mod wording;

use self::wording::Wording;
use super::units::{self, Unit};
use crate::record::Value;

/// What a field holds.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Kind {
    /// Text with a limited number of characters.
    Text(usize),
    /// Text of any length (bounded by the request size).
    #[default]
    LongText,
    /// An e-mail address.
    Email,
    /// A password: written, never stored or read.
    Password,
    /// A whole number.
    Int,
    /// A decimal number.
    Number,
    /// A day (`d`); a sent time of day is stored.
    Day,
    /// A point in time (`ts`).
    Instant,
    /// Yes or no.
    Bool,
    /// Any JSON.
    Json,
    /// One of the named values.
    Select(Vec<String>),
    /// Several of the named values.
    Selects(Vec<String>),
    /// Several texts with a limited number of characters each, in order.
    Texts(usize),
    /// The id of a record of that collection.
    Relation(String),
    /// Ids of several records of that collection, in order.
    Relations(String),
    /// Rows of sub-fields, each with a string `id`.
    Rows(Vec<Field>),
}

/// Who may see a field of a row that they may read (docs/design/access.md, *Classes of fields*).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// r: every reader of the row.
    #[default]
    Row,
    /// c: past owners, opened cards, grants with scope origin.
    Card,
    /// p: opened cards, grants with scope production.
    Production,
    /// e: opened cards, grants with scope evaluation.
    Evaluation,
    /// g: genotype consents.
    Genotype,
    /// o: owner and Association only.
    Owner,
    /// °: the Association and the row's subjects.
    Private,
    /// °s: any signed-in caller.
    SignedIn,
    /// No caller on any face (verifiers, `seq`).
    Hidden,
}

/// The callers whose values are accepted for a field.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Writer {
    /// Every caller who may write the row.
    #[default]
    Anyone,
    /// @A: the Association.
    Association,
    /// @T: those with the capability team.
    Team,
    /// @M: role admin only.
    Admin,
    /// ~: the server; sent values are ignored.
    Server,
}

/// Where a signing key of the server is stored, and what is recorded when it is exchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyFields {
    /// Field of the key, encrypted.
    pub current: &'static str,
    /// Field of the former key, encrypted.
    pub former: &'static str,
    /// Field of the time of the exchange.
    pub since: &'static str,
}

impl KeyFields {
    /// All of them.
    pub fn paths(&self) -> [&'static str; 3] {
        [self.current, self.former, self.since]
    }
}

/// How a field that decides what an account may do is protected against a stolen key or session: no
/// API key changes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Protection {
    /// Whether a session that is not young confirms a change by the present password.
    pub confirmed: bool,
    /// Values that are confirmed when a new account has them, too.
    pub mighty: &'static [&'static str],
}

/// The spelling in which a text is stored, of several that mean the same; none: as it is.
#[derive(Debug, Clone, Copy)]
pub struct Spelling(pub fn(&str) -> Option<String>);

impl PartialEq for Spelling {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::fn_addr_eq(self.0, other.0)
    }
}

/// A declared field, or a leaf of a group (`altIds.earTag`).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Field {
    /// Path from the record: `name`, `altIds.earTag`.
    pub path: String,
    /// Column of the table; empty for [`Kind::Relations`] and [`Kind::Password`], which have none.
    pub column: String,
    /// What it holds.
    pub kind: Kind,
    /// `!`: required on create, never empty afterwards.
    pub required: bool,
    /// A hook fills it when a create leaves it out: it is never empty, and needs not be sent.
    pub filled: bool,
    /// An empty text fills it.
    pub blank: bool,
    /// `^`: unique when filled.
    pub unique: bool,
    /// `#`: indexed.
    pub indexed: bool,
    /// `=v`: the value of a create that leaves it out.
    pub default: Option<Value>,
    /// The default of farms, whose rows people type.
    pub typed: Option<&'static str>,
    /// The related records that pages propose: those with this value of that field, or one of several between commas.
    pub among: Option<(&'static str, &'static str)>,
    /// It stands among the first of a form, though it may be left empty.
    pub first: bool,
    /// `@1`: written once.
    pub once: bool,
    /// `@L`: locked for farms by trust or registration (docs/design/access.md, *Writing*).
    pub locked: bool,
    /// Comes from the caller's organisation: another one in a farm's body is refused on
    /// this path (docs/design/access.md, *Writing*). With `~` only the refusal remains, hooks fill
    /// it.
    pub session: bool,
    /// The callers whose values are accepted.
    pub writer: Writer,
    /// The callers who see it.
    pub class: Class,
    /// Lowest value, or shortest password.
    pub min: Option<f64>,
    /// Highest value, most entries of a list of relations, or most bytes of JSON.
    pub max: Option<f64>,
    /// What happens to this row when the related one goes: required relations refuse
    /// it, optional ones become null, unless this says that the row goes too; of a list of
    /// rows the entry goes.
    pub cascade: bool,
    /// The field repeats one of the row that a relation names.
    pub through: Option<crate::registry::Through>,
    /// JSON that must be a `where` of the dialect over that collection, evaluated as the caller.
    pub asks: Option<&'static str>,
    /// The server remembers something here for its own calculations: a change of nothing else is no
    /// change of the row.
    pub memory: bool,
    /// A password-like value that only the answer to the write that set it contains.
    pub shown_once: bool,
    /// The field decides what an account may do.
    pub guarded: Option<Protection>,
    /// A token that the server makes for each new row; its SHA-256 is stored in that field.
    pub digest: Option<&'static str>,
    /// A signing key that the server makes for each new row, and anew on request (an action on this
    /// field); stored encrypted.
    pub keyed: Option<KeyFields>,
    /// Its texts are stored, and looked for, in one spelling.
    pub spelling: Option<Spelling>,
    /// It decides what the row means: a row of a file is not taken without it where it cannot be read.
    pub decides: bool,
    /// It names a parent: in files `0`, `unknown` and the like name none.
    pub names_parent: bool,
    /// Pages show it behind everything else: it is for programs more than for people.
    pub aside: bool,
    /// How people read a text that the server writes.
    pub wording: Wording,
    /// Meaning and unit, for OpenAPI and the data dictionary; for people on pages, where it has a text in Russian.
    pub doc: &'static str,
}

/// A node of the declared order: a field, or a named group of nodes.
#[derive(Debug, Clone, PartialEq)]
pub enum Decl {
    Field(Box<Field>),
    /// `g{…}`.
    Group(String, Vec<Decl>),
}

impl From<Field> for Decl {
    fn from(f: Field) -> Self {
        Self::Field(Box::new(f))
    }
}

/// More than a book has of anything.
const COUNTABLE: f64 = 1_000_000_000.0;

fn field(name: &str, kind: Kind) -> Field {
    Field { path: name.to_owned(), indexed: matches!(kind, Kind::Relation(_)), kind, ..<Field as Default>::default() }
}

/// `t`: text up to 255 characters.
pub fn text(name: &str) -> Field {
    field(name, Kind::Text(255))
}
/// `t(n)`: text up to n characters.
pub fn text_n(name: &str, max: usize) -> Field {
    field(name, Kind::Text(max))
}
/// `ta`: long text.
pub fn long_text(name: &str) -> Field {
    field(name, Kind::LongText)
}
/// `e`: an e-mail address.
pub fn email(name: &str) -> Field {
    field(name, Kind::Email)
}
/// A password that is taken and never given.
pub fn password(name: &str) -> Field {
    field(name, Kind::Password).class(Class::Hidden)
}
/// `i`: a whole number.
pub fn int(name: &str) -> Field {
    field(name, Kind::Int)
}
/// `n`: a decimal number.
pub fn number(name: &str) -> Field {
    field(name, Kind::Number)
}
/// `d`: a day.
pub fn day(name: &str) -> Field {
    field(name, Kind::Day)
}
/// `ts`: a point in time.
pub fn instant(name: &str) -> Field {
    field(name, Kind::Instant)
}
/// `b`: yes or no.
pub fn boolean(name: &str) -> Field {
    field(name, Kind::Bool)
}
/// `j`: any JSON.
pub fn json(name: &str) -> Field {
    field(name, Kind::Json)
}
/// `{a|b}`: one of the values, written with `|` between them.
pub fn select(name: &str, values: &str) -> Field {
    field(name, Kind::Select(split(values)))
}
/// `{a|b}[]`: several of the values.
pub fn selects(name: &str, values: &str) -> Field {
    field(name, Kind::Selects(split(values)))
}
/// `t(n)[]`: several texts up to n characters each.
pub fn texts(name: &str, max: usize) -> Field {
    field(name, Kind::Texts(max))
}
/// `→x`: a relation.
pub fn relation(name: &str, to: &str) -> Field {
    field(name, Kind::Relation(to.to_owned()))
}
/// `→x[]`: several relations.
pub fn relations(name: &str, to: &str) -> Field {
    field(name, Kind::Relations(to.to_owned()))
}
/// `g[{…}]`: rows of fields.
pub fn rows<const N: usize>(name: &str, fields: [Field; N]) -> Field {
    field(name, Kind::Rows(fields.into()))
}
/// `g{…}`: a group.
pub fn group(name: &str, members: Vec<Decl>) -> Decl {
    Decl::Group(name.to_owned(), members)
}

/// The fields of a collection or a group, each with its meaning:
/// `fields![text("name").required() => "Name shown to users.", int("place") => "Place in the list."]`.
#[macro_export]
macro_rules! fields {
    ($($field:expr $(=> $doc:literal)?),* $(,)?) => {
        vec![$($crate::registry::Decl::from($field$(.doc($doc))?)),*]
    };
}
pub use fields;

fn split(values: &str) -> Vec<String> {
    values.split('|').map(|v| v.trim().to_owned()).collect()
}

impl Field {
    /// `!`
    pub fn required(mut self) -> Self {
        self.required = true;
        self
    }
    /// `!`, and filled by a hook when it is left out.
    pub fn filled(mut self) -> Self {
        self.filled = true;
        self.required()
    }
    /// An empty text is a value, also of a required field.
    pub fn blank(mut self) -> Self {
        self.blank = true;
        self
    }
    /// Whether a create must bring it: nothing else fills it.
    pub fn must_come(&self) -> bool {
        let served = self.session || self.writer == Writer::Server;
        self.required && self.default.is_none() && !self.filled && !served
    }
    /// `^`
    pub fn unique(mut self) -> Self {
        self.unique = true;
        self
    }
    /// `#`
    pub fn indexed(mut self) -> Self {
        self.indexed = true;
        self
    }
    /// `=v`
    pub fn default(mut self, value: impl Into<Value>) -> Self {
        self.default = Some(value.into());
        self
    }
    /// What a form of a farm begins with in place of the default.
    pub fn typed(mut self, word: &'static str) -> Self {
        self.typed = Some(word);
        self
    }
    /// Pages propose related records with this value of that field, or one of several between commas.
    pub fn among(mut self, path: &'static str, words: &'static str) -> Self {
        self.among = Some((path, words));
        self
    }
    /// It stands among the first of a form: most records need it.
    pub fn first(mut self) -> Self {
        self.first = true;
        self
    }
    /// The value of a row of a farm, or of others, that leaves the field out.
    pub fn begins(&self, farm: bool) -> Option<Value> {
        let typed = self.typed.filter(|_| farm).map(Value::from);
        typed.or_else(|| self.default.clone())
    }
    /// Texts that mean the same are stored, and looked for, in one spelling.
    pub fn spelled(mut self, spelling: fn(&str) -> Option<String>) -> Self {
        self.spelling = Some(Spelling(spelling));
        self
    }
    /// A text as the field stores it.
    pub fn spell(&self, text: String) -> String {
        (self.spelling.and_then(|spelling| (spelling.0)(&text))).unwrap_or(text)
    }
    /// It decides what the row means.
    pub fn decides(mut self) -> Self {
        self.decides = true;
        self
    }
    /// It names a parent, or the bull of a service.
    pub fn names_parent(mut self) -> Self {
        self.names_parent = true;
        self
    }
    /// `@1`
    pub fn once(mut self) -> Self {
        self.once = true;
        self
    }
    /// `@L`
    pub fn locked(mut self) -> Self {
        self.locked = true;
        self
    }
    /// Comes from the caller's organisation.
    pub fn session(mut self) -> Self {
        self.session = true;
        self
    }
    /// `~`
    pub fn server(mut self) -> Self {
        self.writer = Writer::Server;
        self
    }
    /// `@A`, `@T`, `@M`
    pub fn writer(mut self, writer: Writer) -> Self {
        self.writer = writer;
        self
    }
    /// Something that the server keeps beside the data, for its calculations or about the row: a
    /// change of it alone changes neither the date of the row nor its place in the feed.
    pub fn memory(mut self) -> Self {
        self.memory = true;
        self
    }
    /// The class of readers (docs/design/access.md, *Classes of fields*).
    pub fn class(mut self, class: Class) -> Self {
        self.class = class;
        self
    }
    /// Lowest value.
    pub fn min(mut self, min: f64) -> Self {
        self.min = Some(min);
        self
    }
    /// Most entries of a list.
    pub fn at_most(self, entries: u32) -> Self {
        Self { max: Some(f64::from(entries)), ..self }
    }
    /// Both limits, inclusive.
    pub fn range(mut self, min: f64, max: f64) -> Self {
        self.min = Some(min);
        self.max = Some(max);
        self
    }
    /// The first year of a day or an instant.
    pub fn since(self, year: u16) -> Self {
        self.min(f64::from(year))
    }
    /// A share, %.
    pub fn percent(self) -> Self {
        self.range(0.0, 100.0)
    }
    /// A number of things that are counted one by one.
    pub fn counted(self) -> Self {
        self.range(0.0, COUNTABLE)
    }
    /// Most bytes of JSON.
    pub fn bytes(self, most: u32) -> Self {
        Self { max: Some(f64::from(most)), ..self }
    }
    /// The row is deleted with the related one; inside of a list, the entry.
    pub fn cascade(mut self) -> Self {
        self.cascade = true;
        self
    }
    /// *Through the animal*: repeats a field of the row that a relation names, for ever in
    /// step with it, so that rows are filtered and sorted by it without a join. `of` is
    /// `relation.field`.
    pub fn through(self, of: &'static str) -> Self {
        self.repeats(of, crate::registry::Part::Whole)
    }
    /// Repeats the year of a day.
    pub fn year_of(self, of: &'static str) -> Self {
        self.repeats(of, crate::registry::Part::Year)
    }
    fn repeats(mut self, of: &'static str, part: crate::registry::Part) -> Self {
        let (relation, field) = of.split_once('.').unwrap_or((of, ""));
        self.through = Some(crate::registry::Through { relation, field, part });
        self.server()
    }
    /// A `where` of the dialect over a collection.
    pub fn asks(mut self, collection: &'static str) -> Self {
        self.asks = Some(collection);
        self
    }
    /// Returned in the answer to the write that set it, and never again; for fields that are not
    /// stored ([`Kind::Password`]).
    pub fn shown_once(mut self) -> Self {
        self.shown_once = true;
        self
    }
    /// The field decides what an account may do: no API key changes it.
    pub fn keyless(mut self) -> Self {
        self.guarded = Some(Protection { confirmed: false, mighty: &[] });
        self
    }
    /// Guarded, and a session that is not young confirms a change by the present password; so
    /// it does for a new account that has one of these values.
    pub fn confirmed(mut self, mighty: &'static [&'static str]) -> Self {
        self.guarded = Some(Protection { confirmed: true, mighty });
        self
    }
    /// A token of the server: created with the row, returned once, stored as a digest in that
    /// field.
    pub fn token(mut self, digest: &'static str) -> Self {
        self.digest = Some(digest);
        self.server().shown_once()
    }
    /// A signing key of the server: created with the row, returned once, stored encrypted.
    pub fn signing(mut self, keyed: KeyFields) -> Self {
        self.keyed = Some(keyed);
        self.server().shown_once()
    }
    /// Meaning and unit.
    pub fn doc(mut self, doc: &'static str) -> Self {
        self.doc = doc;
        self
    }

    /// The unit of its numbers, by its meaning.
    pub fn unit(&self) -> Option<&'static str> {
        units::of_meaning(self.doc)
    }

    /// A unit of its numbers as files write it.
    pub fn written_unit(&self, text: &str) -> Option<&'static Unit> {
        units::written(self.doc, text)
    }

    /// Other units in which files have its numbers without a word.
    pub fn usual_units(&self) -> impl Iterator<Item = &'static Unit> {
        units::usual_of(self.doc)
    }

    /// The range of a number. Every number that callers may write declares both ends, by what it
    /// measures; others follow from those.
    pub fn bounds(&self) -> (f64, f64) {
        let (min, max) = (self.min, self.max);
        (min.unwrap_or(f64::NEG_INFINITY), max.unwrap_or(f64::INFINITY))
    }

    /// The last segment of the path.
    pub fn name(&self) -> &str {
        self.path.rsplit('.').next().unwrap_or(&self.path)
    }

    /// Whether the field has a column in the collection's own table.
    pub fn stored(&self) -> bool {
        !matches!(self.kind, Kind::Relations(_) | Kind::Password)
    }

    /// The collection that a relation points to.
    pub fn target(&self) -> Option<&str> {
        match &self.kind {
            Kind::Relation(to) | Kind::Relations(to) => Some(to),
            _ => None,
        }
    }
}

//! What the standard declares (ADE 1.5.1, `resources/`, `types/`, `enums/`, `collections/`), member by member as
//! written there: nothing is inherited here. Readers that describe the standard (`OpenAPI`, data dictionaries, the
//! comparison with the official files) use this form; the validator uses the compiled one of `graph`.

/// Which folder of the standard a declaration belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Section {
    /// A message or part of one that carries `resourceType` (with few exceptions, e.g. `icarBatchResult`).
    Resource,
    /// An embedded object or a named text.
    Type,
    /// A code list.
    Enum,
    /// The body of a GET of a collection.
    Collection,
}

/// One named schema of the standard.
#[derive(Debug, Clone, PartialEq)]
pub struct Declaration {
    /// The official name, e.g. `icarWeightEventResource`.
    pub name: &'static str,
    /// A misspelling found in the standard's own texts that readers accept.
    pub also: Option<&'static str>,
    /// The folder it belongs to.
    pub section: Section,
    /// Official names of the schemas it extends, in order (`allOf`).
    pub bases: Vec<&'static str>,
    /// What it contains.
    pub body: Body,
}

/// The content of a [`Declaration`].
#[derive(Debug, Clone, PartialEq)]
pub enum Body {
    /// An object with these members besides those of its bases.
    Members(Vec<Member>),
    /// A code list, in the standard's order.
    Codes(Vec<&'static str>),
    /// A named text.
    Scalar(Scalar),
    /// An object whose text member `tag` selects one of the cases (the geometry of `GeoJSON`).
    Variants {
        /// The name of the selecting member.
        tag: &'static str,
        /// The value of `tag` and the further members it brings.
        cases: Vec<(&'static str, Vec<Member>)>,
    },
}

/// The forms of a named text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scalar {
    /// Any text.
    Text,
    /// RFC 3339 `full-date`.
    Date,
    /// RFC 3339 `date-time`.
    DateTime,
}

/// A member of an object.
#[derive(Debug, Clone, PartialEq)]
pub struct Member {
    /// The name as sent.
    pub name: &'static str,
    /// A spelling that readers of paths accept besides `name`.
    pub also: Option<&'static str>,
    /// Whether this declaration requires it; a base may require it too.
    pub required: bool,
    /// Whether the standard discourages it.
    pub deprecated: bool,
    /// Its type; `None` where the declaration only marks the member as required.
    pub ty: Option<Type>,
}

/// The type of a member or of an array's element.
#[derive(Debug, Clone, PartialEq)]
pub struct Type {
    /// The form of the value.
    pub kind: TypeKind,
    /// Whether null is valid as well.
    pub nullable: bool,
}

/// The form of a value.
#[derive(Debug, Clone, PartialEq)]
pub enum TypeKind {
    /// Anything.
    Any,
    /// Text, with an optional pattern (a regular expression, searched) and greatest length in characters.
    Text {
        /// The regular expression.
        pattern: Option<&'static str>,
        /// The greatest number of characters.
        max_length: Option<usize>,
    },
    /// An absolute URI of RFC 3986.
    Uri,
    /// A number, with an optional inclusive lower bound.
    Number {
        /// The least valid value.
        minimum: Option<f64>,
    },
    /// A number without fraction; 1.0 is one.
    Integer,
    /// True or false.
    Boolean,
    /// A code list written at the member itself.
    OneOf(Vec<&'static str>),
    /// An object written at the member itself.
    Object(Vec<Member>),
    /// An array of at least `min_items` elements.
    Array {
        /// The type of each element.
        items: Box<Type>,
        /// The least number of elements.
        min_items: usize,
    },
    /// A declared schema, by its official name.
    Named(&'static str),
}

//! From a document to the fields of a row (docs/design/mappings.md, *Rendering and reading*).

pub(crate) mod beside;
pub(crate) mod corrections;
pub(crate) mod document;
pub(crate) mod elements;
pub(crate) mod groups;
pub(crate) mod here;
pub(crate) mod match_rule;
pub(crate) mod parts;
pub(crate) mod reference;
pub(crate) mod rest;
pub(crate) mod stated;
pub(crate) mod unchanged;
pub(crate) mod value;
pub(crate) mod work;

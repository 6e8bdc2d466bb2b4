//! Files of text: their encodings, and tables in them.

pub(crate) mod adis;
pub(crate) mod encoding;
pub(crate) mod fixed;
pub(crate) mod gather;
pub(crate) mod layout;
pub(crate) mod lines;
pub(crate) mod text;
pub(crate) mod text_lines;

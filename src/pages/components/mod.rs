//! The components of pages: the frame, the style sheet, values, tables, fields of forms.

pub(crate) mod assets;
pub(crate) mod axis;
pub(crate) mod bars;
pub(crate) mod chart;
pub(crate) mod input;
pub(crate) mod months;
pub(crate) mod notice;
pub(crate) mod reply;
pub(crate) mod set_fields;
pub(crate) mod shell;
pub(crate) mod small;
pub(crate) mod times;
pub(crate) mod upload_form;
pub(crate) mod value;

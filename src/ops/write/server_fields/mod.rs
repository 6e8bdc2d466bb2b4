//! Fields that the server fills: sign-in data, tokens, names of files, signatures, repeated values.

pub(crate) mod accounts;
pub(crate) mod addresses;
pub(crate) mod credentials;
pub(crate) mod naming;
pub(crate) mod signing;
pub(crate) mod through;
pub(crate) mod tokens;

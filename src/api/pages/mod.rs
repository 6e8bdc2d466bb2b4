//! Pages and documents beside the faces: the index, the contact for security, the public keys, the page on the exchange,
//! cards of records, protocols of packages, certificates, and the links that end emails.

pub(crate) mod assets;
pub(crate) mod card_sheet;
pub(crate) mod certificate;
pub(crate) mod exchange_page;
mod frame;
pub(crate) mod index;
pub(crate) mod keys;
pub(crate) mod protocol;
pub(crate) mod protocol_sheet;
pub(crate) mod security;
pub(crate) mod unsubscribe;

//! The layers around every handler: the response cache, compression, origins, addresses, parameters.

pub(crate) mod accept;
pub(crate) mod compression;
pub(crate) mod drain;
pub(crate) mod ignored;
pub(crate) mod language;
pub(crate) mod method_override;
pub(crate) mod origin;
pub(crate) mod peer;
pub(crate) mod poll_interval;
pub(crate) mod prefer;
pub(crate) mod request_facts;
pub(crate) mod response_cache;
pub(crate) mod scoped;
pub(crate) mod shared;
pub(crate) mod unpack;

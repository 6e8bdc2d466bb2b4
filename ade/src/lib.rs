//! The ICAR Animal Data Exchange standard (ADE) 1.5.1 as data, and what follows from it: its schemas
//! and code lists ([`schema`]), a validator ([`validate()`]), its URLs ([`catalog`]) and the bodies
//! that go over the wire. Knows nothing of any server, store or data model that speaks the standard.

mod batch;
pub mod catalog;
pub mod dataset;
mod envelope;
mod error;
mod fault;
mod format;
mod identifier;
pub mod keys;
mod meta;
mod resource;
pub mod schema;
pub mod table;
pub mod time;
mod validate;
pub mod xml;

pub use batch::BatchResult;
pub use envelope::{Envelope, View};
pub use error::{ErrorCollection, ErrorElement, ResponseMessage};
pub use fault::{Fault, FaultCode, Severity};
pub use identifier::Identifier;
pub use meta::Meta;
pub use resource::{Head, IdentifierRef};
pub use validate::{unknown_members, validate};

/// The release of the standard.
pub const VERSION: &str = "1.5.1";

/// The header that names the release a peer speaks.
pub const VERSION_HEADER: &str = "X-ICAR-ADE-Version";

/// The response header that lists the query parameters a server did not honour.
pub const IGNORED_FILTERS_HEADER: &str = "X-ICAR-ADE-Ignored-Filters";

/// The response header of a change feed that asks the client to drop the data set and read it from the beginning.
pub const FULL_SYNC_HEADER: &str = "icar-full-sync";

//! The fields of a collection of view links. Code that looks for the link of a token finds the fields by these names, so
//! that no collection is known by its slug.

/// SHA-256 of the token.
pub const DIGEST: &str = "tokenDigest";
/// The organisation whose animals it shows.
pub const OWNER: &str = "owner";
/// The animals that it shows.
pub const ANIMALS: &str = "animals";
/// Which data of them.
pub const SCOPES: &str = "scopes";
/// Its end.
pub const EXPIRES: &str = "expiresAt";
/// When it was revoked.
pub const REVOKED: &str = "revokedAt";
/// How often it was opened.
pub const OPENS: &str = "opens";
/// When it was opened last.
pub const OPENED: &str = "lastOpenedAt";
pub const LOOKED_FOR: [&str; 8] = [DIGEST, OWNER, ANIMALS, SCOPES, EXPIRES, REVOKED, OPENS, OPENED];

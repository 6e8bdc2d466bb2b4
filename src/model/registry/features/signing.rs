//! What collections of signing keys and of signed packages keep. Whoever signs, verifies or lists
//! keys finds the fields by these names, so that no collection is known by its slug.

use crate::registry::Class;
use crate::registry::field::{Decl, fields, instant, int, long_text, relation, text_n};

/// The name of a key: the thumbprint of its public half.
pub const KEY_ID: &str = "keyId";
/// The algorithm of a key.
pub const ALGORITHM: &str = "algorithm";
/// The public half of a key.
pub const PUBLIC: &str = "publicKey";
/// When a key was retired.
pub const RETIRED: &str = "retiredAt";
/// Hidden field with the private half, encrypted.
pub const PRIVATE: &str = "privateKey";
/// All that is looked for among keys.
pub const KEYS: [&str; 5] = [KEY_ID, ALGORITHM, PUBLIC, RETIRED, PRIVATE];

/// The relation by which rows of other collections name the package that they came with.
pub const PACKAGE_OF_ROW: &str = "submission";
/// The group of a package that its signature fills.
pub const SIGNATURE: &str = "signature";
/// The text that was signed.
pub const STATEMENT: &str = "signature.statement";
/// The signature of that text.
pub const VALUE: &str = "signature.value";

/// The fields of keys that sign for the installation.
pub fn signing_key_fields() -> Vec<Decl> {
    fields![
        text_n(KEY_ID, 43).server().unique() => "Name of the key: the thumbprint of its public half (RFC 7638).",
        text_n(ALGORITHM, 20).server() => "`Ed25519` (RFC 8032).",
        text_n(PUBLIC, 43).server() => "Public half, 32 bytes as base64url.",
        instant(RETIRED).server().indexed() => "When the key was retired: it signs nothing more, and what it signed stays verifiable. Empty: this key signs.",
        long_text(PRIVATE).server().class(Class::Hidden) => "Private half, encrypted.",
    ]
}

/// The members of a signature, which the server fills.
pub fn signature_fields(users: &str) -> Vec<Decl> {
    fields![
        relation("by", users).server() => "User who signed the rows.",
        instant("at").server() => "When they were signed.",
        text_n("sha256", 64).server() => "SHA-256 of the rows in canonical form, hexadecimal.",
        int("rows").server() => "Rows that were signed.",
        text_n("key", 43).server() => "Name of the key that signed.",
        text_n("algorithm", 20).server() => "Algorithm of the signature: `Ed25519`.",
        text_n("value", 86).server() => "Signature of the statement, base64url.",
        long_text("statement").server()
            => "What was signed: JSON in the canonical form of RFC 8785 with the number of the package, service, farm, period, number of rows, their SHA-256, time, signer and key.",
    ]
}

//! The fields of a collection of API keys: the account that each key opens, its rights, and its
//! end. Code that looks for the holder of a key finds the fields by these names, so that no
//! collection is known by its slug.

use crate::registry::Class;
use crate::registry::collection::sign_in::CURRENT_PASSWORD;
use crate::registry::field::{Decl, fields, instant, password, relation, select, text, text_n, texts};

/// The account that it opens.
pub const HOLDER: &str = "user";
/// What it is for, in words.
pub const NAME: &str = "name";
/// The key itself: returned once, never stored.
pub const KEY: &str = "key";
/// Hidden field with the digest by which it is found.
pub const KEY_INDEX: &str = "keyIndex";
/// Whether it may write.
pub const SCOPE: &str = "scope";
/// The word of a key that writes.
pub const WRITES: &str = "write";
/// The data sets of the exchange to which it is limited.
pub const DATASETS: &str = "datasets";
/// Its end.
pub const EXPIRES: &str = "expiresAt";
/// When it was revoked.
pub const REVOKED: &str = "revokedAt";
/// When it was shown last.
pub const USED: &str = "lastUsedAt";
pub const LOOKED_FOR: [&str; 9] = [HOLDER, NAME, KEY, KEY_INDEX, SCOPE, DATASETS, EXPIRES, REVOKED, USED];

/// The fields of keys of the accounts of that collection.
pub fn key_fields(accounts: &str) -> Vec<Decl> {
    fields![
        relation(HOLDER, accounts).required().once().cascade()
            => "User for whose account the key signs in; the caller unless another user is given.",
        text_n(NAME, 80).required() => "Purpose of the key: the program or machine that has it.",
        select(SCOPE, "read|write").required().default("read").once()
            => "What the key permits: reading only, or writing too, as far as the account may.",
        texts(DATASETS, 40).once()
            => "Data sets of the exchange to which the key is limited (`animals`, `set-7`); empty: the whole service. A limited key gives access to these data sets only.",
        instant(EXPIRES).once() => "When the key ends; empty: never.",
        instant(REVOKED).indexed() => "When the key was revoked, by the clock of the server; this is final.",
        instant(USED).server() => "When the key was last used, to some minutes.",
        password(KEY).server().shown_once() => "The key; created with the row, and returned in that answer only.",
        text(KEY_INDEX).server().class(Class::Hidden).indexed() => "Digest by which the key is found.",
        password(CURRENT_PASSWORD)
            => "The present password of the caller. A caller who signed in some time ago confirms the change with it.",
    ]
}

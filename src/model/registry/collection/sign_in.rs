//! What an `auth` collection declares for signing in: options of the declaration, and the fields
//! that they need (docs/dialect.md, *Calls*). Knows neither tokens nor emails.

use crate::letter::Wish;
use crate::registry::field::{Decl, Field, boolean, fields, instant, json, password, text};
use crate::registry::{Class, Collection};

/// Field in which a caller confirms by the present password; never stored.
pub const CURRENT_PASSWORD: &str = "currentPassword";
/// Field by which an API key is switched on.
pub const ENABLE_API_KEY: &str = "enableAPIKey";
/// Field in which an API key is sent; never stored.
pub const API_KEY: &str = "apiKey";
/// Hidden field with the digest by which a key is found.
pub const API_KEY_INDEX: &str = "apiKeyIndex";
/// Hidden field with the digest of the token for a new password.
pub const RESET_TOKEN: &str = "resetToken";
/// Hidden field: when that token ends.
pub const RESET_UNTIL: &str = "resetUntil";
/// Hidden field with the address that takes the place of the present one once it is proved.
pub const NEW_EMAIL: &str = "newEmail";
/// Hidden field with the digest of the token that proves it.
pub const NEW_EMAIL_TOKEN: &str = "newEmailToken";
/// Hidden field: when that token ends.
pub const NEW_EMAIL_UNTIL: &str = "newEmailUntil";

/// Field with the language of emails to the account.
pub const LANGUAGE: &str = "language";

/// Hidden field with the second factor.
pub const SECOND_FACTOR: &str = "secondFactor";
/// Hidden field by which an authenticator names the account of a passkey.
pub const PASSKEY_HANDLE: &str = "passkeyHandle";

/// Shortest API key that a caller may choose, characters.
const API_KEY_MIN: f64 = 16.0;

/// Options of an `auth` collection.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SignIn {
    /// Accounts may have an API key.
    pub api_keys: bool,
    /// What the very first account is, unless it says otherwise: path and text.
    pub first: Vec<(&'static str, &'static str)>,
    /// The fields by which accounts decline emails: what they are about, and the path of the flag.
    pub wishes: Vec<(Wish, &'static str)>,
}

impl SignIn {
    /// The flag by which accounts decline emails of a kind.
    pub fn wish(&self, wish: Wish) -> Option<&'static str> {
        let entry = self.wishes.iter().find(|(kind, _)| *kind == wish);
        entry.map(|(_, path)| *path)
    }
}

impl Collection {
    /// Accounts may have an API key; needs [`api_key_fields`].
    pub fn api_keys(mut self) -> Self {
        self.sign_in.api_keys = true;
        self
    }
    /// What the very first account is, unless it says otherwise.
    pub fn first(mut self, path: &'static str, text: &'static str) -> Self {
        self.sign_in.first.push((path, text));
        self
    }
    /// Accounts get emails of this kind while this flag is set, and end them by a link in them.
    pub fn wishes(mut self, wish: Wish, flag: &'static str) -> Self {
        self.sign_in.wishes.push((wish, flag));
        self
    }
    /// The options that hold, as words.
    pub fn sign_in_words(&self) -> Vec<String> {
        let options = &self.sign_in;
        let keys = options.api_keys.then(|| "API keys".to_owned());
        let first = (options.first.iter()).map(|(path, text)| format!("first {path} {text}"));
        let wishes = (options.wishes.iter()).map(|(wish, path)| format!("emails {} by {path}", wish.word()));
        keys.into_iter().chain(first).chain(wishes).collect()
    }
}

/// The hidden fields that every `auth` collection has.
pub fn account_fields() -> Vec<Decl> {
    fields![
        password(CURRENT_PASSWORD)
            => "The present password of the caller. A caller who signed in some time ago confirms a change of password, address or key with it.",
        hidden(text("verifier").doc("Password verifier in PHC notation.")),
        hidden(json("sessions").doc("Live sessions.")),
        hidden(text(RESET_TOKEN).indexed().doc("SHA-256 of the token for a new password.")),
        hidden(instant(RESET_UNTIL).doc("When that token ends.")),
        hidden(text(NEW_EMAIL).doc("New address, which is used once it is proved.")),
        hidden(text(NEW_EMAIL_TOKEN).indexed().doc("SHA-256 of the token that proves it.")),
        hidden(instant(NEW_EMAIL_UNTIL).doc("When that token ends.")),
        hidden(json(SECOND_FACTOR).doc("Second factor and passkeys; secrets encrypted, codes as digests.")),
        hidden(text(PASSKEY_HANDLE).indexed().doc("Random handle by which passkeys name the account.")),
    ]
}

/// What [`Collection::api_keys`] needs.
pub fn api_key_fields() -> Vec<Decl> {
    fields![
        boolean(ENABLE_API_KEY).default(false) => "Machines may sign in with an API key.",
        password(API_KEY).min(API_KEY_MIN).shown_once()
            => "The API key: sent, or created when none is sent; returned in that answer only.",
        hidden(text(API_KEY_INDEX).indexed().doc("Digest by which the API key is found.")),
    ]
}

fn hidden(field: Field) -> Decl {
    field.server().class(Class::Hidden).into()
}

//! Passkeys (WebAuthn): the challenge to an authenticator, and the check of its answer. Nothing is
//! asked about its maker; the person must have been verified by it. The state between both is
//! returned as text, for the caller to store on the server.

use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::fmt;
use url::Url;
use uuid::Uuid;
use webauthn_rs::prelude::{
    DiscoverableAuthentication, Passkey, PasskeyRegistration, PublicKeyCredential, RegisterPublicKeyCredential,
    WebauthnError,
};
use webauthn_rs::{Webauthn, WebauthnBuilder};

/// Why an answer does not count; for the log only.
#[derive(Debug)]
pub struct Fault {
    why: String,
    /// Its counter went back: there may be two of it.
    pub cloned: bool,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.why)
    }
}

impl From<WebauthnError> for Fault {
    fn from(error: WebauthnError) -> Self {
        Self { why: format!("{error:?}"), cloned: matches!(error, WebauthnError::CredentialPossibleCompromise) }
    }
}

impl From<serde_json::Error> for Fault {
    fn from(error: serde_json::Error) -> Self {
        Self { why: error.to_string(), cloned: false }
    }
}

/// The start of a ceremony: a registration or an authentication.
#[derive(Debug)]
pub struct Ceremony {
    pub options: Value,
    /// The challenge by which the answer is recognised.
    pub challenge: String,
    /// What judging the answer needs; not for the page.
    pub state: String,
}

impl Ceremony {
    fn new(options: Value, state: String) -> Result<Self, Fault> {
        let challenge = options.pointer("/publicKey/challenge");
        let challenge = challenge.and_then(Value::as_str).map(str::to_owned);
        let challenge =
            challenge.ok_or_else(|| Fault { why: "options without a challenge".to_owned(), cloned: false })?;
        Ok(Self { options, challenge, state })
    }
}

#[derive(Debug)]
pub struct RelyingParty(Webauthn);

impl RelyingParty {
    /// By its name, its origin, whose host passkeys are bound to, and further origins of pages.
    ///
    /// # Errors
    /// When the origin has no host with a name.
    pub fn new(service: &str, origin: &Url, more: &[Url]) -> Result<Self, Fault> {
        let builder = WebauthnBuilder::new(origin.domain().unwrap_or_default(), origin)?;
        let builder = more.iter().fold(builder, |builder, one| builder.append_allowed_origin(one));
        Ok(Self(builder.rp_name(service).build()?))
    }

    /// Asks for a new passkey of an account, which authenticators name by its handle.
    pub fn start_registration(&self, handle: Uuid, email: &str, passkeys: &[&Value]) -> Result<Ceremony, Fault> {
        let passkeys = passkeys.iter().filter_map(|key| read::<Passkey>(key).ok());
        let passkeys = passkeys.map(|key| key.cred_id().clone()).collect();
        let begun = (self.0).start_passkey_registration(handle, email, email, Some(passkeys));
        let (options, state) = begun?;
        let mut options = serde_json::to_value(&options)?;
        // The authenticator itself must know the account of the passkey: no name is sent at sign-in.
        if let Some(Value::Object(selection)) = options.pointer_mut("/publicKey/authenticatorSelection") {
            selection.insert("residentKey".to_owned(), json!("required"));
            selection.insert("requireResidentKey".to_owned(), json!(true));
        }
        Ceremony::new(options, serde_json::to_string(&state)?)
    }

    /// The passkey that was made, for keeping.
    pub fn finish_registration(&self, credential: &Value, state: &str) -> Result<Value, Fault> {
        let credential: RegisterPublicKeyCredential = read(credential)?;
        let state: PasskeyRegistration = serde_json::from_str(state)?;
        let made = self.0.finish_passkey_registration(&credential, &state)?;
        Ok(serde_json::to_value(&made)?)
    }

    /// Asks for any passkey of this service.
    pub fn start_authentication(&self) -> Result<Ceremony, Fault> {
        let (options, state) = self.0.start_discoverable_authentication()?;
        let mut options = serde_json::to_value(&options)?;
        // How the question is shown is for the page to say.
        if let Some(options) = options.as_object_mut() {
            options.remove("mediation");
        }
        Ceremony::new(options, serde_json::to_string(&state)?)
    }

    /// Judges an answer by a stored passkey, and returns the passkey as it is to be stored from now on.
    ///
    /// # Errors
    /// When it is not the answer of this passkey to this question.
    pub fn finish_authentication(&self, credential: &Value, state: &str, key: &Value) -> Result<Value, Fault> {
        let credential: PublicKeyCredential = read(credential)?;
        let state: DiscoverableAuthentication = serde_json::from_str(state)?;
        let mut key: Passkey = read(key)?;
        let judged = (self.0).finish_discoverable_authentication_v2(&credential, state, &key)?;
        key.update_credential(&judged);
        Ok(serde_json::to_value(&key)?)
    }
}

pub fn name_of(key: &Value) -> Option<&str> {
    key.pointer("/cred/cred_id").and_then(Value::as_str)
}

/// Whether this program knows passkeys.
pub const KNOWN: bool = true;

fn read<T: DeserializeOwned>(value: &Value) -> Result<T, Fault> {
    Ok(T::deserialize(value)?)
}

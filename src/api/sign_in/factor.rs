//! The second factor of an account as it is stored: an encrypted secret of one-time codes with
//! the last step that was used, digests of recovery codes, a secret that waits for its first
//! code, and passkeys. All are in one hidden field, read and written within the transaction that
//! checks a code, so that each code is valid only once, even with parallel requests.

use model::error::{Error, Result};
use model::record::{Record, Value};
use model::registry::sign_in::{PASSKEY_HANDLE, SECOND_FACTOR};
use model::registry::{Collection, HookContext, Lookup};
use secure::keys::{KeyRing, Purpose};
use secure::token::same;
use secure::totp;
use serde_json::{Map, Value as Json, json};

#[derive(Debug, Clone, Default)]
pub(super) struct Factor {
    totp: Option<Json>,
    recovery: Vec<String>,
    pending: Option<Json>,
    /// Passkeys ([`super::passkeys::passkey_store`]).
    pub(super) passkeys: Vec<Json>,
}

/// A code of the second factor as a caller sent it, with what it is judged by.
#[derive(Clone, Copy)]
pub(super) struct CodeInput<'a> {
    /// Opens the stored secret.
    pub(super) keys: &'a KeyRing,
    /// The code; none: no code was sent.
    pub(super) code: Option<&'a str>,
    /// The present time, in milliseconds.
    pub(super) now: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CodeVerdict {
    /// The account has no second factor.
    None,
    /// Right; by what it was.
    Right(&'static str),
    /// It has one, and no code was sent.
    Missing,
    /// The code is wrong, or was used already.
    Wrong,
}

impl Factor {
    fn of(c: &Collection, row: &Record) -> Self {
        let Value::Json(stored) = row.get(c.at(SECOND_FACTOR)) else {
            return Self::default();
        };
        let recovery = stored.get("recovery").and_then(Json::as_array);
        let passkeys = stored.get("passkeys").and_then(Json::as_array);
        let texts = recovery.into_iter().flatten().filter_map(Json::as_str);
        Self {
            totp: stored.get("totp").cloned(),
            recovery: texts.map(str::to_owned).collect(),
            pending: stored.get("pending").cloned(),
            passkeys: passkeys.cloned().unwrap_or_default(),
        }
    }

    pub(super) async fn read(context: &mut dyn HookContext, c: &Collection, id: i64) -> Result<Self> {
        let lookup = Lookup::by_ids("id", [id]).fields(&[SECOND_FACTOR]);
        let rows = context.find(c.slug, lookup).await?;
        let row = rows.first().ok_or(Error::NotFound)?;
        Ok(Self::of(c, row))
    }

    /// Whether codes are required.
    pub(super) fn is_on(&self) -> bool {
        self.totp.is_some()
    }

    /// Since when, as text.
    pub(super) fn since(&self) -> Option<&Json> {
        self.totp.as_ref()?.get("since")
    }

    pub(super) fn codes_left(&self) -> usize {
        self.recovery.len()
    }

    pub(super) async fn write(&self, context: &mut dyn HookContext, c: &'static Collection, id: i64) -> Result<()> {
        let mut stored = Map::new();
        let members = [("totp", &self.totp), ("pending", &self.pending)];
        for (name, member) in members {
            if let Some(member) = member {
                stored.insert(name.to_owned(), member.clone());
            }
        }
        if !self.recovery.is_empty() {
            stored.insert("recovery".to_owned(), json!(self.recovery));
        }
        if !self.passkeys.is_empty() {
            stored.insert("passkeys".to_owned(), json!(self.passkeys));
        }
        let value = match stored.is_empty() {
            true => Value::Null,
            false => Value::json(stored.into()),
        };
        let fields = vec![(c.at(SECOND_FACTOR), value)];
        context.amend(c.slug, vec![(id, fields)]).await
    }

    /// Stores a secret until its first code comes; an earlier one is deleted.
    pub(super) async fn begin(
        mut self,
        context: &mut dyn HookContext,
        c: &'static Collection,
        id: i64,
        (closed, until): (String, i64),
    ) -> Result<()> {
        self.pending = Some(json!({"secret": closed, "until": until}));
        self.write(context, c, id).await
    }

    /// Switches codes on by the first one; false when it is not right, or came too late.
    pub(super) async fn confirm(
        mut self,
        context: &mut dyn HookContext,
        c: &'static Collection,
        id: i64,
        input: CodeInput<'_>,
        recovery: Vec<String>,
    ) -> Result<bool> {
        let Some(pending) = self.pending.take() else {
            return Ok(false);
        };
        let live = pending.get("until").and_then(Json::as_i64);
        let CodeInput { keys, code, now } = input;
        let secret = secret(keys, &pending).filter(|_| live.is_some_and(|until| until > now));
        let both = secret.zip(code);
        let step = both.and_then(|(secret, code)| totp::step_of(&secret, code, now, None));
        let Some(step) = step else {
            return Ok(false);
        };
        self.totp = Some(json!({
            "secret": pending.get("secret"), "step": step,
            "since": model::record::time::to_iso(now),
        }));
        self.recovery = recovery;
        self.write(context, c, id).await?;
        Ok(true)
    }

    /// Switches codes off; passkeys stay.
    pub(super) async fn disable(self, context: &mut dyn HookContext, c: &'static Collection, id: i64) -> Result<()> {
        let factor = Self { passkeys: self.passkeys, ..Self::default() };
        factor.write(context, c, id).await
    }

    /// Judges a code, and uses it up.
    async fn judge(
        mut self,
        context: &mut dyn HookContext,
        c: &'static Collection,
        id: i64,
        CodeInput { keys, code, now }: CodeInput<'_>,
    ) -> Result<CodeVerdict> {
        let Some(on) = self.totp.as_mut() else {
            return Ok(CodeVerdict::None);
        };
        let code = code.filter(|code| !code.trim().is_empty());
        let Some(code) = code else {
            return Ok(CodeVerdict::Missing);
        };
        let last = on.get("step").and_then(Json::as_i64);
        let secret = secret(keys, on);
        if secret.is_none() {
            tracing::warn!(user = id, "the secret of a second factor does not open");
        }
        let step = |secret: &Vec<u8>| totp::step_of(secret, code, now, last);
        let right = secret.and_then(|secret| Some((step(&secret)?, secret)));
        if let Some((step, secret)) = right {
            // While a secret of the service is exchanged, it moves under the present one.
            let closed = keys.close(Purpose::SecondFactor, &secret);
            let closed = closed.map_err(Error::internal)?;
            *on = json!({"secret": closed, "step": step, "since": on.get("since")});
            self.write(context, c, id).await?;
            return Ok(CodeVerdict::Right("password+totp"));
        }
        let Some(digest) = totp::recovery_digest(code) else {
            return Ok(CodeVerdict::Wrong);
        };
        let before = self.recovery.len();
        self.recovery.retain(|stored| !same(stored, &digest));
        if self.recovery.len() == before {
            return Ok(CodeVerdict::Wrong);
        }
        self.write(context, c, id).await?;
        Ok(CodeVerdict::Right("password+recovery"))
    }
}

fn secret(keys: &KeyRing, member: &Json) -> Option<Vec<u8>> {
    let closed = member.get("secret")?.as_str()?;
    keys.disclose(Purpose::SecondFactor, closed).ok()
}

/// Judges the code of an account, and uses it up.
pub(super) async fn judge(
    context: &mut dyn HookContext,
    c: &'static Collection,
    id: i64,
    input: CodeInput<'_>,
) -> Result<CodeVerdict> {
    let factor = Factor::read(context, c, id).await?;
    factor.judge(context, c, id, input).await
}

/// What switches the second factor of an account off, and forgets its passkeys.
pub fn off(c: &Collection) -> Vec<(usize, Value)> {
    vec![(c.at(SECOND_FACTOR), Value::Null), (c.at(PASSKEY_HANDLE), Value::Null)]
}

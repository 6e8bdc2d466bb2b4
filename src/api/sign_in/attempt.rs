//! A sign-in attempt: the name, the address, and the device if it is known. Each
//! is delayed by its own failures ([`ops::Backoff`]); a known device is delayed by its own
//! failures only, so that wrong passwords from elsewhere do not keep the owner out.

use super::account;
use super::factor::{self, CodeInput, CodeVerdict};
use crate::AppState;
use crate::layers::peer::customer;
use crate::layers::request_facts;
use model::error::Result;
use model::registry::Collection;
use ops::{Backoff, WriteTransaction, count_failure, is_delayed};
use secure::device::{Device, Link};
use std::net::IpAddr;

/// How long a device is known after it was signed in from, seconds.
const KNOWN: i64 = 180 * 86_400;
/// The factor by which an address may fail more often than a name before it is delayed, since
/// several people may share it.
const SHARED: i64 = 10;

/// The names, addresses and devices whose failures delay an attempt.
#[derive(Debug, Clone)]
pub(super) struct SignInAttempt {
    whose: Vec<(String, Backoff)>,
    /// The key whose count a right password resets.
    own: String,
    /// Whether the attempt comes from a known device.
    pub(super) known_device: bool,
}

impl SignInAttempt {
    /// The attempt of the present request, for a name.
    pub(super) async fn now(app: &AppState, c: &'static Collection, email: &str) -> Result<Self> {
        let pace = pace(app);
        if let Some(device) = known_device(app, c, email).await? {
            let own = format!("d:{}", device.nonce);
            return Ok(Self { whose: vec![(own.clone(), pace)], own, known_device: true });
        }
        let own = name_key(c, email);
        let mut whose = vec![(own.clone(), pace)];
        let shared = Backoff { from: pace.from.saturating_mul(SHARED), ..pace };
        whose.extend(request_facts::address().map(|ip| (address_key(ip), shared)));
        Ok(Self { whose, own, known_device: false })
    }

    /// The attempt of a name alone, without address and device.
    pub(super) fn by_name(app: &AppState, c: &Collection, email: &str) -> Self {
        let own = name_key(c, email);
        Self { whose: vec![(own.clone(), pace(app))], own, known_device: false }
    }

    /// The attempt of an address alone, where no name was sent.
    pub(super) fn by_address(app: &AppState) -> Self {
        let pace = pace(app);
        let shared = Backoff { from: pace.from.saturating_mul(SHARED), ..pace };
        let own = request_facts::address().map(address_key);
        let own = own.unwrap_or_else(|| "a:".to_owned());
        Self { whose: vec![(own.clone(), shared)], own, known_device: false }
    }

    /// Judges a code of the second factor within a write, and uses it up. A wrong one is counted like a wrong password.
    /// While the account or the address is delayed, no code is looked at.
    pub(super) async fn judged(
        &self,
        work: &mut WriteTransaction<'_>,
        c: &'static Collection,
        id: i64,
        input: CodeInput<'_>,
    ) -> Result<CodeVerdict> {
        if input.code.is_some() && is_delayed(work.tx(), &self.whose, input.now).await? {
            return Ok(CodeVerdict::Wrong);
        }
        let judged = factor::judge(work, c, id, input).await?;
        if judged == CodeVerdict::Wrong {
            self.count(work, input.now).await?;
        }
        Ok(judged)
    }

    /// Counts a wrong code within a write.
    pub(super) async fn count(&self, work: &mut WriteTransaction<'_>, now: i64) -> Result<()> {
        for (whose, pace) in &self.whose {
            count_failure(work.tx(), whose.clone(), *pace, now).await?;
        }
        Ok(())
    }

    /// Whether the attempt is still delayed.
    pub(super) async fn waits(&self, app: &AppState) -> Result<bool> {
        let whose: Vec<String> = self.whose.iter().map(|(one, _)| one.clone()).collect();
        app.book.delayed(&whose).await
    }

    /// Counts a wrong password.
    pub(super) async fn failed(self, app: &AppState) -> Result<()> {
        app.book.failed(self.whose).await
    }

    /// The key whose count a right password resets.
    pub(super) fn own(&self) -> &str {
        &self.own
    }
}

/// How the delays of a name grow.
fn pace(app: &AppState) -> Backoff {
    Backoff { from: app.settings.lock_failures, longest: app.settings.lock_time.saturating_mul(1000) }
}

/// The key under which the failures of a name are counted. It is a digest, since people type all
/// kinds of text into the field.
pub fn name_key(c: &Collection, email: &str) -> String {
    let text = format!("{}\n{email}", c.slug);
    format!("n:{}", blake3::hash(text.as_bytes()).to_hex())
}

fn address_key(ip: IpAddr) -> String {
    format!("a:{}", customer(ip))
}

/// The device of the request that runs now, if it is known for the account of that name.
async fn known_device(app: &AppState, c: &'static Collection, email: &str) -> Result<Option<Device>> {
    let now = app.book.clock.now();
    let device = request_facts::device().and_then(|text| Device::open(&app.book.keys, &text, now));
    let Some(device) = device else {
        return Ok(None);
    };
    let account = account::by_email(&app.book, c, email).await?;
    Ok(account.filter(|account| device.is_of(c.slug, account.id, account.verifier.as_deref())).map(|_| device))
}

/// A cookie by which the device is known from now on.
pub(super) async fn remembered(app: &AppState, c: &'static Collection, id: i64) -> Result<Option<String>> {
    let account = account::by_id(&app.book, c, id).await?;
    Ok(account.map(|account| {
        let until = known_until(app);
        let device = Device::new(c.slug, account.id, account.verifier.as_deref(), until);
        cookie(app, &device)
    }))
}

/// A cookie by which the device is known to which a link was sent.
pub(super) fn linked(app: &AppState, link: Link) -> String {
    cookie(app, &link.device(known_until(app)))
}

fn cookie(app: &AppState, device: &Device) -> String {
    app.cookies.device(&device.sealed(&app.book.keys), device.until)
}

/// When a device that becomes known now is forgotten, Unix seconds.
fn known_until(app: &AppState) -> i64 {
    let now = app.book.clock.now().div_euclid(1000);
    now.saturating_add(KNOWN)
}

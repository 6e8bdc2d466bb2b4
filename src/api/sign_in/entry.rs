//! The origin of a sign-in attempt: the name, the address, and the device if it is known. Each
//! is delayed by its own failures ([`ops::Backoff`]); a known device is delayed by its own
//! failures only, so that wrong passwords from elsewhere do not keep the owner out.

use super::account;
use super::factor::{self, Judged, SentCode};
use crate::Hub;
use crate::layers::peer;
use model::error::Result;
use model::registry::Collection;
use ops::{Backoff, Work, count_failure, is_delayed};
use secure::device::{Device, Link};
use std::net::{IpAddr, Ipv6Addr};

/// How long a device is known after it was signed in from, seconds.
const KNOWN: i64 = 180 * 86_400;
/// The factor by which an address may fail more often than a name before it is delayed, since
/// several people may share it.
const SHARED: i64 = 10;
/// The first half of an address of IPv6: what one customer has.
const CUSTOMER: u128 = !0 << 64;

/// The names, addresses and devices whose failures delay an attempt.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    whose: Vec<(String, Backoff)>,
    /// The key whose count a right password resets.
    own: String,
    /// Whether the attempt comes from a known device.
    pub(super) known: bool,
}

impl Entry {
    /// The entry of the present request, for a name.
    pub(super) async fn now(hub: &Hub, c: &'static Collection, email: &str) -> Result<Self> {
        let pace = pace(hub, c);
        if let Some(device) = shown(hub, c, email).await? {
            let own = format!("d:{}", device.nonce);
            return Ok(Self {
                whose: vec![(own.clone(), pace)],
                own,
                known: true,
            });
        }
        let own = of_name(c, email);
        let mut whose = vec![(own.clone(), pace)];
        let shared = Backoff {
            from: pace.from.saturating_mul(SHARED),
            ..pace
        };
        whose.extend(peer::current().map(|ip| (of_address(ip), shared)));
        Ok(Self {
            whose,
            own,
            known: false,
        })
    }

    /// The entry of a name alone, without address and device.
    pub(super) fn by_name(hub: &Hub, c: &Collection, email: &str) -> Self {
        let own = of_name(c, email);
        Self {
            whose: vec![(own.clone(), pace(hub, c))],
            own,
            known: false,
        }
    }

    /// The entry of an address alone, where no name was sent.
    pub(super) fn by_address(hub: &Hub, c: &Collection) -> Self {
        let pace = pace(hub, c);
        let shared = Backoff {
            from: pace.from.saturating_mul(SHARED),
            ..pace
        };
        let own = peer::current().map(of_address);
        let own = own.unwrap_or_else(|| "a:".to_owned());
        Self {
            whose: vec![(own.clone(), shared)],
            own,
            known: false,
        }
    }

    /// Judges a code of the second factor within a write, and uses it up. A wrong one is
    /// counted like a wrong password. While the account or the address is delayed, no code is
    /// looked at.
    pub(super) async fn judged(
        &self,
        work: &mut Work<'_>,
        c: &'static Collection,
        id: i64,
        sent: SentCode<'_>,
    ) -> Result<Judged> {
        if sent.code.is_some() && is_delayed(work.tx(), &self.whose, sent.now).await? {
            return Ok(Judged::Wrong);
        }
        let judged = factor::judge(work, c, id, sent).await?;
        if judged == Judged::Wrong {
            self.count(work, sent.now).await?;
        }
        Ok(judged)
    }

    /// Counts a wrong code within a write.
    pub(super) async fn count(&self, work: &mut Work<'_>, now: i64) -> Result<()> {
        for (whose, pace) in &self.whose {
            count_failure(work.tx(), whose.clone(), *pace, now).await?;
        }
        Ok(())
    }

    /// Whether the attempt is still delayed.
    pub(super) async fn waits(&self, hub: &Hub) -> Result<bool> {
        let whose: Vec<String> = self.whose.iter().map(|(one, _)| one.clone()).collect();
        hub.book.delayed(&whose).await
    }

    /// Counts a wrong password.
    pub(super) async fn failed(self, hub: &Hub) -> Result<()> {
        hub.book.failed(self.whose).await
    }

    /// The key whose count a right password resets.
    pub(super) fn own(&self) -> &str {
        &self.own
    }
}

/// How the delays of a name grow.
fn pace(hub: &Hub, c: &Collection) -> Backoff {
    let (own, settings) = (&c.sign_in, &hub.settings);
    let longest = own.lock_time.unwrap_or(settings.lock_time);
    Backoff {
        from: own.attempts.unwrap_or(settings.lock_failures),
        longest: longest.saturating_mul(1000),
    }
}

/// The key under which the failures of a name are counted. It is a digest, since people type all
/// kinds of text into the field.
pub fn of_name(c: &Collection, email: &str) -> String {
    let text = format!("{}\n{email}", c.slug);
    format!("n:{}", blake3::hash(text.as_bytes()).to_hex())
}

fn of_address(ip: IpAddr) -> String {
    let ip = match ip {
        IpAddr::V6(six) => IpAddr::V6(Ipv6Addr::from_bits(six.to_bits() & CUSTOMER)),
        four => four,
    };
    format!("a:{ip}")
}

/// The device of the request that runs now, if it is known for the account of that name.
async fn shown(hub: &Hub, c: &'static Collection, email: &str) -> Result<Option<Device>> {
    let now = hub.book.clock.now();
    let device = peer::device().and_then(|text| Device::open(&hub.book.keys, &text, now));
    let Some(device) = device else {
        return Ok(None);
    };
    let account = account::by_email(&hub.book, c, email).await?;
    Ok(account
        .filter(|account| device.is_of(c.slug, account.id, account.verifier.as_deref()))
        .map(|_| device))
}

/// A cookie by which the device is known from now on.
pub(super) async fn remembered(
    hub: &Hub,
    c: &'static Collection,
    id: i64,
) -> Result<Option<String>> {
    let account = account::by_id(&hub.book, c, id).await?;
    Ok(account.map(|account| {
        let until = known_until(hub);
        let device = Device::new(c.slug, account.id, account.verifier.as_deref(), until);
        cookie(hub, &device)
    }))
}

/// A cookie by which the device is known to which a link was sent.
pub(super) fn linked(hub: &Hub, link: Link) -> String {
    cookie(hub, &link.device(known_until(hub)))
}

fn cookie(hub: &Hub, device: &Device) -> String {
    hub.cookies
        .device(&device.sealed(&hub.book.keys), device.until)
}

/// When a device that becomes known now is forgotten, Unix seconds.
fn known_until(hub: &Hub) -> i64 {
    let now = hub.book.clock.now().div_euclid(1000);
    now.saturating_add(KNOWN)
}

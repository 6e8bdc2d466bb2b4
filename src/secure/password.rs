//! Password hashes: ours (Argon2id) and those of the deployed service (PBKDF2), so that accounts move without a reset.
//!
//! The functions block for tens of milliseconds by design; an asynchronous caller runs them on a
//! blocking thread. Must not know users, lockout or HTTP.

use std::fmt::Write as _;

use argon2::password_hash::phc::PasswordHash;
use argon2::{Algorithm, Argon2, Params, PasswordHasher, PasswordVerifier, Version};
use hmac::Hmac;
use sha2::Sha256;
use subtle::ConstantTimeEq;

const DEPLOYED_SCHEME: &str = "pbkdf2-sha256";
const DEPLOYED_ROUNDS: u32 = 25_000;

// A stored hash may come from an import: these limits keep a damaged or hostile row from stopping the process.
const MAX_MEMORY_KIB: u32 = 1 << 20;
const MAX_PASSES: u32 = 100;
const MAX_LANES: u32 = 64;
const MAX_ROUNDS: u32 = 10_000_000;
const MAX_DIGEST_BYTES: usize = 1024;

/// What one Argon2id hash costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PasswordCost {
    pub memory_kib: u32,
    pub passes: u32,
    /// Lanes computed side by side.
    pub lanes: u32,
}

impl Default for PasswordCost {
    /// The first recommendation of the OWASP Password Storage Cheat Sheet: 19 MiB, two passes, one lane.
    fn default() -> Self {
        Self { memory_kib: 19_456, passes: 2, lanes: 1 }
    }
}

/// Why hashing is impossible.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PasswordFault {
    /// The configured cost is outside what Argon2 or this module allows.
    #[error("the password cost is out of range: {0}")]
    Cost(String),
    /// The hash function refused, for want of memory or of random numbers.
    #[error("the password could not be hashed: {0}")]
    Hashing(String),
    /// Salt or digest of the deployed service is not hexadecimal text of a plausible length.
    #[error("the deployed hash is not usable: {0}")]
    Deployed(&'static str),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The password belongs to the hash.
    Right {
        /// The stored form is old or cheaper than configured: store a new hash now that the password is at hand.
        rehash: bool,
    },
    /// The password does not belong to the hash.
    Wrong,
    /// The stored text has an unknown form. Callers treat it as `Wrong`; it deserves a log line.
    Unreadable,
}

/// Hashes and compares passwords at one configured cost.
#[derive(Clone)]
pub struct Passwords {
    argon: Argon2<'static>,
    cost: PasswordCost,
    nobody: String,
}

impl std::fmt::Debug for Passwords {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Passwords").field("cost", &self.cost).finish_non_exhaustive()
    }
}

impl Passwords {
    /// Prepares hashing at `cost`. Blocks for one hash: the one that [`Self::verify_nobody`] compares with.
    ///
    /// # Errors
    /// [`PasswordFault::Cost`] when the cost is out of range, [`PasswordFault::Hashing`] when there
    /// is no memory or no randomness.
    pub fn new(cost: PasswordCost) -> Result<Self, PasswordFault> {
        if cost.memory_kib > MAX_MEMORY_KIB || cost.passes > MAX_PASSES || cost.lanes > MAX_LANES {
            return Err(PasswordFault::Cost(format!(
                "at most {MAX_MEMORY_KIB} KiB, {MAX_PASSES} passes, {MAX_LANES} lanes"
            )));
        }
        let params = Params::new(cost.memory_kib, cost.passes, cost.lanes, None)
            .map_err(|fault| PasswordFault::Cost(fault.to_string()))?;
        let mut made =
            Self { argon: Argon2::new(Algorithm::Argon2id, Version::V0x13, params), cost, nobody: String::new() };
        made.nobody = made.hash(&hex(&rand::random::<[u8; 16]>()))?;
        Ok(made)
    }

    /// Hashes a new password under a fresh random salt; gives a PHC string (`$argon2id$v=19$m=…`).
    ///
    /// # Errors
    /// [`PasswordFault::Hashing`] when there is no memory or no randomness.
    pub fn hash(&self, password: &str) -> Result<String, PasswordFault> {
        let hash: PasswordHash =
            self.argon.hash_password(password.as_bytes()).map_err(|fault| PasswordFault::Hashing(fault.to_string()))?;
        Ok(hash.to_string())
    }

    /// Compares a password with a stored hash: a PHC string of Argon2id, or the text of [`from_deployed`].
    pub fn verify(&self, password: &str, stored: &str) -> Verdict {
        let Some(parsed) = Stored::parse(stored) else {
            // The same delay as for a readable hash: a damaged row must not be recognisable from outside.
            self.verify_nobody(password);
            return Verdict::Unreadable;
        };
        let right = match &parsed {
            Stored::Argon(hash, _) => self.argon.verify_password(password.as_bytes(), hash.as_ref()).is_ok(),
            Stored::Deployed(hash) => hash.matches(password),
        };
        if right { Verdict::Right { rehash: self.is_outdated(&parsed) } } else { Verdict::Wrong }
    }

    /// Takes the time of one [`Self::verify`] for a user that does not exist, so that the
    /// response time does not reveal which addresses have accounts. (Accounts still on a
    /// deployed hash answer at that hash's own pace until their first sign-in here.)
    pub fn verify_nobody(&self, password: &str) {
        if let Ok(hash) = PasswordHash::new(&self.nobody) {
            // The outcome is of no interest, only the time is.
            std::hint::black_box(self.argon.verify_password(password.as_bytes(), &hash).is_ok());
        }
    }

    /// Whether a stored hash should be replaced at the next successful sign-in: not Argon2id,
    /// unreadable, or cheaper than configured in memory or passes.
    pub fn needs_rehash(&self, stored: &str) -> bool {
        Stored::parse(stored).is_none_or(|parsed| self.is_outdated(&parsed))
    }

    fn is_outdated(&self, stored: &Stored<'_>) -> bool {
        match stored {
            Stored::Argon(_, params) => params.m_cost() < self.cost.memory_kib || params.t_cost() < self.cost.passes,
            Stored::Deployed(_) => true,
        }
    }
}

/// The text under which a hash of the deployed service is stored here: `pbkdf2-sha256$25000$<salt>$<digest>`.
///
/// `salt` and `digest` are that service's two hexadecimal columns, unchanged (32 and 512 bytes).
///
/// # Errors
/// [`PasswordFault::Deployed`] when a column is not what its name says.
pub fn from_deployed(salt: &str, digest: &str) -> Result<String, PasswordFault> {
    if salt.is_empty() || !salt.bytes().all(|b| b.is_ascii_hexdigit()) {
        return Err(PasswordFault::Deployed("the salt is not hexadecimal text"));
    }
    if unhex(digest).is_none_or(|bytes| bytes.len() < 32 || bytes.len() > MAX_DIGEST_BYTES) {
        return Err(PasswordFault::Deployed("the digest is not 32 to 1024 bytes of hexadecimal text"));
    }
    Ok(format!("{DEPLOYED_SCHEME}${DEPLOYED_ROUNDS}${salt}${digest}"))
}

enum Stored<'a> {
    Argon(Box<PasswordHash>, Params),
    Deployed(DeployedHash<'a>),
}

impl<'a> Stored<'a> {
    fn parse(stored: &'a str) -> Option<Self> {
        if let Some(rest) = stored.strip_prefix(DEPLOYED_SCHEME) {
            return DeployedHash::parse(rest.strip_prefix('$')?).map(Self::Deployed);
        }
        let hash = PasswordHash::new(stored).ok()?;
        let params = Params::try_from(&hash).ok()?;
        let bounded =
            params.m_cost() <= MAX_MEMORY_KIB && params.t_cost() <= MAX_PASSES && params.p_cost() <= MAX_LANES;
        let whole = hash.salt.is_some() && hash.hash.is_some();
        (hash.algorithm.as_str() == "argon2id" && bounded && whole).then(|| Self::Argon(Box::new(hash), params))
    }
}

struct DeployedHash<'a> {
    rounds: u32,
    salt: &'a str,
    digest: Vec<u8>,
}

impl<'a> DeployedHash<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let mut parts = text.split('$');
        let rounds = parts.next()?.parse().ok().filter(|rounds| (1..=MAX_ROUNDS).contains(rounds))?;
        let salt = parts.next().filter(|salt| !salt.is_empty())?;
        let digest = unhex(parts.next()?).filter(|bytes| (32..=MAX_DIGEST_BYTES).contains(&bytes.len()))?;
        parts.next().is_none().then_some(Self { rounds, salt, digest })
    }

    fn matches(&self, password: &str) -> bool {
        let mut computed = vec![0_u8; self.digest.len()];
        // The deployed service feeds the salt as its hexadecimal TEXT, not as the bytes that it encodes.
        let salt = self.salt.as_bytes();
        pbkdf2::pbkdf2::<Hmac<Sha256>>(password.as_bytes(), salt, self.rounds, &mut computed).is_ok()
            && bool::from(computed.ct_eq(&self.digest))
    }
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let digit = |b: u8| char::from(b).to_digit(16).and_then(|d| u8::try_from(d).ok());
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    if !rest.is_empty() {
        return None;
    }
    pairs.iter().map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?)).collect()
}

#[cfg(test)]
mod tests;

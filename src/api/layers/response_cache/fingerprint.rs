//! A digest of what the answers to a caller depend on: callers with the same one get the same answers.
//! What they depend on is long for a caller with thousands of mandates or grants, so the digest is made once for as long
//! as the caller is remembered, and not for each request.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use model::registry::Principal;
use moka::sync::Cache;
use std::sync::{Arc, Weak};

/// Callers whose fingerprints are remembered.
const CALLERS: u64 = 20_000;

/// A fingerprint and its caller. While somebody refers to a principal, it neither changes nor
/// does another one get its address.
#[derive(Debug, Clone)]
struct CachedFingerprint {
    of: Weak<Principal>,
    /// From when until when, epoch milliseconds: then a right of the caller begins or ends.
    from: i64,
    until: i64,
    fingerprint: Arc<str>,
}

#[derive(Debug)]
pub(crate) struct Fingerprints(Cache<usize, CachedFingerprint>);

impl Fingerprints {
    pub(crate) fn new() -> Self {
        Self(Cache::new(CALLERS))
    }

    /// The fingerprint of a caller at that time: callers with the same one get the same answers.
    pub(crate) fn of(&self, caller: &Arc<Principal>, now: i64) -> Arc<str> {
        let address = Arc::as_ptr(caller).addr();
        if let Some(cached) = self.0.get(&address)
            && std::ptr::eq(cached.of.as_ptr(), Arc::as_ptr(caller))
            && (cached.from..cached.until).contains(&now)
        {
            return cached.fingerprint;
        }
        let digest = blake3::hash(caller.print(now).as_bytes());
        let fingerprint: Arc<str> = URL_SAFE_NO_PAD.encode(digest.as_bytes()).into();
        let cached = CachedFingerprint {
            of: Arc::downgrade(caller),
            from: now,
            until: caller.turns(now),
            fingerprint: Arc::clone(&fingerprint),
        };
        self.0.insert(address, cached);
        fingerprint
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::registry::Grant;
    use model::registry::mandates::Mandate;

    fn caller(user: i64, ends: &[i64]) -> Principal {
        let grant = |end: &i64| Grant { owner: 1, animal: None, scopes: Vec::new(), expires: Some(*end) };
        Principal { user: Some(user), grants: ends.iter().map(grant).collect(), ..Principal::anonymous() }
    }

    #[test]
    fn callers_with_other_rights_have_other_prints() {
        let fingerprints = Fingerprints::new();
        let fingerprint = |user, ends: &[i64], now| fingerprints.of(&Arc::new(caller(user, ends)), now);
        assert_eq!(fingerprint(1, &[50], 10), fingerprint(1, &[50], 20));
        assert_ne!(fingerprint(1, &[50], 10), fingerprint(2, &[50], 10));
        assert_ne!(fingerprint(1, &[50], 10), fingerprint(1, &[60], 10));
        assert_eq!(fingerprint(1, &[50], 70), fingerprint(1, &[60], 70), "both ended");
        assert_eq!(fingerprint(1, &[50; 5_000], 10).len(), 43);
    }

    #[test]
    fn a_print_is_remembered_until_a_right_begins_or_ends() {
        let fingerprints = Fingerprints::new();
        let mut principal = caller(1, &[50]);
        let mandate = Mandate { grantor: 2, datasets: vec!["weights".into()], from: Some(30), until: Some(40) };
        principal.mandates = [mandate].into();
        let caller = Arc::new(principal);
        let turns: Vec<i64> = [0, 30, 40, 50].iter().map(|now| caller.turns(*now)).collect();
        assert_eq!(turns, [30, 40, 50, i64::MAX]);
        let all: Vec<Arc<str>> = [0, 30, 40, 50].map(|now| fingerprints.of(&caller, now)).into();
        assert!(!Arc::ptr_eq(&all[0], &all[1]) && all[0] != all[1]);
        assert_eq!(all[0], all[2], "before the mandate as after it");
        assert_ne!(all[2], all[3]);
        assert!(Arc::ptr_eq(&all[3], &fingerprints.of(&caller, 1_000)));
        // A clock that was set back.
        assert_eq!(fingerprints.of(&caller, 35), all[1]);
    }

    #[test]
    fn a_principal_that_changes_gets_another_print() {
        let fingerprints = Fingerprints::new();
        let mut caller = Arc::new(caller(1, &[]));
        let before = fingerprints.of(&caller, 0);
        Arc::make_mut(&mut caller).user = Some(2);
        assert_ne!(fingerprints.of(&caller, 0), before);
    }
}

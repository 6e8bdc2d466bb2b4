//! Who gets the same answers, in few bytes. What an answer can depend on is long for a caller with
//! thousands of mandates or grants, so it is written out once for as long as the caller is
//! remembered, and not for each request.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use model::registry::Principal;
use moka::sync::Cache;
use std::sync::{Arc, Weak};

/// Callers whose prints are remembered.
const CALLERS: u64 = 20_000;

/// A print and the caller whose it is. While somebody refers to a principal, it neither changes nor
/// does another one get its address.
#[derive(Debug, Clone)]
struct Known {
    of: Weak<Principal>,
    /// From when until when, epoch milliseconds: then a right of the caller begins or ends.
    from: i64,
    until: i64,
    print: Arc<str>,
}

/// Prints of callers.
#[derive(Debug)]
pub(crate) struct Prints(Cache<usize, Known>);

impl Prints {
    pub(crate) fn new() -> Self {
        Self(Cache::new(CALLERS))
    }

    /// The print of a caller at that time: callers with the same one get the same answers.
    pub(crate) fn of(&self, caller: &Arc<Principal>, now: i64) -> Arc<str> {
        let address = Arc::as_ptr(caller).addr();
        if let Some(known) = self.0.get(&address)
            && std::ptr::eq(known.of.as_ptr(), Arc::as_ptr(caller))
            && (known.from..known.until).contains(&now)
        {
            return known.print;
        }
        let digest = blake3::hash(caller.print(now).as_bytes());
        let print: Arc<str> = URL_SAFE_NO_PAD.encode(digest.as_bytes()).into();
        let known = Known {
            of: Arc::downgrade(caller),
            from: now,
            until: caller.turns(now),
            print: Arc::clone(&print),
        };
        self.0.insert(address, known);
        print
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::registry::Grant;
    use model::registry::mandates::Mandate;

    fn caller(user: i64, ends: &[i64]) -> Principal {
        let grant = |end: &i64| Grant {
            owner: 1,
            animal: None,
            scopes: Vec::new(),
            expires: Some(*end),
        };
        Principal {
            user: Some(user),
            grants: ends.iter().map(grant).collect(),
            ..Principal::anonymous()
        }
    }

    #[test]
    fn callers_with_other_rights_have_other_prints() {
        let prints = Prints::new();
        let print = |user, ends: &[i64], now| prints.of(&Arc::new(caller(user, ends)), now);
        assert_eq!(print(1, &[50], 10), print(1, &[50], 20));
        assert_ne!(print(1, &[50], 10), print(2, &[50], 10));
        assert_ne!(print(1, &[50], 10), print(1, &[60], 10));
        assert_eq!(print(1, &[50], 70), print(1, &[60], 70), "both ended");
        assert_eq!(print(1, &[50; 5_000], 10).len(), 43);
    }

    #[test]
    fn a_print_is_remembered_until_a_right_begins_or_ends() {
        let prints = Prints::new();
        let mut principal = caller(1, &[50]);
        let mandate = Mandate {
            grantor: 2,
            datasets: vec!["weights".into()],
            from: Some(30),
            until: Some(40),
        };
        principal.mandates = [mandate].into();
        let caller = Arc::new(principal);
        let turns: Vec<i64> = [0, 30, 40, 50]
            .iter()
            .map(|now| caller.turns(*now))
            .collect();
        assert_eq!(turns, [30, 40, 50, i64::MAX]);
        let all: Vec<Arc<str>> = [0, 30, 40, 50].map(|now| prints.of(&caller, now)).into();
        assert!(!Arc::ptr_eq(&all[0], &all[1]) && all[0] != all[1]);
        assert_eq!(all[0], all[2], "before the mandate as after it");
        assert_ne!(all[2], all[3]);
        assert!(Arc::ptr_eq(&all[3], &prints.of(&caller, 1_000)));
        // A clock that was set back.
        assert_eq!(prints.of(&caller, 35), all[1]);
    }

    #[test]
    fn a_principal_that_changes_gets_another_print() {
        let prints = Prints::new();
        let mut caller = Arc::new(caller(1, &[]));
        let before = prints.of(&caller, 0);
        Arc::make_mut(&mut caller).user = Some(2);
        assert_ne!(prints.of(&caller, 0), before);
    }
}

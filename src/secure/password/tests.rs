//! Both stored forms, against independent vectors where they come from elsewhere.

use super::*;

fn cheap() -> Passwords {
    Passwords::new(PasswordCost { memory_kib: 64, passes: 2, lanes: 1 }).unwrap()
}

#[test]
fn a_hash_knows_its_password_only() {
    let passwords = cheap();
    let stored = passwords.hash("Kuh Elsa 7").unwrap();
    assert!(stored.starts_with("$argon2id$v=19$m=64,t=2,p=1$"), "{stored}");
    assert_eq!(passwords.verify("Kuh Elsa 7", &stored), Verdict::Right { rehash: false });
    assert_eq!(passwords.verify("Kuh Elsa 8", &stored), Verdict::Wrong);
    assert_eq!(passwords.verify("", &stored), Verdict::Wrong);
    assert_ne!(stored, passwords.hash("Kuh Elsa 7").unwrap(), "the salt is random");
}

#[test]
fn default_cost_is_the_recommended_one() {
    let stored = Passwords::new(PasswordCost::default()).unwrap().hash("x").unwrap();
    assert!(stored.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{stored}");
}

#[test]
fn a_cheaper_hash_is_replaced_a_dearer_one_stays() {
    let stored = cheap().hash("p").unwrap();
    let dearer = Passwords::new(PasswordCost { memory_kib: 128, passes: 2, lanes: 1 }).unwrap();
    assert_eq!(dearer.verify("p", &stored), Verdict::Right { rehash: true });
    assert!(dearer.needs_rehash(&stored));
    assert!(!cheap().needs_rehash(&dearer.hash("p").unwrap()));
}

/// Vector computed independently: `hashlib.pbkdf2_hmac('sha256', b'demo-herdbook', salt_text, 25000, 512)`.
const SALT: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
const DIGEST: &str = "9a3d000f1631eabff114259afc1e0aed5ebc844f21276d99b1f748147c3d69bc13e2ed5a35284ba4c21dddee8724be20d6af\
    b6f152c356fc26bd9fcbc56807b33229a8b6a3fcecaf3f81f06fe9b004f9ed1e2660de9b7f1890995ad02fa993f02941786d\
    4c2a0ea8395602a6d543a23888dbec2f761416e02fd9920e671fefc117b0a443fe55fa1a318b3ab784df89b9f90f44463e49\
    7ca276ef84c1134a104fe0250f02862001c929047540c206fe0996944abcb16faefd47d18cbb97a19f1af976a509b9d35305\
    617ce3c2a9caed8eeffe19c1f7ce9c50227159a9687559258a616e8c5699c7aaf20c252597230286620412ab63c3350ee0c8\
    68fafcf1dba851522ef33283bb9a06f974ae313b289ea976289b2a8f607a78747847e5fbabd3359d34d29559ff9b201b907b\
    0007b2586f7e2ec4e00905520978149c8580e2ce8806d9f1b597e494a330d03ba73fd2ea22d1dfa03e5122b240e7b3c18b22\
    d04a78261615541b0c547a1763dad20aab2bf204c2d3968f49e5a59f637d83bafebd0021fd4254bce1073148358200428901\
    04afa85293dc3120892d78eb7825177fca52d3bfe8ccdd35178d7c36e0017d889ebb61203e7fef66f7ba650b4ac9e9517b1c\
    3eb24fa7aecdc48cf2b0a72df055fefb1395013573f3846f2afdc003ae6c16facd9da30730efea97abfd23b247476f754ec1\
    085056a9a6ed4ebad76b4c53";

#[test]
fn deployed_hashes_move_without_a_reset() {
    let stored = from_deployed(SALT, DIGEST).unwrap();
    assert_eq!(stored, format!("pbkdf2-sha256$25000${SALT}${DIGEST}"));
    assert_eq!(cheap().verify("demo-herdbook", &stored), Verdict::Right { rehash: true });
    assert_eq!(cheap().verify("Demo-herdbook", &stored), Verdict::Wrong);
    assert!(cheap().needs_rehash(&stored));
}

#[test]
fn the_whole_deployed_digest_counts() {
    let mut digest = DIGEST.to_owned();
    let last = if digest.pop() == Some('0') { '1' } else { '0' };
    digest.push(last);
    let stored = from_deployed(SALT, &digest).unwrap();
    assert_eq!(cheap().verify("demo-herdbook", &stored), Verdict::Wrong);
}

#[test]
fn unusable_deployed_columns_are_refused() {
    assert!(from_deployed("", DIGEST).is_err());
    assert!(from_deployed("xyz", DIGEST).is_err());
    assert!(from_deployed("ab$1", DIGEST).is_err());
    assert!(from_deployed(SALT, "abc").is_err());
    assert!(from_deployed(SALT, "").is_err());
}

#[test]
fn unreadable_hashes_never_match() {
    let short = format!("pbkdf2-sha256$25000${SALT}$00");
    let endless = format!("pbkdf2-sha256$4000000000${SALT}${DIGEST}");
    let huge = "$argon2id$v=19$m=4294967295,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    let other = "$argon2i$v=19$m=64,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    for stored in ["", "plain", "$2b$10$abc", "pbkdf2-sha256$", &short, &endless, huge, other] {
        let verdict = cheap().verify("plain", stored);
        assert_eq!(verdict, Verdict::Unreadable, "{stored}");
        assert!(cheap().needs_rehash(stored));
    }
}

#[test]
fn impossible_costs_are_refused() {
    for (memory_kib, passes) in [(1, 2), (64, 0), (u32::MAX, 1)] {
        let cost = PasswordCost { memory_kib, passes, lanes: 1 };
        let refused = matches!(Passwords::new(cost), Err(PasswordFault::Cost(_)));
        assert!(refused, "{memory_kib} {passes}");
    }
}

#[test]
fn nobody_costs_a_real_comparison() {
    // A real comparison must parse: otherwise verify_nobody would return at once.
    let passwords = cheap();
    assert!(matches!(Stored::parse(&passwords.nobody), Some(Stored::Argon(_, params)) if params.m_cost() == 64));
    passwords.verify_nobody("anything");
}

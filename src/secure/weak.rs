//! Passwords that anybody would try: the commonest words, rows of keys, one character again and
//! again, and what everybody knows of the person. Only asked when a password is set, so that those
//! that are there already go on working.

use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Words that passwords are made of most often. What stands around a word in digits and signs
/// makes it no better, so that a few words cover many thousand passwords.
static COMMON: LazyLock<BTreeSet<&'static str>> =
    LazyLock::new(|| include_str!("common.txt").split_whitespace().collect());

/// Keys in the order in which fingers, or the alphabet, take them.
const ROWS: [&str; 9] = [
    "01234567890123456789",
    "abcdefghijklmnopqrstuvwxyz",
    "qwertyuiopasdfghjklzxcvbnm",
    "qwertzuiopasdfghjklyxcvbnm",
    "azertyuiopqsdfghjklmwxcvbn",
    "1q2w3e4r5t6y7u8i9o0p",
    "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p",
    "qazwsxedcrfvtgbyhnujmikolp",
    "147258369963852741",
];

/// Shorter names say too little to be looked for.
const NAME_MIN: usize = 3;
/// Different characters that a password has at least.
const DIFFERENT: usize = 4;

/// What is wrong with a new password. `about` is what is known of the person and the service:
/// address, names, the service's name.
pub fn weakness(password: &str, about: &[&str]) -> Option<&'static str> {
    let lower = password.to_lowercase();
    let different: BTreeSet<char> = lower.chars().collect();
    if different.len() < DIFFERENT {
        return Some("This password repeats few characters. Choose another.");
    }
    let forms = forms(&lower);
    let names = names(about);
    if forms.iter().any(|form| names.contains(form)) {
        return Some(
            "This password is your name or address, or that of the service. Choose another.",
        );
    }
    let common = |form: &String| COMMON.contains(form.as_str());
    if is_row(&lower) || forms.iter().any(common) {
        return Some("This password is among those that are tried first. Choose another.");
    }
    None
}

/// A password without what is put around words to please rules, and with letters for the digits
/// and signs that look like them; also once where it is the same twice.
fn forms(lower: &str) -> BTreeSet<String> {
    let letters = |text: &str| -> String { text.chars().filter(|c| c.is_alphanumeric()).collect() };
    let bare = |text: &str| text.trim_matches(|c: char| !c.is_alphabetic()).to_owned();
    let seen: String = lower.chars().map(alike).collect();
    let stem = bare(lower);
    let stem_seen: String = stem.chars().map(alike).collect();
    let mut forms = BTreeSet::from([
        letters(lower),
        letters(&stem),
        letters(&stem_seen),
        letters(&bare(&seen)),
        letters(&seen),
    ]);
    let halves: Vec<String> = (forms.iter())
        .filter_map(|form| {
            let half = form.get(..form.len() / 2)?;
            (form.get(form.len() / 2..) == Some(half)).then(|| half.to_owned())
        })
        .collect();
    forms.extend(halves);
    forms
}

fn alike(c: char) -> char {
    match c {
        '0' => 'o',
        '1' | '!' | '|' => 'i',
        '3' => 'e',
        '4' | '@' => 'a',
        '5' | '$' => 's',
        '7' => 't',
        other => other,
    }
}

/// What the person is called, also in parts and put together.
fn names(about: &[&str]) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut add = |text: &str| {
        let name: String = text.chars().filter(|c| c.is_alphanumeric()).collect();
        if name.chars().count() >= NAME_MIN {
            names.insert(name);
        }
    };
    let lower: Vec<String> = about.iter().map(|text| text.to_lowercase()).collect();
    for text in &lower {
        add(text);
        let local = text
            .split_once('@')
            .map_or(text.as_str(), |(local, _)| local);
        add(local);
        local
            .split(|c: char| !c.is_alphanumeric())
            .for_each(&mut add);
        for other in &lower {
            add(&format!("{text}{other}"));
        }
    }
    names
}

/// Whether it is made of neighbouring keys only, there or back, once or again.
fn is_row(lower: &str) -> bool {
    let keys: String = lower.chars().filter(|c| c.is_alphanumeric()).collect();
    let within = |text: &str| {
        let back: String = text.chars().rev().collect();
        ROWS.iter()
            .any(|row| row.contains(text) || row.contains(&back))
    };
    let half = keys.get(..keys.len() / 2).unwrap_or_default();
    let twice = !half.is_empty() && keys == format!("{half}{half}");
    let split = keys.find(|c: char| c.is_alphabetic()).unwrap_or(0);
    let (digits, rest) = keys.split_at_checked(split).unwrap_or(("", &keys));
    let turn = keys.find(|c: char| c.is_ascii_digit()).unwrap_or(0);
    let (word, tail) = keys.split_at_checked(turn).unwrap_or(("", &keys));
    keys.is_empty()
        || within(&keys)
        || (twice && within(half))
        || (within(digits) && within(rest))
        || (within(word) && within(tail))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ABOUT: [&str; 4] = ["Ann.Smith@farm.example", "Ann", "Smith", "herdbook"];

    #[test]
    fn what_everybody_tries_is_refused() {
        for password in [
            "password",
            "Password1",
            "P@ssw0rd!",
            "passw0rd2024",
            "12345678",
            "87654321",
            "qwertyui",
            "qwerty123",
            "1q2w3e4r5t",
            "1qaz2wsx",
            "abcd1234",
            "1234abcd",
            "aaaaaaaa",
            "abababab",
            "12121212",
            "iloveyou",
            "ILOVEYOU2!",
            "Welcome2026",
            "letmein!!",
            "admin123",
            "testtest",
            "dragon99",
            "!!!monkey!!!",
            "Herdbook1",
            "holstein1",
            "Sunshine_7",
            "asdfghjkl",
            "qwertyqwerty",
            "--------",
            "changeme1",
            "147258369",
        ] {
            assert!(weakness(password, &ABOUT).is_some(), "{password}");
        }
    }

    #[test]
    fn who_somebody_is_is_no_secret() {
        for password in [
            "ann.smith",
            "AnnSmith1",
            "smith-ann",
            "Smith2026",
            "ann.smith@farm.example",
            "sm1thann99",
            "smithsmith",
            "annsmith!",
        ] {
            let why = weakness(password, &ABOUT);
            assert!(
                why.is_some_and(|why| why.contains("name")),
                "{password} {why:?}"
            );
            assert_eq!(weakness(password, &["other@x.example"]), None, "{password}");
        }
        let service = weakness("kinbook-2026", &["kinbook"]);
        assert!(service.is_some_and(|why| why.contains("service")));
    }

    #[test]
    fn others_are_let_in() {
        for password in [
            "demo-herdbook",
            "another-password",
            "second-password",
            "chosen by himself",
            "long enough",
            "another one",
            "wr0ng-Passw0rd",
            "new-Granary-10",
            "correct horse battery",
            "Tr0ub4dor&3",
            "k7#pQ2!z",
            "молоко-и-сено",
            "annual-report-7",
            "smithereens-4",
        ] {
            assert_eq!(weakness(password, &ABOUT), None, "{password}");
        }
    }

    /// Any text is answered, whatever its characters.
    #[test]
    fn odd_texts_are_judged_too() {
        for password in [
            "ß∂ƒ©˙∆˚¬",
            "😀😃😄😁😆",
            "",
            "   ",
            "é",
            "ééé1éé22é",
            "İstanbul-Güneş",
        ] {
            let _ = weakness(password, &["é@ß", "", "😀"]);
        }
        assert!(weakness("", &[]).is_some());
    }
}

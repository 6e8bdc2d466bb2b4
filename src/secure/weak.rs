//! Passwords that any attacker would try: the commonest words, rows of keys, one character again and again, and what is
//! publicly known of the person. Only checked when a password is set, so that existing passwords continue to work.

use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Words that passwords are made of most often, in Latin and Cyrillic letters. What stands around
/// a word in digits and signs makes it no better, nor does the layout that it is typed on, so that
/// a few words cover many thousand passwords.
static COMMON: LazyLock<BTreeSet<&'static str>> =
    LazyLock::new(|| include_str!("common.txt").split_whitespace().collect());

/// Keys in the order in which fingers, or the alphabet, take them.
const ROWS: [&str; 16] = [
    "01234567890123456789",
    "abcdefghijklmnopqrstuvwxyz",
    "qwertyuiopasdfghjklzxcvbnm",
    "qwertzuiopasdfghjklyxcvbnm",
    "azertyuiopqsdfghjklmwxcvbn",
    "1q2w3e4r5t6y7u8i9o0p",
    "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p",
    "qazwsxedcrfvtgbyhnujmikolp",
    "147258369963852741",
    "147896325",
    "123698745",
    "159",
    "357",
    "qweasdzxc",
    "qazxswedcvfrtgbnhyujmkiolp",
    "абвгдеёжзийклмнопрстуфхцчшщъыьэюя",
];

/// Keys on two layouts, in one order.
const LATIN: &str = "qwertyuiop[]asdfghjkl;'zxcvbnm,.`";
const CYRILLIC: &str = "йцукенгшщзхъфывапролджэячсмитьбюё";

/// Longer passwords are no rows.
const ROW_MAX: usize = 64;
/// Keys that a run of neighbours has on the average, where a password is made of such runs.
const RUN: usize = 3;
/// Characters of what is no better when it is repeated.
const UNIT: usize = 4;

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
    let layouts = [lower.clone(), typed(&lower, LATIN, CYRILLIC), typed(&lower, CYRILLIC, LATIN)];
    let forms: BTreeSet<String> = layouts.iter().flat_map(|text| forms(text)).collect();
    let names = names(about);
    if forms.iter().any(|form| names.contains(form)) {
        return Some("This password is your name or address, or that of the service. Choose another.");
    }
    let common = |form: &String| COMMON.contains(form.as_str());
    if layouts.iter().any(|text| is_row(text)) || is_repeated(&lower) || forms.iter().any(common) {
        return Some("This password is among those that are tried first. Choose another.");
    }
    None
}

/// A password without what is put around words to please rules, and with letters for the digits and
/// signs that look like them; also once where it is the same twice.
fn forms(lower: &str) -> BTreeSet<String> {
    let letters = |text: &str| -> String { text.chars().filter(|c| c.is_alphanumeric()).collect() };
    let bare = |text: &str| text.trim_matches(|c: char| !c.is_alphabetic()).to_owned();
    let plain: String = lower.chars().map(alike).collect();
    let stem = bare(lower);
    let stem_shape: String = stem.chars().map(alike).collect();
    let mut forms =
        BTreeSet::from([letters(lower), letters(&stem), letters(&stem_shape), letters(&bare(&plain)), letters(&plain)]);
    let halves: Vec<String> = (forms.iter())
        .filter_map(|form| {
            let half = form.get(..form.len() / 2)?;
            (form.get(form.len() / 2..) == Some(half)).then(|| half.to_owned())
        })
        .collect();
    forms.extend(halves);
    forms
}

/// A text as the same keys give it on another layout.
fn typed(text: &str, on: &str, off: &str) -> String {
    let other = |c: char| on.chars().zip(off.chars()).find(|(key, _)| *key == c);
    text.chars().map(|c| other(c).map_or(c, |(_, other)| other)).collect()
}

fn alike(c: char) -> char {
    match c {
        '0' => 'o',
        '1' | '!' | '|' => 'i',
        '3' => 'e',
        '4' | '@' => 'a',
        '5' | '$' => 's',
        '7' => 't',
        'ё' => 'е',
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
        let local = text.split_once('@').map_or(text.as_str(), |(local, _)| local);
        add(local);
        local.split(|c: char| !c.is_alphanumeric()).for_each(&mut add);
        for other in &lower {
            add(&format!("{text}{other}"));
        }
    }
    names
}

/// Whether it is a few characters again and again.
fn is_repeated(lower: &str) -> bool {
    let all = || lower.chars();
    let most = UNIT.min(all().count() / 2);
    (1..=most).any(|unit| all().zip(all().skip(unit)).all(|(one, next)| one == next))
}

/// Whether it is made of neighbouring keys only, there or back, once or again; also where each
/// key is struck twice, or two rows are struck in turn.
fn is_row(lower: &str) -> bool {
    let all: Vec<char> = (lower.chars().filter(|c| c.is_alphanumeric())).take(ROW_MAX + 1).collect();
    if all.len() > ROW_MAX {
        return false;
    }
    let keys: String = all.iter().collect();
    let in_turn = |first: usize| -> Vec<char> { all.iter().skip(first).step_by(2).copied().collect() };
    let (even, odd) = (in_turn(0), in_turn(1));
    let doubled = even.iter().zip(&odd).all(|(one, next)| one == next);
    if few_runs(&all) || (doubled && few_runs(&odd)) || (even.len() >= RUN && is_run(&even) && is_run(&odd)) {
        return true;
    }
    let within = |text: &str| {
        let back: String = text.chars().rev().collect();
        ROWS.iter().any(|row| row.contains(text) || row.contains(&back))
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

/// Whether it is made of runs of neighbours, of this number of keys each.
fn few_runs(keys: &[char]) -> bool {
    let (mut runs, mut rest) = (0_usize, keys);
    while !rest.is_empty() {
        let mut length = 1;
        while rest.get(..=length).is_some_and(is_run) {
            length += 1;
        }
        runs += 1;
        rest = rest.get(length..).unwrap_or_default();
    }
    runs.saturating_mul(RUN) <= keys.len()
}

/// Whether each key is a neighbour of the one before, one way: by the rows, or in steps.
fn is_run(keys: &[char]) -> bool {
    let text: String = keys.iter().collect();
    let back: String = keys.iter().rev().collect();
    let in_row = |row: &&str| row.contains(&text) || row.contains(&back);
    ROWS.iter().any(in_row) || in_steps(keys)
}

/// One key repeated, or digits that are equally far from each other: 2468, 9630.
fn in_steps(keys: &[char]) -> bool {
    let pairs = || keys.iter().zip(keys.iter().skip(1));
    let step = |(one, next): (&char, &char)| {
        let (one, next) = (one.to_digit(10)?, next.to_digit(10)?);
        Some((next + 10 - one) % 10)
    };
    let first = pairs().next().and_then(step);
    pairs().all(|(one, next)| one == next) || (first.is_some() && pairs().all(|pair| step(pair) == first))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ABOUT: [&str; 4] = ["Ann.Smith@farm.example", "Ann", "Smith", "herdbook"];

    #[test]
    fn what_everybody_tries_is_refused() {
        let common = "password Password1 P@ssw0rd! passw0rd2024 12345678 87654321 qwertyui qwerty123 \
            1q2w3e4r5t 1qaz2wsx abcd1234 1234abcd aaaaaaaa abababab 12121212 iloveyou ILOVEYOU2! \
            Welcome2026 letmein!! admin123 testtest dragon99 !!!monkey!!! Herdbook1 holstein1 \
            Sunshine_7 asdfghjkl qwertyqwerty -------- changeme1 147258369";
        for password in common.split(' ') {
            assert!(weakness(password, &ABOUT).is_some(), "{password}");
        }
    }

    /// What an attacker found to pass.
    #[test]
    fn patterns_names_and_the_other_layout_are_refused() {
        let patterns = "11223344 12344321 zaq12wsx q1w2e3r4 qwe123qwe a1b2c3d4 1a2b3c4d 1qazxsw2 \
            aa123456 aa12345678 159753456 147852369 superstar rockstar victoria jonathan elizabeth \
            tinkerbell hellokitty linkedin1 пароль123 привет123 йцукенгш йцукен123 любовь123 \
            наташа123 ghbdtn123 gfhjkm123 parol123";
        let others = "Victoria12 NATASHA1 k.,jdm123 Пароль2026! солнышко1 cjkysirj1 24682468 \
            13579135 aabbccdd1 qqwweerr zaq1@WSX 1Q2W3E4R! йфяцыч123 абвгдежз ab12ab12ab ABC123abc \
            qwer1234 741852963 789456123 asd123asd Серёга2001 зфыыцщкв1 9876543210 qazxswed \
            Sergey1987 mnbvcxz1 poiuytrewq";
        for password in patterns.split_whitespace().chain(others.split_whitespace()) {
            assert!(weakness(password, &ABOUT).is_some(), "{password}");
        }
    }

    #[test]
    fn who_somebody_is_is_no_secret() {
        let names = "ann.smith AnnSmith1 smith-ann Smith2026 ann.smith@farm.example sm1thann99 smithsmith \
            annsmith!";
        for password in names.split(' ') {
            let why = weakness(password, &ABOUT);
            assert!(why.is_some_and(|why| why.contains("name")), "{password} {why:?}");
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
            "дождь-над-рекой",
            "Хлеб7с-маслом",
            "29384710465",
            "x4t9m2ke",
            "weather-report",
            "purple tractor sings",
        ] {
            assert_eq!(weakness(password, &ABOUT), None, "{password}");
        }
    }

    /// Any text is answered, with any characters.
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
            "ab1".repeat(100_000).as_str(),
            "a".repeat(300_000).as_str(),
        ] {
            let _ = weakness(password, &["é@ß", "", "😀"]);
        }
        assert!(weakness("", &[]).is_some());
    }
}

//! Every check over a small sound book with one thing changed.

/// A list of [`Case`]s: check, place, what breaks the book, what comes close to it, and what is graver.
macro_rules! cases {
    ($name:ident: $($code:literal $at:expr => $bad:expr, $good:expr $(, worse $worse:expr)?;)+) => {
        pub(super) const $name: &[super::Case] = &[$(super::Case {
            code: $code,
            at: $at,
            bad: $bad,
            good: $good,
            worse: cases!(@ $($worse)?),
        }),+];
    };
    (@) => { None };
    (@ $worse:expr) => { Some($worse) };
}

mod cases;
mod herd_cases;
mod laws;
mod milk_cases;
mod pedigree_cases;
mod reproduction_cases;
mod world;

use super::day::exact;
use super::{Finding, Language, Severity, checks};
use std::collections::BTreeSet;
use world::World;

/// A check, where it finds something, what breaks the book, and what comes close to it without breaking it.
struct Case {
    code: &'static str,
    at: (&'static str, i64, &'static str),
    bad: fn(&mut World),
    good: fn(&mut World),
    /// Of checks with two limits: what is graver.
    worse: Option<fn(&mut World)>,
}

fn all() -> impl Iterator<Item = &'static Case> {
    let lists = [
        cases::PASSPORT_CASES,
        cases::EVALUATION_CASES,
        cases::LIFECYCLE_CASES,
        milk_cases::LACTATION_CASES,
        milk_cases::TEST_CASES,
        pedigree_cases::CASES,
        reproduction_cases::CALVING_CASES,
        reproduction_cases::SERVICE_CASES,
        herd_cases::CASES,
    ];
    lists.into_iter().flatten()
}

fn with(change: fn(&mut World)) -> World {
    let mut world = World::sound();
    change(&mut world);
    world
}

fn lines(findings: &[Finding]) -> Vec<String> {
    let line = |f: &Finding| format!("{} {:?}: {}", f.code, f.place, f.text(Language::English));
    findings.iter().map(line).collect()
}

#[test]
fn nothing_is_found_in_a_sound_book() {
    let findings = World::sound().run();
    assert!(findings.is_empty(), "{:#?}", lines(&findings));
}

#[test]
fn every_check_has_a_case() {
    let cases: BTreeSet<&str> = all().map(|case| case.code).collect();
    let codes: BTreeSet<&str> = checks().map(|check| check.code).collect();
    let missing: Vec<_> = codes.difference(&cases).collect();
    assert_eq!(missing, Vec::<&&str>::new());
}

#[test]
fn each_check_finds_its_fault_where_it_is_and_not_what_is_near() {
    let mut faults = Vec::new();
    for (n, case) in all().enumerate() {
        let findings = with(case.bad).of(case.code);
        let at = |f: &Finding| (f.place.collection, f.place.row, f.place.path) == case.at;
        if !findings.iter().any(at) {
            let reported = lines(&findings);
            faults.push(format!("{n}: {} is not found at {:?}: {reported:?}", case.code, case.at));
        }
        let findings = with(case.good).of(case.code);
        if !findings.is_empty() {
            faults.push(format!("{n}: {} is found: {:?}", case.code, lines(&findings)));
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn findings_are_as_grave_as_their_check_and_graver_beyond_a_second_limit() {
    for case in all() {
        let check = super::check(case.code).unwrap();
        let severity = |change| {
            let findings = with(change).of(case.code);
            findings.iter().map(|f| f.severity).max().unwrap()
        };
        let expected = match check.grade {
            super::Grade::Fix => Severity::Fix,
            super::Grade::Note | super::Grade::Both => Severity::Note,
        };
        assert_eq!(severity(case.bad), expected, "{}", case.code);
        if let Some(worse) = case.worse {
            assert_eq!(severity(worse), Severity::Fix, "{}", case.code);
        }
        let both = check.grade == super::Grade::Both;
        assert!(!both || case.worse.is_some() || case.code == "!", "{} has no graver case", case.code);
    }
}

#[test]
fn sentences_have_all_their_values_in_both_languages() {
    for case in all() {
        for finding in with(case.bad).of(case.code) {
            for language in [Language::English, Language::Russian] {
                let sentence = finding.text(language);
                assert!(!sentence.contains(['{', '}']) && sentence.ends_with('.'), "{}: {sentence}", case.code);
                assert!(!sentence.contains(" дн."), "days agree with their number: {sentence}");
                let text = match language {
                    Language::English => finding.sentence.english,
                    Language::Russian => finding.sentence.russian,
                };
                let other = match language {
                    Language::English => "russian",
                    Language::Russian => "english",
                };
                // A value that no language tells is none.
                for (name, _) in finding.values.iter().filter(|(name, _)| *name != other) {
                    assert!(text.contains(&format!("{{{name}}}")), "{}: {name} is in no sentence", case.code);
                }
            }
        }
    }
}

#[test]
fn sentences_call_other_animals_by_name_and_number() {
    for code in ["parent-wrong-sex", "bull-born-later", "siblings-too-close", "calf-birth-vs-calving"] {
        let case = all().find(|case| case.code == code).unwrap();
        let text = with(case.bad).of(code)[0].text(Language::English);
        let (_, rest) = text.split_once("Name ").unwrap_or_else(|| panic!("{text}"));
        let (id, rest) = rest.split_once(' ').unwrap();
        assert!(rest.starts_with(&format!("96000000{id:0>4}")), "{text}");
    }
}

#[test]
fn gains_are_told_in_kilograms() {
    let findings = with(|world| world.cow().weighings[1].weight = 20_000.0).of("gain-implausible");
    let text = findings[0].text(Language::English);
    let (gain, rest) = text.split_once(" kg a day since ").unwrap();
    assert_eq!(gain, "20000 kg: 49.905");
    assert!(rest.ends_with("usual are -1.5 to 2.5, which makes 0 to 1038 kg."), "{text}");
    // What is little more than usual does not read as usual.
    let world = with(|world| {
        let rows = &mut world.cow().weighings;
        rows[1].weight = rows[0].weight + 2.504 * exact(rows[1].day.since(rows[0].day));
    });
    let text = world.of("gain-implausible")[0].text(Language::Russian);
    assert!(text.contains(" кг: 2,504 кг в сутки"), "{text}");
}

#[test]
fn codes_groups_and_marks_are_those_of_the_model() {
    let codes: BTreeSet<_> = checks().map(|check| check.code).collect();
    assert_eq!(codes.len(), checks().count());
    let of = |group| super::groups().filter(|(of, _)| *of == group).count();
    assert_eq!(super::Group::ALL.map(of), [11, 18, 27, 25, 5, 13, 14]);
    assert_eq!(checks().filter(|check| check.refuses).count(), 11);
    for check in checks() {
        let plain = |b: u8| b.is_ascii_lowercase() || b == b'-';
        assert!(check.code.len() <= 40 && check.code.bytes().all(plain), "{}", check.code);
        assert!(check.meaning.ends_with('.'), "{}", check.code);
        for key in check.limits {
            let name = format!("*{}*", key.fact().key);
            let herd = *key == super::Key::HerdMin;
            assert!(herd || check.meaning.contains(&name), "{} does not explain {name}", check.code);
        }
    }
}

#[test]
fn every_threshold_is_that_of_a_check_and_every_one_that_is_explained_is_declared() {
    for key in super::Key::ALL {
        let name = format!("*{}*", key.fact().key);
        let users: Vec<_> = checks().filter(|check| check.limits.contains(key)).collect();
        assert!(!users.is_empty(), "{name}");
        let explains = |check: &&super::Check| check.meaning.contains(&name);
        for check in checks().filter(explains) {
            assert!(check.limits.contains(key), "{} does not declare {name}", check.code);
        }
    }
}

//! Sentences about faults have a text in Russian, by the sources: what a face tells is written in one of a few ways, and
//! each of them is looked up in the catalogue.

use super::tokens::Sentence;
use super::{assert_none, sources};
use crate::support::root;
use model::error::error_types;
use model::messages::{Language, sentence};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// Crates, and parts of them, whose sentences no face tells: they judge declarations, mapping files and settings at
/// start, or speak to whoever runs the program.
const NO_FACE: [&str; 24] = [
    "src/api/observe/",
    "src/api/openapi/",
    "src/checks/",
    "src/cli/",
    "src/config/",
    "src/demo/",
    "src/domain/derive/",
    "src/files/",
    "src/ingest/folder/",
    "src/mail/",
    "src/mapping/compile/",
    "src/mapping/dialects/",
    "src/mapping/lib.rs",
    "src/model/canonical.rs",
    "src/model/letter/",
    "src/model/registry/check.rs",
    "src/model/registry/collection/",
    "src/model/registry/fits.rs",
    "src/model/registry/mod.rs",
    "src/ops/requests/fill.rs",
    "src/secure/",
    "src/sheets/",
    "src/store/",
    "src/webhooks/",
];

/// Texts that stand among the sentences for people, and are none: faults of mapping files, and of the service itself.
const APART: [&str; 8] = [
    "animal, event and pair must be members of the list",
    "another process took the job over",
    "needs P or B, animals as rows, and no pair",
    "needs a pair, a scope, an animal, and an own field as event",
    "needs a spread over rows",
    "needs animals with `animal = \"id\"`, a pair, extra and a scope, and neither meets nor part",
    "only documents of senders wait: needs a pair",
    "takes one field and its value",
];

/// Sentences that are English in Russian answers, beside what their code means. The list may only become shorter.
const ENGLISH: [&str; 4] = [
    // What libraries say is part of it.
    "invalid JSON at line {line}, column {column}: {message}",
    "The signing key cannot be used: {why}. Configure the secret under which it was stored, or retire the key (POST \
     /api/{collection}/{id}/retire).",
    // A remark on what succeeds, with a reason from a mapping file.
    "{why} {fault}",
    // Part of an answer that succeeds.
    "no collection or type of this name is served",
];

/// The values that a text has places for.
fn places(text: &str) -> BTreeSet<String> {
    let opened = text.split('{').skip(1);
    let named = opened.filter_map(|rest| Some(rest.split_once('}')?.0));
    let name = |name: &&str| name.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    named.filter(|found| !found.is_empty() && name(found)).map(str::to_owned).collect()
}

fn sentences_of_faces() -> Vec<(String, Sentence)> {
    let sources = sources();
    let heard = sources.iter().filter(|source| {
        let file = source.file.as_str();
        !NO_FACE.iter().any(|place| file.starts_with(place))
    });
    heard.flat_map(|source| (source.said().into_iter()).map(|said| (source.file.clone(), said))).collect()
}

#[test]
fn every_code_has_a_meaning_in_russian() {
    let types = error_types().iter().flat_map(|part| &part.types);
    let lacking = types.filter(|one| sentence::by_code(Language::Russian, one.name).is_none());
    assert_none(lacking.map(|one| format!("{}: Code-{}", one.name, one.name)).collect());
    let known: BTreeSet<String> =
        error_types().iter().flat_map(|part| &part.types).map(|one| format!("Code-{}", one.name)).collect();
    let texts = sentence::texts(Language::Russian);
    let remaining = texts.keys().filter(|id| id.starts_with("Code-") && !known.contains(*id));
    assert_none(remaining.map(|id| format!("{id}: there is no such code")).collect());
}

#[test]
fn every_sentence_of_the_sources_has_a_text_in_russian() {
    let texts = sentence::texts(Language::Russian);
    let all = sentences_of_faces();
    assert!(all.len() > 300, "the sources are read wrongly: {}", all.len());
    let mut faults = Vec::new();
    let mut english = BTreeSet::new();
    for (file, said) in all {
        if APART.contains(&said.text.as_str()) {
            continue;
        }
        let at = format!("{file}:{}", said.line);
        if let Some(names) = &said.values
            && *names != places(&said.text)
        {
            faults.push(format!("{at}: {} has the values {names:?}", said.text));
        }
        let values = said.values.unwrap_or_default();
        match texts.get(&sentence::id(&said.text)) {
            None if ENGLISH.contains(&said.text.as_str()) => {
                english.insert(said.text);
            }
            None => faults.push(format!("{at}: no text for {}", said.text)),
            Some(used) => {
                let named: BTreeSet<String> = values.iter().map(|name| format!("${name}")).collect();
                let mut strange = used.difference(&named).filter(|used| used.starts_with('$'));
                if let Some(strange) = strange.next() {
                    faults.push(format!("{at}: the text has {strange}"));
                }
            }
        }
    }
    let translated = ENGLISH.iter().filter(|text| !english.contains(**text));
    faults.extend(translated.map(|text| format!("not English any more: {text}")));
    assert_none(faults);
}

#[test]
fn every_text_is_one_of_a_sentence() {
    let mut ids: BTreeMap<String, ()> = BTreeMap::new();
    for source in sources() {
        ids.extend(source.texts().iter().map(|text| (sentence::id(text), ())));
    }
    // What mapping files say of documents.
    for entry in fs::read_dir(root().join("mappings")).expect("mappings") {
        let path = entry.expect("a readable entry").path();
        let text = fs::read_to_string(path).unwrap_or_default();
        ids.extend(text.split('"').map(|text| (sentence::id(text), ())));
    }
    // What operations of the API do, as pages say it.
    let names = [
        ("${plural} File", "record"),
        ("${article} ${singular}", "a record"),
        ("${singular}", "record"),
        ("${plural}", "records"),
        ("${name}", "resources"),
    ];
    for entry in fs::read_dir(root().join("src/api/openapi/templates")).expect("templates") {
        let text = fs::read_to_string(entry.expect("a readable entry").path()).unwrap_or_default();
        let text = names.iter().fold(text, |text, (name, word)| text.replace(name, word));
        ids.extend(text.split('"').map(|text| (sentence::id(text), ())));
    }
    let texts = sentence::texts(Language::Russian);
    let remaining = texts.keys().filter(|id| !id.starts_with("Code-") && !ids.contains_key(*id));
    assert_none(remaining.map(|id| format!("{id}: no sentence has this id")).collect());
    assert_eq!(sentence::faults(), Vec::<String>::new());
}

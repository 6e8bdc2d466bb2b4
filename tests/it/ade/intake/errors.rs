//! The table of error types has every code that the sources raise, and no other.

use crate::layout::collect;
use crate::support::root;
use indexmap::{IndexMap, IndexSet};
use model::error::{error_type, error_types};
use regex::Regex;

/// Modules whose refusals callers receive. Faults that are found at start (configuration, mapping files,
/// declarations) are reported to the operator by place and message.
const HEARD: [&str; 8] = [
    "api/",
    "domain/collections/",
    "exchange/",
    "files/",
    "ingest/write/",
    "model/outward/",
    "model/registry/",
    "ops/",
];

/// Files of those modules, and of mappings, that judge mapping files, declarations or a fill, before any request.
const AT_START: [&str; 11] = [
    "model/registry/check.rs",
    "model/registry/mod.rs",
    "model/registry/collection/naming.rs",
    "model/registry/collection/ui_hints.rs",
    "model/registry/fits.rs",
    "model/registry/features/fields.rs",
    "model/registry/merging.rs",
    "model/registry/collection/states.rs",
    "model/registry/field/through.rs",
    "ops/requests/fill.rs",
    "exchange/lib.rs",
];

/// Of the mappings those that read and write documents.
const OF_DOCUMENTS: [&str; 6] = [
    "mapping/read/elements.rs",
    "mapping/read/document.rs",
    "mapping/read/value.rs",
    "mapping/read/unchanged.rs",
    "mapping/read/work.rs",
    "mapping/read/groups.rs",
];

/// Name below `src` and text without tests.
fn sources() -> Vec<(String, String)> {
    let src = root().join("src");
    let mut files = Vec::new();
    collect(&src, &mut files);
    let texts = files.iter().map(|path| {
        let name = path.strip_prefix(&src).unwrap().to_str().unwrap().replace('\\', "/");
        let text = std::fs::read_to_string(path).unwrap();
        let text = text.split("#[cfg(test)]\nmod tests").next().unwrap().to_owned();
        (name, text)
    });
    texts.filter(|(name, _)| !name.contains("/tests")).collect()
}

/// The arguments of a call whose bracket was just opened.
fn arguments(text: &str) -> Vec<String> {
    let (mut depth, mut quoted, mut escaped) = (1, false, false);
    let mut all = vec![String::new()];
    for c in text.chars() {
        let last = all.last_mut().unwrap();
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            '(' | '[' | '{' if !quoted => depth += 1,
            ')' | ']' | '}' if !quoted => depth -= 1,
            ',' if !quoted && depth == 1 => {
                all.push(String::new());
                continue;
            }
            _ => {}
        }
        if depth == 0 {
            break;
        }
        last.push(c);
    }
    all.iter().map(|one| one.trim().to_owned()).collect()
}

/// Codes by the file that raises them.
fn raised() -> IndexMap<String, String> {
    let call = Regex::new(r"(?:Issue::(?:error|warning|information)|Error::invalid)\(").unwrap();
    let fine = Regex::new(r#"(?:\.fine|\bunread)\(\s*"([a-z-]+)""#).unwrap();
    let kind = Regex::new(r#"= kind\(\d+, "([a-z-]+)""#).unwrap();
    // Elsewhere the code comes directly before its message.
    let loose = Regex::new(r#""([a-z]+(?:-[a-z]+)+)",\s*(?:"[A-Z]|message|text\b|format!|why\b)"#).unwrap();
    let helper = Regex::new(r"\bfault\(").unwrap();
    let code = Regex::new(r#"^"([a-z-]+)"(?:\.into\(\))?$"#).unwrap();
    let mut found = IndexMap::new();
    for (name, text) in sources() {
        let module = name.split('/').next().unwrap();
        let heard = HEARD.iter().any(|place| name.starts_with(place)) || OF_DOCUMENTS.contains(&name.as_str());
        if !heard || AT_START.contains(&name.as_str()) {
            continue;
        }
        let mut by_other_module = false;
        for hit in call.find_iter(&text) {
            let arguments = arguments(&text[hit.end()..]);
            match arguments.get(1).and_then(|second| code.captures(second)) {
                Some(literal) => {
                    found.insert(literal[1].to_owned(), name.clone());
                }
                None => by_other_module = true,
            }
        }
        let mut patterns = vec![&fine, &kind];
        // Parts of mapping files are judged beside the documents, by faults of their own.
        if (by_other_module || helper.is_match(&text)) && module != "mapping" {
            patterns.push(&loose);
        }
        for pattern in patterns {
            for hit in pattern.captures_iter(&text) {
                found.insert(hit[1].to_owned(), name.clone());
            }
        }
    }
    found
}

#[test]
fn every_code_of_the_sources_stands_in_the_table() {
    let raised = raised();
    for code in "animal-not-found event-vs-sex not-the-owner not-unique calving-order \
        not-an-option"
        .split(' ')
    {
        assert!(raised.contains_key(code), "{code}: the sources are read wrongly");
    }
    // Reports of an import have codes of their own.
    let reported = std::fs::read_to_string("docs/import.md").unwrap();
    let mut lacking: Vec<_> = raised
        .iter()
        .filter(|(code, name)| match name.starts_with("ingest/write/") {
            true => error_type(code).is_none() && !reported.contains(&format!("`{code}`")),
            false => error_type(code).is_none(),
        })
        .collect();
    lacking.sort();
    assert!(lacking.is_empty(), "src/model/error/types.txt lacks {lacking:?}");
    for code in ade::FaultCode::ALL {
        assert!(error_type(code.as_str()).is_some(), "src/model/error/types.txt lacks {code}");
    }
}

#[test]
fn every_type_of_the_table_is_raised_somewhere() {
    let mut files = Vec::new();
    for folder in ["src", "ade/src"] {
        collect(&root().join(folder), &mut files);
    }
    let texts: Vec<String> = files.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect();
    // Raised by the limits of a field: the check and the code that reports it have different names.
    let by_limits: IndexSet<&str> = ["blood-out-of-range"].into();
    for one in error_types().iter().flat_map(|part| &part.types) {
        let literal = format!("\"{}\"", one.name);
        let raised = texts.iter().any(|text| text.contains(&literal));
        assert!(raised || by_limits.contains(one.name), "src/model/error/types.txt: nothing raises {}", one.name);
    }
}

#[test]
fn every_code_is_told_with_its_statuses() {
    let kind = Regex::new(r#"= kind\((\d+), "([a-z-]+)""#).unwrap();
    let (_, text) = sources().into_iter().find(|(name, _)| name == "api/ade/error.rs").unwrap();
    let mut seen = 0;
    for hit in kind.captures_iter(&text) {
        let one = error_type(&hit[2]).unwrap();
        assert!(one.under.contains(&hit[1]), "{}: {} is missing", one.name, &hit[1]);
        seen += 1;
    }
    assert!(seen > 15, "the sources are read wrongly");
}

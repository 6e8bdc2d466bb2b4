//! The pages under `docs/` agree with the code.

use crate::support::root;
use config::{Settings, Sources};
use indexmap::IndexSet;
use std::path::Path;

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|why| panic!("{}: {why}", path.display()))
}

#[test]
fn what_is_made_from_the_declarations_is_as_committed() {
    let files = cli::generated(root()).unwrap();
    let stale = files.iter().filter(|(name, text)| {
        let committed = std::fs::read_to_string(root().join(name));
        committed.ok().as_ref() != Some(*text)
    });
    let stale: Vec<_> = stale.map(|(name, _)| name).collect();
    assert!(stale.is_empty(), "out of date, `cargo run -- print`: {stale:?}");
}

#[test]
fn the_page_on_operations_has_every_exit_code() {
    let page = read(&root().join("docs/operations.md"));
    let (_, table) = page.split_once("| Exit code | Meaning |\n|---|---|\n").unwrap();
    let entries: Vec<&str> = table.lines().take_while(|line| line.starts_with('|')).collect();
    let known = cli::EXITS.map(|(exit, meaning)| format!("| {} | {meaning} |", exit.code()));
    assert_eq!(entries, known);
}

#[test]
fn the_configuration_in_the_readme_is_one() {
    let readme = read(&root().join("README.md"));
    let block = readme.split("```toml\n").nth(1).expect("a configuration");
    let file = block.split("```").next().map(str::to_owned);
    let sources = Sources { file, ..Sources::default() };
    let settings = Settings::load(&sources).unwrap();
    assert_eq!(settings.exchange_url, "https://herdbook.example");
}

#[test]
fn every_crate_has_its_line_and_every_line_its_crate() {
    let mut named = IndexSet::new();
    let mut manifests = [
        "Cargo.toml",
        "ade/Cargo.toml",
        "conformance/Cargo.toml",
        "conformance/faulty/Cargo.toml",
        "conformance/follow/Cargo.toml",
        "conformance/oracle/Cargo.toml",
        "tests/attribute/Cargo.toml",
        "tests/books/Cargo.toml",
        "tests/fuzz/Cargo.toml",
        "tests/support/Cargo.toml",
    ]
    .map(|manifest| root().join(manifest))
    .to_vec();
    let mut ours = Vec::new();
    for entry in std::fs::read_dir(root().join("src")).unwrap() {
        let folder = entry.unwrap().path();
        if folder.is_dir() {
            ours.push(folder.file_name().unwrap().to_str().unwrap().to_owned());
            manifests.push(folder.join("Cargo.toml"));
        }
    }
    for manifest in manifests {
        let manifest: toml::Table = toml::from_str(&read(&manifest)).unwrap();
        for section in ["dependencies", "dev-dependencies"] {
            let section = manifest.get(section).and_then(toml::Value::as_table);
            named.extend(section.into_iter().flat_map(|s| s.keys().cloned()));
        }
        let targets = manifest.get("target").and_then(toml::Value::as_table);
        for target in targets.into_iter().flat_map(toml::Table::values) {
            let section = target.get("dependencies").and_then(toml::Value::as_table);
            named.extend(section.into_iter().flat_map(|s| s.keys().cloned()));
        }
    }
    // `config` rests on a crate of others with its own name.
    named.retain(|name| !ours.contains(name) || name == "config");
    let page = read(&root().join("docs/dependencies.md"));
    let entries: IndexSet<String> = (page.lines())
        .filter_map(|line| line.strip_prefix("| `")?.split_once(" |"))
        .flat_map(|(names, _)| names.split(", "))
        .map(|name| name.trim_matches('`').to_owned())
        .collect();
    let missing: Vec<_> = named.difference(&entries).collect();
    let gone: Vec<_> = entries.difference(&named).collect();
    assert!(missing.is_empty(), "without a line: {missing:?}");
    assert!(gone.is_empty(), "not in any manifest: {gone:?}");
}

/// The text of the first block of that kind.
fn block<'p>(page: &'p str, kind: &str) -> &'p str {
    let (_, rest) = page.split_once(&format!("```{kind}\n")).unwrap();
    rest.split_once("```").unwrap().0
}

#[test]
fn the_page_on_clients_shows_the_example_that_is_compiled() {
    let page = read(&root().join("docs/clients.md"));
    let (_, rest) = page.split_once("## Rust, following a feed").unwrap();
    let example = read(&root().join("conformance/follow/examples/mirror.rs"));
    assert_eq!(block(rest, "rust"), example);
    assert!(example.lines().count() <= 30);
}

#[test]
fn the_page_on_webhooks_shows_the_check_that_the_tests_make() {
    let page = read(&root().join("docs/webhooks.md"));
    let check = read(&root().join("tests/it/webhooks/verify.rs"));
    assert_eq!(block(&page, "rust"), check);
}

#[test]
fn the_check_in_python_takes_what_we_sign_and_nothing_else() {
    use secure::signing::{signature, signing_key};
    if std::process::Command::new("python3").arg("--version").output().is_err() {
        test_support::left_out("the check of webhooks in Python", "there is no python3");
        return;
    }
    let page = read(&root().join("docs/webhooks.md"));
    let (key, body) = (signing_key(), r#"{"type":"ade.ping"}"#);
    let signed = signature(&key, "msg_1", 1_700_000_000, body).unwrap();
    let program = format!(
        "{}\nimport sys\nkey, signed, body = sys.argv[1:]\n\
         def ask(**other):\n\
         \x20   said = dict(key=key, signed=signed, body=body, now=1700000010) | other\n\
         \x20   headers = {{'webhook-id': 'msg_1', 'webhook-timestamp': '1700000000', 'webhook-signature': said['signed']}}\n\
         \x20   return verified(said['key'], headers, said['body'].encode(), said['now'])\n\
         print([ask(), ask(signed='v1,x ' + signed), ask(body=body + ' '), ask(now=1700000400), ask(signed='v1,x')])\n",
        block(&page, "python")
    );
    let mut python = std::process::Command::new("python3");
    let out = python.args(["-c", &program, &key, &signed, body]).output().unwrap();
    let text = String::from_utf8_lossy(&out.stdout);
    let why = String::from_utf8_lossy(&out.stderr);
    assert_eq!(text.trim(), "[True, True, False, False, False]", "{why}");
}

#[test]
fn the_page_on_forms_shows_one_document_in_three() {
    const TYPE: &str = "icarTestDayResultEventResource";
    let page = read(&root().join("docs/formats.md"));
    let json: serde_json::Value = serde_json::from_str(block(&page, "json")).unwrap();
    assert_eq!(ade::validate(TYPE, &json), []);
    let xml = ade::xml::read(block(&page, "xml").as_bytes(), None, TYPE).unwrap();
    assert_eq!(serde_json::from_str::<serde_json::Value>(&xml).unwrap(), json);
    let plain = |text: &str| text.lines().map(str::trim).collect::<String>();
    assert_eq!(plain(block(&page, "xml")), plain(&ade::xml::write(&json, "")));

    let text = ade::table::Table::of(TYPE).unwrap().write([&json]).unwrap();
    let mut lines = csv::ReaderBuilder::new().from_reader(text.as_slice());
    let head = lines.headers().unwrap().clone();
    let line = lines.records().next().unwrap().unwrap();
    let filled: Vec<String> = (head.iter().zip(line.iter()))
        .filter(|(_, cell)| !cell.is_empty())
        .map(|(name, cell)| format!("| `{name}` | `{}` |", cell.replace('|', "\\|")))
        .collect();
    let (_, shown) = page.split_once("| Column | Cell |\n|---|---|\n").unwrap();
    let shown: Vec<&str> = shown.lines().take_while(|line| line.starts_with('|')).collect();
    assert_eq!(shown, filled);
}

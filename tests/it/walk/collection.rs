//! The worked example of docs/design/collections.md, *A new collection*: performed on a copy of the repository, which
//! is built and read over all three faces.

use super::demo::Demo;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const PAGE: &str = include_str!("../../../docs/design/collections.md");
/// The list that takes a word.
const LIST: &str = "src/domain/collections/events/mod.rs";
/// Beside this one.
const BESIDE: [&str; 2] = ["pub(crate) mod weighings;\n", "weighings::weighings(),\n"];
/// A program of another name: that of this repository runs in other tests.
const PROGRAM: &str = "herdbook-example";
/// Its crates have a version of their own: cargo names what it compiles by it, and both are in one folder.
const VERSION: [&str; 2] = ["\nversion = \"0.1.0\"\n", "\nversion = \"0.0.0-example\"\n"];
/// Files that a build of the repository does not need.
const LEFT_OUT: [&str; 6] = [".git", "target", "node_modules", "clients", "docs", "herdbook-demo"];

#[tokio::test]
async fn a_collection_is_a_declaration_a_mapping_and_a_word() {
    if test_support::depth() != test_support::Depth::Long {
        let why = "it builds a copy of the program";
        test_support::left_out("a new collection in two files", why);
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let copy = dir.path();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    copied(root, copy);
    // Pages are printed anew, with the parts that people write.
    fs::create_dir_all(copy.join("docs")).unwrap();
    for page in ["docs/errors.md", "docs/exchange.md"] {
        fs::copy(root.join(page), copy.join(page)).unwrap();
    }
    // Its own tests are not run.
    fs::remove_dir_all(copy.join("tests/it")).unwrap();
    fs::create_dir(copy.join("tests/it")).unwrap();
    fs::write(copy.join("tests/it/main.rs"), "").unwrap();
    performed(copy);
    build(copy);
    let mut print = Command::new(program());
    print.current_dir(copy).args(["print", "--migration", "remarks"]);
    succeeds(&mut print);
    let migration = fs::read_dir(copy.join("migrations/postgres")).unwrap();
    let migration = migration.map(|file| file.unwrap().path());
    let migration = migration.filter(|path| path.to_str().unwrap().ends_with("_remarks.sql"));
    let migration = fs::read_to_string(migration.last().unwrap()).unwrap();
    assert!(migration.starts_with("CREATE TABLE \"remarks\""), "{migration}");
    let page = fs::read_to_string(copy.join("docs/exchange.md")).unwrap();
    assert!(page.contains("| `remarks` | `remarks` | POST, batch, push |"));
    build(copy);
    let demo = Demo::of(&program(), 120);
    answers(&demo).await;
    demo.stop();
}

/// Sends a remark by REST, and reads it by GraphQL and by the exchange.
async fn answers(demo: &Demo) {
    let token = demo.sign_in("farm1@demo.herdbook").await;
    let list = "/api/animals?where[owner][equals]=2&limit=1&depth=0";
    let (status, animals) = demo.ask(&token, list).await;
    assert_eq!(status, 200, "{animals}");
    let animal = &animals["docs"][0]["id"];
    let remark = json!({"animal": animal, "date": "2026-03-01", "note": "Lame on the left"});
    let (status, made) = demo.post(&token, "/api/remarks", &remark).await;
    assert_eq!(status, 201, "{made}");
    let id = &made["doc"]["id"];
    let query = json!({"query": format!("{{ Remark(id: {id}) {{ note animal {{ id }} }} }}")});
    let (status, shown) = demo.post(&token, "/api/graphql", &query).await;
    let expected = json!({"note": "Lame on the left", "animal": {"id": animal}});
    assert_eq!((status, &shown["data"]["Remark"]), (200, &expected), "{shown}");
    let page = demo.get(&token, "/ade/v1/locations/org.herdbook.orgid/2/remarks").await;
    let [document] = page["member"].as_array().unwrap().as_slice() else {
        panic!("{page}");
    };
    assert_eq!(document["note"], "Lame on the left");
    assert_eq!(ade::validate("icarRemarkEventResource", document), []);
    let (status, refused) = demo.post("", "/api/remarks", &remark).await;
    assert_eq!(status, 403, "{refused}");
    let refusal = |body: &Value| body["errors"][0]["data"]["errors"][0]["path"].clone();
    let (status, refused) = demo.post(&token, "/api/remarks", &json!({"animal": animal, "date": "2026-03-01"})).await;
    assert_eq!((status, refusal(&refused)), (400, json!("note")), "{refused}");
}

/// Performs the steps that the page shows.
fn performed(copy: &Path) {
    let (_, example) = PAGE.split_once("## A new collection\n").unwrap();
    for (nth, path) in ["src/domain/collections/events/remarks.rs", "mappings/remarks.toml"].into_iter().enumerate() {
        assert!(example.contains(&format!("`{path}`")), "{path}");
        let block = example.split("```").nth(2 * nth + 1).unwrap();
        let (_, text) = block.split_once('\n').unwrap();
        let text: Vec<_> = text.lines().map(|line| line.strip_prefix("   ").unwrap_or(line)).collect();
        fs::write(copy.join(path), text.join("\n")).unwrap();
    }
    let list = copy.join(LIST);
    let mut text = fs::read_to_string(&list).unwrap();
    for beside in BESIDE {
        assert!(text.contains(beside), "{LIST} lacks {beside}");
        let both = format!("{}{beside}", beside.replace("weighings", "remarks"));
        text = text.replacen(beside, &both, 1);
    }
    fs::write(list, text).unwrap();
    let manifest = copy.join("Cargo.toml");
    let text = fs::read_to_string(&manifest).unwrap();
    let program = ["[[bin]]\nname = \"herdbook\"", "default-run = \"herdbook\""];
    let mut named = program.iter().chain([&VERSION[0]]);
    assert!(named.all(|words| text.contains(words)), "{text}");
    let text = text.replacen(VERSION[0], VERSION[1], 1);
    let text = text.replace(program[0], &program[0].replace("herdbook", PROGRAM));
    let text = text.replace("default-run = \"herdbook\"", &format!("default-run = \"{PROGRAM}\""));
    fs::write(manifest, text).unwrap();
}

fn copied(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name();
        if LEFT_OUT.iter().any(|left_out| name == *left_out) {
            continue;
        }
        match entry.file_type().unwrap().is_dir() {
            true => copied(&entry.path(), &to.join(name)),
            false => drop(fs::copy(entry.path(), to.join(name)).unwrap()),
        }
    }
}

/// Crates of others are compiled already where this test was built.
fn target() -> PathBuf {
    let program = Path::new(env!("CARGO_BIN_EXE_herdbook"));
    program.ancestors().nth(2).unwrap().to_owned()
}

/// As tests are built, so that crates of others have the features that they were compiled with.
fn build(copy: &Path) {
    let mut command = Command::new(env!("CARGO"));
    command.args(["test", "-p", "herdbook", "--test", "it", "--no-run", "--offline"]);
    command.current_dir(copy).env("CARGO_TARGET_DIR", target());
    // It is built twice; only the migration is another one then.
    command.env("CARGO_INCREMENTAL", "1");
    // Set where tests are timed; build scripts of crates of others run anew for it, and all that rests on them.
    command.env_remove("RUSTC_BOOTSTRAP");
    // It runs for seconds: optimised, as in CI, it would compile for minutes.
    command.env_remove("CARGO_PROFILE_DEV_OPT_LEVEL");
    succeeds(&mut command);
}

fn program() -> PathBuf {
    target().join("debug").join(PROGRAM)
}

fn succeeds(command: &mut Command) {
    let done = command.output().unwrap();
    let text = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{command:?}: {text}");
}

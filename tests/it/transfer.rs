//! A whole book as a folder, and back (docs/backup.md, *Moving a book*): from each database into each.

use crate::rest::stage::Stage;
use crate::rest::world::World;
use crate::support::untouched::content;
use cli::{export_to, import_from, registry};
use config::{Settings, Sources};
use model::clock::Clock;
use model::error::Error;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use store::{Dialect, Durability, Store, schema};
use test_books::{DIALECTS, Template};

/// The table whose row counts commits, of which the import is one.
const COUNTED: &str = "book_sequence.ndjson";

fn declared() -> &'static model::registry::Registry {
    registry(&Settings::load(&Sources::default()).unwrap()).unwrap()
}

fn files(folder: &Path) -> BTreeMap<String, String> {
    let all = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    all.map(|path| {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        (name, std::fs::read_to_string(path).unwrap())
    })
    .collect()
}

/// The same without what counts commits.
fn rows(folder: &Path) -> BTreeMap<String, String> {
    let mut all = files(folder);
    let sequence = all.get_mut(COUNTED).unwrap();
    let mut row: Value = serde_json::from_str(sequence).unwrap();
    for name in ["commits", "touched"] {
        row.as_object_mut().unwrap().remove(name);
    }
    *sequence = row.to_string();
    all
}

/// An empty book.
async fn empty(dialect: Dialect, dir: &Path) -> Option<(Store, String)> {
    let url = Template::empty(dialect).await?.copy(dir).await;
    let store = Store::open(&url, Durability::Normal, Clock::system(), false).await;
    Some((store.unwrap(), url))
}

async fn refused(store: &Store, folder: &Path) -> String {
    let before = content(store).await;
    let error = import_from(store, declared(), folder).await.unwrap_err();
    assert_eq!(content(store).await, before, "{error:?}");
    match error {
        Error::Malformed(why) => why.to_string(),
        Error::Invalid(issues) => format!("{}: {}", issues[0].path, issues[0].message),
        other => panic!("{other:?}"),
    }
}

#[test_with(World::both)]
async fn a_book_moves_to_each_database_and_back_with_all_its_rows(w: &World<'_>) {
    // Something that came by the exchange, with words of its sender, and a tombstone.
    let weight = |key: &str, gone: bool| {
        serde_json::json!([{"resourceType": "icarWeightEventResource",
            "meta": {"source": "scale.example", "sourceId": key, "isDeleted": gone,
                "modified": "2026-02-01T00:00:00+03:00"},
            "location": {"scheme": "org.herdbook.orgid", "id": "1"},
            "animal": {"scheme": "org.herdbook.animal", "id": COW},
            "eventDateTime": "2026-02-01T09:00:00+03:00", "x-scale": 1.50,
            "weight": {"measurement": 612.25, "units": "KGM"}}])
    };
    let headers = [("content-type", "application/json")];
    for (key, gone) in [("a", false), ("b", false), ("b", true)] {
        let path = "/ade/v1/datasets/weights/resources";
        let body = weight(key, gone).to_string();
        let answer = w.send("alpha", "POST", path, &headers, body).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
    }
    let dir = tempfile::tempdir().unwrap();
    let from = dir.path().join("from");
    let moved = export_to(&w.stage.book.store, declared(), &from).await.unwrap();
    assert!(moved.rows >= 70 && moved.tables >= 20, "{moved:?}");
    let manifest: Value = serde_json::from_str(&files(&from)["book.json"]).unwrap();
    let sum: u64 = manifest["rows"].as_object().unwrap().values().map(|n| n.as_u64().unwrap()).sum();
    assert_eq!(sum, moved.rows);
    let animal = files(&from)["animals.ndjson"].lines().next().unwrap().to_owned();
    let animal: Value = serde_json::from_str(&animal).unwrap();
    assert!(animal["identNumber"].is_string() && animal["id"].is_i64(), "{animal}");
    for dialect in DIALECTS {
        let place = tempfile::tempdir().unwrap();
        let Some((store, url)) = empty(dialect, place.path()).await else {
            continue;
        };
        assert_eq!(import_from(&store, declared(), &from).await.unwrap(), moved);
        // The tables are those of a migrated book, with their indexes.
        let missing = schema::differences(&store, declared()).await.unwrap();
        assert!(missing.iter().all(|step| step.optional), "{missing:?}");
        let back = place.path().join("back");
        export_to(&store, declared(), &back).await.unwrap();
        assert_eq!(rows(&back), rows(&from), "{dialect:?}");
        // It is not empty any more.
        let why = refused(&store, &from).await;
        assert!(why.contains("not empty"), "{why}");
        assert_served_alike(w, &store, &url).await;
    }
}

/// A copy of the book answers as the book does, and goes on with ids and places that nobody has.
async fn assert_served_alike(w: &World<'_>, store: &Store, url: &str) {
    let other = Template::of(store, url).await;
    let stage = Stage::copy(&other, &[]).await;
    let there = World::of(&stage, w.tokens());
    for path in "/api/animals?depth=1&limit=100&sort=id /api/operations?limit=100&sort=id \
        /ade/v1/datasets/everything/changes?limit=1000 \
        /ade/v1/locations/org.herdbook.orgid/1/weights"
        .split(' ')
    {
        for who in ["alpha", "admin"] {
            let [here, there] = [w.get(who, path).await, there.get(who, path).await];
            assert_eq!((here.status, here.text), (there.status, there.text), "{path}");
        }
    }

    let made =
        there.made("alpha", "saved-searches", serde_json::json!({"name": "s", "place": "book", "query": "a=1"})).await;
    assert!(made > 0);
    stage.assert_sound().await;
}

/// A cow of the farm of `alpha`.
const COW: &str = "960000000002";

#[test_with(World::each)]
async fn what_is_no_book_of_this_release_leaves_the_book_empty(w: &World<'_>) {
    let dir = tempfile::tempdir().unwrap();
    let from = dir.path().join("from");
    export_to(&w.stage.book.store, declared(), &from).await.unwrap();
    let second = export_to(&w.stage.book.store, declared(), &from).await.unwrap_err();
    assert!(matches!(second, Error::Malformed(why) if why.english().contains("not empty")));
    let place = tempfile::tempdir().unwrap();
    let (store, _) = empty(w.stage.book.store.dialect(), place.path()).await.unwrap();
    let good = files(&from);
    let animals = &good["animals.ndjson"];
    let contents: Value = serde_json::from_str(&good["book.json"]).unwrap();
    let with = |name: &str, value: Value| {
        let mut contents = contents.clone();
        contents[name] = value;
        contents.to_string()
    };
    let count = animals.lines().count();
    for (file, text, expected) in table![
        "book.json", "{}".to_owned(), "is not of form 1";
        "book.json", with("migrations", 9.into()), "was exported after 9 migrations";
        "book.json", with("rows", serde_json::json!({"unicorns": 1})), "no table unicorns";
        "animals.ndjson",
        animals.replacen("\"sex\"", "\"gender\"", 1),
        "animals.ndjson:1: gender: animals has no such field";
        "animals.ndjson", format!("{animals}{{"), &format!("animals.ndjson:{}: ", count + 1);
        "animals.ndjson", animals.replacen("\"female\"", "7", 1), "sex: does not hold 7";
        "animals.ndjson", animals.lines().next().unwrap().to_owned(), "has 1 lines, and book.json says";
    ] {
        std::fs::write(from.join(file), text).unwrap();
        let why = refused(&store, &from).await;
        assert!(why.contains(expected), "{why}");
        std::fs::write(from.join(file), &good[file]).unwrap();
    }
    std::fs::remove_file(from.join("book.json")).unwrap();
    assert!(refused(&store, &from).await.contains("book.json"));
    std::fs::write(from.join("book.json"), &good["book.json"]).unwrap();
    import_from(&store, declared(), &from).await.unwrap();
}

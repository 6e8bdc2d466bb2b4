//! The rows that the conformance cases name (docs/dialect.md, *Conformance cases*), over a registry of their own:
//! the rules hold for every declaration.

use crate::support::book::{NOW, book_over, settings};
use api::{AppState, router};
use axum::Router;
use model::clock::Clock;
use model::record::Value;
use model::registry::sign_in::{account_fields, api_key_fields};
use model::registry::{
    Access, Capability, Class, Collection, Decl, FileGroup, Registry, Rule, Upload, boolean, day, email, fields, group,
    instant, int, number, password, relation, rows, select, text,
};
use ops::{Book, FillRow, NoProjection};
use serde_json::{Map, Value as Json, json};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection};
use std::str::FromStr;
use std::sync::atomic::AtomicI64;
use std::sync::{Arc, OnceLock};
use store::{Dialect, Durability, Store, schema};
use tempfile::TempDir;
use test_support::postgres::{Cluster, cluster};

/// The password of every user.
pub(super) const PASSWORD: &str = "secret";

/// The callers with their ids and addresses.
pub(super) const USERS: [(&str, i64, &str); 3] =
    [("A", 1, "a@book.example"), ("F1", 2, "f1@book.example"), ("F2", 3, "f2@book.example")];

/// The declarations: small, and none of them is of the herd book itself.
fn registry() -> &'static Registry {
    static REGISTRY: OnceLock<Registry> = OnceLock::new();
    REGISTRY.get_or_init(|| {
        let all = vec![animals(), herds(), organizations(), milk_tests(), users(), gradings(), journal(), media()];
        Registry::build(all).unwrap()
    })
}

fn animals() -> Collection {
    let access = Access::read(Rule::Open("public")).write(Rule::Own(Capability::Data)).subjects(&["herd.organization"]);
    let fields = fields![
        text("tag").required().unique(),
        text("name"),
        select("state", "alive|dead|sold"),
        boolean("archived"),
        boolean("public"),
        number("weight").min(0.0),
        relation("herd", "herds"),
        day("birthDate"),
        relation("sire", "animals"),
        relation("dam", "animals"),
        relation("keeper", "users"),
        // No farm owns an animal here, so that only the Association reads this.
        text("notes").class(Class::Owner),
        group("position", vec![int("barn").into(), text("box").into()]),
        rows("remarks", [text("text").required()]),
    ];
    Collection::new("animals", access, fields).join("milkTests", "milk-tests", &["animal"])
}

fn herds() -> Collection {
    let access = Access::read(Rule::Any).write(Rule::Own(Capability::Data)).subjects(&["organization"]);
    let fields = fields![text("name"), relation("organization", "organizations")];
    Collection::new("herds", access, fields)
}

fn organizations() -> Collection {
    let access = Access::read(Rule::Any).write(Rule::Assoc).subjects(&["id"]);
    let fields = fields![
        text("name"),
        relation("mergedInto", "organizations"),
        select("membership", "none|pending|member|suspended"),
    ];
    Collection::new("organizations", access, fields)
}

fn milk_tests() -> Collection {
    let access = Access::read(Rule::Open("animal.public"))
        .write(Rule::Own(Capability::Data))
        .subjects(&["animal.herd.organization"]);
    let fields = fields![relation("animal", "animals").required(), day("date"), number("milkYield"),];
    Collection::new("milk-tests", access, fields)
}

fn users() -> Collection {
    let access = Access::read(Rule::SelfRow).write(Rule::SelfRow).subjects(&["id", "organization"]);
    let fields: Vec<Decl> = fields![
        email("email").required().unique(),
        password("password"),
        select("role", "farmer|service|individual|expert|admin"),
        relation("organization", "organizations"),
        select("orgRole", "head|operator|viewer"),
        instant("blockedAt"),
    ];
    let fields = fields.into_iter().chain(api_key_fields());
    let fields = fields.chain(account_fields()).collect();
    Collection::new("users", access, fields).auth().api_keys()
}

fn gradings() -> Collection {
    Collection::new("gradings", Access::read(Rule::Any), fields![int("mark")])
}

fn journal() -> Collection {
    Collection::new("journal", Access::read(Rule::Assoc), fields![text("what")])
}

fn media() -> Collection {
    let access = Access::read(Rule::Any).write(Rule::Own(Capability::Data));
    let files = Upload { groups: &[FileGroup { types: &["image/*", "text/csv"], max_bytes: 5_000 }], sizes: &[] };
    Collection::uploads("media", access, fields![text("alt")], files)
}

/// A book that cases begin with.
pub(super) enum Template {
    Sqlite(Vec<u8>),
    Postgres(&'static Cluster, String),
}

/// A running book.
pub(super) struct Opened {
    pub(super) router: Router,
    pub(super) book: Arc<Book>,
    url: String,
    _dir: TempDir,
}

impl Template {
    /// The rows of the fixture; none where the database is not there.
    pub(super) async fn make(dialect: Dialect) -> Option<Self> {
        let dir = tempfile::tempdir().unwrap();
        let url = match dialect {
            Dialect::Sqlite => format!("sqlite:{}", dir.path().join("book.db").display()),
            Dialect::Postgres => cluster()?.fresh_database().await,
        };
        create(&url, dialect).await;
        let opened = open(url, dir, &[]).await;
        fill(&opened.book).await;
        opened.book.store.close().await;
        Some(match dialect {
            Dialect::Sqlite => Self::Sqlite(std::fs::read(opened.url.strip_prefix("sqlite:").unwrap()).unwrap()),
            Dialect::Postgres => {
                let url = opened.url.split('?').next().unwrap();
                let name = url.rsplit_once('/').unwrap().1;
                cluster().unwrap().keep(name);
                Self::Postgres(cluster().unwrap(), name.to_owned())
            }
        })
    }

    /// A book of its own.
    pub(super) async fn copy(&self, changed: &[(String, String)]) -> Opened {
        let dir = tempfile::tempdir().unwrap();
        let url = match self {
            Self::Sqlite(bytes) => {
                let file = dir.path().join("book.db");
                std::fs::write(&file, bytes).unwrap();
                format!("sqlite:{}", file.display())
            }
            Self::Postgres(cluster, name) => cluster.copy_of(name).await,
        };
        open(url, dir, changed).await
    }
}

/// The tables of the registry.
async fn create(url: &str, dialect: Dialect) {
    let script = AssertSqlSafe(schema::migration_text(registry(), dialect).unwrap());
    match dialect {
        Dialect::Sqlite => {
            let options = sqlx::sqlite::SqliteConnectOptions::from_str(url).unwrap();
            let mut conn = options.create_if_missing(true).connect().await.unwrap();
            sqlx::raw_sql(script).execute(&mut conn).await.unwrap();
            conn.close().await.unwrap();
        }
        Dialect::Postgres => {
            let mut conn = sqlx::postgres::PgConnection::connect(url).await.unwrap();
            sqlx::raw_sql(script).execute(&mut conn).await.unwrap();
            conn.close().await.unwrap();
        }
    }
}

async fn open(url: String, dir: TempDir, changed: &[(String, String)]) -> Opened {
    let known = |name: &str| config::KEYS.iter().find(|key| key.name == name);
    let flags =
        (changed.iter()).map(|(name, value)| (known(name).expect("a key of the configuration").name, value.clone()));
    let settings = settings(flags);
    let clock = Clock::fixed(Arc::new(AtomicI64::new(NOW)));
    let store = Store::open(&url, Durability::Normal, clock.clone(), false).await.unwrap();
    let book = book_over(registry(), store, clock, Arc::new(NoProjection));
    let book = book.with_files(&dir.path().join("media")).await;
    let book = Arc::new(book.unwrap());
    // The exchange does not know this registry; no case uses it.
    let exchange = cli::exchange(&settings).unwrap();
    let router = router(Arc::new(AppState::new(Arc::clone(&book), exchange, settings)));
    Opened { router, book, url, _dir: dir }
}

async fn fill(book: &Book) {
    let organizations = [(1, "Org One"), (2, "Org Two")];
    let organizations = organizations.map(|(id, name)| (id, json!({"name": name, "membership": "member"})));
    rows_of(book, "organizations", organizations.into()).await;
    let herds = [(1, "Alpha"), (2, "Beta")];
    let herds = herds.map(|(id, name)| (id, json!({"name": name, "organization": id})));
    rows_of(book, "herds", herds.into()).await;
    let verifier = book.passwords.hash(PASSWORD).unwrap();
    let users = USERS.map(|(_, id, address)| {
        let association = id == 1;
        let (role, organization) = if association { ("admin", None) } else { ("farmer", Some(id - 1)) };
        let data = json!({"email": address, "role": role, "organization": organization, "orgRole": "head"});
        row("users", id, data, vec![("verifier", Value::from(verifier.clone()))])
    });
    book.fill(users.into()).await.unwrap();
    rows_of(book, "animals", (0..25).map(|i| (i + 1, animal(i))).collect()).await;
    let tests = (0..30).map(|j| {
        let day = format!("2024-12-{:02}", j + 1);
        (j + 1, json!({"animal": 1 + j % 5, "date": day, "milkYield": 20.0 + half(j)}))
    });
    rows_of(book, "milk-tests", tests.collect()).await;
}

fn half(n: i64) -> f64 {
    f64::from(i32::try_from(n).unwrap()) / 2.0
}

fn animal(i: i64) -> Json {
    let names = [
        Some("Bella"),
        Some("Bella Donna"),
        Some("BELLA rosa"),
        Some("daisy"),
        Some("Élodie"),
        None,
        Some("100% Milk"),
        Some("a_b"),
    ];
    let states = ["alive", "dead", "sold"];
    let at = |n: i64| usize::try_from(i % n).unwrap();
    json!({
        "tag": format!("BE{i:04}"),
        "name": names[at(8)],
        "state": states[at(3)],
        "archived": i % 5 == 0,
        "public": i % 2 == 0,
        "weight": (i % 4 != 0).then_some(400 + 10 * i),
        "herd": if i % 2 == 0 { 2 } else { 1 },
        "birthDate": format!("{}-{:02}-{:02}", 2010 + i % 12, 1 + i % 9, 10 + i % 9),
        "sire": (i > 3).then_some(1),
        "dam": (i > 3).then_some(1 + i % 3),
        "position": {"barn": i},
    })
}

fn row(collection: &'static str, id: i64, data: Json, hidden: Vec<(&'static str, Value)>) -> FillRow {
    let data: Map<String, Json> = data.as_object().unwrap().clone();
    FillRow { collection, id, data, hidden }
}

async fn rows_of(book: &Book, collection: &'static str, rows: Vec<(i64, Json)>) {
    let rows = rows.into_iter().map(|(id, data)| row(collection, id, data, Vec::new()));
    book.fill(rows.collect()).await.unwrap();
}

//! The registry, the rows, and short words for asking.

use crate::{Ask, Book, NoProjection};
use model::clock::Clock;
use model::error::Result;
use model::query::qs;
use model::record::{Value, time};
use model::registry::{
    Access, Caller, Capability, Class, Collection, Decl, Principal, Registry, Rule, Scope, boolean, day, email, fields,
    group, instant, int, json, number, password, relation, relations, rows, select, selects, text,
};
use secure::keys::{KeyRing, random_secret};
use secure::password::{PasswordCost, Passwords};
use serde_json::json;
use std::sync::atomic::AtomicI64;
use std::sync::{Arc, OnceLock};
use store::{Dialect, Durability, Sql, Store, Ty};
use test_books::{Template, dialects};

/// 2026-01-01T00:00:00Z
pub(super) const NOW: i64 = 1_767_225_600_000;

pub(super) fn registry() -> &'static Registry {
    static REGISTRY: OnceLock<Registry> = OnceLock::new();
    REGISTRY.get_or_init(|| {
        Registry::build(vec![animals(), herds(), milk_tests(), users(), organizations(), grants()]).unwrap()
    })
}

fn animals() -> Collection {
    let herd = fields![
        text("tag").required(),
        text("name"),
        select("state", "alive|dead|sold"),
        boolean("archived"),
        boolean("public"),
        boolean("publicVisible"),
        boolean("publicDetails"),
        number("weight"),
        relation("herd", "herds"),
        relation("owner", "organizations"),
        day("birthDate"),
        relation("sire", "animals"),
        relation("dam", "animals"),
    ];
    let closed: Vec<Decl> = fields![
        text("card").class(Class::Card),
        relation("breeder", "organizations").class(Class::Card),
        group("notes", fields![text("owner").class(Class::Owner), text("hidden").class(Class::Hidden)]),
        text("signed").class(Class::SignedIn),
        relation("editor", "users"),
        relations("offspring", "animals"),
        relations("pastOwners", "organizations").class(Class::Card),
        selects("uses", "milk|beef|show"),
        rows("shows", [text("title"), relation("judge", "organizations"), int("place"),]),
        json("extra"),
        group("position", fields![int("barn"), text("box")]),
    ];
    let access = Access::read(Rule::Open("public")).subjects(&["herd.organization"]);
    Collection::new("animals", access, herd.into_iter().chain(closed).collect())
        .lineage("sire", "dam", &["tag", "birthDate"])
        .join("milkTests", "milk-tests", &["animal"])
        .join("children", "animals", &["sire", "dam"])
}

fn herds() -> Collection {
    let access = Access::read(Rule::Any).subjects(&["organization"]);
    let fields =
        fields![text("name"), relation("organization", "organizations"), text("holding").class(Class::Private),];
    Collection::new("herds", access, fields)
}

fn milk_tests() -> Collection {
    let event = Rule::Event { scope: Scope::Production, card: true };
    let fields = fields![relation("animal", "animals").required(), day("date"), number("milkYield"),];
    Collection::new("milk-tests", Access::read(event), fields)
        .animal("animal")
        .alias("milkYield", "dailyYield")
        .sort("-date")
}

fn users() -> Collection {
    let access = Access::read(Rule::SelfRow).subjects(&["id", "organization"]);
    let fields = fields![
        email("email"),
        password("password"),
        select("role", "farmer|service|individual|expert|admin"),
        relation("organization", "organizations"),
        select("orgRole", "head|operator|viewer"),
        instant("blockedAt"),
        text("verifier").class(Class::Hidden),
        json("sessions").class(Class::Hidden),
    ];
    Collection::new("users", access, fields).auth()
}

fn organizations() -> Collection {
    let access = Access::read(Rule::Any).subjects(&["id"]);
    let fields = fields![
        text("name"),
        relation("mergedInto", "organizations"),
        select("membership", "none|pending|member|suspended"),
    ];
    Collection::new("organizations", access, fields)
}

fn grants() -> Collection {
    let access = Access::read(Rule::Farm).subjects(&["owner", "grantee"]);
    let fields = fields![
        relation("owner", "organizations"),
        relation("grantee", "organizations"),
        relation("animal", "animals"),
        selects("scopes", "origin|production|evaluation|documents"),
        instant("expiresAt"),
        instant("revokedAt"),
    ];
    Collection::new("access-grants", access, fields)
}

pub(super) fn collection(slug: &str) -> &'static Collection {
    registry().get(slug).unwrap()
}

/// An open book, with what it needs to stay open.
pub(super) struct Fixture {
    pub(super) book: Book,
    _dir: tempfile::TempDir,
}

/// A book on every database that is there, with the rows of the fixture.
pub(super) async fn books() -> Vec<Fixture> {
    let all = empty(registry()).await;
    for f in &all {
        run(&f.book, contents()).await;
    }
    all
}

/// A book on every database that is there, over any registry, without rows.
pub(super) async fn empty(registry: &'static Registry) -> Vec<Fixture> {
    let mut all = Vec::new();
    for dialect in dialects() {
        if let Some(empty) = Template::empty(*dialect).await {
            let dir = tempfile::tempdir().unwrap();
            let url = empty.copy(dir.path()).await;
            all.push(open(registry, &url, dir).await);
        }
    }
    all
}

async fn open(registry: &'static Registry, url: &str, dir: tempfile::TempDir) -> Fixture {
    let clock = Clock::fixed(Arc::new(AtomicI64::new(NOW)));
    let store = Store::open(url, Durability::Normal, clock.clone(), false).await.unwrap();
    let cost = PasswordCost::default();
    let book = Book::new(
        registry,
        store,
        clock,
        Arc::new(NoProjection),
        Arc::new(Passwords::new(cost).unwrap()),
        Arc::new(KeyRing::new(&random_secret(), None).unwrap()),
    );
    let dialect = book.store.dialect();
    let mut all = room();
    all.extend(registry.iter().flat_map(|c| tables(c, dialect)));
    run(&book, all).await;
    Fixture { book, _dir: dir }
}

pub(super) async fn run(book: &Book, statements: Vec<Sql>) {
    let done = book.store.write(move |tx| {
        Box::pin(async move {
            for sql in statements {
                tx.run(sql).await?;
            }
            tx.note_rights_change();
            Ok(())
        })
    });
    done.await.unwrap();
}

/// The book's own tables make room for those of the small registry.
/// They go aside and are not dropped, since they refer to each other in circles.
fn room() -> Vec<Sql> {
    let real = domain::collections::registry().unwrap();
    let tables = real.iter().flat_map(|c| {
        let lists = c.fields.iter().filter(|f| !f.stored() && f.target().is_some());
        (lists.map(|f| c.link_table(f))).chain([c.table.clone()])
    });
    tables.map(|t| Sql::new(&format!("ALTER TABLE \"{t}\" RENAME TO \"real_{t}\""))).collect()
}

fn tables(c: &Collection, dialect: Dialect) -> Vec<Sql> {
    let columns = c.fields.iter().filter(|f| f.stored());
    let columns: Vec<_> = columns.map(|f| format!("\"{}\" {}", f.column, dialect.column_type(Ty::of(f)))).collect();
    let own = format!("CREATE TABLE \"{}\" ({})", c.table, columns.join(", "));
    let lists = c.fields.iter().filter(|f| !f.stored() && f.target().is_some());
    let lists = lists.map(|f| {
        let int = dialect.column_type(Ty::Int);
        let table = c.link_table(f);
        format!("CREATE TABLE \"{table}\" (owner {int}, position {int}, target {int})")
    });
    std::iter::once(own).chain(lists).map(|sql| Sql::new(&sql)).collect()
}

/// An `INSERT` of a row with these fields.
pub(super) fn insert(slug: &str, id: i64, fields: Vec<(&str, Value)>) -> Vec<Sql> {
    let c = collection(slug);
    let stamp = |path| (path, Value::Time(NOW));
    let mut all = vec![("id", Value::Int(id)), ("seq", Value::Int(id))];
    all.extend([stamp("createdAt"), stamp("updatedAt")]);
    all.extend(fields);
    let mut links = Vec::new();
    let mut sql = Sql::new("INSERT INTO ");
    let (lists, own): (Vec<_>, Vec<_>) = (all.into_iter()).partition(|(_, value)| matches!(value, Value::Ids(_)));
    let names = own.iter().map(|(path, _)| &c.field(path).unwrap().column);
    sql.name(&c.table).push(" (").each(", ", names, |sql, name| sql.name(name)).push(") VALUES (");
    sql.each(", ", own, |sql, (path, value)| sql.bind(Ty::of(c.field(path).unwrap()), value));
    links.push(sql.and(")"));
    for (path, ids) in lists {
        let table = c.link_table(c.field(path).unwrap());
        for (position, target) in ids.ids().iter().enumerate() {
            let position = i64::try_from(position).unwrap();
            let sql = Sql::new(&format!("INSERT INTO \"{table}\" (owner, position, target) VALUES ("));
            let sql = sql.with(Ty::Int, id).and(", ").with(Ty::Int, position).and(", ");
            links.push(sql.with(Ty::Int, *target).and(")"));
        }
    }
    links
}

fn contents() -> Vec<Sql> {
    let mut all = Vec::new();
    for (id, name) in [(1, "Org One"), (2, "Org Two")] {
        all.extend(insert("organizations", id, vec![("name", name.into())]));
    }
    for (id, name) in [(1, "Alpha"), (2, "Beta")] {
        let holding = format!("H{id}");
        let fields = vec![("name", name.into()), ("organization", Value::Int(id)), ("holding", holding.into())];
        all.extend(insert("herds", id, fields));
    }
    for (id, role, org) in [(1, "expert", None), (2, "farmer", Some(1)), (3, "farmer", Some(2))] {
        all.extend(insert("users", id, user(role, org)));
    }
    (0..25).for_each(|i| all.extend(insert("animals", i + 1, animal(i))));
    for j in 0..30 {
        let fields = vec![
            ("animal", Value::Int(1 + j % 5)),
            ("date", Value::Time(NOW - j * 86_400_000)),
            ("milkYield", Value::Num(20.0 + half(j))),
        ];
        all.extend(insert("milk-tests", j + 1, fields));
    }
    all
}

fn half(j: i64) -> f64 {
    f64::from(i32::try_from(j).unwrap()) / 2.0
}

pub(super) fn user(role: &str, org: Option<i64>) -> Vec<(&'static str, Value)> {
    vec![
        ("email", format!("{role}@demo.herdbook").into()),
        ("role", role.into()),
        ("organization", org.into()),
        ("orgRole", "head".into()),
        ("verifier", "$argon2id$secret".into()),
        ("sessions", Value::json(json!([{"id": "s1", "expiresAt": "2026-01-01T02:00:00.000Z"}]))),
    ]
}

fn animal(i: i64) -> Vec<(&'static str, Value)> {
    let name = [
        Some("Bella"),
        Some("Bella Donna"),
        Some("BELLA rosa"),
        Some("daisy"),
        Some("Élodie"),
        None,
        Some("100% Milk"),
        Some("a_b"),
    ];
    let at = |i: i64, n: i64| usize::try_from(i % n).unwrap();
    let birth = format!("{}-{:02}-{:02}", 2010 + i % 12, 1 + i % 9, 10 + i % 9);
    let herd = Value::Int(if i % 2 == 0 { 2 } else { 1 });
    let parent = |id: i64| if i > 3 { Value::Int(id) } else { Value::Null };
    vec![
        ("tag", format!("BE{i:04}").into()),
        ("name", name[at(i, 8)].into()),
        ("state", ["alive", "dead", "sold"][at(i, 3)].into()),
        ("archived", (i % 5 == 0).into()),
        ("public", (i % 2 == 0).into()),
        ("publicVisible", (i % 2 == 0).into()),
        ("publicDetails", (i % 4 == 0).into()),
        ("weight", if i % 4 == 0 { Value::Null } else { Value::Num(400.0 + 20.0 * half(i)) }),
        ("herd", herd.clone()),
        ("owner", herd),
        ("birthDate", Value::Time(time::parse(&birth).unwrap())),
        ("sire", parent(1)),
        ("dam", parent(1 + i % 3)),
        ("card", format!("card {}", i % 3).into()),
        ("breeder", Value::Int(1 + i % 2)),
        ("notes.owner", format!("note {i}").into()),
        ("notes.hidden", "never".into()),
        ("signed", "for members".into()),
        ("editor", Value::Int(2)),
        ("offspring", Value::Ids(if i == 0 { vec![7, 5, 6] } else { vec![] })),
        ("pastOwners", Value::Ids(if i == 2 { vec![1] } else { vec![] })),
        (
            "uses",
            match i {
                0 => Value::Texts(vec!["milk".into(), "show".into()]),
                1 => Value::Texts(vec!["beef".into()]),
                2 => Value::Texts(Vec::new()),
                _ => Value::Null,
            },
        ),
        (
            "shows",
            match i {
                0 => Value::json(json!([{"id": "a", "title": "Fair, \"1\"", "judge": 2, "place": 1}])),
                _ => Value::Null,
            },
        ),
        (
            "extra",
            match i {
                0 => Value::json(json!({"z": 1, "a": [null]})),
                _ => Value::Null,
            },
        ),
        ("position.barn", Value::Int(i)),
    ]
}

/// The four callers of the dialect's cases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Who {
    A,
    F1,
    F2,
    Anonymous,
}

impl Who {
    pub(super) fn principal(self) -> Arc<Principal> {
        let farm = |user, organization| Principal {
            caller: Caller::Farm,
            user: Some(user),
            organization: Some(organization),
            capabilities: [Capability::Data].into(),
            ..Principal::anonymous()
        };
        Arc::new(match self {
            Self::A => Principal { caller: Caller::Association, user: Some(1), ..Principal::anonymous() },
            Self::F1 => farm(2, 1),
            Self::F2 => farm(3, 2),
            Self::Anonymous => Principal::anonymous(),
        })
    }
}

/// A query string as a face would read it.
pub(super) fn parse_ask(query: &str) -> Ask {
    let tree = qs::parse(query).unwrap();
    let pagination = qs::flag(&tree, "pagination").unwrap_or(true);
    Ask {
        names: false,
        filter: qs::filter(&tree).unwrap().map(std::borrow::Cow::into_owned),
        sort: qs::sort(&tree).into_iter().map(str::to_owned).collect(),
        limit: qs::limit(&tree, if pagination { 10 } else { 0 }),
        page: qs::page(&tree),
        after: tree.get("after").and_then(qs::Tree::as_text).map(str::to_owned),
        view: crate::View::read(&tree, 0),
        form: crate::Form::Envelope,
        pagination,
        count: qs::count(&tree).unwrap(),
    }
}

impl Fixture {
    /// The body of a list, read back.
    pub(super) async fn list(&self, who: Who, slug: &str, query: &str) -> Result<serde_json::Value> {
        let body = self.book.list(&who.principal(), collection(slug), parse_ask(query)).await?.collect().await?;
        Ok(serde_json::from_slice(&body).unwrap())
    }
    /// `totalDocs` of a list of animals.
    pub(super) async fn n(&self, who: Who, query: &str) -> u64 {
        let body = self.list(who, "animals", query).await.unwrap_or_else(|error| panic!("{query}: {error}"));
        body["totalDocs"].as_u64().unwrap()
    }
    /// The ids of a list of animals.
    pub(super) async fn ids(&self, who: Who, query: &str) -> Vec<i64> {
        let body = self.list(who, "animals", query).await.unwrap();
        body["docs"].as_array().unwrap().iter().map(|doc| doc["id"].as_i64().unwrap()).collect()
    }
    /// The paths of a list of animals that is refused.
    pub(super) async fn refused(&self, who: Who, query: &str) -> Vec<String> {
        match self.list(who, "animals", query).await {
            Err(model::error::Error::Query(paths)) => paths,
            other => panic!("{query}: {other:?}"),
        }
    }
    /// One animal, read back.
    pub(super) async fn animal(&self, who: Who, id: i64, depth: u8) -> Result<serde_json::Value> {
        let document = self.book.by_id(&who.principal(), collection("animals"), id, depth).await?;
        Ok(serde_json::from_slice(&document).unwrap())
    }
}

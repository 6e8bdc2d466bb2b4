//! A book on a database, opened once or by two stores at once, and the small herd of a schedule.

use super::draw::Draw;
pub(crate) use crate::support::book::SECRET;
use crate::support::book::{NOW, book_over};
use crate::support::fixture::built_in;
pub(crate) use crate::support::fixture::number;
use domain::collections::registry;
use exchange::Exchange;
use mapping::Settings;
use model::clock::Clock;
use model::registry::{Caller, Capability, Principal};
use ops::{Book, FillRow};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use store::{Dialect, Durability, Row, Sql, Store};
use tempfile::TempDir;
use test_books::Template;

/// So few dependants are rendered at once that the queue has work in a small herd.
const AT_ONCE: usize = 3;

/// A server: a store of its own, a clock of its own.
#[derive(Clone)]
pub(crate) struct Side {
    pub(crate) book: Arc<Book>,
    pub(crate) exchange: Exchange,
    clock: Arc<AtomicI64>,
}

impl Side {
    pub(crate) async fn open(url: &str) -> Self {
        let clock = Arc::new(AtomicI64::new(NOW));
        let fixed_clock = Clock::fixed(Arc::clone(&clock));
        let store = Store::open(url, Durability::Normal, fixed_clock.clone(), true);
        let store = store.await.unwrap();
        let chosen = Settings::default();
        let exchange = Exchange::new(registry().unwrap(), built_in(), &chosen).at_once(AT_ONCE);
        let registry = registry().unwrap();
        let book = Arc::new(book_over(registry, store, fixed_clock, Arc::new(exchange.projector().clone())));
        Self { book, exchange, clock }
    }

    /// Moves the clock, and now and then back: clocks of servers differ.
    pub(crate) fn tick(&self, draw: &mut Draw) {
        let by = if draw.once_in(6) { -40 } else { 7 };
        self.clock.fetch_add(by, Ordering::SeqCst);
    }

    pub(crate) async fn rows(&self, sql: Sql) -> Vec<Row> {
        self.book.store.rows(sql).await.unwrap()
    }
}

/// A database and its servers.
pub(crate) struct Stage {
    pub(crate) sides: Vec<Side>,
    _dir: Option<TempDir>,
}

impl Stage {
    pub(crate) async fn sqlite() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let empty = Template::empty(Dialect::Sqlite).await;
        let empty = empty.expect("SQLite is always there");
        let url = empty.copy(dir.path()).await;
        let side = Side::open(&url).await;
        side.exchange.projector().set_generation(&side.book).await.unwrap();
        Self { sides: vec![side], _dir: Some(dir) }
    }

    /// None where there is no server.
    pub(crate) async fn postgres(servers: usize) -> Option<Self> {
        let empty = Template::empty(Dialect::Postgres).await?;
        let url = empty.copy(Path::new("")).await;
        let mut sides = Vec::new();
        for _ in 0..servers {
            sides.push(Side::open(&url).await);
        }
        let first = &sides[0];
        first.exchange.projector().set_generation(&first.book).await.unwrap();
        Some(Self { sides, _dir: None })
    }

    pub(crate) async fn close(self) {
        for side in self.sides {
            side.book.store.close().await;
        }
    }
}

/// Two farms with six cows each and a bull, at numbers of their own.
#[derive(Clone, Copy)]
pub(crate) struct Herd {
    pub(crate) base: i64,
}

impl Herd {
    pub(crate) fn new(at: usize) -> Self {
        Self { base: (i64::try_from(at).unwrap() + 1) * 100 }
    }
    pub(crate) fn farms(self) -> [i64; 2] {
        [self.base + 1, self.base + 2]
    }
    pub(crate) fn bull(self) -> i64 {
        self.base + 30
    }
    pub(crate) fn cow(self, at: usize) -> i64 {
        self.base + 11 + i64::try_from(at % 12).unwrap()
    }

    pub(crate) async fn settle(self, side: &Side) {
        let farms = (self.farms().into_iter())
            .map(|id| row("organizations", id, json!({"name": format!("Farm {id}"), "presence": "registered"})));
        side.book.fill(farms.collect()).await.unwrap();
        let cows = (0..12).map(|at| (self.cow(at), "female", self.farms()[at / 6]));
        let bull = (self.bull(), "male", self.farms()[0]);
        let animals = cows.chain([bull]).map(|(id, sex, owner)| {
            let data = json!({"identNumber": number(id), "name": format!("N{id}"),
                "sex": sex, "owner": owner, "birthDate": "2018-01-01"});
            row("animals", id, data)
        });
        side.book.fill(animals.collect()).await.unwrap();
    }
}

pub(crate) fn row(collection: &'static str, id: i64, data: Value) -> FillRow {
    let Value::Object(data) = data else { panic!("{data} is no row") };
    FillRow { collection, id, data, hidden: Vec::new() }
}

/// A weight of the cow with this number, by another system.
pub(super) fn weight(key: &str, cow: &str, kilograms: impl Into<Value>) -> Value {
    json!({
        "resourceType": "icarWeightEventResource",
        "meta": {"source": "scale.example", "sourceId": key, "modified": "2026-02-01T00:00:00Z"},
        "animal": {"scheme": "org.herdbook.animal", "id": cow},
        "eventDateTime": "2026-02-01T00:00:00Z",
        "weight": {"measurement": kilograms.into(), "units": "KGM"},
    })
}

pub(crate) fn head(farm: i64) -> Principal {
    Principal {
        caller: Caller::Farm,
        organization: Some(farm),
        capabilities: [Capability::Data, Capability::Move].into(),
        ..Principal::anonymous()
    }
}

/// An expert of the Association.
pub(crate) fn expert() -> Principal {
    Principal {
        caller: Caller::Association,
        capabilities: [Capability::Data, Capability::Move].into(),
        ..Principal::anonymous()
    }
}

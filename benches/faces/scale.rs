//! The cost of a page in a small table of documents and in a large one, and of a whole large feed.
//! `HERDBOOK_BENCH_DOCUMENTS` lists sizes, for example `10000,1000000`.

use super::Bench;
use super::whole::end_of;
use serde_json::json;
use std::time::{Duration, Instant};
use store::{Sql, Ty};

/// Documents of one statement.
const PIECE: usize = 1_000;
/// Requests of a median.
const REQUESTS: usize = 400;
/// Beyond so many, documents are those of other locations.
const OWN: usize = 1_000_000;
const PLACE: &str = "/ade/v1/locations/org.herdbook.orgid/2/weights?pageSize=100";
const FEED: &str = "/ade/v1/datasets/weights/changes?limit=500";

impl Bench {
    pub(super) async fn scale(&self, sizes: &[usize]) {
        let mut there = 0;
        for size in sizes {
            let started = Instant::now();
            while there < *size {
                let count = PIECE.min(size - there);
                self.add(there, count).await;
                there += count;
            }
            println!(
                "{size} documents more, the last of them in {:.0} s",
                started.elapsed().as_secs_f64()
            );
            println!(
                "   location page of 100, made each time: median {:.2} ms",
                self.median(PLACE, false).await
            );
            println!(
                "   feed page of 500, one after the other: median {:.2} ms",
                self.median(FEED, true).await
            );
            self.whole_feed("weights").await;
        }
    }

    /// Documents as if they had come long ago: 1,000,000 of one farm, then of all.
    async fn add(&self, from: usize, count: usize) {
        let rows = (self.opened.book.store)
            .rows(Sql::new("SELECT id FROM organizations ORDER BY id"))
            .await
            .unwrap();
        let places: Vec<i64> = rows.iter().filter_map(|row| row.int(0)).collect();
        let done = self.opened.book.transact(move |work| {
            Box::pin(async move {
                let names = ["weights", "weighings", "icarWeightEventResource", "old.example"];
                for (id, name) in names.into_iter().enumerate() {
                    let sql = Sql::new("INSERT INTO exchange_names (id, name) VALUES (")
                        .with(Ty::Int, 1_000 + i64::try_from(id).unwrap_or(0))
                        .and(", ")
                        .with(Ty::Text, name)
                        .and(") ON CONFLICT (name) DO NOTHING");
                    work.tx().run(sql).await?;
                }
                let mut sql = Sql::new(
                    "INSERT INTO exchange_documents (id, seq, dataset, collection, resource_type, source, \
                     source_id, location, modified, created, record, deleted, body) \
                     SELECT v.column1, v.column1, w.id, c.id, t.id, s.id, v.column2, v.column3, 1767225600000, 1767225600000, v.column4, ",
                );
                sql.bind(Ty::Bool, false).push(", v.column5 FROM (VALUES ");
                let mut own = 0_i64;
                for n in from..from + count {
                    let seq = work.tx().next_seq();
                    let place = if n < OWN { 2 } else { places[n % places.len()] };
                    own += i64::from(place == 2);
                    let name = format!("old{n}");
                    let body = body(n, &name, place);
                    sql.push(if n > from { ",(" } else { "(" });
                    sql.bind(Ty::Int, seq).push(",");
                    sql.bind(Ty::Text, name).push(",");
                    sql.bind(Ty::Int, place).push(",");
                    sql.bind(Ty::Int, -i64::try_from(n).unwrap() - 1).push(",");
                    sql.bind(Ty::Compressed, body).push(")");
                }
                sql.push(") AS v");
                for (alias, name) in [
                    ("w", "weights"),
                    ("c", "weighings"),
                    ("t", "icarWeightEventResource"),
                    ("s", "old.example"),
                ] {
                    sql.push(&format!(
                        " JOIN exchange_names AS {alias} ON {alias}.name = '{name}'"
                    ));
                }
                work.tx().run(sql).await?;
                let counts = Sql::new(
                    "INSERT INTO exchange_counts (location, dataset, live) VALUES (2, 'weights', ",
                )
                .with(Ty::Int, own)
                .and(
                    ") ON CONFLICT (location, dataset) DO UPDATE SET \
                     live = exchange_counts.live + excluded.live",
                );
                work.tx().run(counts).await.map(|_| ())
            })
        });
        done.await.unwrap();
    }

    /// Milliseconds that half of the requests take less than, one client alone. Each differs
    /// from the one before, so that none is answered from memory.
    async fn median(&self, path: &str, follow: bool) -> f64 {
        let mut times = Vec::with_capacity(REQUESTS);
        let mut since = String::new();
        for n in 0..REQUESTS {
            let started = Instant::now();
            let body = self.get(&format!("{path}&_={n}{since}")).await;
            times.push(started.elapsed());
            if follow {
                let (token, current) = end_of(&body);
                since = match current {
                    true => String::new(),
                    false => format!("&since={token}"),
                };
            }
        }
        times.sort();
        times.get(REQUESTS / 2).map_or(0.0, Duration::as_secs_f64) * 1e3
    }
}

fn body(n: usize, name: &str, place: i64) -> String {
    json!({
        "resourceType": "icarWeightEventResource",
        "meta": {"source": "old.example", "sourceId": name, "modified": "2026-01-01T00:00:00Z",
            "created": "2026-01-01T00:00:00Z", "creator": "old.example"},
        "location": {"id": place.to_string(), "scheme": "org.herdbook.orgid"},
        "animal": {"id": format!("97{:010}", n / 20), "scheme": "org.herdbook.animal"},
        "alternativeIdentifiers": [{"id": format!("DE {:012}", n / 20), "scheme": "org.herdbook.ear"}],
        "eventDateTime": "2026-01-01T06:00:00Z",
        "weight": {"measurement": 400 + n % 300, "units": "KGM", "method": "LoadCell",
            "resolution": 0.5},
        "device": {"id": "scale-1", "manufacturerName": "Bench", "name": "Scale in the parlour"},
        "timeOffFeed": 0,
    })
    .to_string()
}

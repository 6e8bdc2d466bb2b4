//! Intake statistics: when data came in last, by location and source, and how many documents
//! were created, updated, left unchanged, deleted and rejected.

use crate::intake::DocumentIntake;
use crate::intake::delivery::{Delivery, DocumentAnswer, State};
use model::error::Result;
use model::record::Value;
use model::registry::BookReader;
use ops::WriteTransaction;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use store::{Sql, Store, Ty};

/// Milliseconds within which a further intake does not move the time: a sender who repeats
/// requests shall neither write to the disk nor invalidate cached answers each time.
const EXACT: i64 = 60_000;
/// Sources in one answer, those that sent last.
const SOURCES: i64 = 200;

/// The last intake of a source at a location.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastIntake {
    /// The organisation whose location it is.
    pub location: i64,
    /// `meta.source`.
    pub source: String,
    /// When, epoch milliseconds.
    pub at: i64,
}

/// How many documents had which fate since the start of the process.
#[derive(Debug, Default)]
pub(crate) struct Tally([AtomicU64; State::ALL.len()]);

impl State {
    pub const ALL: [Self; 5] = [Self::Created, Self::Updated, Self::Unchanged, Self::Deleted, Self::Rejected];

    /// The label of the metric.
    pub fn word(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Updated => "updated",
            Self::Unchanged => "unchanged",
            Self::Deleted => "deleted",
            Self::Rejected => "rejected",
        }
    }
}

impl Tally {
    /// Counts what was committed.
    pub(crate) fn add(&self, states: &[State]) {
        for state in states {
            if let Some(count) = self.0.get(*state as usize) {
                count.fetch_add(1, Ordering::Relaxed);
            }
        }
    }
}

impl DocumentIntake {
    /// How many documents had which fate since the start of the process.
    pub fn fates(&self) -> Vec<(State, u64)> {
        State::ALL.into_iter().zip(self.tally().0.iter().map(|c| c.load(Ordering::Relaxed))).collect()
    }

    /// The last intakes at these locations, of all for none, the latest first.
    pub async fn last_intakes(&self, store: &Store, locations: &[i64]) -> Result<Vec<LastIntake>> {
        let mut sql = Sql::new("SELECT location, source, taken_at FROM exchange_intakes WHERE ");
        sql.push("location IN ").bind_list(Ty::Int, locations.iter().copied().map(Value::Int));
        sql.push(" ORDER BY taken_at DESC, location, source LIMIT ");
        let rows = store.rows(sql.with(Ty::Int, SOURCES).one_off()).await?;
        let read = rows.iter().map(|row| LastIntake {
            location: row.int(0).unwrap_or_default(),
            source: row.text(1).unwrap_or_default().to_owned(),
            at: row.int(2).unwrap_or_default(),
        });
        Ok(read.collect())
    }
}

/// Stores that data came in, in the transaction of the intake.
pub(crate) async fn note(
    work: &mut WriteTransaction<'_>,
    deliveries: &[Delivery],
    answers: &[DocumentAnswer],
) -> Result<()> {
    let now = work.now();
    let answered = deliveries.iter().zip(answers);
    let places: BTreeSet<(i64, &str)> = answered
        .filter(|(_, answer)| answer.state != State::Rejected)
        .filter_map(|(delivery, _)| {
            let source = delivery.doc.pointer("/meta/source")?.as_str()?;
            Some((delivery.location, source))
        })
        .collect();
    let places: Vec<(i64, &str)> = places.into_iter().collect();
    for piece in store::pieces(&places, 3) {
        let rows = (piece.iter()).map(|(location, source)| [Value::Int(*location), (*source).into(), now.into()]);
        let mut sql = Sql::insert("exchange_intakes (location, source, taken_at)", [Ty::Int, Ty::Text, Ty::Int], rows);
        sql.push(
            " ON CONFLICT (location, source) DO UPDATE SET taken_at = excluded.taken_at \
             WHERE exchange_intakes.taken_at < ",
        );
        work.tx().run(sql.with(Ty::Int, now.saturating_sub(EXACT))).await?;
    }
    Ok(())
}

//! Resources as stored, for the answers to those who sent them.

use super::Exchange;
use super::intake::{Answer, Delivery, State};
use crate::error::Result;
use crate::ops::Work;
use crate::record::Value;
use crate::store::{Sql, Ty};
use indexmap::{IndexMap, IndexSet};

impl Exchange {
    /// Resources as stored, for the answers; one statement per data set and collection.
    pub(super) async fn bodies(
        &self,
        work: &mut Work<'_>,
        deliveries: &[Delivery],
        answers: &mut [Answer],
    ) -> Result<()> {
        let mut asked: IndexMap<(&str, &str), IndexSet<i64>> = IndexMap::new();
        for (delivery, answer) in deliveries.iter().zip(answers.iter()) {
            if let (Some(record), false) = (answer.record, answer.state == State::Deleted) {
                let rows = asked.entry((&delivery.dataset, answer.collection));
                rows.or_default().insert(record);
            }
        }
        let mut bodies: IndexMap<(&str, &str, i64, i64), String> = IndexMap::new();
        for ((dataset, collection), records) in asked {
            let records: Vec<i64> = records.into_iter().collect();
            for piece in records.chunks(5_000) {
                // The location is compared here: named in the statement it tempts a planner
                // without statistics to walk through the whole location.
                let mut sql = Sql::new(
                    "SELECT record, body, location FROM exchange_documents WHERE dataset = ",
                )
                .with(Ty::Text, dataset)
                .and(" AND collection = ")
                .with(Ty::Text, collection)
                .and(" AND record IN ");
                sql.bind_list(Ty::Int, piece.iter().copied().map(Value::Int));
                let sql = if piece.len() > 1 { sql.one_off() } else { sql };
                for row in work.tx().rows(sql).await? {
                    if let (Some(record), Some(body), Some(location)) =
                        (row.int(0), row.text(1), row.int(2))
                    {
                        bodies.insert((dataset, collection, location, record), body.to_owned());
                    }
                }
            }
        }
        for (delivery, answer) in deliveries.iter().zip(answers) {
            if let Some(record) = answer.record {
                let dataset = delivery.dataset.as_str();
                let key = (dataset, answer.collection, delivery.location, record);
                answer.body = bodies.get(&key).cloned();
            }
        }
        Ok(())
    }
}

//! Reads resources as they were stored, for the answers to their senders.

use crate::documents::names::{Names, select_named};
use crate::intake::DocumentIntake;
use crate::intake::delivery::{Delivery, DocumentAnswer, Key, key};
use model::error::Result;
use model::fast::{IndexMap, IndexSet};
use model::record::Value;
use ops::WriteTransaction;
use store::{Sql, Ty};

impl DocumentIntake {
    /// Resources as stored, for the answers, or for those at some places `among` them; one
    /// statement per data set and collection.
    pub(crate) async fn bodies(
        &self,
        work: &mut WriteTransaction<'_>,
        deliveries: &[Delivery],
        answers: &mut [DocumentAnswer],
        among: Option<&IndexSet<usize>>,
    ) -> Result<()> {
        let mut open: Vec<(&Delivery, &mut DocumentAnswer)> = (deliveries.iter().zip(answers).enumerate())
            .filter(|(at, _)| among.is_none_or(|among| among.contains(at)))
            .map(|(_, one)| one)
            .collect();
        let mut records_by_set: IndexMap<(&str, &str), IndexSet<i64>> = IndexMap::default();
        let by_pair = |dataset: &str| {
            let mapping = self.rules.mappings().get(dataset);
            mapping.is_some_and(|mapping| mapping.element().is_some())
        };
        for (delivery, answer) in &open {
            if by_pair(&delivery.dataset) {
                continue;
            }
            if let Some(record) = answer.record.filter(|_| answer.is_there()) {
                let rows = records_by_set.entry((&delivery.dataset, answer.collection));
                rows.or_default().insert(record);
            }
        }
        let mut bodies: IndexMap<(&str, &str, i64, i64), String> = IndexMap::default();
        for ((dataset, collection), records) in records_by_set {
            let records: Vec<i64> = records.into_iter().collect();
            for piece in records.chunks(5_000) {
                // The location is compared here: named in the statement it tempts a planner
                // without statistics to walk through the whole location.
                let mut sql = Sql::new("SELECT record, body, location FROM exchange_documents WHERE dataset = ")
                    .with_name(dataset)
                    .and(" AND collection = ")
                    .with_name(collection)
                    .and(" AND record IN ");
                sql.bind_list(Ty::Int, piece.iter().copied().map(Value::Int));
                let sql = if piece.len() > 1 { sql.one_off() } else { sql };
                for row in work.tx().rows(sql).await? {
                    if let (Some(record), Some(body), Some(location)) = (row.int(0), row.compressed(1), row.int(2)) {
                        bodies.insert((dataset, collection, location, record), body);
                    }
                }
            }
        }
        let several = open.iter().filter(|(delivery, answer)| answer.is_there() && by_pair(&delivery.dataset));
        let several: Vec<&Delivery> = several.map(|(delivery, _)| *delivery).collect();
        let bodies_by_pair = self.by_pairs(work, &several).await?;
        for (delivery, answer) in &mut open {
            if by_pair(&delivery.dataset) {
                answer.body =
                    key(delivery).filter(|_| answer.is_there()).and_then(|key| bodies_by_pair.get(&key).cloned());
            } else if let Some(record) = answer.record {
                let dataset = delivery.dataset.as_str();
                let key = (dataset, answer.collection, delivery.location, record);
                answer.body = bodies.get(&key).cloned();
            }
        }
        Ok(())
    }

    /// Resources as stored by the pairs of documents, of rows that have several.
    async fn by_pairs<'d>(
        &self,
        work: &mut WriteTransaction<'_>,
        deliveries: &[&'d Delivery],
    ) -> Result<IndexMap<Key<'d>, String>> {
        let mut pairs_by_place: IndexMap<(&str, i64), Keys<'d>> = IndexMap::default();
        for key in deliveries.iter().filter_map(|delivery| key(delivery)) {
            let (dataset, location, source, id) = key;
            let pairs = pairs_by_place.entry((dataset, location)).or_default();
            pairs.insert((source, id), key);
        }
        let mut bodies = IndexMap::default();
        for ((dataset, location), pairs) in pairs_by_place {
            let keys: Vec<(&str, &str)> = pairs.keys().copied().collect();
            for piece in keys.chunks(500) {
                let (sources, ids): (Vec<&str>, Vec<&str>) = piece.iter().copied().unzip();
                let sql = select_named(", body", (dataset, location), sources, ids);
                let sql = if piece.len() > 1 { sql.one_off() } else { sql };
                for row in work.tx().rows(sql).await? {
                    let text = |at: usize| row.text(at).unwrap_or_default();
                    if let Some(key) = pairs.get(&(text(0), text(1))) {
                        bodies.insert(*key, row.compressed(2).unwrap_or_default());
                    }
                }
            }
        }
        Ok(bodies)
    }
}

/// Keys by source and source id.
type Keys<'d> = IndexMap<(&'d str, &'d str), Key<'d>>;

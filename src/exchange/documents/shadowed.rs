//! Shadowed raw documents. At a location a pair names one document. A document that was sent to the location hides one
//! of the same pair that moved there with its animal; the hidden one is served when the other goes. A raw document from
//! before its data set had a mapping is served until it is sent again, then as rows of the herd book.

use crate::documents::raw::{LocatedDocument, RawDocument, TOGETHER};
use crate::intake::DocumentIntake;
use crate::intake::delivery::{DocumentAnswer, State};
use crate::projection::Plan;
use crate::projection::projector::Projector;
use mapping::Mapping;
use model::error::Result;
use model::fast::IndexSet;
use model::record::Value;
use model::registry::Principal;
use ops::WriteTransaction;
use serde_json::Value as Json;
use std::sync::Arc;
use store::{Sql, Ty};

impl Projector {
    /// Raw documents that have one of these pairs, at any location that they were sent to.
    pub(crate) async fn namesakes(
        &self,
        work: &mut WriteTransaction<'_>,
        mapping: &Mapping,
        pairs: &[(&str, &str)],
    ) -> Result<Vec<RawDocument>> {
        let mut namesakes = Vec::new();
        for piece in pairs.chunks(TOGETHER) {
            let mut sql = RawDocument::select();
            sql.push("dataset = ").bind(Ty::Text, mapping.dataset()).push(" AND source_id IN ");
            sql.bind_list(Ty::Text, piece.iter().map(|pair| Value::from(pair.1))).push(" AND source IN ");
            let sources: IndexSet<&str> = piece.iter().map(|pair| pair.0).collect();
            sql.bind_list(Ty::Text, sources.into_iter().map(Value::from));
            let sql = if piece.len() > 1 { sql.one_off() } else { sql };
            namesakes.extend(RawDocument::all(work, sql).await?.into_iter().filter(|row| piece.contains(&row.pair())));
        }
        Ok(namesakes)
    }

    /// Serves raw documents at the locations of their animals, unless another document of the same pair is there.
    pub(crate) async fn reveal(
        &self,
        work: &mut WriteTransaction<'_>,
        mapping: &Mapping,
        rows: Vec<RawDocument>,
    ) -> Result<()> {
        if rows.len() < 2 && rows.iter().all(|row| row.animal.is_none()) {
            return Ok(());
        }
        let owners = self.owners(work, &rows).await?;
        let placed: Vec<LocatedDocument> = (rows.into_iter())
            .map(|row| LocatedDocument {
                location: match row.animal {
                    Some(animal) => owners.get(&animal).copied().flatten(),
                    None => Some(row.organization),
                },
                row,
            })
            .collect();
        self.show(work, mapping, &placed, &IndexSet::default(), true).await
    }
}

impl DocumentIntake {
    /// Removes the raw documents of resources that were now sent to the herd book, or
    /// retracted: they are from before their data set had a mapping.
    pub(crate) async fn supersede(
        &self,
        work: &mut WriteTransaction<'_>,
        caller: &Arc<Principal>,
        (dataset, location): (&str, i64),
        docs: &[&Json],
        answers: &[DocumentAnswer],
    ) -> Result<()> {
        let Some(mapping) = self.leftovers(work, dataset).await? else { return Ok(()) };
        let taken = docs.iter().zip(answers).filter(|(_, answer)| answer.state != State::Rejected);
        let pairs: Vec<(&str, &str)> = (taken.clone())
            .filter_map(|(doc, _)| {
                let text = |name: &str| doc.pointer(name).and_then(Json::as_str);
                Some((text("/meta/source")?, text("/meta/sourceId")?))
            })
            .collect();
        let mut rows = self.projector.namesakes(work, mapping, &pairs).await?;
        rows.retain(|row| row.organization == location);
        for row in &rows {
            // The events of its animals go with it; those whose deletion is refused stay.
            let _refused = self.hand_out(work, caller, mapping, location, None, Some(row)).await?;
        }
        let records: Vec<i64> = rows.iter().map(RawDocument::record).collect();
        let documents = self.projector.stored(work, mapping, &records).await?;
        self.projector.erase_rows(work, &rows).await?;
        let live = documents.into_values().flatten().filter(|document| !document.deleted);
        let plan = Plan { gone: live.map(|document| (document, "retyped")).collect(), ..Plan::default() };
        self.projector.write(work, mapping, plan).await
    }

    /// The passthrough mapping of a data set that has a mapping file now, if raw documents of
    /// it are left. Their number cannot grow any more, so one look-up suffices.
    async fn leftovers(&self, work: &mut WriteTransaction<'_>, dataset: &str) -> Result<Option<&Mapping>> {
        let leftovers = self.leftovers.get_or_try_init(|| async {
            let mut datasets = IndexSet::default();
            for dataset in self.rules.mappings().formerly_passthrough() {
                let sql =
                    Sql::new("SELECT 1 FROM exchange_kept WHERE dataset = ").with(Ty::Text, dataset).and(" LIMIT 1");
                if !work.tx().rows(sql).await?.is_empty() {
                    datasets.insert(dataset.to_owned());
                }
            }
            Ok::<_, model::error::Error>(datasets)
        });
        let some = leftovers.await?.contains(dataset);
        Ok(self.rules.mappings().passthrough(dataset).filter(|_| some))
    }
}

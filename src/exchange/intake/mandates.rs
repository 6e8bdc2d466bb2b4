//! Resources that an organisation sends to the location of another one by a mandate
//! (docs/design/intake.md, *Mandates*). It changes what it sent itself, and nothing else: neither rows
//! of the book nor resources of other senders, whose states it must not learn.

use crate::documents::names::select_named;
use crate::full_sync::sender_of;
use crate::intake::DocumentIntake;
use crate::intake::delivery::{Delivery, DocumentAnswer, put};
use crate::intake::issues::{from_another_sender, unknown_row};
use crate::intake::last_states::LastStates;
use model::error::{Error, Result};
use model::fast::{IndexMap, IndexSet};
use model::record::{member, text};
use model::registry::mandates::Mandate;
use model::registry::{BookReader, Principal};
use ops::WriteTransaction;
use serde_json::Value as Json;
use std::sync::Arc;
use store::Ty;

/// Pairs of one statement.
const TOGETHER: usize = 500;

/// Data set and location.
type DatasetAtLocation<'d> = (&'d str, i64);

/// Whether a location is that of another organisation.
fn is_abroad(caller: &Principal, location: i64) -> bool {
    !caller.sees_all() && caller.organization != Some(location)
}

/// By whose rights the rows of a location are written.
pub(crate) fn writer(caller: &Arc<Principal>, location: i64) -> Arc<Principal> {
    if is_abroad(caller, location) { Arc::new(caller.mandated(location)) } else { Arc::clone(caller) }
}

/// `meta.source` and `meta.sourceId`.
fn pair(doc: &Json) -> Option<(&str, &str)> {
    let meta = member(doc.as_object()?, "meta")?.as_object()?;
    let plain = |name: &str| text(meta, name).filter(|text| !text.contains('\0'));
    plain("source").zip(plain("sourceId"))
}

impl DocumentIntake {
    /// The caller with the mandates that stand in this transaction, if it sends to another organisation.
    pub(crate) async fn with_mandates(
        &self,
        work: &mut WriteTransaction<'_>,
        caller: &Arc<Principal>,
        deliveries: &[Delivery],
    ) -> Result<Arc<Principal>> {
        let abroad = |d: &&Delivery| is_abroad(caller, d.location);
        if !deliveries.iter().any(|d| abroad(&d)) {
            return Ok(Arc::clone(caller));
        }
        let mut principal = work.with_mandates(caller).await?;
        let places = deliveries.iter().filter(abroad);
        let places: IndexSet<DatasetAtLocation<'_>> = places.map(|d| (d.dataset.as_str(), d.location)).collect();
        let accredited = places.into_iter().filter(|(set, _)| self.rules.is_accredited(caller, set));
        // Accreditation is a mandate of all locations.
        let mandates = principal.mandates.iter().cloned();
        let by_role = accredited.map(|(set, location)| Mandate {
            grantor: location,
            datasets: vec![set.to_owned()],
            from: None,
            until: None,
        });
        principal.mandates = mandates.chain(by_role).collect();
        Ok(Arc::new(principal))
    }

    /// The refusals of what is not the caller's to send, and of what he sends to other
    /// organisations without a mandate, under names of the book, and under names that others gave
    /// to resources there. The last states of others are dropped from `last`.
    pub(crate) async fn denied(
        &self,
        work: &mut WriteTransaction<'_>,
        caller: &Principal,
        deliveries: &[Delivery],
        last: &mut LastStates,
    ) -> Result<Vec<Option<DocumentAnswer>>> {
        let mut denied: Vec<Option<DocumentAnswer>> = deliveries.iter().map(|_| None).collect();
        let (now, sender) = (work.now(), sender_of(caller));
        let mut unknown: IndexMap<DatasetAtLocation<'_>, Vec<usize>> = IndexMap::default();
        for (at, d) in deliveries.iter().enumerate() {
            let set = d.dataset.as_str();
            let abroad = is_abroad(caller, d.location);
            let is_joined = self.rules.mappings().get(set).is_some_and(|m| m.keeps_sent() && !m.is_passthrough());
            let is_ours = |(source, _): (&str, &str)| source == self.rules.source();
            let own_name = (abroad || is_joined) && pair(&d.doc).is_some_and(is_ours);
            let may = self.rules.is_sender(caller, set)
                && (!abroad || caller.may_send(d.location, set, now) && self.is_entrusted(caller, set));
            if may && !abroad && !(is_joined && own_name) {
                continue;
            }
            if !may {
                put(&mut denied, at, DocumentAnswer::refused(Error::forbidden()));
            } else if own_name {
                put(&mut denied, at, unknown_row(Vec::new()));
            } else {
                match last.sender(set, d.location, &d.doc) {
                    Some(other) if other == sender => {}
                    Some(_) => put(&mut denied, at, from_another_sender()),
                    None => unknown.entry((set, d.location)).or_default().push(at),
                }
            }
        }
        for (place, all) in unknown {
            for piece in all.chunks(TOGETHER) {
                let pairs = (piece.iter()).filter_map(|at| pair(&deliveries.get(*at)?.doc));
                let existing = self.live_documents(work, place, pairs.collect()).await?;
                for at in piece {
                    let pair = deliveries.get(*at).and_then(|d| pair(&d.doc));
                    let owned = |(source, id): (&str, &str)| (source.to_owned(), id.to_owned());
                    if pair.is_some_and(|pair| existing.contains(&owned(pair))) {
                        put(&mut denied, *at, from_another_sender());
                    }
                }
            }
        }
        for d in deliveries.iter().filter(|d| is_abroad(caller, d.location)) {
            last.keep_only(d.location, &d.doc, sender);
        }
        Ok(denied)
    }

    /// Whether resources of a data set can be sent for others, by this caller.
    fn is_entrusted(&self, caller: &Principal, dataset: &str) -> bool {
        self.rules.is_delegated(dataset) || self.rules.is_accredited(caller, dataset)
    }

    /// Which of these pairs name a document at a place.
    async fn live_documents(
        &self,
        work: &mut WriteTransaction<'_>,
        (dataset, location): DatasetAtLocation<'_>,
        pairs: Vec<(&str, &str)>,
    ) -> Result<IndexSet<(String, String)>> {
        if pairs.is_empty() {
            return Ok(IndexSet::default());
        }
        let (sources, ids): (Vec<&str>, Vec<&str>) = pairs.into_iter().unzip();
        let sql = select_named("", (dataset, location), sources, ids).and(" AND deleted = ").with(Ty::Bool, false);
        let rows = work.tx().rows(sql.one_off()).await?;
        let text = |row: &store::Row, at| row.text(at).map(str::to_owned);
        Ok((rows.iter()).filter_map(|row| text(row, 0).zip(text(row, 1))).collect())
    }
}

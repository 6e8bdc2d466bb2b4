//! Wordings (docs/design/exchange.md, *Wordings*): a document that was sent to a location reads
//! there as it was sent, as long as the row has the values that it had then.

use crate::documents::names::{name_of, select_named};
use crate::documents::stored_document::StoredDocument;
use crate::intake::DocumentIntake;
use crate::intake::delivery::{Delivery, DocumentAnswer, State, key};
use crate::intake::last_states::LastStates;
use crate::lists::address::record_key;
use crate::projection::projector::Projector;
use futures_util::future::BoxFuture;
use mapping::{CORRECTED, Difference, Mapping, Mappings, RenderedDocument, Wording};
use model::error::{Issue, Result};
use model::fast::{IndexMap, IndexSet};
use model::said;
use ops::{Projection, Touched, WriteTransaction};
use serde_json::Value as Json;
use std::sync::{Mutex, PoisonError};
use store::Ty;

/// Differences named in one answer.
const MOST_NAMES: usize = 20;

/// Where documents get their words from.
#[derive(Clone, Copy)]
pub(crate) enum WordingSource<'w, 'd> {
    /// From the wordings that were stored when they were sent.
    Stored,
    /// From what this intake brings; the others as [`WordingSource::Stored`].
    Sent(&'w SentDocuments<'d>),
    /// From how they read now: mappings changed, and rows did not.
    Present,
}

impl WordingSource<'_, '_> {
    /// Notes how documents of this intake read.
    pub(crate) fn note(self, readings: impl IntoIterator<Item = (usize, Reading)>) {
        if let WordingSource::Sent(sent) = self {
            (readings.into_iter()).for_each(|(at, reading)| sent.note(at, reading));
        }
    }
}

/// The accepted documents of an intake, by data set, location, source and key.
pub(crate) struct SentDocuments<'d> {
    documents: IndexMap<(&'d str, i64, &'d str, &'d str), SentDocument<'d>>,
    rendered: Mutex<IndexMap<usize, Reading>>,
}

/// How sent documents read, by their places in the intake.
pub(crate) type Readings = Vec<(usize, Reading)>;

/// How a sent document reads.
#[derive(Default)]
pub(crate) struct Reading {
    /// Whether it reads otherwise than before this intake.
    changed: bool,
    /// Members that read otherwise than they were sent.
    differences: Vec<Issue>,
    id: Option<String>,
}

/// The document of a pair that counts.
#[derive(Clone, Copy)]
struct SentDocument<'d> {
    at: usize,
    /// The place where the pair said so first: the same document may come several times.
    first: usize,
    document: &'d Json,
}

impl<'d> SentDocuments<'d> {
    /// Of a pair that came several times, the last one that was accepted counts.
    pub(crate) fn of(deliveries: &'d [Delivery], answers: &[DocumentAnswer]) -> Self {
        let mut documents: IndexMap<_, SentDocument<'d>> = IndexMap::default();
        for (at, (delivery, answer)) in deliveries.iter().zip(answers).enumerate() {
            let Some(key) = key(delivery).filter(|_| answer.holds()) else { continue };
            let document = &delivery.doc;
            let same = documents.get(&key).filter(|b| Wording::between(b.document, document).is_empty());
            let first = same.map_or(at, |b| b.first);
            documents.insert(key, SentDocument { at, first, document });
        }
        Self { documents, rendered: Mutex::default() }
    }

    fn get(&self, dataset: &str, document: &RenderedDocument) -> Option<SentDocument<'d>> {
        let (source, source_id) = (document.source.as_str(), document.source_id.as_str());
        let key = (dataset, document.location?, source, source_id);
        self.documents.get(&key).copied()
    }

    fn note(&self, at: usize, reading: Reading) {
        let mut rendered = self.rendered.lock().unwrap_or_else(PoisonError::into_inner);
        let before = rendered.entry(at).or_default();
        let changed = before.changed | reading.changed;
        *before = Reading { changed, ..reading };
    }

    fn is_noted(&self, at: usize) -> bool {
        let rendered = self.rendered.lock().unwrap_or_else(PoisonError::into_inner);
        rendered.contains_key(&at)
    }
}

/// What came of the documents of an intake.
#[derive(Default)]
pub(crate) struct IntakeProjection {
    /// Places of those of which only the words changed.
    pub(crate) reworded: Vec<usize>,
    /// Places of those that were not rendered: how they read, only the stored text says.
    pub(crate) unread: IndexSet<usize>,
    /// Places whose answers have no key yet: those, and older ones of the same pairs.
    pub(crate) unnamed: IndexSet<usize>,
}

struct IntakeProjector<'w, 'd> {
    projector: &'w Projector,
    sent: &'w SentDocuments<'d>,
}

impl Projection for IntakeProjector<'_, '_> {
    fn project<'a>(&'a self, work: &'a mut WriteTransaction<'_>, touched: &'a Touched) -> BoxFuture<'a, Result<()>> {
        Box::pin(self.projector.project_as(work, touched, WordingSource::Sent(self.sent)))
    }
}

impl DocumentIntake {
    /// Renders what an intake changed, in the words of its sender, and names in the answers what reads otherwise than
    /// it was sent. Documents of which only the words changed are no longer unchanged.
    pub(crate) async fn project_sent(
        &self,
        work: &mut WriteTransaction<'_>,
        deliveries: &[Delivery],
        answers: &mut [DocumentAnswer],
    ) -> Result<IntakeProjection> {
        let sent = SentDocuments::of(deliveries, answers);
        let projecting = IntakeProjector { projector: &self.projector, sent: &sent };
        work.project(&projecting).await?;
        // Rows that did not change were not rendered; other words may have come all the same.
        let mut rest: IndexMap<(&str, &str), IndexSet<i64>> = IndexMap::default();
        for ((dataset, ..), document) in &sent.documents {
            let SentDocument { at, first, .. } = *document;
            let Some(answer) = answers.get(at).filter(|_| !sent.is_noted(first)) else { continue };
            if let Some(record) = answer.record {
                let rows = rest.entry((dataset, answer.collection)).or_default();
                rows.insert(record);
            }
        }
        let none = Touched::default();
        for ((dataset, collection), rows) in rest {
            let mapping = self.rules.mappings().iter().find(|m| m.dataset() == dataset && m.collection() == collection);
            if let Some(mapping) = mapping.filter(|m| !m.is_passthrough()) {
                self.projector.refresh(work, mapping, rows, &none, WordingSource::Sent(&sent)).await?;
            }
        }
        let SentDocuments { documents, rendered } = sent;
        let mut rendered = rendered.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut projected = IntakeProjection::default();
        for sent in documents.values() {
            let Some(reading) = rendered.swap_remove(&sent.first) else {
                projected.unread.insert(sent.at);
                continue;
            };
            if let Some(answer) = answers.get_mut(sent.at) {
                answer.issues.extend(reading.differences);
                answer.key = reading.id.or_else(|| answer.record.map(record_key));
            }
            // The first that says so changed it, the others repeat it.
            if let Some(answer) = answers.get_mut(sent.first)
                && reading.changed
                && answer.state == State::Unchanged
            {
                answer.state = State::Updated;
                projected.reworded.push(sent.first);
            }
        }
        let unnamed = |answer: &&DocumentAnswer| answer.key.is_none() && answer.is_there();
        projected.unnamed =
            (answers.iter().enumerate()).filter(|(_, answer)| unnamed(answer)).map(|(at, _)| at).collect();
        Ok(projected)
    }
}

impl Projector {
    /// Gives the rendered documents of a row, which `had` these until now, the words of those who
    /// sent them. Returns how those of this intake read.
    pub(crate) fn word(
        &self,
        mapping: &Mapping,
        rendered: &mut [RenderedDocument],
        had: &[StoredDocument],
        source: WordingSource<'_, '_>,
    ) -> Readings {
        let mut readings = Vec::new();
        for document in rendered {
            if document.source == self.rules.source() {
                continue;
            }
            let before = had.iter().find(|f| {
                Some(f.location) == document.location
                    && f.source == document.source
                    && f.source_id == document.source_id
            });
            let sent = match source {
                WordingSource::Sent(sent) => sent.get(mapping.dataset(), document),
                WordingSource::Stored | WordingSource::Present => None,
            };
            if let Some(sent) = sent {
                readings.push((sent.first, as_sent(document, sent.document, before, mapping.computed())));
            } else if let Some(before) = before {
                apply_stored_wording(mapping, document, before, matches!(source, WordingSource::Present));
            }
        }
        readings
    }
}

/// Names what documents at these places say otherwise than they were sent, by their stored text.
pub(crate) fn name_differences(
    mappings: &Mappings,
    deliveries: &[Delivery],
    answers: &mut [DocumentAnswer],
    places: &IndexSet<usize>,
) {
    for at in places {
        let (Some(delivery), Some(answer)) = (deliveries.get(*at), answers.get_mut(*at)) else { continue };
        let Some(body) = answer.body.as_deref() else { continue };
        let Ok(read) = serde_json::from_str::<Json>(body) else { continue };
        let issues = differences(&read, &delivery.doc);
        match mappings.get(&delivery.dataset) {
            Some(mapping) if mapping.corrections().is_some() => {
                uncorrected(mapping, delivery, answer, issues);
            }
            _ => answer.issues.extend(issues),
        }
    }
}

/// Names what a correction did not correct, with the reason, unless the answer names it already.
/// What it does not say is no difference.
fn uncorrected(mapping: &Mapping, delivery: &Delivery, answer: &mut DocumentAnswer, issues: Vec<Issue>) {
    let Some(corrections) = mapping.corrections() else { return };
    for mut issue in issues {
        let member = issue.path.trim_start_matches('/');
        let below = format!("{}/", issue.path);
        let is_reported = answer.issues.iter().any(|other| other.path == issue.path || other.path.starts_with(&below));
        if is_reported || delivery.doc.get(member).is_none() {
            continue;
        }
        let why = match corrections.closed(member) {
            Some(why) => why,
            None if mapping.reads(member) || member == corrections.by => "",
            None => "The book has no field for it.",
        };
        if !why.is_empty() {
            issue.message = said!("{why} {fault}", why = why, fault = issue.message);
        }
        answer.issues.push(issue);
    }
}

/// What a document as it reads says otherwise than it was sent.
fn differences(read: &Json, sent: &Json) -> Vec<Issue> {
    let corrected = (read.get("meta")).and_then(|meta| meta.get(CORRECTED)?.as_array());
    let is_corrected = |at: &str| corrected.is_some_and(|all| all.iter().any(|one| one == at));
    (Wording::differences(read, sent).into_iter().take(MOST_NAMES))
        .map(|difference| {
            let corrected = is_corrected(&difference.at);
            otherwise(difference, corrected)
        })
        .collect()
}

/// Lays what was sent over a document, but for what contradicts members that the book computes; how it reads then.
fn as_sent(
    document: &mut RenderedDocument,
    sent: &Json,
    before: Option<&StoredDocument>,
    computed: &[String],
) -> Reading {
    let Some(rendered) = document.document() else {
        return Reading::default();
    };
    // A document that was retracted and is sent again repeats nothing.
    let earlier = before.filter(|f| !f.deleted).and_then(|f| Wording::read(f.wording.as_deref()?));
    let wording = match earlier {
        Some(before) => Wording::again(&rendered, sent, &before),
        None => Wording::between(&rendered, sent),
    };
    let wording = wording.except(computed);
    document.wording = Some(wording.text());
    let read = if wording.is_empty() {
        rendered
    } else {
        let mut read = wording.over(rendered).document;
        wording.mark(&mut read);
        document.reword(&read);
        read
    };
    let other = |f: &StoredDocument| !document.body.is(f.body.as_bytes(), f.modified, f.created);
    Reading {
        changed: before.is_some_and(|f| !f.deleted && other(f)),
        differences: differences(&read, sent),
        id: read.get("id").and_then(Json::as_str).map(str::to_owned),
    }
}

/// Lays the stored wording over a document, and records what the book changed since. If the mixture
/// of sent and rendered values is not valid, the document reads as the book renders it.
fn apply_stored_wording(mapping: &Mapping, document: &mut RenderedDocument, before: &StoredDocument, present: bool) {
    document.wording.clone_from(&before.wording);
    let Some(mut wording) = before.wording.as_deref().and_then(Wording::read) else { return };
    let Some(rendered) = document.document() else { return };
    let was = serde_json::from_str::<Json>(&before.body).ok().filter(|_| !before.deleted);
    if let Some(was) = was.as_ref().filter(|_| present) {
        wording = wording.rebased(&rendered, was);
    }
    let worded = wording.over(rendered.clone());
    // The times of change are set last.
    let valid = worded.whole
        || (ade::validate(mapping.resource(), &worded.document).iter()).all(|fault| fault.pointer == "/meta/modified");
    let mut read = if valid { worded.document } else { rendered };
    if let Some(was) = was.filter(|_| !present) {
        wording.correct(&was, &read);
    }
    wording.mark(&mut read);
    document.wording = Some(wording.text());
    document.reword(&read);
}

fn otherwise(difference: Difference, corrected: bool) -> Issue {
    let stored = if let Some(stored) = difference.stored { stored.to_string() } else { "nothing".to_owned() };
    if corrected {
        let message = format!("The book corrected this since it was sent; it has {stored} here.");
        return Issue::warning(difference.at, "corrected-since", message);
    }
    let message = format!("The book has {stored} here.");
    Issue::warning(difference.at, "stored-otherwise", message)
}

/// A document of an intake that repeats what is read under its pair.
pub(crate) enum Repeat {
    Whole(DocumentAnswer),
    /// In members that the book corrected since: as it would read with the book's values.
    Corrected(Json),
}

impl DocumentIntake {
    /// The documents of an intake that repeat what is read, by their places. A resource that
    /// this intake changed already is none of them: what is read follows at its end.
    pub(crate) async fn repeats(
        &self,
        work: &mut WriteTransaction<'_>,
        (dataset, location): (&str, i64),
        documents: &[&Json],
        last: &LastStates,
    ) -> Result<IndexMap<usize, Repeat>> {
        let pair = |document: &Json| {
            let text = |name: &str| Some(document.get("meta")?.get(name)?.as_str()?.to_owned());
            Some((text("source")?, text("sourceId")?))
        };
        // What was never sent is no repetition.
        let place_by_pair: IndexMap<(String, String), usize> = (documents.iter().enumerate())
            .filter(|(_, document)| last.is_as_before(dataset, location, document))
            .filter_map(|(at, document)| Some((pair(document)?, at)))
            .collect();
        let mut repeats = IndexMap::default();
        let pairs: Vec<&(String, String)> = place_by_pair.keys().collect();
        for piece in pairs.chunks(500) {
            let sources = piece.iter().map(|(source, _)| source.as_str());
            let ids = piece.iter().map(|(_, id)| id.as_str());
            let further = format!(", wording, body, record, {}", name_of("collection"));
            let sql =
                select_named(&further, (dataset, location), sources, ids).and(" AND deleted = ").with(Ty::Bool, false);
            for row in work.tx().rows(sql.one_off()).await? {
                let text = |at: usize| row.text(at).unwrap_or_default();
                let at = place_by_pair.get(&(text(0).to_owned(), text(1).to_owned())).copied();
                let body = row.compressed(3).unwrap_or_default();
                let read = serde_json::from_str::<Json>(&body).ok();
                let Some((at, read)) = at.zip(read) else { continue };
                let Some(sent) = documents.get(at) else { continue };
                let wording = Wording::read(text(2)).unwrap_or_default();
                let repeat = match wording.without_repeats(sent, &read) {
                    Some(news) => Some(Repeat::Corrected(news)),
                    None if wording.is_corrected() || !Wording::is_repeated(&read, sent) => None,
                    None => {
                        let collection = self.rules.registry().get(text(5)).map(|c| c.slug);
                        (row.int(4).zip(collection)).map(|(record, collection)| {
                            let whole = DocumentAnswer::new(State::Unchanged, Some(record), Vec::new());
                            Repeat::Whole(whole.of(collection))
                        })
                    }
                };
                repeats.extend(repeat.map(|repeat| (at, repeat)));
            }
        }
        Ok(repeats)
    }
}

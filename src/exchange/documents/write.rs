//! Writes rendered documents to `exchange_documents`: new ones are inserted, others updated in place.

use crate::documents::names::numbered;
use crate::documents::stored_document::PendingDocument;
use crate::documents::{reword, text};
use crate::lists::keys::indexed;
use crate::projection::Plan;
use crate::projection::projector::Projector;
use mapping::Mapping;
use model::error::{Error, Result};
use model::fast::IndexMap;
use model::parallel;
use model::record::Value;
use model::registry::BookReader;
use ops::WriteTransaction;
use store::{Sql, Ty, pieces};

const COLUMNS: &str = "id, seq, dataset, collection, resource_type, source, source_id, location, modified, \
    created, event_at, animal, record, deleted, reason, body, wording";

/// Bound values of a new document.
const WIDTH: usize = 10;
/// Bound values of a document that exists.
const WIDTH_THERE: usize = 5;

/// A document with its place in commit order and its text.
struct NumberedDocument<'p> {
    ready: &'p PendingDocument,
    seq: i64,
    created: i64,
    body: String,
}

impl Projector {
    /// Writes the differences, with their place in commit order, and updates the counts.
    pub(crate) async fn write(&self, work: &mut WriteTransaction<'_>, mapping: &Mapping, plan: Plan) -> Result<()> {
        let now = work.now();
        let mut counts: IndexMap<i64, i64> = IndexMap::default();
        self.bury(work, mapping, &plan, now, &mut counts).await?;
        for ready in plan.ready.iter().filter(|ready| ready.revives) {
            *counts.entry(ready.location).or_default() += 1;
        }
        let places: Vec<(i64, &PendingDocument)> = plan.ready.iter().map(|r| (work.tx().next_seq(), r)).collect();
        let written = parallel::map(&places, |(seq, ready)| {
            let document = &ready.document;
            let first = || document.created.map_or(now, |created| created.min(now));
            let created = ready.created.unwrap_or_else(first);
            let mut body = Vec::with_capacity(document.body.len());
            document.body.with(now, created, &mut body);
            NumberedDocument { ready, seq: *seq, created, body: text(body) }
        });
        let keyed: Vec<(i64, String)> = match indexed(mapping.resource()) {
            true => written.iter().map(|w| (w.seq, w.body.clone())).collect(),
            false => Vec::new(),
        };
        let (there, new): (Vec<NumberedDocument<'_>>, Vec<NumberedDocument<'_>>) =
            (written.into_iter()).partition(|written| written.ready.stored.is_some());
        insert(work, mapping, now, new).await?;
        update(work, now, there).await?;
        reword(work, &plan.reworded).await?;
        self.index_keys(work, mapping.resource(), &keyed).await?;
        self.note_members(work, mapping, &plan).await?;
        self.count(work, mapping.dataset(), counts).await
    }
}

/// New documents, and those that come to the place of another row or animal.
async fn insert(
    work: &mut WriteTransaction<'_>,
    mapping: &Mapping,
    now: i64,
    written: Vec<NumberedDocument<'_>>,
) -> Result<()> {
    if written.is_empty() {
        return Ok(());
    }
    let shared = [mapping.dataset(), mapping.collection(), mapping.resource()];
    let sources = (written.iter()).map(|w| w.ready.document.source.as_str());
    let numbers = numbered(work, shared.into_iter().chain(sources)).await?;
    let number = |name: &str| {
        let number = numbers.get(name).copied();
        number.ok_or_else(|| Error::internal(format!("the name {name} has no number")))
    };
    let sizes: Vec<usize> = pieces(&written, WIDTH).map(<[_]>::len).collect();
    let mut written = written.into_iter();
    for size in sizes {
        // Values that are the same for all are sent once.
        let mut sql = Sql::new("INSERT INTO exchange_documents (");
        sql.push(COLUMNS).push(") SELECT v.column1, v.column1, ");
        for name in shared {
            sql.bind(Ty::Int, number(name)?).push(",");
        }
        sql.push(" v.column2, v.column3, v.column4, ")
            .bind(Ty::Int, now)
            .push(", v.column5, v.column6, v.column7, v.column8, ")
            .bind(Ty::Bool, false)
            .push(", NULL, v.column9, v.column10 FROM (VALUES ");
        for (i, one) in written.by_ref().take(size).enumerate() {
            let PendingDocument { document, location, record, .. } = one.ready;
            sql.push(if i > 0 { ",(" } else { "(" }).bind(Ty::Int, one.seq).push(",");
            sql.bind(Ty::Int, number(&document.source)?).push(",");
            sql.bind(Ty::Text, document.source_id.as_str()).push(",").bind(Ty::Int, *location).push(",");
            sql.bind(Ty::Int, one.created).push(",").bind(Ty::Int, document.event_at).push(",");
            sql.bind(Ty::Int, document.animal).push(",").bind(Ty::Int, *record).push(",");
            sql.bind(Ty::Compressed, one.body).push(",").bind(Ty::Text, document.wording.clone()).push(")");
        }
        // SQLite would take what follows for a part of a join.
        sql.push(
            ") AS v WHERE 1=1 ON CONFLICT (dataset, source, source_id, location) DO UPDATE SET \
             seq = excluded.seq, collection = excluded.collection, resource_type = excluded.resource_type, \
             modified = excluded.modified, created = excluded.created, \
             event_at = excluded.event_at, animal = excluded.animal, \
             record = excluded.record, deleted = excluded.deleted, \
             reason = excluded.reason, body = excluded.body, wording = excluded.wording",
        );
        work.tx().send(sql.read_by_seq()).await?;
    }
    Ok(())
}

/// Documents that keep their place: what names them, and the indexes over it, stay untouched.
async fn update(work: &mut WriteTransaction<'_>, now: i64, written: Vec<NumberedDocument<'_>>) -> Result<()> {
    let sizes: Vec<usize> = (pieces(&written, WIDTH_THERE).map(<[_]>::len)).collect();
    let mut written = written.into_iter();
    for size in sizes {
        let mut sql = Sql::new("UPDATE exchange_documents SET modified = ");
        sql.bind(Ty::Int, now).push(", deleted = ");
        sql.bind(Ty::Bool, false).push(
            ", reason = NULL, seq = v.column2, event_at = v.column3, body = v.column4, \
             wording = v.column5 FROM (VALUES ",
        );
        let rows = written.by_ref().take(size).map(|one| {
            let (ready, body) = (one.ready, Value::Text(one.body));
            let event_at = Value::from(ready.document.event_at);
            let wording = ready.document.wording.clone();
            [ready.stored.into(), one.seq.into(), event_at, body, wording.into()]
        });
        sql.bind_rows([Ty::Int, Ty::Int, Ty::Int, Ty::Compressed, Ty::Text], rows);
        sql.push(") AS v WHERE exchange_documents.id = v.column1");
        work.tx().send(sql.read_by_seq()).await?;
    }
    Ok(())
}

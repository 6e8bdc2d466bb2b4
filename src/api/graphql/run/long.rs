//! All records at once (`limit: 0`): written out while they are read, a part at a time, so
//! that an answer of any length takes the memory of one part. One field of a request is
//! answered so; what else it asks for is known before the answer begins.

use super::super::call::{Call, Rows, totals};
use super::super::fault::Fault;
use super::super::model::{Root, Verb, What};
use super::super::plan::{Pick, PickKind, natural};
use super::show::AnswerWriter;
use axum::body::Body;
use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt};
use model::error::{Error, Result};
use ops::Totals;
use serde_json::{Map, Value as Json, json};

/// The field that is written out while it is read, among the operations of a request.
pub(in crate::graphql) fn place(picks: &[Pick<'_>]) -> Option<usize> {
    picks.iter().position(|pick| {
        let PickKind::Field { out, args, picks } = &pick.kind else {
            return false;
        };
        let lists = matches!(out.what, What::Root(Root { verb: Verb::List, .. }));
        // Under two names each part would have to occur in two places.
        lists && all(args) && docs(picks).count() == 1
    })
}

/// Whether a list is requested as a whole.
pub(in crate::graphql) fn all(args: &Map<String, Json>) -> bool {
    let paged = args.get("pagination") != Some(&Json::Bool(false));
    let given = natural(args, "first").or_else(|| natural(args, "limit"));
    given.map_or(!paged, |limit| limit == 0)
}

/// The requested page; all records are one page, whatever number is given.
pub(in crate::graphql) fn page(args: &Map<String, Json>) -> u64 {
    natural(args, "page").unwrap_or(1).max(1)
}

fn docs<'p, 'm>(picks: &'p [Pick<'m>]) -> impl Iterator<Item = &'p Pick<'m>> {
    let docs = |pick: &&Pick<'_>| matches!(&pick.kind, PickKind::Field { out, .. } if out.key == "docs");
    picks.iter().filter(docs)
}

/// The answer to a request, `rows` in the place of the operation at `at`. An error ends the body:
/// the connection breaks off, so that no client takes the part for the whole.
pub(in crate::graphql) fn body(
    data: Map<String, Json>,
    errors: Vec<Json>,
    (call, picks): (Call, Vec<Pick<'static>>),
    Rows { at, mut rows }: Rows,
) -> Body {
    let written = async_stream::try_stream! {
        // Rows are read from the book of this call.
        let _open = call;
        let mut out = b"{\"data\":{".to_vec();
        for (place, (name, value)) in data.into_iter().enumerate() {
            member(&mut out, place, &name)?;
            let long = picks.get(at).filter(|pick| pick.alias == name);
            let Some((docs, pick)) = long.and_then(|pick| Some((inner(pick)?, pick))) else {
                write(&mut out, &value)?;
                continue;
            };
            out.push(b'{');
            member(&mut out, 0, &docs.alias)?;
            out.push(b'[');
            let mut count: u64 = 0;
            while let Some(part) = rows.next().await {
                for document in part?.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
                    if count > 0 {
                        out.push(b',');
                    }
                    write(&mut out, &record_json(docs, document)?)?;
                    count += 1;
                }
                yield Bytes::from(std::mem::take(&mut out));
            }
            out.push(b']');
            for (name, value) in rest(pick, count, &docs.alias) {
                member(&mut out, 1, &name)?;
                write(&mut out, &value)?;
            }
            out.push(b'}');
        }
        out.push(b'}');
        if !errors.is_empty() {
            member(&mut out, 1, "errors")?;
            write(&mut out, &errors)?;
        }
        out.push(b'}');
        yield Bytes::from(out);
    };
    Body::from_stream(written.inspect_err(|error: &Error| {
        tracing::error!(%error, "a list broke off");
    }))
}

fn inner<'p, 'm>(pick: &'p Pick<'m>) -> Option<&'p Pick<'m>> {
    match &pick.kind {
        PickKind::Field { picks, .. } => docs(picks).next(),
        _ => None,
    }
}

fn record_json(docs: &Pick<'_>, document: &[u8]) -> Result<Json> {
    let document: Json = serde_json::from_slice(document).map_err(Error::internal)?;
    let mut writer = AnswerWriter::default();
    let record = writer.record(docs, &document);
    match writer.faults.first() {
        None => Ok(record),
        Some(fault) => Err(Error::internal(fault)),
    }
}

/// The other selections of the list.
fn rest(pick: &Pick<'_>, count: u64, docs: &str) -> Map<String, Json> {
    let page = match &pick.kind {
        PickKind::Field { args, .. } => page(args),
        _ => 1,
    };
    let mut document = totals(Totals::whole(0, page, count));
    document.insert("docs".to_owned(), json!([]));
    match AnswerWriter::default().root(pick, &document.into()) {
        Json::Object(mut rest) => {
            rest.shift_remove(docs);
            rest
        }
        _ => Map::new(),
    }
}

fn member(out: &mut Vec<u8>, place: usize, name: &str) -> Result<()> {
    if place > 0 {
        out.push(b',');
    }
    write(out, name)?;
    out.push(b':');
    Ok(())
}

fn write(out: &mut Vec<u8>, value: impl serde::Serialize) -> Result<()> {
    serde_json::to_writer(out, &value).map_err(Error::internal)
}

/// Records that are there already, as a list shows them.
///
/// # Errors
/// [`Fault`] when they cannot be read.
pub(in crate::graphql) fn page_of_lines(lines: &[u8], page: u64) -> Result<Map<String, Json>, Fault> {
    let lines = lines.split(|byte| *byte == b'\n');
    let documents: Vec<Json> = lines
        .filter(|line| !line.is_empty())
        .map(serde_json::from_slice)
        .collect::<std::result::Result<_, _>>()
        .map_err(Error::internal)?;
    let count = u64::try_from(documents.len()).unwrap_or(u64::MAX);
    let mut members = totals(Totals::whole(0, page, count));
    members.insert("docs".to_owned(), documents.into());
    Ok(members)
}

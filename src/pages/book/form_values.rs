//! From a sent form to a body of the REST face: values by their kinds, related records by the names that people typed.

use super::moves::NOW;
use super::query::{searched, written};
use crate::calls::Fault;
use crate::look::input::{is_offered, put, value_of};
use crate::look::shell::Shell;
use crate::words::Form;
use model::record::time;
use model::registry::{Collection, Field, Kind};
use model::shown::called;
use serde_json::{Map, Value};

/// Fields that a form may have, by path, if it sent them.
pub(super) fn sent_fields<'f>(
    c: &'static Collection,
    form: &'f Form,
) -> impl Iterator<Item = &'static Field> + 'f {
    c.fields
        .iter()
        .filter(move |field| is_offered(field) && form.has(&field.path))
}

/// The body, and what is wrong with names of related records.
pub(super) async fn body(
    shell: &Shell<'_>,
    fields: &[&'static Field],
    form: &Form,
) -> (Map<String, Value>, Vec<Fault>) {
    let (mut body, mut issues) = (Map::new(), Vec::new());
    for field in fields {
        let texts: Vec<&str> = form.all(&field.path).collect();
        let value = match &field.kind {
            Kind::Relation(to) => match related(shell, to, form.get(&field.path)).await {
                Ok(value) => value,
                Err(text) => {
                    issues.push(Fault {
                        path: field.path.clone(),
                        message: shell.text(text),
                    });
                    continue;
                }
            },
            Kind::Instant if texts.first() == Some(&NOW) => {
                Value::from(time::to_iso(shell.pages.site.clock.now()))
            }
            _ => value_of(field, &texts),
        };
        put(&mut body, &field.path, value);
    }
    (body, issues)
}

/// The id of the one record with a name or number, among those that the visitor reads; else the name of the sentence
/// that says why there is none.
async fn related(shell: &Shell<'_>, slug: &str, text: Option<&str>) -> Result<Value, &'static str> {
    let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) else {
        return Ok(Value::Null);
    };
    let plain = text.strip_prefix('№').map_or(text, str::trim);
    let known = shell.pages.site.registry.get(slug);
    let Some(target) = known else {
        return Err("page-unknown-record");
    };
    let by_id = plain.parse::<i64>().ok();
    if text.starts_with('№')
        && let Some(id) = by_id
    {
        return Ok(Value::from(id));
    }
    let paths = called(target)
        .into_iter()
        .chain(target.naming.known_as.iter().copied())
        .chain(searched(target));
    let mut all: Vec<(String, String)> = Vec::new();
    for path in paths {
        let name = format!("where[or][{}][{path}][equals]", all.len());
        if !all
            .iter()
            .any(|(own, _)| own.ends_with(&format!("[{path}][equals]")))
        {
            all.push((name, text.to_owned()));
        }
    }
    if all.is_empty() {
        return by_id.map(Value::from).ok_or("page-unknown-record");
    }
    all.extend(
        [("depth", "0"), ("limit", "2"), ("select[id]", "true")]
            .map(|(name, value)| (name.to_owned(), value.to_owned())),
    );
    let path = format!("/api/{slug}?{}", written(&all));
    let found = shell.pages.calls.get(shell.visitor, &path).await;
    match (found.docs(), by_id) {
        ([one], _) => Ok(one.get("id").cloned().unwrap_or_default()),
        ([], Some(id)) if target.lineage.is_none() => Ok(Value::from(id)),
        ([], _) => Err("page-unknown-record"),
        _ => Err("page-several-records"),
    }
}

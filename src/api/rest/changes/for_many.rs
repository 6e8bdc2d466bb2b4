//! `POST /api/<slug>/<name>`: one document for each of many (docs/writing.md, *One for each of many*). Must not know any
//! single collection.

use super::super::call::{Call, Reply};
use super::super::faults::Faults;
use super::super::target::Target;
use crate::body;
use crate::layers::language::said_of;
use crate::limit::Cost;
use axum::Extension;
use axum::Json;
use axum::body::Body;
use axum::response::IntoResponse;
use model::error::Error;
use model::registry::{BulkMode, Collection, ForMany};
use ops::{ForManyAsk, Item, LeftOut, MadeForMany, parse_body};
use serde_json::{Map, Value, json};

/// Members of the body beside the fields of the document.
const WHERE: &str = "where";
const DRY: &str = "dryRun";
const WHOLE: &str = "all";

pub(crate) async fn make(Call(app, target, who, headers): Call, body: Body) -> Reply {
    let c = target.collection;
    let how = c.for_many.filter(|how| target.address().0.ends_with(&format!("/{}", how.name)));
    let of = how.and_then(|how| Some((how, c.many_of(app.book.registry, &how)?)));
    let Some((how, of)) = of else {
        return Err(target.no_route());
    };
    let tried = app.book.may_try(&who.principal, c, model::registry::Verb::Create);
    target.ok(tried)?;
    let members = body::object(&app, c.slug, &headers, body).await?;
    let ask = target.ok(stated(&target, (&how, of), members))?;
    let dry = ask.dry;
    let made = target.ok(app.book.make_for_many(&who.principal, c, ask).await)?;
    let cost = Cost::of_rows(made.made.len() + made.left.len());
    Ok((Extension(cost), Json(result_json(c, &how, &made, dry))).into_response())
}

fn stated(
    target: &Target,
    (how, of): (&ForMany, &Collection),
    mut members: Map<String, Value>,
) -> Result<ForManyAsk, Error> {
    let mut faults = Faults::default();
    let filled = |value: &Value| !value.is_null();
    let condition = members.shift_remove(WHERE).filter(filled);
    let ids = members.shift_remove(of.slug).filter(filled);
    let judged = matches!(how.how, BulkMode::OneByOne(_));
    let dry = faults.flag(DRY, members.shift_remove(DRY)) || ops::is_dry_run();
    let whole = judged && faults.flag(WHOLE, members.shift_remove(WHOLE));
    let relation = members.shift_remove(how.relation);
    if relation.is_some_and(|value| filled(&value)) {
        let message = "It is different in each document: leave it out.";
        faults.fault(how.relation, "not-allowed", message);
    }
    let many = match (condition, ids) {
        (Some(condition), None) => faults.condition(WHERE, &condition)?,
        (None, Some(list)) => faults.ids(of.slug, &list, usize::MAX),
        (condition, _) => {
            faults.not_one(of.slug, (WHERE, of.slug), condition.is_some());
            None
        }
    };
    let (values, issues) = parse_body(target.collection, &members, None);
    Ok(ForManyAsk { item: Item::create(values).with_issues(issues), of: many, issues: faults.0, dry, whole })
}

fn result_json(c: &Collection, how: &ForMany, all: &MadeForMany, dry: bool) -> Value {
    let docs = all.made.iter().map(|(of, id)| {
        let mut doc = Map::from_iter([(how.relation.to_owned(), Value::from(*of))]);
        doc.extend(id.map(|id| ("id".to_owned(), Value::from(id))));
        Value::Object(doc)
    });
    let reasons = all.left.iter().map(|(of, why)| {
        let (reason, more) = match why {
            LeftOut::Open(id) => ("open", Some(("id", json!(id)))),
            LeftOut::NotTakingPart => ("not-registered", None),
            LeftOut::Refused(issues) => {
                let reasons = issues.iter().map(|issue| {
                    let message = said_of(&issue.message, Some(&issue.code));
                    json!({"code": issue.code, "message": message})
                });
                ("refused", Some(("issues", reasons.collect())))
            }
        };
        let mut one =
            Map::from_iter([(how.relation.to_owned(), Value::from(*of)), ("reason".to_owned(), reason.into())]);
        one.extend(more.map(|(name, value): (&str, Value)| (name.to_owned(), value)));
        Value::Object(one)
    });
    let (made, left_out) = (all.made.len(), all.left.len());
    let label = if made == 1 { &c.singular } else { &c.plural };
    let message = match dry {
        true => format!("{made} {label} would be created."),
        false => format!("{made} {label} successfully created."),
    };
    json!({
        "message": message, "dryRun": dry, "made": made, "leftOut": left_out,
        "docs": docs.collect::<Vec<_>>(), "left": reasons.collect::<Vec<_>>(),
    })
}

//! `GET /api/<slug>/<id>/card`: the card of a record as PDF (docs/pages.md, *Card for print*), from what the caller reads by
//! the other operations. Must not know any single collection.

use super::super::call::{Call, Reply};
use super::printed;
use crate::layers::language;
use crate::pages::card_sheet::{GENERATIONS, Printed, sheet};
use axum::response::IntoResponse;
use model::error::Error;
use model::query::qs::Tree;
use model::record::time;
use model::record::zone::{TimeZone, clock, zone};
use model::registry::{Card, CardRows, Collection, Field, Principal, Registry};
use ops::{Book, names_of, select_field};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// The card, for whoever reads the record.
pub(crate) async fn card(Call(app, target, who, headers): Call) -> Reply {
    let c = target.collection;
    let Some(card) = c.ui.card else {
        return Err(target.no_route());
    };
    let language = language::chosen(&headers, &target.tree()?);
    let id = target.row()?;
    let registry = app.book.registry;
    let view = ops::View::read(&Tree::from(card_query(registry, c, card)), 0);
    let doc = target.ok(app.book.by_id(&who.principal, c, id, view).await)?;
    let language = target.ok(language)?;
    let view = ops::View::read(&Tree::from(ancestors(registry, c, card)), 0);
    let lineage = (app.book).lineage(&who.principal, c, id, GENERATIONS, &view);
    let lineage = target.ok(lineage.await)?;
    let (Ok(doc), Ok(lineage)) = (serde_json::from_slice(&doc), serde_json::from_slice(&lineage)) else {
        return Err(target.refuse(Error::internal("a document is no JSON")));
    };
    let zone = target.ok(zone_of(&app.book, &who.principal, c).await)?;
    let now = time::to_iso(clock(&zone, app.book.clock.now()));
    let (sheet, name) = sheet(
        &Printed {
            face: &app.settings.face,
            url: &app.settings.mail.branding.url,
            registry,
            c,
            card,
            doc: &doc,
            lineage: &lineage,
            now: &now,
        },
        language,
    );
    Ok(printed::printed(sheet, &name).await?.into_response())
}

/// The time zone of the caller's organisation; without one, that of the installation.
async fn zone_of(book: &Book, caller: &Arc<Principal>, c: &'static Collection) -> Result<TimeZone, Error> {
    let owners = c.access.subjects.first().and_then(|path| book.registry.get(c.field(path)?.target()?));
    let path = c.ui.work_lists.map(|lists| lists.zone);
    let own = match (owners, caller.organization, path) {
        (Some(owners), Some(organization), Some(path)) => {
            let view = ops::View::read(&Tree::from(json!({"depth": "0", "select": {path: "true"}})), 0);
            let owner = book.by_id(caller, owners, organization, view).await?;
            let owner: Value = serde_json::from_slice(&owner).map_err(Error::internal)?;
            owner.get(path).and_then(Value::as_str).and_then(zone)
        }
        _ => None,
    };
    Ok(own.unwrap_or_else(|| book.zone().clone()))
}

/// A query that shows what the card has of the record and of the rows that point to it.
fn card_query(registry: &Registry, c: &Collection, card: &Card) -> Value {
    let (mut select, mut joins) = (Map::new(), Map::new());
    let mut fields: Vec<&Field> = Vec::new();
    for path in card.names.iter().chain(card.values) {
        select_field(&mut select, path);
        fields.extend(c.field(path));
    }
    for table in card.tables {
        select_field(&mut select, table.of);
        match c.card_rows(table) {
            Some(CardRows::List(_, members)) => {
                let columns = members.iter();
                fields.extend(columns.filter(|one| table.columns.contains(&one.path.as_str())));
            }
            Some(CardRows::Join(join)) => {
                let Some(of) = registry.get(join.collection) else {
                    continue;
                };
                fields.extend(table.columns.iter().filter_map(|path| of.field(path)));
                let sort = of.happens.map(|path| format!("-{path}"));
                let page = json!({"limit": table.most.to_string(), "sort": sort.unwrap_or_default()});
                joins.insert(join.name.to_owned(), page);
            }
            None => {}
        }
    }
    json!({"depth": "2", "select": select, "joins": joins, "populate": names_of(registry, fields)})
}

/// A query that shows what the card has of an ancestor.
fn ancestors(registry: &Registry, c: &Collection, card: &Card) -> Value {
    let mut select = Map::new();
    let mut fields: Vec<&Field> = Vec::new();
    for path in card.names.iter().chain(card.ancestors) {
        select_field(&mut select, path);
        fields.extend(c.field(path));
    }
    json!({"depth": "1", "select": select, "populate": names_of(registry, fields)})
}

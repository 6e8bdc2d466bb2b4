//! `/book/<slug>/change`: one value in many rows (docs/writing.md, *Update and delete by condition*). First it says how
//! many would be changed and which are refused and why; then the same is written.

use super::{Chosen, named_by, nothing_ticked, together};
use crate::book::form::form_sheet::{Choices, choices};
use crate::book::form::form_values::{self, typed};
use crate::book::list::ALL;
use crate::book::own_collection;
use crate::book::rights::Rights;
use crate::calls::{Answer, Fault};
use crate::components::input::{Input, is_single};
use crate::components::reply::page;
use crate::components::shell::Shell;
use crate::stop::{Page, Stop};
use crate::visitor::Visit;
use crate::words::{Form, text_of};
use axum::body::Bytes;
use axum::http::{Method, StatusCode};
use maud::{Markup, html};
use model::display::at;
use model::messages::labels;
use model::registry::{Collection, Field, Kind, States};
use serde_json::Value;
use std::collections::BTreeMap;

/// Rows that are changed at once.
const MOST: u64 = 5_000;
/// The field that is changed, and the button that writes in place of checking.
pub(super) const FIELD: &str = "_field";
const MAKE: &str = "_make";
const WORDS: Words = Words {
    ready: "page-change-ready",
    done: "page-changed",
    others: "page-change-others",
    deletes: false,
    named: 100,
};

/// The texts of what would be done with rows and what was done, and of rows that are not the visitor's.
pub(super) struct Words {
    pub(super) ready: &'static str,
    pub(super) done: &'static str,
    pub(super) others: &'static str,
    /// Whether rows that are done have no page any more.
    pub(super) deletes: bool,
    /// Rows that are named, and as many refused ones.
    pub(super) named: usize,
}

/// The fields of which a value may stand in many rows: those that the visitor changes in rows that exist, but for states,
/// which have pages of their own, and for what is different in each row.
pub(super) fn fields(c: &'static Collection, rights: &Rights) -> Vec<&'static Field> {
    let states: Vec<&str> = c.states.iter().flat_map(States::paths).collect();
    let fits = |field: &&Field| {
        let path = field.path.as_str();
        let plain = is_single(field) && !matches!(field.kind, Kind::Json) && !field.unique && !field.once;
        plain && Some(path) != c.file && !states.contains(&path) && rights.may_write(path, "update")
    };
    c.fields.iter().filter(fits).collect()
}

/// What the page says besides the form.
#[derive(Default)]
struct Said {
    status: StatusCode,
    why: Option<String>,
    faults: Vec<Fault>,
    outcome: Markup,
    /// How many would be changed.
    ready: usize,
    /// Whether it is done.
    done: bool,
}

/// `GET /book/<slug>/change`
pub(crate) async fn form(Visit(pages, visitor, slug): Visit<String>) -> Page {
    let shell = Shell::new(&pages, &visitor);
    let c = own_collection(&shell, &slug)?;
    let form = visitor.query();
    let Some(chosen) = Chosen::of(&shell, c, &form) else {
        return nothing_ticked(&shell, c);
    };
    document(&chosen, &form, Said::default()).await
}

/// `POST /book/<slug>/change`
pub(crate) async fn change(Visit(pages, visitor, slug): Visit<String>, bytes: Bytes) -> Page {
    let shell = Shell::new(&pages, &visitor);
    let c = own_collection(&shell, &slug)?;
    let form = Form::read(&bytes);
    let Some(chosen) = Chosen::of(&shell, c, &form) else {
        return nothing_ticked(&shell, c);
    };
    let said = match form.get(FIELD).and_then(|path| c.field(path)) {
        Some(field) => written_value(&chosen, &form, field).await?,
        None => Said::default(),
    };
    document(&chosen, &form, said).await
}

/// Checks or writes the value, and says what came of it.
async fn written_value(chosen: &Chosen<'_>, form: &Form, field: &'static Field) -> Result<Said, Stop> {
    let shell = chosen.shell;
    let (body, faults) = form_values::body(shell, &[field], form, &Value::Null).await;
    let refused =
        |why: String, faults| Said { status: StatusCode::BAD_REQUEST, why: Some(why), faults, ..Said::default() };
    if !faults.is_empty() {
        return Ok(refused(shell.text("page-faults"), faults));
    }
    let done = form.get(MAKE).is_some();
    let (Some(answer), total) = chosen.write(Method::PATCH, &body.into(), (MOST, done)).await? else {
        return Ok(refused(together(shell, MOST), Vec::new()));
    };
    if answer.body.get("docs").is_none() {
        return Ok(refused(answer.message().to_owned(), answer.issues()));
    }
    let outcome = outcome(chosen, &answer, (total, done), &WORDS).await;
    let ready = if done { 0 } else { answer.docs().len() };
    Ok(Said { outcome, ready, done, ..Said::default() })
}

/// What was done or would be, what is refused and why, and how many rows are not the visitor's.
pub(super) async fn outcome(chosen: &Chosen<'_>, answer: &Answer, (total, done): (u64, bool), words: &Words) -> Markup {
    let (shell, c) = (chosen.shell, chosen.c);
    let refused = at(&answer.body, "errors").as_array().map_or(&[][..], Vec::as_slice);
    let names = names_of(chosen, refused, words.named).await;
    let changed = answer.docs().len();
    let count = |name: &str, number: usize| text_of(shell.language(), name, "number", &number.to_string());
    let others = usize::try_from(total).unwrap_or(usize::MAX).saturating_sub(changed).saturating_sub(refused.len());
    html! {
        section role="status" {
            h2 { (count(if done { words.done } else { words.ready }, changed)) }
            ul class="ways" {
                @for doc in answer.docs().iter().take(words.named) { li {
                    @if done && words.deletes { (shell.title(c, doc)) } @else { (chosen.named(doc)) }
                } }
                @if changed > words.named { li { "…" } }
            }
        }
        @if others > 0 { p { (count(words.others, others)) } }
        @if !refused.is_empty() {
            section {
                h2 { (count("page-change-refused", refused.len())) }
                ul { @for one in refused.iter().take(words.named) { li {
                    @let id = at(one, "id");
                    a href=[shell.record(c, id)] {
                        (id.as_i64().and_then(|id| names.get(&id)).cloned().unwrap_or_else(|| format!("№ {id}")))
                    }
                    ": " (reason(one))
                } } }
            }
        }
    }
}

/// Why a row is refused: what is wrong with its fields, else with it as a whole.
fn reason(refused: &Value) -> String {
    let issues = at(refused, "data.errors").as_array().into_iter().flatten();
    let issues: Vec<&str> = issues.filter_map(|issue| at(issue, "message").as_str()).collect();
    match issues.is_empty() {
        true => at(refused, "message").as_str().unwrap_or_default().to_owned(),
        false => issues.join(" "),
    }
}

/// The names of refused rows.
async fn names_of(chosen: &Chosen<'_>, refused: &[Value], most: usize) -> BTreeMap<i64, String> {
    let ids: Vec<String> = refused.iter().take(most).map(|one| at(one, "id").to_string()).collect();
    if ids.is_empty() {
        return BTreeMap::new();
    }
    let c = chosen.c;
    let path =
        format!("/api/{}?where[id][in]={}&limit={most}&depth=0&joins=false{}", c.slug, ids.join(","), named_by(c));
    let answer = chosen.shell.get(&path).await;
    let registry = chosen.shell.pages.site.registry;
    let name = |doc: &Value| model::display::title(registry, chosen.shell.language(), c, doc);
    answer.docs().iter().filter_map(|doc| Some((at(doc, "id").as_i64()?, name(doc)))).collect()
}

async fn document(chosen: &Chosen<'_>, form: &Form, said: Said) -> Page {
    let (shell, c) = (chosen.shell, chosen.c);
    let (docs, rights) = futures_util::join!(chosen.docs(1), Rights::of(shell, c, None));
    let (_, total) = docs?;
    let fields = fields(c, &rights);
    if !rights.may("update") || fields.is_empty() {
        return Err(Stop::missing(shell));
    }
    let field = form.get(FIELD).and_then(|path| fields.iter().find(|field| field.path == path).copied());
    let all = match field {
        Some(field) => choices(shell, &[field], &|_| Some(String::new())).await,
        None => Choices::default(),
    };
    let title = shell.text("page-change-many");
    let address = format!("/book/{}/change", c.slug);
    let rows = html! {
        input type="hidden" name=(ALL) value="true";
        @for (name, value) in chosen.query.search_parameters() { input type="hidden" name=(name) value=(value); }
    };
    let body = html! {
        (chosen.crumbs())
        h1 { (title) ": " (labels::collections(shell.language(), c.slug)) " " span class="count" { (total) } }
        @if let Some(why) = &said.why {
            div class="fault" role="alert" {
                p { (why) }
                @for fault in said.faults.iter().filter(|fault| Some(&fault.path) != field.map(|field| &field.path)) {
                    p { (fault.message) }
                }
            }
        }
        @if said.done {
            (said.outcome)
            p { a class="button second" href=(format!("/book/{}", c.slug)) { (labels::collections(shell.language(), c.slug)) } }
        } @else {
            form method="get" class="search" action=(address) {
                (rows)
                div class="field" {
                    label for="change-field" { (shell.text("page-field")) }
                    select id="change-field" name=(FIELD) required {
                        option value="" {}
                        @for one in &fields {
                            option value=(one.path) selected[field.is_some_and(|own| own.path == one.path)] {
                                (labels::field(shell.language(), c.slug, &one.path))
                            }
                        }
                    }
                }
                button class=[field.map(|_| "second")] type="submit" { (shell.text("page-change-choose")) }
            }
            @if let Some(field) = field { (value_form(chosen, field, (form, &said), (&address, &rows), &all)) }
        }
    };
    let status = said.status;
    Ok(page(status, shell.document(&title, &body)))
}

fn value_form(
    chosen: &Chosen<'_>,
    field: &'static Field,
    (form, said): (&Form, &Said),
    (address, rows): (&str, &Markup),
    choices: &Choices,
) -> Markup {
    let shell = chosen.shell;
    let own = said.faults.iter().filter(|fault| fault.path == field.path);
    let faults: Vec<&str> = own.map(|fault| fault.message.as_str()).collect();
    let input = Input {
        c: chosen.c,
        field,
        kind: "",
        scope: "",
        name: &field.path,
        value: &typed(field, form.all(&field.path)),
        groups: &[],
        choices: choices.of(field).map(Vec::as_slice),
        faults: &faults,
        required: false,
    };
    html! {
        form method="post" class="sheet" action=(address) {
            // The enter key checks, and changes nothing.
            button class="enter" type="submit" tabindex="-1" aria-hidden="true" { (shell.text("page-many-check")) }
            (rows)
            input type="hidden" name=(FIELD) value=(field.path);
            (said.outcome)
            @if said.ready > 0 {
                p { button type="submit" name=(MAKE) value="true" { (shell.text("page-change-make")) ": " (said.ready) } }
            }
            (input.markup(shell))
            p class="note" { (shell.text("page-change-empty")) }
            button class=[(said.ready > 0).then_some("second")] type="submit" { (shell.text("page-many-check")) }
        }
    }
}

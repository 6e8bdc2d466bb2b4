//! `/book/<slug>/new` and `/book/<slug>/<id>/edit`: a form with the fields that the visitor may write. The REST face
//! checks what is sent; its faults stand beside their fields.

pub(super) mod births;
mod called_apart;
pub(super) mod choices;
pub(super) mod correct;
mod form_rows;
pub(super) mod form_sheet;
pub(super) mod form_values;
pub(super) mod grid;
pub(super) mod preview;
mod preview_columns;

use self::form_rows::RowButton;
use self::form_sheet::{AGAIN, ANYWAY, Sheet};
use self::form_values::{is_same, sent_fields, typed};
use super::moves::{self, NEXT, STEP};
use super::query::written;
use super::rights::Rights;
use super::{ask, collection, document, once, own_collection, passing, record};
use crate::calls::{Answer, Fault};
use crate::components::input::{id_of_control, is_offered};
use crate::components::notice::Notice;
use crate::components::reply::local;
use crate::components::shell::Shell;
use crate::components::upload_form::{self, UploadForm};
use crate::stop::{Page, Stop};
use crate::visitor::Visit;
use crate::words::Form;
use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, Method, StatusCode};
use model::display::at;
use model::messages::Sentence;
use model::registry::{Collection, Feature, Field, Kind, Move, States};
use serde_json::Value;
use std::fmt::Display;

/// The fields that the form offers: those that the visitor may write, of the kind of record that `given` names. States
/// are moved on the page of the record, with what is asked then, and what comes from the organisation of a farm is not
/// among them.
fn writable(
    shell: &Shell<'_>,
    c: &'static Collection,
    (rights, verb): (&Rights, &str),
    given: &Form,
) -> Vec<&'static Field> {
    let file = c.file;
    let mut states: Vec<&str> = c.states.iter().flat_map(States::paths).collect();
    if verb == "create" {
        states.extend(c.states.iter().flat_map(States::made_by_people).flat_map(|step| step.asks));
    }
    let kind = c.ui.fits.and_then(|fits| given.get(fits.kind)).unwrap_or_default();
    let farm = !shell.visitor.is_association();
    (c.fields.iter())
        .filter(|field| is_offered(field) && Some(field.path.as_str()) != file)
        .filter(|field| rights.may_write(&field.path, verb))
        .filter(|field| c.ui.fits.is_none_or(|fits| fits.has(kind, &field.path)))
        .filter(|field| !(states.contains(&field.path.as_str()) || farm && field.session))
        .collect()
}

/// `GET /book/<slug>/new`; parameters fill fields.
pub(crate) async fn new(Visit(pages, visitor, slug): Visit<String>) -> Page {
    let shell = Shell::new(&pages, &visitor);
    let c = own_collection(&shell, &slug)?;
    let rights = Rights::of(&shell, c, None).await;
    if !rights.may("create") {
        return Err(Stop::missing(&shell));
    }
    let given = visitor.query();
    let fields = writable(&shell, c, (&rights, "create"), &given);
    // What is entered from the card of an animal mostly happened on the present day, as what a grid enters.
    let animal = c.animal.and_then(|path| given.get(path));
    let is_day = |field: &Field| Some(field.path.as_str()) == c.happens && matches!(field.kind, Kind::Day);
    let texts = fields.iter().map(|field| {
        let typed = field.typed.filter(|_| !visitor.is_association());
        let default = match (typed, &field.default) {
            (Some(word), _) => word.to_owned(),
            (None, Some(default)) => plain(default),
            (None, None) if animal.is_some() && is_day(field) => shell.today(),
            (None, None) => String::new(),
        };
        let text = given.get(&field.path).map_or(default, str::to_owned);
        (field.path.as_str(), text)
    });
    let texts = texts.collect();
    let mut sheet = Sheet::new(&shell, c, None, fields);
    sheet.texts = texts;
    sheet.next = given.get(NEXT).map(str::to_owned);
    sheet.note = births::note(&shell, c, &given).await;
    sheet.response().await
}

/// A default as a form shows it.
pub(super) fn plain(value: &model::record::Value) -> String {
    use model::record::Value as Own;
    match value {
        Own::Bool(yes) => yes.to_string(),
        Own::Int(number) => number.to_string(),
        Own::Num(number) => number.to_string(),
        Own::Text(text) => text.to_string(),
        _ => String::new(),
    }
}

/// `POST /book/<slug>/new`
pub(crate) async fn create(Visit(pages, visitor, slug): Visit<String>, headers: HeaderMap, body: Body) -> Page {
    let shell = Shell::new(&pages, &visitor);
    let c = own_collection(&shell, &slug)?;
    let UploadForm { form, file } = upload_form::read(&headers, body).await;
    let form = &form;
    if let Some(pressed) = RowButton::read(form) {
        return pressed_in(&shell, c, None, form, pressed).await;
    }
    if form.has(ask::EDIT) {
        return faulty_form(&shell, c, None, form, (Vec::new(), (StatusCode::OK, String::new()))).await;
    }
    let fields: Vec<&'static Field> = sent_fields(c, form).collect();
    let (mut body, mut issues) = form_values::body(&shell, &fields, form, &Value::Null).await;
    body.retain(|_, value| !is_blank(value));
    if c.is(Feature::Packages) {
        preview_columns::state(form, &mut body);
    }
    issues.extend(choices::unfit_receiver(&shell, c, (&body, &Value::Null)).await);
    let mut refused = None;
    if issues.is_empty() {
        let path = format!("/api/{}?depth=0", c.slug);
        let answer = match file {
            Some(file) => file.send(&shell, &path, &body).await,
            None => {
                let line = (Method::POST, path.as_str());
                match checked_write(&shell, c, form, line, &body.into()).await {
                    Ok(answer) => answer,
                    Err((doubts, (_, why))) if asks_apart(c, &doubts) => {
                        return ask::asks_row(&shell, c, form, (&doubts, &why)).await;
                    }
                    Err(doubts) => return faulty_form(&shell, c, None, form, doubts).await,
                }
            }
        };
        if answer.is_good() {
            if let Some(page) = once::page_of(&shell, c, &answer.body) {
                return page;
            }
            let id = at(&answer.body, "doc.id");
            let way = if form.has(AGAIN) { again(c, form) } else { next(form, c, id) };
            // What somebody gave is taken back by deleting it.
            let given = c.ui.fits.and_then(|fits| fits.receiver.giver).and(id.as_i64());
            return Ok(Notice::Made.tell_undone(c, id, &way, given.map(|id| (c, id))));
        }
        issues = answer.issues();
        refused = Some(whole(&answer));
    }
    let refused = refused.unwrap_or_else(|| faulty(&shell));
    faulty_form(&shell, c, None, form, (issues, refused)).await
}

/// Whether it is asked on a page of its own, and not in the form: by a row that gives an animal to somebody, where no
/// field is doubtful.
fn asks_apart(c: &Collection, doubts: &[Fault]) -> bool {
    let gives = c.ui.fits.is_some_and(|fits| fits.receiver.giver.is_some());
    gives && doubts.iter().all(|doubt| doubt.path.is_empty())
}

/// The form of the next event: the day and what the events of a day share stay, and the animal is empty.
fn again(c: &Collection, form: &Form) -> String {
    let same = c.ui.grid.map_or(&[][..], |grid| grid.same).iter().copied();
    let same = c.happens.into_iter().chain(same);
    let same: Vec<(String, String)> =
        same.filter_map(|path| Some((path.to_owned(), form.get(path)?.to_owned()))).collect();
    // The browser puts the cursor there.
    let first = id_of_control(c.animal.unwrap_or_default());
    format!("/book/{}/new?{}#{first}", c.slug, written(&same))
}

/// Sends what was typed. Values that would make findings, or by which animals pass to somebody, need a second
/// confirmation: the findings stand as faults of the form, with a status of success.
async fn checked_write(
    shell: &Shell<'_>,
    c: &'static Collection,
    form: &Form,
    (method, path): (Method, &str),
    body: &Value,
) -> Result<Answer, FormRefusal> {
    if c.animal.is_some() && form.get(ANYWAY).is_none() {
        let only = format!("{path}&validate=only");
        let tried = shell.send(method.clone(), &only, body).await;
        let mut doubts = tried.findings(c.slug, shell.language());
        let new: Vec<&Value> = tried.body.get("doc").filter(|_| method == Method::POST).into_iter().collect();
        let passes = passing::of_rows(shell, c, &new).await;
        if passes.is_some() {
            doubts.extend(passing::later_of(shell, c, &new).await);
        }
        let found = (!doubts.is_empty()).then(|| shell.text("page-findings-asked"));
        let why: Vec<String> = passes.into_iter().chain(found).collect();
        if !why.is_empty() {
            return Err((doubts, (StatusCode::OK, why.join(" "))));
        }
    }
    Ok(shell.send(method, path, body).await)
}

async fn faulty_form(
    shell: &Shell<'_>,
    c: &'static Collection,
    id: Option<i64>,
    form: &Form,
    (mut issues, refused): FormRefusal,
) -> Page {
    let rights = Rights::of(shell, c, id).await;
    let verb = id.map_or("create", |_| "update");
    let fields = writable(shell, c, (&rights, verb), form);
    let controls = fields.iter().map(|field| (field.path.clone(), *field, typed(field, form.all(&field.path))));
    let meant = choices::for_faults(shell, c, controls.collect(), &mut issues).await;
    let mut sheet = Sheet::new(shell, c, id, fields);
    sheet.fill_from_form(form, false);
    sheet.meant = meant;
    sheet.next = form.get(NEXT).map(str::to_owned);
    if id.is_none() {
        sheet.note = births::note(shell, c, form).await;
    }
    sheet.issues = issues;
    // None where somebody only comes back to it.
    sheet.refused = Some(refused).filter(|(status, why)| !(status.is_success() && why.is_empty()));
    sheet.response().await
}

/// The form with a row more or less. Nothing is written.
async fn pressed_in(
    shell: &Shell<'_>,
    c: &'static Collection,
    id: Option<i64>,
    form: &Form,
    pressed: RowButton<'_>,
) -> Page {
    let rights = Rights::of(shell, c, id).await;
    let verb = id.map_or("create", |_| "update");
    if !rights.may(verb) {
        return Err(Stop::missing(shell));
    }
    let mut sheet = Sheet::new(shell, c, id, writable(shell, c, (&rights, verb), form));
    sheet.fill_from_form(form, true);
    if let Some(rows) = sheet.rows.get_mut(pressed.list()) {
        pressed.press(rows);
    }
    sheet.touched = Some(pressed.list().to_owned());
    sheet.response().await
}

/// `GET /book/<slug>/<id>/edit`
pub(crate) async fn edit(Visit(pages, visitor, (slug, id)): Visit<(String, i64)>) -> Page {
    let shell = Shell::new(&pages, &visitor);
    let c = own_collection(&shell, &slug)?;
    let rights = Rights::of(&shell, c, Some(id)).await;
    if !rights.may("update") {
        return Err(Stop::missing(&shell));
    }
    let doc = document(&shell, c, id).await?;
    let mut sheet = Sheet::new(&shell, c, Some(id), writable(&shell, c, (&rights, "update"), &Form::default()));
    sheet.fill_from_record(&doc);
    sheet.response().await
}

/// `POST /book/<slug>/<id>/edit`: sends what differs from the record.
pub(crate) async fn update(Visit(pages, visitor, (slug, id)): Visit<(String, i64)>, bytes: Bytes) -> Page {
    let shell = Shell::new(&pages, &visitor);
    let c = collection(&shell, &slug)?;
    let form = Form::read(&bytes);
    let doc = document(&shell, c, id).await?;
    if let Some(pressed) = RowButton::read(&form) {
        return pressed_in(&shell, c, Some(id), &form, pressed).await;
    }
    let fields: Vec<&'static Field> =
        sent_fields(c, &form).filter(|field| !is_same(&shell, field, &form, &doc)).collect();
    match changed(&shell, c, id, (&fields, &doc), (&form, Writing::Asks)).await {
        Ok(answer) => once::page_of(&shell, c, &answer.body)
            .unwrap_or_else(|| Ok(Notice::Saved.tell(c, &id, &format!("/book/{}/{id}", c.slug)))),
        Err(refused) => faulty_form(&shell, c, Some(id), &form, refused).await,
    }
}

/// `POST /book/<slug>/<id>`: sets the sent fields, as the moves of the page of a record do.
pub(crate) async fn change(Visit(pages, visitor, (slug, id)): Visit<(String, i64)>, bytes: Bytes) -> Page {
    let shell = Shell::new(&pages, &visitor);
    let c = collection(&shell, &slug)?;
    let form = Form::read(&bytes);
    let step = step_of(c, &form);
    if form.has(ask::EDIT) {
        let page = ask::sent_move(&shell, c, id, &form, (&[], (StatusCode::OK, ""))).await;
        return page.unwrap_or_else(|| Err(Stop::missing(&shell)));
    }
    let fields: Vec<&'static Field> = sent_fields(c, &form).collect();
    let lacking = step.and_then(|step| moves::lacking(&shell, c, step, &form));
    let receiver = step.and_then(|(states, step)| c.ui.fits?.receiver_of(states.path, step.to));
    // A record that leaves is tried first, so that what follows is asked about once more.
    let leaves = step.filter(|(states, step)| step.grave && moves::row_moves(&shell, c, states.path).is_some());
    let tries = leaves.is_some() && form.get(ANYWAY).is_none();
    let write = |writing| moved(&shell, c, id, step, (&fields, &form, writing));
    let mut answer = match lacking {
        Some(field) => Err((vec![required(&shell, field)], faulty(&shell))),
        None => write(if tries { Writing::Only } else { Writing::Stores }).await,
    };
    if tries && let Ok(tried) = &answer {
        let findings = tried.findings(c.slug, shell.language());
        if receiver.is_some() || !findings.is_empty() {
            return ask::asks_again(&shell, c, id, (&form, receiver, findings)).await;
        }
        answer = write(Writing::Stores).await;
    }
    match answer {
        Ok(answer) => {
            if let Some(page) = once::page_of(&shell, c, &answer.body) {
                return page;
            }
            let Some((states, step)) = step else {
                return Ok(Notice::Saved.tell(c, &id, &next(&form, c, &id)));
            };
            let made = moves::made(&shell, c, id, (states, step)).await;
            Ok(Notice::Moved(states, step).tell_undone(c, &id, &next(&form, c, &id), made))
        }
        Err((issues, (status, why))) => {
            let refusal = (issues.as_slice(), (status, why.as_str()));
            if let Some(page) = ask::sent_move(&shell, c, id, &form, refusal).await {
                return page;
            }
            let mut all: Vec<String> = issues.into_iter().map(|issue| issue.message).collect();
            all.insert(0, why);
            record::record_page(&shell, c, id, Some((status, all.join(" ")))).await
        }
    }
}

/// Sends a move: as a change of the record, or as the row that it makes, where people fill fields of that row, too.
async fn moved(
    shell: &Shell<'_>,
    c: &'static Collection,
    id: i64,
    step: Option<(&'static States, &'static Move)>,
    (fields, form, writing): (&[&'static Field], &Form, Writing),
) -> Result<Answer, FormRefusal> {
    let row = match step {
        Some(step) => moves::row_of(shell, c, id, step).await,
        None => None,
    };
    let (Some((moves, of, record)), Some((_, Move { to, .. }))) = (row, step) else {
        return changed(shell, c, id, (fields, &Value::Null), (form, writing)).await;
    };
    let rows: Vec<&'static Field> =
        sent_fields(of, form).filter(|f| moves.fields_for(to).contains(&f.path.as_str())).collect();
    let (own, mut issues) = form_values::body(shell, fields, form, &Value::Null).await;
    let (mut body, more) = form_values::body(shell, &rows, form, &Value::Null).await;
    issues.extend(more);
    if !issues.is_empty() {
        return Err((issues, faulty(shell)));
    }
    let same = moves.same.iter().filter_map(|(path, to)| Some(((*to).to_owned(), own.get(*path)?.clone())));
    body.extend(same);
    body.retain(|_, value| !is_blank(value));
    body.extend([(moves.kind.to_owned(), moves.kind_for(to).into()), (record.to_owned(), id.into())]);
    let only = writing.parameter();
    let answer = shell.post(&format!("/api/{}?depth=0{only}", of.slug), &body.into()).await;
    let own_path = |mut issue: Fault| {
        if let Some((path, _)) = moves.same.iter().find(|(_, path)| *path == issue.path) {
            issue.path = (*path).to_owned();
        }
        issue
    };
    match answer.is_good() {
        true => Ok(answer),
        false => Err((answer.issues().into_iter().map(own_path).collect(), whole(&answer))),
    }
}

/// The page that follows: that which the form names, else that of the record.
fn next(form: &Form, c: &Collection, id: &dyn Display) -> String {
    let own = || format!("/book/{}/{id}", c.slug);
    form.get(NEXT).map_or_else(own, |next| local(Some(next)).to_owned())
}

/// The move whose button sent the form.
fn step_of(c: &'static Collection, form: &Form) -> Option<(&'static States, &'static Move)> {
    let (path, to) = form.get(STEP)?.split_once('/')?;
    let states = c.states.iter().find(|states| states.path == path)?;
    let step = states.made_by_people().find(|step| step.to == to)?;
    Some((states, step))
}

type FormRefusal = (Vec<Fault>, (StatusCode, String));

/// How changes are sent.
#[derive(Clone, Copy)]
enum Writing {
    Stores,
    /// What makes findings is asked once more.
    Asks,
    /// Nothing is stored.
    Only,
}

impl Writing {
    /// What it adds to the parameters of a request.
    fn parameter(self) -> &'static str {
        if matches!(self, Self::Only) { "&validate=only" } else { "" }
    }
}

async fn changed(
    shell: &Shell<'_>,
    c: &'static Collection,
    id: i64,
    (fields, record): (&[&'static Field], &Value),
    (form, writing): (&Form, Writing),
) -> Result<Answer, FormRefusal> {
    if fields.is_empty() {
        return Ok(Answer { status: StatusCode::OK, body: Value::Null, cookies: Vec::new(), is_closed: false });
    }
    let (body, mut issues) = form_values::body(shell, fields, form, record).await;
    issues.extend(choices::unfit_receiver(shell, c, (&body, record)).await);
    if !issues.is_empty() {
        return Err((issues, faulty(shell)));
    }
    let path = format!("/api/{}/{id}?depth=0", c.slug);
    let line = (Method::PATCH, path.as_str());
    let answer = match writing {
        Writing::Asks => checked_write(shell, c, form, line, &body.into()).await?,
        Writing::Stores | Writing::Only => {
            shell.send(line.0, &format!("{path}{}", writing.parameter()), &body.into()).await
        }
    };
    match answer.is_good() {
        true => Ok(answer),
        false => Err((answer.issues(), whole(&answer))),
    }
}

fn whole(answer: &Answer) -> (StatusCode, String) {
    (answer.status, answer.message().to_owned())
}

fn faulty(shell: &Shell<'_>) -> (StatusCode, String) {
    (StatusCode::BAD_REQUEST, shell.text("page-faults"))
}

/// As the REST face would say it, which takes an empty field as no change.
fn required(shell: &Shell<'_>, field: &Field) -> Fault {
    let sentence = Sentence::from("This field is required.");
    Fault {
        path: field.path.clone(),
        message: sentence.in_language(shell.language()).unwrap_or_default(),
        record: None,
    }
}

fn is_blank(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(all) => all.is_empty(),
        Value::Object(members) => members.values().all(is_blank),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn empty_fields_of_a_new_record_are_not_sent() {
        assert!(is_blank(&json!({"a": null, "b": [], "c": {"d": null}})));
        assert!(!is_blank(&json!({"c": {"d": 0}})));
        assert!(!is_blank(&json!(false)));
    }

    #[test]
    fn defaults_are_shown() {
        assert_eq!(plain(&model::record::Value::Bool(true)), "true");
        assert_eq!(plain(&model::record::Value::Null), "");
    }
}

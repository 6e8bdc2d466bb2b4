//! `/book/<slug>/new` and `/book/<slug>/<id>/edit`: a form with the fields that the visitor may write. The REST face
//! checks what is sent; its faults stand beside their fields.

use super::form_values::{self, sent_fields};
use super::record;
use super::rights::Rights;
use super::{collection, columns};
use crate::Pages;
use crate::calls::{Answer, Fault};
use crate::look::input::{Choice, Input, is_offered, text_of};
use crate::look::reply::{page, see};
use crate::look::sent::{self, Sent};
use crate::look::shell::Shell;
use crate::look::value::{at, called, name};
use crate::stop::{Page, Stop};
use crate::visitor::Visitor;
use crate::words::Form;
use axum::body::{Body, Bytes};
use axum::extract::{Path, RawQuery, State};
use axum::http::{HeaderMap, Method, StatusCode};
use futures_util::future::join_all;
use maud::{Markup, html};
use model::messages::labels;
use model::registry::{Collection, Field, Kind, States};
use serde_json::Value;
use std::collections::BTreeMap;

/// Records of a related collection up to which the form lists them.
const FEW: usize = 200;

/// A form with what it holds and what is wrong with it.
struct Sheet<'s> {
    shell: &'s Shell<'s>,
    c: &'static Collection,
    /// The record that is changed; none: a new one.
    id: Option<i64>,
    fields: Vec<&'static Field>,
    /// What the fields hold, by path.
    texts: BTreeMap<&'static str, String>,
    issues: Vec<Fault>,
    /// What is wrong as a whole.
    refused: Option<(StatusCode, String)>,
}

impl Sheet<'_> {
    async fn response(self) -> Page {
        let language = self.shell.language();
        let one = labels::collection(language, self.c.slug);
        let word = if self.id.is_some() {
            "page-edit"
        } else {
            "page-new"
        };
        let title = format!("{one}: {}", self.shell.text(word).to_lowercase());
        let choices = self.choices().await;
        let status = self
            .refused
            .as_ref()
            .map_or(StatusCode::OK, |(status, _)| *status);
        let body = self.markup(&title, &choices);
        Ok(page(status, self.shell.document(&title, &body)))
    }

    /// The records of related collections that are few.
    async fn choices(&self) -> BTreeMap<String, Vec<Choice>> {
        let mut slugs: Vec<&str> = self
            .fields
            .iter()
            .filter_map(|field| field.target())
            .collect();
        slugs.sort_unstable();
        slugs.dedup();
        let few: Vec<_> = slugs.iter().map(|slug| self.few(slug)).collect();
        let few = join_all(few).await;
        let all = slugs.into_iter().map(str::to_owned).zip(few);
        all.filter_map(|(slug, few)| Some((slug, few?))).collect()
    }

    async fn few(&self, slug: &str) -> Option<Vec<Choice>> {
        let target = self.shell.pages.site.registry.get(slug)?;
        let names: Vec<String> = (called(target).iter())
            .map(|path| format!("&select[{}]=true", path.replace('.', "][")))
            .collect();
        // Animals and organisations grow; lists of words do not.
        if names.is_empty() || target.lineage.is_some() {
            return None;
        }
        let path = format!(
            "/api/{slug}?depth=0&joins=false&limit={}{}",
            FEW + 1,
            names.join("")
        );
        let found = self.shell.pages.calls.get(self.shell.visitor, &path).await;
        let docs = found.docs();
        (!docs.is_empty() && docs.len() <= FEW).then(|| {
            let mut all: Vec<Choice> = (docs.iter())
                .filter_map(|doc| {
                    let id = at(doc, "id").as_i64()?;
                    Some(Choice {
                        id,
                        name: name(target, doc),
                    })
                })
                .collect();
            all.sort_by(|a, b| a.name.cmp(&b.name));
            all
        })
    }

    fn markup(&self, title: &str, choices: &BTreeMap<String, Vec<Choice>>) -> Markup {
        let own = columns::of(self.c);
        let first = |field: &&'static Field| {
            field.must_come() || own.iter().any(|one| one.path == field.path)
        };
        let (first, others): (Vec<_>, Vec<_>) = self.fields.iter().partition(|field| first(field));
        let open = others
            .iter()
            .any(|field: &&'static Field| self.issues.iter().any(|issue| issue.path == field.path));
        let elsewhere: Vec<&Fault> = (self.issues.iter())
            .filter(|issue| !self.fields.iter().any(|field| field.path == issue.path))
            .collect();
        let multipart = self.takes_file().then_some("multipart/form-data");
        html! {
            nav class="crumbs" aria-label=(self.shell.text("page-path")) {
                a href=(format!("/book/{}", self.c.slug)) { (labels::collections(self.shell.language(), self.c.slug)) }
            }
            h1 { (title) }
            @if let Some((_, why)) = &self.refused {
                div class="fault" role="alert" {
                    p { (why) }
                    @for issue in elsewhere { p { (issue.path) ": " (issue.message) } }
                }
            }
            form method="post" class="sheet" enctype=[multipart] {
                @for field in first { (self.input(field, choices)) }
                @if !others.is_empty() {
                    details open[open] {
                        summary { (self.shell.text("page-more-fields")) }
                        @for field in others { (self.input(field, choices)) }
                    }
                }
                // The last part: it is passed on while it arrives.
                @if multipart.is_some() {
                    div class="field drop" {
                        label for="file" { (self.shell.text("page-file")) }
                        input id="file" name="file" type="file" required[self.c.upload.is_some()];
                    }
                }
                button type="submit" { (self.shell.text("page-save")) }
                @if self.c.packages && self.id.is_none() {
                    " "
                    button class="second" type="submit" formaction=(format!("/book/{}/preview", self.c.slug)) {
                        (self.shell.text("page-preview"))
                    }
                }
            }
        }
    }

    /// Whether a file may be sent with the record.
    fn takes_file(&self) -> bool {
        self.id.is_none() && (self.c.file.is_some() || self.c.upload.is_some())
    }

    fn input(&self, field: &'static Field, choices: &BTreeMap<String, Vec<Choice>>) -> Markup {
        let issues = self.issues.iter().filter(|issue| issue.path == field.path);
        let faults: Vec<&str> = issues.map(|issue| issue.message.as_str()).collect();
        let known = field.target().and_then(|to| choices.get(to));
        let text = self
            .texts
            .get(field.path.as_str())
            .map_or("", String::as_str);
        Input {
            c: self.c,
            field,
            value: text,
            choices: known.map(Vec::as_slice),
            faults: &faults,
            required: field.must_come(),
        }
        .markup(self.shell)
    }
}

/// The fields that the form offers: those that the visitor may write. States are moved on the page of the record, and
/// what comes from the organisation of a farm is not asked of it.
fn writable(
    shell: &Shell<'_>,
    c: &'static Collection,
    rights: &Rights,
    verb: &str,
) -> Vec<&'static Field> {
    let file = c.file;
    let states: Vec<&str> = c.states.iter().flat_map(States::paths).collect();
    let farm = !shell.visitor.is_association();
    (c.fields.iter())
        .filter(|field| is_offered(field) && Some(field.path.as_str()) != file)
        .filter(|field| rights.may_write(&field.path, verb))
        .filter(|field| !(states.contains(&field.path.as_str()) || farm && field.session))
        .collect()
}

/// `GET /book/<slug>/new`; parameters fill fields.
pub(crate) async fn new(
    State(pages): State<Pages>,
    Path(slug): Path<String>,
    RawQuery(query): RawQuery,
    visitor: Visitor,
) -> Page {
    let shell = Shell::new(&pages, &visitor);
    let c = collection(&shell, &slug)?;
    if visitor.user.is_none() {
        return Err(Stop::sign_in(&shell));
    }
    let rights = Rights::of(&shell, c, None).await;
    if !rights.may("create") {
        return Err(Stop::missing(&shell));
    }
    let given = Form::read(query.unwrap_or_default().as_bytes());
    let fields = writable(&shell, c, &rights, "create");
    let texts = fields.iter().map(|field| {
        let default = field.default.as_ref().map(plain).unwrap_or_default();
        let text = given.get(&field.path).map_or(default, str::to_owned);
        (field.path.as_str(), text)
    });
    let texts = texts.collect();
    Sheet {
        shell: &shell,
        c,
        id: None,
        fields,
        texts,
        issues: Vec::new(),
        refused: None,
    }
    .response()
    .await
}

/// A default as a form shows it.
fn plain(value: &model::record::Value) -> String {
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
pub(crate) async fn create(
    State(pages): State<Pages>,
    Path(slug): Path<String>,
    visitor: Visitor,
    headers: HeaderMap,
    body: Body,
) -> Page {
    let shell = Shell::new(&pages, &visitor);
    let c = collection(&shell, &slug)?;
    if visitor.user.is_none() {
        return Err(Stop::sign_in(&shell));
    }
    let Sent { form, file } = sent::read(&headers, body).await;
    let form = &form;
    let fields: Vec<&'static Field> = sent_fields(c, form).collect();
    let (mut body, mut issues) = form_values::body(&shell, &fields, form).await;
    body.retain(|_, value| !is_blank(value));
    let mut refused = None;
    if issues.is_empty() {
        let path = format!("/api/{}?depth=0", c.slug);
        let answer = match file {
            Some(file) => file.send(&shell, &path, &body).await,
            None => {
                pages
                    .calls
                    .json(&visitor, Method::POST, &path, &body.into())
                    .await
            }
        };
        if answer.is_good() {
            let id = at(&answer.body, "doc.id");
            return Ok(see(&format!("/book/{}/{id}", c.slug)));
        }
        issues = answer.issues();
        refused = Some(whole(&answer));
    }
    let rights = Rights::of(&shell, c, None).await;
    let fields = writable(&shell, c, &rights, "create");
    let texts = kept(&fields, form);
    let refused = refused.or_else(|| Some((StatusCode::BAD_REQUEST, shell.text("page-faults"))));
    Sheet {
        shell: &shell,
        c,
        id: None,
        fields,
        texts,
        issues,
        refused,
    }
    .response()
    .await
}

/// `GET /book/<slug>/<id>/edit`
pub(crate) async fn edit(
    State(pages): State<Pages>,
    Path((slug, id)): Path<(String, i64)>,
    visitor: Visitor,
) -> Page {
    let shell = Shell::new(&pages, &visitor);
    let c = collection(&shell, &slug)?;
    if visitor.user.is_none() {
        return Err(Stop::sign_in(&shell));
    }
    let rights = Rights::of(&shell, c, Some(id)).await;
    if !rights.may("update") {
        return Err(Stop::missing(&shell));
    }
    let doc = document(&shell, c, id).await?;
    let fields = writable(&shell, c, &rights, "update");
    let texts = fields.iter().map(|field| {
        (
            field.path.as_str(),
            shown(&shell, field, at(&doc, &field.path)),
        )
    });
    let texts = texts.collect();
    Sheet {
        shell: &shell,
        c,
        id: Some(id),
        fields,
        texts,
        issues: Vec::new(),
        refused: None,
    }
    .response()
    .await
}

async fn document(shell: &Shell<'_>, c: &Collection, id: i64) -> Result<Value, Stop> {
    let path = format!("/api/{}/{id}?depth=1&joins=false", c.slug);
    let answer = shell.pages.calls.get(shell.visitor, &path).await;
    match answer.is_good() {
        true => Ok(answer.body),
        false => Err(Stop::refused(shell, &answer)),
    }
}

/// A value as the form shows it. Related records of long lists are shown as they are called, or by the key.
fn shown(shell: &Shell<'_>, field: &Field, value: &Value) -> String {
    match (&field.kind, value.is_object()) {
        (Kind::Relation(to), true) => {
            let target = shell.pages.site.registry.get(to);
            match target.filter(|target| target.lineage.is_some()) {
                Some(_) => format!("№ {}", at(value, "id")),
                None => text_of(field, value),
            }
        }
        _ => text_of(field, value),
    }
}

/// `POST /book/<slug>/<id>/edit`: sends what differs from the record.
pub(crate) async fn update(
    State(pages): State<Pages>,
    Path((slug, id)): Path<(String, i64)>,
    visitor: Visitor,
    bytes: Bytes,
) -> Page {
    let shell = Shell::new(&pages, &visitor);
    let c = collection(&shell, &slug)?;
    let form = Form::read(&bytes);
    let doc = document(&shell, c, id).await?;
    let fields = differing(&shell, c, &form, &doc);
    match changed(&shell, c, id, &fields, &form).await {
        Ok(()) => Ok(see(&format!("/book/{}/{id}", c.slug))),
        Err((issues, refused)) => {
            let rights = Rights::of(&shell, c, Some(id)).await;
            let fields = writable(&shell, c, &rights, "update");
            let texts = kept(&fields, &form);
            Sheet {
                shell: &shell,
                c,
                id: Some(id),
                fields,
                texts,
                issues,
                refused: Some(refused),
            }
            .response()
            .await
        }
    }
}

/// The sent fields that say something else than the record.
fn differing(
    shell: &Shell<'_>,
    c: &'static Collection,
    form: &Form,
    doc: &Value,
) -> Vec<&'static Field> {
    let differs = |field: &&'static Field| {
        let texts: Vec<&str> = form
            .all(&field.path)
            .filter(|text| !text.is_empty())
            .collect();
        texts.join(",").replace("\r\n", "\n") != shown(shell, field, at(doc, &field.path))
    };
    sent_fields(c, form).filter(differs).collect()
}

/// `POST /book/<slug>/<id>`: sets the sent fields, as the moves of the page of a record do.
pub(crate) async fn change(
    State(pages): State<Pages>,
    Path((slug, id)): Path<(String, i64)>,
    visitor: Visitor,
    bytes: Bytes,
) -> Page {
    let shell = Shell::new(&pages, &visitor);
    let c = collection(&shell, &slug)?;
    let form = Form::read(&bytes);
    let fields: Vec<&'static Field> = sent_fields(c, &form).collect();
    match changed(&shell, c, id, &fields, &form).await {
        Ok(()) => Ok(see(&format!("/book/{}/{id}", c.slug))),
        Err((issues, (status, why))) => {
            let mut all: Vec<String> = issues.into_iter().map(|issue| issue.message).collect();
            all.insert(0, why);
            record::shown(&shell, c, id, Some((status, all.join(" ")))).await
        }
    }
}

type Refused = (Vec<Fault>, (StatusCode, String));

async fn changed(
    shell: &Shell<'_>,
    c: &'static Collection,
    id: i64,
    fields: &[&'static Field],
    form: &Form,
) -> Result<(), Refused> {
    if fields.is_empty() {
        return Ok(());
    }
    let (body, issues) = form_values::body(shell, fields, form).await;
    if !issues.is_empty() {
        return Err((issues, (StatusCode::BAD_REQUEST, shell.text("page-faults"))));
    }
    let path = format!("/api/{}/{id}?depth=0", c.slug);
    let answer = shell
        .pages
        .calls
        .json(shell.visitor, Method::PATCH, &path, &body.into())
        .await;
    match answer.is_good() {
        true => Ok(()),
        false => Err((answer.issues(), whole(&answer))),
    }
}

fn whole(answer: &Answer) -> (StatusCode, String) {
    (answer.status, answer.message().to_owned())
}

/// What was typed, to be shown again.
fn kept(fields: &[&'static Field], form: &Form) -> BTreeMap<&'static str, String> {
    let text = |field: &&'static Field| {
        let all: Vec<&str> = form
            .all(&field.path)
            .filter(|text| !text.is_empty())
            .collect();
        (field.path.as_str(), all.join(","))
    };
    fields.iter().map(text).collect()
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

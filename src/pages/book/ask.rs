//! `/book/<slug>/<id>/move/<field>/<state>` and `/book/<slug>/<id>/delete`: pages that ask before something ends or cannot
//! be taken back, and say what follows. A move that the REST face refuses comes back here, with the faults beside their
//! fields; one by which the record passes to somebody, or by which the checks find something, is asked once more, with
//! that. `/book/<slug>/<id>/move/<field>` has the moves to choose from, and the other rows of what happened.

use super::form::form_sheet::{ANYWAY, choices};
use super::form::form_values::{self, form_label, sent_fields};
use super::moves::{NEXT, Offer, STEP, offers, row_moves};
use super::query::{titled, written};
use super::rights::Rights;
use super::{opened, own_collection, passing};
use crate::calls::Fault;
use crate::components::reply::{local, page};
use crate::components::shell::Shell;
use crate::stop::{Page, Stop};
use crate::visitor::Visit;
use crate::words::Form;
use axum::http::StatusCode;
use maud::{Markup, html};
use model::display::{DisplayField, at};
use model::messages::labels;
use model::registry::{Collection, Field, FittingReceiver};
use serde_json::Value;

/// A record with what the visitor may do with it.
struct Confirmation<'s> {
    shell: &'s Shell<'s>,
    c: &'static Collection,
    id: i64,
    doc: Value,
    rights: Rights,
}

/// The button that leads from the second question back to the form.
pub(super) const EDIT: &str = "edit";

/// What was sent, and what is wrong with it.
struct SentForm<'r> {
    form: &'r Form,
    faults: &'r [Fault],
    status: StatusCode,
    why: &'r str,
}

impl<'s> Confirmation<'s> {
    async fn of(shell: &'s Shell<'s>, c: &'static Collection, id: i64) -> Result<Self, Stop> {
        let (doc, rights) = opened(shell, c, id).await?;
        Ok(Self { shell, c, id, doc, rights })
    }

    fn address(&self) -> String {
        format!("/book/{}/{}", self.c.slug, self.id)
    }

    /// The move of a name, if it is offered.
    fn offer(&self, name: &str) -> Option<Offer> {
        let all = offers(self.shell, self.c, &self.doc, &self.rights);
        all.into_iter().find(|offer| offer.name() == name)
    }

    /// What follows where the record passes to whom a form names.
    async fn passes(&self, form: &Form, to: &FittingReceiver) -> Option<String> {
        let field = self.c.field(to.relation)?;
        let (body, _) = form_values::body(self.shell, &[field], form, &Value::Null).await;
        let id = body.get(to.relation).and_then(Value::as_i64);
        let target = self.shell.pages.site.registry.get(field.target()?)?;
        let record = [self.shell.heading(self.c, &self.doc)];
        Some(passing::sentence(self.shell, (target, to), (id, ""), &record).await)
    }

    /// What a form says of a move, and the day on which the record leaves.
    async fn said(&self, offer: &Offer, form: &Form) -> (Vec<(String, String)>, Option<String>) {
        let own = offer.fields_to_fill(&self.rights).into_iter().map(|field| (self.c, field));
        let (said, body) = said(self.shell, own.chain(offer.row_fields(self.shell)).collect(), form).await;
        let day = offer.day_of_row(self.shell).and_then(|path| at(&body, path).as_str());
        (said, day.map(str::to_owned))
    }

    /// The page: the question, the record, what follows, and the form.
    fn page(
        &self,
        status: StatusCode,
        (title, then): (&str, Option<&str>),
        (faults, form): (&[String], &Markup),
    ) -> Page {
        let (shell, c) = (self.shell, self.c);
        let record = shell.heading(c, &self.doc);
        let body = html! {
            nav class="crumbs" aria-label=(shell.text("page-path")) {
                a href=(format!("/book/{}", c.slug)) { (labels::collections(shell.language(), c.slug)) }
                " › "
                a href=(self.address()) { (record) }
            }
            h1 { (title) }
            p { strong { (record) } }
            @if let Some(then) = then { p class="then" { (then) } }
            @if !faults.is_empty() {
                ul class="fault" role="alert" { @for fault in faults { li { (fault) } } }
            }
            (form)
        };
        // The question says what the record is.
        let title = format!("{title}: {}", shell.title(c, &self.doc));
        Ok(page(status, shell.document(&title, &body)))
    }

    async fn ask(&self, offer: &Offer, next: Option<&str>, sent: Option<&SentForm<'_>>) -> Page {
        let shell = self.shell;
        let fields = offer.fields_to_fill(&self.rights);
        let faults = sent.map_or(&[][..], |sent| sent.faults);
        let of_row = offer.row_fields(shell);
        let shown =
            |path: &str| fields.iter().chain(of_row.iter().map(|(_, field)| field)).any(|field| field.path == path);
        let mut others: Vec<String> =
            (faults.iter().filter(|fault| !shown(&fault.path))).map(|fault| fault.message.clone()).collect();
        if let Some(sent) = sent.filter(|sent| sent.faults.is_empty() && !sent.why.is_empty()) {
            others.push(sent.why.to_owned());
        }
        let given = sent.map(|sent| sent.form);
        let back = next.map_or_else(|| self.address(), |next| local(Some(next)).to_owned());
        let options = choices(shell, &fields, &|field| offer.condition(&self.doc, field)).await;
        let class = offer.is_grave().then_some("grave");
        let address = sent.map(|_| offer.address(self.id, next));
        let form = html! {
            form method="post" class="sheet" action=(self.address()) data-address=[address] {
                @if let Some(next) = next { input type="hidden" name=(NEXT) value=(next); }
                (offer.inputs(shell, (&self.doc, &self.rights), (given, faults), Some(&options)))
                p class="choose" {
                    (offer.button(shell, class))
                    " "
                    a class="button second" href=(back) { (shell.text("page-cancel")) }
                }
            }
        };
        let status = sent.map_or(StatusCode::OK, |sent| sent.status);
        let then = offer.consequence(shell);
        let title = offer.label(shell);
        self.page(status, (&title, then.as_deref()), (&others, &form))
    }
}

/// `GET /book/<slug>/<id>/move/<field>`
pub(crate) async fn choose(Visit(pages, visitor, (slug, id, field)): Visit<(String, i64, String)>) -> Page {
    let shell = Shell::new(&pages, &visitor);
    let c = own_collection(&shell, &slug)?;
    let confirmation = Confirmation::of(&shell, c, id).await?;
    let mut all = offers(&shell, c, &confirmation.doc, &confirmation.rights);
    all.retain(|offer| offer.is_of(&field));
    if all.is_empty() {
        return Err(Stop::missing(&shell));
    }
    let others = row_moves(&shell, c, &field).map(|(moves, of, record)| {
        let way = |kind: &&str| {
            let record = (record.to_owned(), form_label(&shell, c, &confirmation.doc));
            let day = of.happens.map(|path| (path.to_owned(), shell.today()));
            let kind_of_row = (moves.kind.to_owned(), (*kind).to_owned());
            let next = (NEXT.to_owned(), confirmation.address());
            let known = [record, kind_of_row].into_iter().chain(day).chain([next]);
            let query = written(&known.collect::<Vec<_>>());
            let label = || labels::option(shell.language(), of.slug, moves.kind, kind);
            let label = passing::recording(&shell, kind).map_or_else(label, |(label, _)| label);
            (format!("/book/{}/new?{query}", of.slug), label)
        };
        moves.others.iter().map(way).collect::<Vec<_>>()
    });
    let ways = html! {
        nav class="acts" aria-label=(shell.text("page-moves")) { ul {
            @for offer in &all { li { a class="button" href=(offer.address(id, None)) { (offer.label(&shell)) } } }
            @for (address, label) in others.iter().flatten() { li { a class="button" href=(address) { (label) } } }
        } }
        p { a class="button second" href=(confirmation.address()) { (shell.text("page-cancel")) } }
    };
    confirmation.page(StatusCode::OK, (&shell.text("page-move-choose"), None), (&[], &ways))
}

/// The page that asks once more by a form that the REST face would take: it says who the record passes to, and what the
/// checks find.
pub(super) async fn asks_again(
    shell: &Shell<'_>,
    c: &'static Collection,
    id: i64,
    (form, to, mut findings): (&Form, Option<&FittingReceiver>, Vec<Fault>),
) -> Page {
    let confirmation = Confirmation::of(shell, c, id).await?;
    let offer = form.get(STEP).and_then(|step| confirmation.offer(step));
    let offer = offer.ok_or_else(|| Stop::missing(shell))?;
    let passes = match to {
        Some(to) => confirmation.passes(form, to).await,
        None => None,
    };
    let (said, day) = confirmation.said(&offer, form).await;
    if let Some(day) = day.filter(|_| to.is_some()) {
        findings.extend(passing::later(shell, c, id, &day).await);
    }
    let found = (!findings.is_empty()).then(|| shell.text("page-findings-asked"));
    let then: Vec<String> = passes.into_iter().chain(found).collect();
    let findings: Vec<String> = findings.into_iter().map(|finding| finding.message).collect();
    let (label, address, back) = (offer.label(shell), offer.address(id, form.get(NEXT)), confirmation.address());
    let sure = sure(shell, (&back, &address, &back), (form, &said), &label);
    confirmation.page(StatusCode::OK, (&label, Some(&then.join(" "))), (&findings, &sure))
}

/// The page that asks once more by the form of a row that the REST face would take.
pub(super) async fn asks_row(
    shell: &Shell<'_>,
    c: &'static Collection,
    form: &Form,
    (doubts, why): (&[Fault], &str),
) -> Page {
    let language = shell.language();
    let kind = c.ui.fits.and_then(|fits| form.get(fits.kind)).unwrap_or_default();
    let (title, label) = match passing::recording(shell, kind) {
        Some((label, _)) => (label.clone(), label),
        None => (labels::collection(language, c.slug), shell.text("page-save-anyway")),
    };
    let (said, _) = said(shell, sent_fields(c, form).map(|field| (c, field)).collect(), form).await;
    let list = format!("/book/{}", c.slug);
    let new = format!("{list}/new");
    let back = form.get(NEXT).map_or(&*list, |next| local(Some(next)));
    let body = html! {
        nav class="crumbs" aria-label=(shell.text("page-path")) {
            a href=(list) { (labels::collections(language, c.slug)) }
        }
        h1 { (title) }
        p class="then" { (why) }
        @if !doubts.is_empty() { ul class="fault" role="alert" { @for doubt in doubts { li { (doubt.message) } } } }
        (sure(shell, (&new, &new, back), (form, &said), &label))
    };
    Ok(page(StatusCode::OK, shell.document(&title, &body)))
}

/// What a form says, by the labels of its fields, and the body that it makes.
async fn said(
    shell: &Shell<'_>,
    all: Vec<(&'static Collection, &'static Field)>,
    form: &Form,
) -> (Vec<(String, String)>, Value) {
    let (registry, language) = (shell.pages.site.registry, shell.language());
    let fields: Vec<&'static Field> = all.iter().map(|(_, field)| *field).collect();
    let body = Value::Object(form_values::body(shell, &fields, form, &Value::Null).await.0);
    let mut said = Vec::new();
    for (c, field) in all {
        let value = at(&body, &field.path);
        let target = field.target().and_then(|slug| registry.get(slug));
        let text = match (target, value.as_i64()) {
            (Some(target), Some(id)) => {
                let answer = shell.get(&titled(registry, target, id)).await;
                shell.title(target, &answer.body)
            }
            _ => DisplayField::of(c, field).text(registry, language, value),
        };
        if !text.is_empty() {
            said.push((labels::field(language, c.slug, &field.path), text));
        }
    }
    (said, body)
}

/// What was said, and the buttons that store it, lead back to the form at its address, or leave.
fn sure(
    shell: &Shell<'_>,
    (action, address, back): (&str, &str, &str),
    (form, said): (&Form, &[(String, String)]),
    label: &str,
) -> Markup {
    html! {
        dl class="values" { @for (label, text) in said { div { dt { (label) } dd { (text) } } } }
        form method="post" class="sheet" action=(action) data-address=(address) {
            @for (name, value) in &form.0 { input type="hidden" name=(name) value=(value); }
            p class="choose" {
                button class="grave" type="submit" name=(ANYWAY) value="yes" { (label) }
                " "
                button class="second" type="submit" name=(EDIT) value="yes" { (shell.text("page-edit")) }
                " "
                a class="button second" href=(back) { (shell.text("page-cancel")) }
            }
        }
    }
}

/// `GET /book/<slug>/<id>/move/<field>/<state>`
pub(crate) async fn ask(Visit(pages, visitor, (slug, id, field, to)): Visit<(String, i64, String, String)>) -> Page {
    let shell = Shell::new(&pages, &visitor);
    let c = own_collection(&shell, &slug)?;
    let confirmation = Confirmation::of(&shell, c, id).await?;
    let offer = confirmation.offer(&format!("{field}/{to}"));
    let offer = offer.ok_or_else(|| Stop::missing(&shell))?;
    let query = visitor.query();
    confirmation.ask(&offer, query.get(NEXT), None).await
}

/// The page of a move with what was sent, and why it was refused; none where the form was of no move, or of one that is
/// offered no more.
pub(super) async fn sent_move(
    shell: &Shell<'_>,
    c: &'static Collection,
    id: i64,
    form: &Form,
    (faults, (status, why)): (&[Fault], (StatusCode, &str)),
) -> Option<Page> {
    let step = form.get(STEP)?;
    let confirmation = Confirmation::of(shell, c, id).await.ok()?;
    let offer = confirmation.offer(step)?;
    let sent = SentForm { form, faults, status, why };
    Some(confirmation.ask(&offer, form.get(NEXT), Some(&sent)).await)
}

/// `GET /book/<slug>/<id>/delete`
pub(crate) async fn delete(Visit(pages, visitor, (slug, id)): Visit<(String, i64)>) -> Page {
    let shell = Shell::new(&pages, &visitor);
    let c = own_collection(&shell, &slug)?;
    let confirmation = Confirmation::of(&shell, c, id).await?;
    let doc = &confirmation.doc;
    if let Some(why) = passing::stays(&shell, c, doc) {
        let back = html! { p { a class="button second" href=(confirmation.address()) { (shell.heading(c, doc)) } } };
        return confirmation.page(StatusCode::OK, (&shell.text("page-objected"), Some(&why)), (&[], &back));
    }
    if !confirmation.rights.may("delete") {
        return Err(Stop::missing(&shell));
    }
    let plain = || ["page-delete-note", "page-delete", "page-cancel"].map(|name| shell.text(name));
    let [then, title, keep] = passing::undone(&shell, c, doc).unwrap_or_else(plain);
    let form = html! {
        form method="post" class="sheet" action={ (confirmation.address()) "/delete" } {
            @if let Some(next) = passing::animal_of(&shell, c, doc) { input type="hidden" name=(NEXT) value=(next); }
            p class="choose" {
                button class="grave" type="submit" { (title) }
                " "
                a class="button second" href=(confirmation.address()) { (keep) }
            }
        }
    };
    confirmation.page(StatusCode::OK, (&title, Some(&then)), (&[], &form))
}

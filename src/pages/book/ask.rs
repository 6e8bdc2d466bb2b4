//! `/book/<slug>/<id>/move/<field>/<state>` and `/book/<slug>/<id>/delete`: pages that ask before something ends or cannot
//! be taken back, and say what follows. A move that the REST face refuses comes back here, with the faults beside their
//! fields; one by which the record passes to somebody is asked once more, with whom. `/book/<slug>/<id>/move/<field>` has
//! the moves to choose from.

use super::form::form_sheet::{ANYWAY, choices};
use super::form::form_values;
use super::moves::{NEXT, Offer, STEP, offers};
use super::query::titled;
use super::rights::Rights;
use super::{opened, own_collection};
use crate::calls::Fault;
use crate::components::reply::{local, page};
use crate::components::shell::Shell;
use crate::stop::{Page, Stop};
use crate::visitor::Visit;
use crate::words::Form;
use axum::http::StatusCode;
use maud::{Markup, html};
use model::display::at;
use model::messages::{self, labels};
use model::registry::{Collection, FittingReceiver};
use serde_json::Value;

/// A record with what the visitor may do with it.
struct Confirmation<'s> {
    shell: &'s Shell<'s>,
    c: &'static Collection,
    id: i64,
    doc: Value,
    rights: Rights,
}

/// What was sent and refused.
struct RefusedForm<'r> {
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

    /// Who a form names as the receiver, and whether they take part.
    async fn receiver(&self, form: &Form, to: &FittingReceiver) -> Option<(String, bool)> {
        let field = self.c.field(to.relation)?;
        let (body, _) = form_values::body(self.shell, &[field], form, &Value::Null).await;
        let body = Value::Object(body);
        let id = at(&body, to.relation).as_i64()?;
        let registry = self.shell.pages.site.registry;
        let target = registry.get(field.target()?)?;
        let (path, word) = to.takes_part;
        let answer = self.shell.get(&format!("{}&select[{path}]=true", titled(registry, target, id))).await;
        Some((self.shell.title(target, &answer.body), at(&answer.body, path) == word))
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
        let title = format!("{title}: {record}");
        Ok(page(status, shell.document(&title, &body)))
    }

    async fn ask(&self, offer: &Offer, next: Option<&str>, refused: Option<&RefusedForm<'_>>) -> Page {
        let shell = self.shell;
        let fields = offer.fields_to_fill(&self.rights);
        let faults = refused.map_or(&[][..], |refused| refused.faults);
        let at_field = |fault: &&Fault| fields.iter().any(|field| field.path == fault.path);
        let mut others: Vec<String> =
            (faults.iter().filter(|fault| !at_field(fault))).map(|fault| fault.message.clone()).collect();
        if let Some(refused) = refused.filter(|refused| refused.faults.is_empty()) {
            others.push(refused.why.to_owned());
        }
        let given = refused.map(|refused| refused.form);
        let back = next.map_or_else(|| self.address(), |next| local(Some(next)).to_owned());
        let options = choices(shell, &fields, &|field| offer.condition(&self.doc, field)).await;
        let class = offer.is_grave().then_some("grave");
        let address = refused.map(|_| offer.address(self.id, next));
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
        let status = refused.map_or(StatusCode::OK, |refused| refused.status);
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
    let ways = html! {
        nav class="acts" aria-label=(shell.text("page-moves")) { ul {
            @for offer in &all { li { a class="button" href=(offer.address(id, None)) { (offer.label(&shell)) } } }
        } }
        p { a class="button second" href=(confirmation.address()) { (shell.text("page-cancel")) } }
    };
    confirmation.page(StatusCode::OK, (&shell.text("page-move-choose"), None), (&[], &ways))
}

/// The page that asks once more by a form that the REST face would take: it names the record and who it passes to.
pub(super) async fn names_receiver(
    shell: &Shell<'_>,
    c: &'static Collection,
    id: i64,
    (form, to): (&Form, &FittingReceiver),
) -> Page {
    let confirmation = Confirmation::of(shell, c, id).await?;
    let offer = form.get(STEP).and_then(|step| confirmation.offer(step));
    let offer = offer.ok_or_else(|| Stop::missing(shell))?;
    let (name, receiver) = match confirmation.receiver(form, to).await {
        Some((name, true)) => ("page-passes", name),
        Some((name, false)) => ("page-passes-outside", name),
        None => ("page-passes-unnamed", String::new()),
    };
    let record = shell.heading(c, &confirmation.doc);
    let values = [("record", record), ("receiver", receiver), ("days", to.days.to_string())];
    let values = values.map(|(key, value)| (key.to_owned(), value)).into();
    let then = messages::text(shell.language(), name, &values);
    let label = offer.label(shell);
    let change = offer.address(id, form.get(NEXT));
    let sure = html! {
        form method="post" class="sheet" action=(confirmation.address()) data-address=(change) {
            @for (name, value) in &form.0 { input type="hidden" name=(name) value=(value); }
            p class="choose" {
                button class="grave" type="submit" name=(ANYWAY) value="yes" { (label) }
                " "
                a class="button second" href=(change) { (shell.text("page-edit")) }
                " "
                a class="button second" href=(confirmation.address()) { (shell.text("page-cancel")) }
            }
        }
    };
    confirmation.page(StatusCode::OK, (&label, Some(&then)), (&[], &sure))
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

/// The page of a move that was refused; none where the form was of no move, or of one that is offered no more.
pub(super) async fn refused_move(
    shell: &Shell<'_>,
    c: &'static Collection,
    id: i64,
    form: &Form,
    (faults, (status, why)): (&[Fault], (StatusCode, &str)),
) -> Option<Page> {
    let step = form.get(STEP)?;
    let confirmation = Confirmation::of(shell, c, id).await.ok()?;
    let offer = confirmation.offer(step)?;
    let refused = RefusedForm { form, faults, status, why };
    Some(confirmation.ask(&offer, form.get(NEXT), Some(&refused)).await)
}

/// `GET /book/<slug>/<id>/delete`
pub(crate) async fn delete(Visit(pages, visitor, (slug, id)): Visit<(String, i64)>) -> Page {
    let shell = Shell::new(&pages, &visitor);
    let c = own_collection(&shell, &slug)?;
    let confirmation = Confirmation::of(&shell, c, id).await?;
    if !confirmation.rights.may("delete") {
        return Err(Stop::missing(&shell));
    }
    let title = shell.text("page-delete");
    let form = html! {
        form method="post" class="sheet" action={ (confirmation.address()) "/delete" } {
            p class="choose" {
                button class="grave" type="submit" { (title) }
                " "
                a class="button second" href=(confirmation.address()) { (shell.text("page-cancel")) }
            }
        }
    };
    let then = shell.text("page-delete-note");
    confirmation.page(StatusCode::OK, (&title, Some(&then)), (&[], &form))
}

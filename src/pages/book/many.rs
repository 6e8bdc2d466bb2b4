//! `/book/<slug>/many/<name>`: a record for each of many others (docs/writing.md, *One for each of many*). First it
//! says what would be made, what is left out and why; then the same is made.

use super::form::form_values::{self, record_label, resolved, sent_fields, typed, unnamed};
use super::form::plain;
use super::own_collection;
use super::query::{Query, titles_by};
use super::rights::Rights;
use crate::calls::{Answer, Fault};
use crate::components::input::{Input, is_single, lines};
use crate::components::reply::page;
use crate::components::shell::Shell;
use crate::stop::{Page, Stop};
use crate::visitor::Visit;
use crate::words::{Form, text_of};
use axum::body::Bytes;
use axum::http::StatusCode;
use maud::{Markup, html};
use model::display::at;
use model::messages::labels;
use model::registry::{BulkMode, Collection, Field, ForMany, Kind, Open};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The button that makes the records, in place of telling what would be made.
const MAKE: &str = "_make";
/// Records of a search that are taken over, where the declaration has no bound.
const MOST: usize = 500;

/// What is made for which records.
struct Many<'s> {
    shell: &'s Shell<'s>,
    c: &'static Collection,
    how: ForMany,
    of: &'static Collection,
}

/// The form with what it holds, what is wrong with it, and what came of it.
struct Sheet<'f> {
    status: StatusCode,
    texts: BTreeMap<&'static str, String>,
    list: String,
    faults: &'f [Fault],
    why: Option<String>,
    outcome: Markup,
    /// How many would be made.
    ready: u64,
}

impl<'s> Many<'s> {
    /// For those who make such records, who are of the Association.
    async fn of(shell: &'s Shell<'s>, slug: &str, name: &str) -> Result<Self, Stop> {
        let c = own_collection(shell, slug)?;
        let how = c.for_many.filter(|how| how.name == name);
        let of = how.and_then(|how| Some((how, c.many_of(shell.pages.site.registry, &how)?)));
        let (how, of) = of.ok_or_else(|| Stop::missing(shell))?;
        let rights = Rights::of(shell, c, None).await;
        if !(shell.visitor.is_association() && rights.may("create")) {
            return Err(Stop::missing(shell));
        }
        Ok(Self { shell, c, how, of })
    }

    /// What is the same in all of them: what must be filled, what tells them apart, and since when they hold.
    fn fields(&self) -> Vec<&'static Field> {
        let since = match self.how.open {
            Open::Between(since, _) => Some(since),
            Open::While(..) => None,
        };
        let is = |field: &&Field| {
            let path = field.path.as_str();
            let wanted = field.must_come() || field.session || since == Some(path);
            path != self.how.relation && is_single(field) && (wanted || self.how.same.contains(&path))
        };
        self.c.fields.iter().filter(is).collect()
    }

    /// What a field holds at first.
    fn first(&self, field: &Field) -> String {
        let since = matches!(self.how.open, Open::Between(since, _) if since == field.path);
        match (&field.default, &field.kind) {
            (Some(default), _) => plain(default),
            (None, Kind::Day) if since => self.shell.today(),
            (None, _) => String::new(),
        }
    }

    async fn searched(&self, query: &Query) -> String {
        let most = match self.how.how {
            BulkMode::OneByOne(most) => most,
            BulkMode::Together => MOST,
        };
        let most = u64::try_from(most).unwrap_or(u64::MAX);
        let path = format!("/api/{}?{}", self.of.slug, query.rows(self.of, &[], &[], most));
        let answer = self.shell.get(&path).await;
        let lines = answer.docs().iter().map(|doc| record_label(self.shell, self.of, doc));
        lines.collect::<Vec<_>>().join("\n")
    }

    fn document(&self, sheet: &Sheet<'_>) -> Page {
        let shell = self.shell;
        let title = labels::action(shell.language(), self.c.slug, self.how.name);
        let own = [self.of.slug];
        let fields = self.fields();
        let at_field = |fault: &&Fault| {
            let head = fault.path.split('.').next().unwrap_or_default();
            own.contains(&head) || fields.iter().any(|field| field.path == fault.path)
        };
        let others = sheet.faults.iter().filter(|fault| !at_field(fault));
        let body = html! {
            nav class="crumbs" aria-label=(shell.text("page-path")) {
                a href=(format!("/book/{}", self.c.slug)) { (labels::collections(shell.language(), self.c.slug)) }
            }
            h1 { (title) }
            @if let Some(why) = &sheet.why {
                div class="fault" role="alert" { p { (why) } @for fault in others { p { (fault.message) } } }
            }
            form method="post" class="sheet" {
                // The enter key checks, and makes nothing.
                button class="enter" type="submit" tabindex="-1" aria-hidden="true" { (shell.text("page-many-check")) }
                (sheet.outcome)
                @if sheet.ready > 0 {
                    p { button type="submit" name=(MAKE) value="true" { (title) ": " (sheet.ready) } }
                }
                @for field in &fields { (self.input(field, sheet)) }
                (self.list(sheet))
                button class=[(sheet.ready > 0).then_some("second")] type="submit" { (shell.text("page-many-check")) }
            }
        };
        Ok(page(sheet.status, shell.document(&title, &body)))
    }

    fn input(&self, field: &'static Field, sheet: &Sheet<'_>) -> Markup {
        let path = field.path.as_str();
        let own = sheet.faults.iter().filter(|fault| fault.path == path);
        let faults: Vec<&str> = own.map(|fault| fault.message.as_str()).collect();
        let value = sheet.texts.get(path).map_or("", String::as_str);
        let input = Input {
            c: self.c,
            field,
            kind: "",
            scope: "",
            name: path,
            value,
            groups: &[],
            choices: None,
            faults: &faults,
            required: field.must_come(),
        };
        input.markup(self.shell)
    }

    fn list(&self, sheet: &Sheet<'_>) -> Markup {
        let (shell, slug) = (self.shell, self.of.slug);
        let head = format!("{slug}.");
        let own = |fault: &&Fault| fault.path == slug || fault.path.starts_with(&head);
        let faults: Vec<&Fault> = sheet.faults.iter().filter(own).collect();
        let invalid = (!faults.is_empty()).then_some("true");
        html! {
            div class="field" {
                label for="f-many" { (labels::collections(shell.language(), slug)) span class="must" aria-hidden="true" { " *" } }
                p class="note" id="f-many-note" { (shell.text("page-note-relations")) }
                textarea id="f-many" name=(slug) rows="6" required spellcheck="false" aria-invalid=[invalid]
                    aria-describedby="f-many-note" { "\n" (sheet.list) }
                @for fault in faults { p class="fault" { (fault.message) } }
            }
        }
    }

    /// What was made or would be, and what was left out with the reasons.
    async fn outcome(&self, answer: &Value, names: &BTreeMap<i64, &str>) -> Markup {
        let shell = self.shell;
        let records = ["docs", "left"].into_iter().filter_map(|path| at(answer, path).as_array()).flatten();
        let records: Vec<String> = records.filter_map(|row| Some(at(row, "id").as_i64()?.to_string())).collect();
        let records = match records.is_empty() {
            true => None,
            false => Some(shell.find(&format!("/api/{}", self.c.slug), &titles_by(self.c, "id", &records)).await),
        };
        let dry = at(answer, "dryRun") == &json!(true);
        let number = |path: &str| at(answer, path).as_u64().unwrap_or_default().to_string();
        let count = |name: &str, number: &str| text_of(shell.language(), name, "number", number);
        let word = if dry { "page-many-ready" } else { "page-many-made" };
        let all = |path: &str| at(answer, path).as_array().cloned().unwrap_or_default();
        let link = |row: &Value| {
            let id = at(row, self.how.relation);
            let name = id.as_i64().and_then(|id| names.get(&id).copied());
            let text = name.map_or_else(|| format!("№ {id}"), str::to_owned);
            html! { a href=[shell.record(self.of, id)] { (text) } }
        };
        let own = |row: &Value| {
            let id = at(row, "id");
            let record = records.iter().flat_map(Answer::docs).find(|doc| at(doc, "id") == id);
            html! { @if let Some(record) = record { " " a href=[shell.record(self.c, id)] { (shell.heading(self.c, record)) } } }
        };
        html! {
            section role="status" {
                h2 { (count(word, &number("made"))) }
                ul { @for row in all("docs") { li { (link(&row)) (own(&row)) } } }
            }
            @let left_out = all("left");
            @if !left_out.is_empty() {
                section {
                    h2 { (count("page-many-left", &number("leftOut"))) }
                    ul { @for row in left_out { li {
                        (link(&row)) ": " (self.why(&row)) (own(&row))
                        ul { @for issue in at(&row, "issues").as_array().into_iter().flatten() {
                            li { (at(issue, "message").as_str().unwrap_or_default()) }
                        } }
                    } } }
                }
            }
        }
    }

    fn why(&self, row: &Value) -> String {
        self.shell.text(match at(row, "reason").as_str() {
            Some("open") => "page-many-open",
            Some("not-registered") => "page-many-not-registered",
            _ => "page-many-refused",
        })
    }
}

/// `GET /book/<slug>/many/<name>`; parameters fill fields, and those of a list take its records over.
pub(crate) async fn form(Visit(pages, visitor, (slug, name)): Visit<(String, String)>) -> Page {
    let shell = Shell::new(&pages, &visitor);
    let many = Many::of(&shell, &slug, &name).await?;
    let given = visitor.query();
    let texts = many.fields().into_iter().map(|field| {
        let text = given.get(&field.path).map(str::to_owned);
        (field.path.as_str(), text.unwrap_or_else(|| many.first(field)))
    });
    let texts = texts.collect();
    let names: Vec<&str> = given.all(many.of.slug).collect();
    let searches = given.0.iter().any(|(name, _)| name == "q" || name.starts_with("where["));
    let list = match searches {
        true => {
            let mut search = visitor.query();
            search.0.retain(|(name, _)| name != "page");
            many.searched(&Query::read(shell.pages.site.registry, search, None)).await
        }
        false => names.join("\n"),
    };
    many.document(&Sheet { status: StatusCode::OK, texts, list, faults: &[], why: None, outcome: html! {}, ready: 0 })
}

/// `POST /book/<slug>/many/<name>`
pub(crate) async fn make(Visit(pages, visitor, (slug, name)): Visit<(String, String)>, bytes: Bytes) -> Page {
    let shell = Shell::new(&pages, &visitor);
    let many = Many::of(&shell, &slug, &name).await?;
    let form = Form::read(&bytes);
    let own = many.fields();
    let fields = sent_fields(many.c, &form).filter(|field| own.iter().any(|one| one.path == field.path));
    let fields: Vec<&'static Field> = fields.collect();
    let (mut body, mut faults) = form_values::body(&shell, &fields, &form, &Value::Null).await;
    body.retain(|_, value| !value.is_null());
    let texts: Vec<&str> = form.all(many.of.slug).collect();
    let list = lines(&texts).join("\n");
    let wanted: BTreeSet<String> = lines(&texts).into_iter().map(str::to_owned).collect();
    let ids = resolved(&shell, many.of.slug, wanted).await;
    let mut names = BTreeMap::new();
    for (text, id) in &ids {
        match id {
            Ok(id) => drop(names.insert(*id, text.as_str())),
            Err(why) => faults.push(Fault {
                path: many.of.slug.to_owned(),
                message: unnamed(&shell, many.of.slug, why, text),
                record: None,
            }),
        }
    }
    let texts = own.iter().map(|field| {
        let text = typed(field, form.all(&field.path));
        (field.path.as_str(), text)
    });
    let mut sheet = Sheet {
        status: StatusCode::BAD_REQUEST,
        texts: texts.collect(),
        list,
        faults: &[],
        why: Some(shell.text("page-faults")),
        outcome: html! {},
        ready: 0,
    };
    if faults.is_empty() {
        let dry = form.get(MAKE).is_none();
        body.insert(many.of.slug.to_owned(), names.keys().copied().collect());
        body.insert("dryRun".to_owned(), dry.into());
        let path = format!("/api/{}/{}", many.c.slug, many.how.name);
        let answer = shell.post(&path, &body.into()).await;
        sheet.status = answer.status;
        if answer.is_good() {
            sheet.why = None;
            sheet.outcome = many.outcome(&answer.body, &names).await;
            sheet.ready = if dry { answer.number("made") } else { 0 };
        } else {
            faults = answer.issues();
            sheet.why = Some(answer.message().to_owned());
        }
    }
    sheet.faults = &faults;
    many.document(&sheet)
}

/// Ways to make records for those of a list, with its search.
pub(super) fn ways(shell: &Shell<'_>, of: &'static Collection, query: &str) -> Markup {
    let registry = shell.pages.site.registry;
    let all = registry.iter().filter_map(|c| Some((c, c.for_many?)));
    let mut all = all.filter(|(c, how)| {
        let same = |of_it: &Collection| of_it.slug == of.slug;
        c.many_of(registry, how).is_some_and(same)
    });
    html! {
        @if shell.visitor.is_association() {
            ul class="ways" { @for (c, how) in &mut all { li {
                a href=(format!("/book/{}/many/{}?{query}", c.slug, how.name)) { (labels::action(shell.language(), c.slug, how.name)) }
            } } }
        }
    }
}

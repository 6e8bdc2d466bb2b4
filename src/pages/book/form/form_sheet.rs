//! A form as it is shown: the fields with what they hold and what is wrong with them.

use super::super::review::templates;
use super::super::{columns, passing};
use super::choices::{Meant, fitting};
use super::form_rows::{self, ADD, ID, REMOVE, Row};
use super::form_values::{resolved, stored_rows, stored_text, typed};
use super::preview_columns;
use crate::calls::Fault;
use crate::components::input::{Choice, Input, id_of, id_of_control};
use crate::components::reply::{NEXT, page};
use crate::components::set_fields::groups;
use crate::components::shell::Shell;
use crate::help::field as help;
use crate::stop::Page;
use crate::words::{Form, text_of};
use axum::http::StatusCode;
use futures_util::future::join_all;
use maud::{Markup, html};
use model::display::at;
use model::messages::labels;
use model::registry::{Collection, Feature, Field, Kind};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Records of a related collection up to which the form lists them.
const FEW: usize = 200;

/// The button that stores what is doubtful.
pub(in crate::book) const ANYWAY: &str = "anyway";

/// The button after which the form comes again, with the same day.
pub(in crate::book) const AGAIN: &str = "again";

/// A form with what it holds and what is wrong with it.
pub(in crate::book) struct Sheet<'s> {
    shell: &'s Shell<'s>,
    c: &'static Collection,
    /// The record that is changed; none: a new one.
    id: Option<i64>,
    fields: Vec<&'static Field>,
    /// What the fields hold, by path.
    pub(in crate::book) texts: BTreeMap<&'static str, String>,
    /// What the lists of rows hold, by path.
    pub(in crate::book) rows: BTreeMap<&'static str, Vec<Row>>,
    /// The list that got a row or lost one.
    pub(in crate::book) touched: Option<String>,
    pub(in crate::book) issues: Vec<Fault>,
    /// What may be chosen in place of texts that name no single record.
    pub(in crate::book) meant: Meant,
    /// What is told above the fields.
    pub(in crate::book) note: Markup,
    /// The page that follows, if it is not that of the record.
    pub(in crate::book) next: Option<String>,
    /// What is wrong as a whole.
    pub(in crate::book) refused: Option<(StatusCode, String)>,
}

/// Records of related collections that are few, by the collection of a relation, which of its records it takes, and the
/// field where that is a matter of the form.
#[derive(Default)]
pub(in crate::book) struct Choices(pub(in crate::book) BTreeMap<Proposal, Vec<Choice>>);

pub(in crate::book) type Proposal = (&'static str, Option<(&'static str, &'static str)>, Option<&'static str>);

impl Choices {
    /// Those for a field.
    pub(in crate::book) fn of(&self, field: &'static Field) -> Option<&Vec<Choice>> {
        let own = [true, false].map(|own| proposal(field, own));
        own.into_iter().flatten().find_map(|of| self.0.get(&of))
    }
}

fn proposal(field: &'static Field, own: bool) -> Option<Proposal> {
    Some((field.target()?, field.among, own.then_some(field.path.as_str())))
}

impl<'s> Sheet<'s> {
    pub(in crate::book) fn new(
        shell: &'s Shell<'s>,
        c: &'static Collection,
        id: Option<i64>,
        fields: Vec<&'static Field>,
    ) -> Self {
        let lists = fields.iter().filter(|field| is_list(field));
        let rows = lists.map(|field| (field.path.as_str(), Vec::new()));
        Self {
            shell,
            c,
            id,
            rows: rows.collect(),
            fields,
            texts: BTreeMap::new(),
            touched: None,
            issues: Vec::new(),
            meant: Meant::new(),
            note: html! {},
            next: None,
            refused: None,
        }
    }

    pub(in crate::book) fn fill_from_record(&mut self, record: &Value) {
        for field in &self.fields {
            let value = at(record, &field.path);
            match is_list(field) {
                true => {
                    let rows = stored_rows(self.shell, field, value);
                    self.rows.insert(&field.path, rows);
                }
                false => {
                    let text = stored_text(self.shell, field, value);
                    self.texts.insert(&field.path, text);
                }
            }
        }
    }

    /// Holds what was typed. Rows have the places that they had in the form, or without empty ones those that they were
    /// sent with.
    pub(in crate::book) fn fill_from_form(&mut self, form: &Form, empty_rows: bool) {
        for field in &self.fields {
            match is_list(field) {
                true => {
                    let rows = form_rows::from_form(&field.path, form);
                    let rows = if empty_rows { rows } else { form_rows::filled(rows) };
                    self.rows.insert(&field.path, rows);
                }
                false => {
                    let text = typed(field, form.all(&field.path));
                    self.texts.insert(&field.path, text);
                }
            }
        }
    }

    pub(in crate::book) async fn response(mut self) -> Page {
        let language = self.shell.language();
        let one = labels::collection(language, self.c.slug);
        let word = if self.id.is_some() { "page-edit" } else { "page-new" };
        let title = || format!("{one}: {}", self.shell.text(word).to_lowercase());
        let title = self.recording().map_or_else(title, |(label, _)| label);
        let kind = self.c.ui.fits.and_then(|fits| self.texts.get(fits.kind)).map_or("", String::as_str);
        let mut giver = self.giver().await;
        if let Some((path, owner)) = self.owner(kind).await {
            giver = Some(owner);
            self.fields.retain(|field| field.path != path);
        }
        let only = |field: &Field| fitting(self.c, kind, field, giver);
        let choices = choices(self.shell, &self.fields, &only).await;
        let status = self.refused.as_ref().map_or(StatusCode::OK, |(status, _)| *status);
        let body = self.markup(&title, &choices);
        Ok(page(status, self.shell.document(&title, &body)))
    }

    /// What recording a row of its kind is called, and what follows, where pages have words for it.
    fn recording(&self) -> Option<(String, String)> {
        let kind = self.c.ui.fits.filter(|_| self.id.is_none())?.kind;
        passing::recording(self.shell, self.texts.get(kind)?)
    }

    /// Whoever is said to give the record.
    async fn giver(&self) -> Option<i64> {
        let path = self.c.ui.fits?.receiver.giver?;
        let text = self.texts.get(path).filter(|text| !text.is_empty())?;
        let named = BTreeSet::from([text.clone()]);
        resolved(self.shell, self.c.field(path)?.target()?, named).await.remove(text)?.ok()
    }

    /// The relation of a new record to whoever gives its animal, where nobody is named, and the present owner: the
    /// server fills it.
    async fn owner(&self, kind: &str) -> Option<(&'static str, i64)> {
        let receiver = &self.c.ui.fits.filter(|_| self.id.is_none())?.receiver;
        let empty = |path: &&str| self.texts.get(*path).is_none_or(String::is_empty);
        let path = receiver.giver.filter(empty).filter(|_| receiver.gives(kind))?;
        let about = self.c.field(self.c.animal?)?;
        let animals = self.shell.pages.site.registry.get(about.target()?)?;
        let text = self.texts.get(about.path.as_str()).filter(|text| !text.is_empty())?;
        let id = resolved(self.shell, animals.slug, BTreeSet::from([text.clone()])).await.remove(text)?.ok()?;
        let owner = animals.access.subjects.first()?;
        let address = format!("/api/{}/{id}?depth=0&joins=false&select[{owner}]=true", animals.slug);
        Some((path, at(&self.shell.get(&address).await.body, owner).as_i64()?))
    }

    fn markup(&self, title: &str, choices: &Choices) -> Markup {
        let own = columns::of(self.c);
        let first =
            |field: &&'static Field| field.must_come() || field.first || own.iter().any(|one| one.path == field.path);
        let all = self.fields.iter().copied();
        let (first, others): (Vec<&'static Field>, Vec<&'static Field>) = all.partition(first);
        let (lists, others): (Vec<_>, Vec<_>) = others.into_iter().partition(|field| is_list(field));
        let open = others.iter().any(|field| self.is_open(field));
        // A record that stands against a value says more than the rule.
        let recorded = |issue: &&Fault| {
            issue.record.is_some() || !self.issues.iter().any(|one| one.record.is_some() && one.path == issue.path)
        };
        let elsewhere: Vec<&Fault> = (self.issues.iter())
            .filter(|issue| !self.fields.iter().any(|field| is_about(issue, field)))
            .filter(recorded)
            .collect();
        let takes_file = self.id.is_none() && (self.c.file.is_some() || self.c.upload.is_some());
        let multipart = takes_file.then_some("multipart/form-data");
        let answers = self.refused.is_some() || self.touched.is_some();
        let (save, then) = self.recording().unzip();
        html! {
            nav class="crumbs" aria-label=(self.shell.text("page-path")) {
                a href=(format!("/book/{}", self.c.slug)) { (labels::collections(self.shell.language(), self.c.slug)) }
            }
            h1 { (title) }
            @if let Some((_, why)) = &self.refused {
                div class="fault" role="alert" {
                    // A record that stands against it says it all.
                    @if elsewhere.iter().all(|issue| issue.record.is_none()) { p { (why) } }
                    @for issue in elsewhere {
                        @if let Some((collection, id)) = &issue.record {
                            p { a href=(format!("/book/{collection}/{id}")) { (issue.message) } }
                        } @else {
                            p { @if let Some(name) = self.name_of(&issue.path) { (name) ": " } (issue.message) }
                        }
                    }
                }
            }
            (self.note)
            @if let Some(then) = then { p class="then" { (then) } }
            form method="post" class="sheet" enctype=[multipart] data-address=[answers.then(|| self.address())] id=[self.is_previewed().then_some(preview_columns::FORM)] {
                // The enter key presses the first button.
                @if !self.rows.is_empty() { button class="enter" type="submit" tabindex="-1" aria-hidden="true" { (self.shell.text("page-save")) } }
                @if let Some(next) = &self.next { input type="hidden" name=(NEXT) value=(next); }
                @for field in first { (self.field(field, choices)) }
                @if !others.is_empty() {
                    details open[open] {
                        summary { (self.shell.text("page-more-fields")) }
                        @for field in others { (self.field(field, choices)) }
                    }
                }
                @for field in lists { (self.field(field, choices)) }
                // The last part: it is passed on while it arrives.
                @if multipart.is_some() {
                    div class="field drop" {
                        label for="file" { (self.shell.text("page-file")) }
                        input id="file" name="file" type="file" accept=[self.accepted()] required[self.c.upload.is_some()];
                    }
                    (templates(self.shell, self.c))
                }
                button type="submit" { (save.unwrap_or_else(|| self.shell.text("page-save"))) }
                @if self.id.is_none() && self.next.is_none() && self.c.animal.and(self.c.happens).is_some() {
                    " "
                    button class="second" type="submit" name=(AGAIN) value="yes" { (self.shell.text("page-save-and-next")) }
                }
                @if self.refused.as_ref().is_some_and(|(status, _)| status.is_success()) {
                    " "
                    button class="second" type="submit" name=(ANYWAY) value="yes" { (self.shell.text("page-save-anyway")) }
                }
                @if self.is_previewed() {
                    " "
                    button class="second" type="submit" data-preview formaction=(format!("/book/{}/preview", self.c.slug)) {
                        (self.shell.text("page-preview"))
                    }
                }
            }
        }
    }

    /// The media types among which its file is chosen; none: any that is taken.
    fn accepted(&self) -> Option<&'static str> {
        let among = self.c.field(self.c.file?)?.among;
        among.map(|(_, types)| types)
    }

    /// Whether its file can be checked before it is sent.
    fn is_previewed(&self) -> bool {
        self.c.is(Feature::Packages) && self.id.is_none()
    }

    /// Whether a field must be seen at once.
    fn is_open(&self, field: &Field) -> bool {
        let touched = self.touched.as_ref() == Some(&field.path);
        touched || self.issues.iter().any(|issue| is_about(issue, field))
    }

    fn field(&self, field: &'static Field, choices: &Choices) -> Markup {
        match self.rows.get(field.path.as_str()) {
            Some(rows) => self.list(field, rows, choices),
            None => {
                let text = self.texts.get(field.path.as_str());
                self.input(field, (&field.path, text.map_or("", String::as_str)), choices)
            }
        }
    }

    fn input(&self, field: &'static Field, (name, value): (&str, &str), choices: &Choices) -> Markup {
        // A number that stands for a record is typed, since it chooses none.
        let is_chosen = value.lines().all(|line| id_of(line).is_some());
        let few = || choices.of(field).filter(|_| is_chosen);
        let options = self.meant.get(name).or_else(few).map(|all| with_own(all, value));
        let set = field.named_set().and_then(|set| self.texts.get_key_value(set));
        let set: Value = set.map_or(Value::Null, |(path, name)| json!({*path: name}));
        let kind = self.c.ui.fits.and_then(|fits| self.texts.get(fits.kind));
        Input {
            c: self.c,
            field,
            kind: kind.map_or("", String::as_str),
            scope: "",
            name,
            value,
            groups: &groups(self.shell, field, &set),
            choices: options.as_deref(),
            faults: &self.faults(name),
            required: field.must_come(),
        }
        .markup(self.shell)
    }

    fn address(&self) -> String {
        match self.id {
            Some(record) => format!("/book/{}/{record}/edit", self.c.slug),
            None => format!("/book/{}/new", self.c.slug),
        }
    }

    /// What people call the field of a path that the form does not show.
    fn name_of(&self, path: &str) -> Option<String> {
        (!path.is_empty()).then(|| labels::field(self.shell.language(), self.c.slug, path))
    }

    fn faults(&self, path: &str) -> Vec<&str> {
        let issues = self.issues.iter().filter(|issue| issue.path == path);
        issues.map(|issue| issue.message.as_str()).collect()
    }

    /// A list of rows, with buttons that add one and take one out.
    fn list(&self, field: &'static Field, rows: &[Row], choices: &Choices) -> Markup {
        let label = labels::field(self.shell.language(), self.c.slug, &field.path);
        let id = id_of_control(&field.path);
        let address = format!("{}#{id}", self.address());
        let help = help::of_input(self.shell, self.c, (field, &field.path), false);
        html! {
            details class="rows" id=(id) open[self.is_open(field) || field.must_come()] {
                summary { (label) " " span class="count" { (rows.len()) } }
                @if let Some(text) = &help { (help::mark(self.shell, &label, text, None)) }
                // Says that the list was shown, also when it is empty.
                input type="hidden" name=(field.path) value="";
                @for fault in self.faults(&field.path) { p class="fault" { (fault) } }
                @for (place, row) in rows.iter().enumerate() {
                    (self.row(field, (place, row), (&label, &address), choices))
                }
                button class="second" type="submit" name=(ADD) value=(field.path) formnovalidate formaction=(address) {
                    (self.shell.text("page-add-row")) span class="aside" { ": " (label) }
                }
            }
        }
    }

    fn row(
        &self,
        field: &'static Field,
        (place, row): (usize, &Row),
        (label, address): (&str, &str),
        choices: &Choices,
    ) -> Markup {
        let path = format!("{}.{place}", field.path);
        let number = place.saturating_add(1).to_string();
        let text = |member: &str| row.get(member).map(|all| all.join(",")).unwrap_or_default();
        let id = text(ID);
        html! {
            fieldset class="row" {
                legend { (label) " " (number) }
                @if !id.is_empty() { input type="hidden" name=(form_rows::name_of(&field.path, place, ID)) value=(id); }
                @for fault in self.faults(&path) { p class="fault" { (fault) } }
                @for sub in form_rows::members(field) {
                    @let text = match (row.contains_key(sub.name()), &sub.default) {
                        (false, Some(model::record::Value::Text(word))) => word.to_string(),
                        _ => text(sub.name()),
                    };
                    (self.input(sub, (&form_rows::name_of(&field.path, place, sub.name()), &text), choices))
                }
                button class="second" type="submit" name=(REMOVE) value=(path) formnovalidate formaction=(address) {
                    (text_of(self.shell.language(), "page-remove-row", "number", &number))
                    span class="aside" { ": " (label) }
                }
            }
        }
    }
}

/// The records of related collections that are few, for some fields; `only` has a condition for those of a field, none
/// where it has none.
pub(in crate::book) async fn choices(
    shell: &Shell<'_>,
    fields: &[&'static Field],
    only: &(dyn Fn(&Field) -> Option<String> + Sync),
) -> Choices {
    let own = fields.iter().copied();
    let members = own.clone().flat_map(form_rows::members);
    let conditions = |field: &'static Field| {
        let among = field.among.map(|(path, words)| format!("&where[{path}][in]={words}"));
        let only = only(field);
        let of = proposal(field, only.as_deref() != Some(""))?;
        Some((of, only.map(|only| only + &among.unwrap_or_default())))
    };
    let proposals: BTreeMap<Proposal, Option<String>> = own.chain(members).filter_map(conditions).collect();
    let all = proposals.into_iter().map(async |(of, only)| {
        let few = match only {
            Some(only) => few(shell, of, &only).await,
            None => Some(Vec::new()),
        };
        (of, few)
    });
    let all = join_all(all).await.into_iter();
    Choices(all.filter_map(|(of, few)| Some((of, few?))).collect())
}

/// What may be chosen, with the records that a field holds and that are chosen no more, as a person who left.
fn with_own(all: &[Choice], value: &str) -> Vec<Choice> {
    let own = value.lines().filter_map(|line| Some(Choice { id: id_of(line)?, name: line.to_owned() }));
    let others = own.filter(|one| all.iter().all(|known| known.id != one.id));
    all.iter().cloned().chain(others).collect()
}

/// All records of a proposal; none where they are many, or where there are none. Where the condition is that of a
/// field, nothing may be chosen if no record fulfils it.
async fn few(shell: &Shell<'_>, (slug, _, own): Proposal, only: &str) -> Option<Vec<Choice>> {
    let target = shell.pages.site.registry.get(slug)?;
    let names: Vec<String> = (target.called_by().into_iter().chain(target.title().english))
        .map(|path| format!("&select[{}]=true", path.replace('.', "][")))
        .collect();
    // Animals and organisations grow; lists of words do not.
    if names.is_empty() || target.lineage.is_some() {
        return None;
    }
    // A record that became part of another one is not chosen.
    let whole = target.merged.map(|into| format!("&where[and][0][{into}][exists]=false")).unwrap_or_default();
    let path = format!("/api/{slug}?depth=0&joins=false&limit={}{}{whole}{only}", FEW + 1, names.join(""));
    let answer = shell.get(&path).await;
    let docs = answer.docs();
    let is_known = !docs.is_empty() || own.is_some() && answer.is_good();
    (is_known && docs.len() <= FEW).then(|| {
        let mut all: Vec<Choice> = (docs.iter())
            .filter_map(|doc| {
                let id = at(doc, "id").as_i64()?;
                Some(Choice { id, name: shell.title(target, doc) })
            })
            .collect();
        all.sort_by(|a, b| a.name.cmp(&b.name));
        all
    })
}

fn is_list(field: &Field) -> bool {
    matches!(field.kind, Kind::Rows(_))
}

/// Whether a fault is one of a field, or of a row or a member of it.
fn is_about(issue: &Fault, field: &Field) -> bool {
    let rest = issue.path.strip_prefix(field.path.as_str());
    rest.is_some_and(|rest| rest.is_empty() || is_list(field) && rest.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_chosen_no_more_stays_where_it_stands() {
        let all = [Choice { id: 1, name: "Ivanova".to_owned() }];
        let names = |value: &str| with_own(&all, value).into_iter().map(|one| one.name).collect::<Vec<_>>();
        assert_eq!(names(""), ["Ivanova"]);
        assert_eq!(names("[1] Ivanova"), ["Ivanova"]);
        assert_eq!(names("[1] Ivanova\n[2] Petrova"), ["Ivanova", "[2] Petrova"]);
    }
}

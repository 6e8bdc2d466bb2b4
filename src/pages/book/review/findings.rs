//! What the checks found about the animals of a record and about it as a whole.

use super::ReviewedPackage;
use crate::book::moves;
use crate::book::query::written;
use crate::book::rights::Rights;
use crate::calls::Answer;
use crate::components::value::cell_of;
use maud::{Markup, html};
use model::display::{at, called};
use model::messages::labels;
use model::registry::review::{finding, package};
use serde_json::Value;

/// Findings of a page.
const LIMIT: u64 = 25;
/// Findings that stand beside the rows of a page.
const BESIDE: u64 = 500;
/// The parameter that names the page.
const PAGE: &str = "findings";

/// A condition on one field.
pub(super) type Only<'o> = (&'o str, &'o str);

impl ReviewedPackage<'_> {
    /// The condition of findings about some animals, and about the record as a whole.
    fn condition(&self, animals: &[i64], whole: bool, only: &[Only<'_>]) -> Vec<(String, String)> {
        let mut all: Vec<(String, String)> = Vec::new();
        if whole {
            let key = format!("where[or][0][{}][equals]", finding::PACKAGE);
            all.push((key, self.id.to_string()));
        }
        let animals = animals.iter().enumerate();
        all.extend(animals.map(|(place, id)| {
            let key = format!("where[or][1][{}][in][{place}]", finding::ANIMAL);
            (key, id.to_string())
        }));
        let only = only.iter();
        all.extend(only.map(|(path, word)| (format!("where[{path}][equals]"), (*word).to_owned())));
        all
    }

    /// Findings by a condition, those that must be mended first.
    pub(super) async fn findings(&self, animals: &[i64], only: &[Only<'_>], more: &[(&str, String)]) -> Answer {
        let c = self.findings;
        let mut query = self.condition(animals, true, only);
        let rest = [
            ("depth", "1".to_owned()),
            ("joins", "false".to_owned()),
            // The declared order of grades is that of their names.
            ("sort", format!("{},-createdAt", finding::SEVERITY)),
        ];
        let rest = rest.iter().chain(more);
        query.extend(rest.map(|(name, value)| ((*name).to_owned(), value.clone())));
        if let Some(animals) = c.field(finding::ANIMAL).and_then(|field| field.target()) {
            let target = self.shell.pages.site.registry.get(animals);
            let names = target.map(called).unwrap_or_default();
            query.extend(names.into_iter().map(|path| {
                let key = format!("populate[{animals}][{}]", path.replace('.', "]["));
                (key, "true".to_owned())
            }));
        }
        let path = format!("/api/{}", c.slug);
        self.shell.find(&path, &written(&query)).await
    }

    /// Open findings about animals of rows that the page shows.
    pub(super) async fn of_animals(&self, animals: &[i64]) -> Vec<Value> {
        if animals.is_empty() {
            return Vec::new();
        }
        let c = self.findings;
        let open = c.options(finding::STATE).first().map_or("", String::as_str);
        let more = [("limit", BESIDE.to_string()), ("pagination", "false".to_owned())];
        let answer = self.findings(animals, &[(finding::STATE, open)], &more).await;
        answer.docs().to_vec()
    }

    async fn count(&self, only: &[Only<'_>]) -> u64 {
        let query = written(&self.condition(&self.animals(), true, only));
        let path = format!("/api/{}/count", self.findings.slug);
        self.shell.find(&path, &query).await.number("totalDocs")
    }

    pub(super) fn sentence<'f>(&self, finding: &'f Value) -> &'f str {
        let path = format!("{}.{}", finding::MESSAGE, self.shell.language().word());
        at(finding, &path).as_str().unwrap_or_default()
    }
}

/// Findings by severity with their counts, and the findings themselves with what may be done about them.
pub(super) async fn markup(of: ReviewedPackage<'_>, rights: &Rights) -> Markup {
    let c = of.findings;
    let (shell, language) = (of.shell, of.shell.language());
    let query = of.shell.visitor.query();
    let number = query.get(PAGE).and_then(|text| text.parse::<u64>().ok());
    let more = [("limit", LIMIT.to_string()), ("page", number.unwrap_or(1).max(1).to_string())];
    let animals = of.animals();
    let open = c.options(finding::STATE).first().map_or("", String::as_str);
    let counts = c.options(finding::SEVERITY).iter().map(async |word| {
        let only = [(finding::SEVERITY, word.as_str()), (finding::STATE, open)];
        (word.as_str(), of.count(&only).await)
    });
    let counts = futures_util::future::join_all(counts);
    let (counts, own, answer) =
        futures_util::join!(counts, Rights::of(shell, c, None), of.findings(&animals, &[], &more));
    let grave = counts.first().map_or(0, |(_, count)| *count);
    let columns = [finding::SEVERITY, finding::ANIMAL, finding::PATH];
    let next = of.with(&query, &[], "findings");
    html! {
        section id="findings" {
            h2 { (shell.text("page-review-findings")) " " span class="count" { (answer.number("totalDocs")) } }
            dl class="values" {
                @for (word, count) in &counts {
                    div { dt { (labels::option(language, c.slug, finding::SEVERITY, word)) } dd { (count) } }
                }
            }
            @if grave > 0 && rights.may_write(package::FINDINGS, "update") {
                form method="post" action={ (of.address()) "/tell" } {
                    p class="note" { (shell.text("page-review-tell-note")) }
                    button type="submit" { (shell.text("page-review-tell")) }
                }
            }
            @if !answer.is_good() {
                p class="fault" role="alert" { (answer.message()) }
            } @else if at(of.doc, package::UNCHECKED) == true {
                p role="status" {
                    (shell.text("page-review-unchecked")) " "
                    a href=(of.address()) { (shell.text("page-review-again")) }
                }
            } @else if answer.docs().is_empty() {
                p class="none" { (shell.text("page-review-none")) }
            } @else {
                section class="wide" tabindex="0" aria-label=(shell.text("page-review-findings")) {
                    table class="list" {
                        thead { tr {
                            @for path in columns { th scope="col" { (labels::field(language, c.slug, path)) } }
                            th scope="col" { (labels::collection(language, c.slug)) }
                            th scope="col" { (labels::field(language, c.slug, finding::STATE)) }
                        } }
                        tbody { @for finding in answer.docs() { (row(of, finding, &own, &next)) } }
                    }
                }
                (of.pages(&query, (PAGE, "findings"), (answer.number("page"), answer.number("totalPages"))))
            }
        }
    }
}

fn row(of: ReviewedPackage<'_>, finding: &Value, rights: &Rights, next: &str) -> Markup {
    let c = of.findings;
    let (shell, language) = (of.shell, of.shell.language());
    let label = |path: &str| labels::field(language, c.slug, path);
    let value = |path: &str| match c.field(path) {
        Some(field) => cell_of(shell, c, field, finding),
        None => html! {},
    };
    let word = |path: &str| at(finding, path).as_str().unwrap_or_default();
    let (about, path) = (word(finding::COLLECTION), word(finding::PATH));
    let target = shell.pages.site.registry.get(about);
    let place = match target.and_then(|target| target.field(path)) {
        Some(_) => labels::field(language, about, path),
        None => path.to_owned(),
    };
    // Why it has the state that it has.
    let now = word(finding::STATE);
    let machines = c.states.iter().filter(|states| states.path == finding::STATE);
    let moves = machines.flat_map(|states| &states.moves);
    let needs = moves.filter(|one| one.to == now).flat_map(|one| one.needs);
    let needs = needs.filter_map(|path| c.field(path));
    let reasons: Vec<_> = needs.filter(|field| !at(finding, &field.path).is_null()).collect();
    html! {
        tr {
            td data-head=(label(finding::SEVERITY)) { (value(finding::SEVERITY)) }
            th scope="row" data-head=(label(finding::ANIMAL)) { (value(finding::ANIMAL)) }
            td data-head=(label(finding::PATH)) {
                @match target.and_then(|target| shell.record(target, at(finding, finding::RECORD))) {
                    Some(address) => a href=(address) { (labels::collection(language, about)) ": " (place) },
                    None => { (place) }
                }
            }
            td data-head=(labels::collection(language, c.slug)) { (of.sentence(finding)) }
            td data-head=(label(finding::STATE)) {
                (value(finding::STATE))
                @for field in reasons { span class="fact" { (cell_of(shell, c, field, finding)) } }
                @if rights.may("update") {
                    @for form in moves::forms(shell, c, finding, rights, Some(next)) {
                        details { summary { (shell.text("page-review-decide")) } (form) }
                    }
                }
            }
        }
    }
}

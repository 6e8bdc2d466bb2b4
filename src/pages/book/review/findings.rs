//! What the checks found about the animals of a record and about it as a whole.

use super::ReviewedPackage;
use crate::book::moves;
use crate::book::query::{populate_names, written};
use crate::book::rights::Rights;
use crate::calls::Answer;
use crate::components::value::cell_of;
use maud::{Markup, html};
use model::display::at;
use model::messages::labels;
use model::registry::Collection;
use model::registry::review::{checked_row, finding, package};
use model::registry::signing::PACKAGE_OF_ROW;
use serde_json::Value;
use std::collections::BTreeSet;

/// Findings of a page.
const LIMIT: u64 = 25;
/// Findings that stand beside the rows of a page.
const BESIDE: u64 = 500;
/// The parameter that names the page.
const PAGE: &str = "findings";

/// Rows of a collection with findings of which the page knows each; of more it takes all of the animals.
const ROWS: usize = 1_000;
/// Rows of a collection of which it asks for findings whatever their state.
const FEW: usize = 100;

/// A condition on one field.
pub(super) type Only<'o> = (&'o str, &'o str);

/// What findings are about: records of a collection, or all that there are of it about some animals.
#[derive(Debug)]
pub(super) enum About {
    Records(&'static str, Vec<i64>),
    Animals(&'static str, Vec<i64>),
}

impl ReviewedPackage<'_> {
    /// The condition of findings about the package as a whole, and about its records.
    fn condition(&self, own: &[About], only: &[Only<'_>]) -> Vec<(String, String)> {
        let whole = format!("where[or][0][{}][equals]", finding::PACKAGE);
        let mut all = vec![(whole, self.id.to_string())];
        for (place, about) in own.iter().enumerate() {
            let term = format!("where[or][{}]", place.saturating_add(1));
            let (slug, path, ids) = match about {
                About::Records(slug, ids) => (slug, finding::RECORD, ids),
                About::Animals(slug, ids) => (slug, finding::ANIMAL, ids),
            };
            all.push((format!("{term}[{}][equals]", finding::COLLECTION), (*slug).to_owned()));
            let ids = ids.iter().enumerate();
            all.extend(ids.map(|(at, id)| (format!("{term}[{path}][in][{at}]"), id.to_string())));
        }
        let only = only.iter();
        all.extend(only.map(|(path, word)| (format!("where[{path}][equals]"), (*word).to_owned())));
        all
    }

    /// The records that came with the package, as far as checks found something about them. Other records of its animals
    /// are none of its own.
    pub(super) async fn own_records(&self) -> Vec<About> {
        let registry = self.shell.pages.site.registry;
        let sheets = at(self.doc, package::SHEETS).as_array();
        let sheets = sheets.into_iter().flatten().filter_map(|sheet| at(sheet, "collection").as_str());
        let slugs: BTreeSet<&str> = sheets.collect();
        // A package of documents has no sheets.
        let came = |c: &&'static Collection| match slugs.is_empty() {
            true => c.field(PACKAGE_OF_ROW).is_some(),
            false => slugs.contains(c.slug),
        };
        let all = registry.iter().filter(came).filter(|c| c.field(checked_row::STATUS).is_some());
        let all = all.map(|c| self.records_of(c));
        let all = futures_util::future::join_all(all).await;
        all.into_iter().filter(|about| !about.is_empty()).collect()
    }

    async fn records_of(&self, c: &'static Collection) -> About {
        if c.field(PACKAGE_OF_ROW).is_none() {
            return About::Animals(c.slug, self.animals());
        }
        // Of few rows all: what was dismissed is shown, too.
        if let Some(ids) = self.ids_of(c, "", FEW).await {
            return About::Records(c.slug, ids);
        }
        let status = checked_row::STATUS;
        let words = checked_row::FOUND.iter().enumerate();
        let words: String = words.map(|(at, word)| format!("&where[{status}][in][{at}]={word}")).collect();
        match self.ids_of(c, &words, ROWS).await {
            Some(ids) => About::Records(c.slug, ids),
            None => About::Animals(c.slug, self.animals()),
        }
    }

    /// The records of the package under a condition; none where they are more.
    async fn ids_of(&self, c: &Collection, words: &str, most: usize) -> Option<Vec<i64>> {
        let limit = most.saturating_add(1);
        let path = format!(
            "/api/{}?where[{PACKAGE_OF_ROW}][equals]={}{words}&select[id]=true&depth=0&joins=false&limit={limit}&pagination=false",
            c.slug, self.id
        );
        let answer = self.shell.get(&path).await;
        let ids: Vec<i64> = answer.docs().iter().filter_map(|doc| at(doc, "id").as_i64()).collect();
        (answer.is_good() && ids.len() <= most).then_some(ids)
    }

    /// Findings by a condition, those that must be mended first.
    pub(super) async fn findings(&self, own: &[About], only: &[Only<'_>], more: &[(&str, String)]) -> Answer {
        let c = self.findings;
        let mut query = self.condition(own, only);
        let rest = [
            ("depth", "1".to_owned()),
            ("joins", "false".to_owned()),
            // The declared order of grades is that of their names.
            ("sort", format!("{},-createdAt", finding::SEVERITY)),
        ];
        let rest = rest.iter().chain(more);
        query.extend(rest.map(|(name, value)| ((*name).to_owned(), value.clone())));
        let names = populate_names(self.shell.pages.site.registry, c.field(finding::ANIMAL).into_iter());
        let path = format!("/api/{}", c.slug);
        self.shell.find(&path, &format!("{}{names}", written(&query))).await
    }

    /// Open findings about records of rows that the page shows.
    pub(super) async fn of_rows(&self, own: &[About]) -> Vec<Value> {
        if own.is_empty() {
            return Vec::new();
        }
        let c = self.findings;
        let open = c.options(finding::STATE).first().map_or("", String::as_str);
        let more = [("limit", BESIDE.to_string()), ("pagination", "false".to_owned())];
        let answer = self.findings(own, &[(finding::STATE, open)], &more).await;
        answer.docs().to_vec()
    }

    async fn count(&self, own: &[About], only: &[Only<'_>]) -> u64 {
        let query = written(&self.condition(own, only));
        let path = format!("/api/{}/count", self.findings.slug);
        self.shell.find(&path, &query).await.number("totalDocs")
    }

    pub(super) fn sentence<'f>(&self, finding: &'f Value) -> &'f str {
        let path = format!("{}.{}", finding::MESSAGE, self.shell.language().word());
        at(finding, &path).as_str().unwrap_or_default()
    }
}

impl About {
    fn is_empty(&self) -> bool {
        let (Self::Records(_, ids) | Self::Animals(_, ids)) = self;
        ids.is_empty()
    }
}

/// Findings by severity with their counts, and the findings themselves with what may be done about them.
pub(super) async fn markup(of: ReviewedPackage<'_>, rights: &Rights) -> Markup {
    let c = of.findings;
    let (shell, language) = (of.shell, of.shell.language());
    let query = of.shell.visitor.query();
    let number = query.get(PAGE).and_then(|text| text.parse::<u64>().ok());
    let more = [("limit", LIMIT.to_string()), ("page", number.unwrap_or(1).max(1).to_string())];
    let records = of.own_records().await;
    let open = c.options(finding::STATE).first().map_or("", String::as_str);
    let counts = c.options(finding::SEVERITY).iter().map(async |word| {
        let only = [(finding::SEVERITY, word.as_str()), (finding::STATE, open)];
        (word.as_str(), of.count(&records, &only).await)
    });
    let counts = futures_util::future::join_all(counts);
    let (counts, own, answer) =
        futures_util::join!(counts, Rights::of(shell, c, None), of.findings(&records, &[], &more));
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
            @if grave > 0 && of.is_undecided() && rights.may_write(package::FINDINGS, "update") {
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

//! What the checks found, by check: for a farm what is to be corrected, and notes folded; for the Association the farms
//! with most of it.

use crate::book::query::written;
use crate::calls::Answer;
use crate::components::shell::Shell;
use maud::{Markup, html};
use model::display::{DisplayField, at};
use model::messages::labels;
use model::registry::review::finding;
use model::registry::{Collection, Feature};
use serde_json::Value;
use std::collections::BTreeMap;

/// Farms that are shown.
const FARMS: usize = 20;

/// The rows that count, by the first options of state and severity: those that hold, and those to be corrected.
struct Findings<'f> {
    shell: &'f Shell<'f>,
    c: &'static Collection,
    /// The relation to the organisation.
    owner: &'static str,
    open: String,
    fix: String,
}

/// A number of findings with the same values.
struct Group {
    value: Value,
    fix: bool,
    count: u64,
}

/// What stands on the start page; nothing where the visitor has no organisation and is not of the Association.
pub(super) async fn markup(shell: &Shell<'_>) -> Markup {
    let Some(findings) = Findings::of(shell) else {
        return html! {};
    };
    match (shell.visitor.is_association(), shell.visitor.organization()) {
        (true, _) => findings.by_farm().await,
        (false, Some(own)) => findings.by_check(own).await,
        (false, None) => html! {},
    }
}

impl<'f> Findings<'f> {
    fn of(shell: &'f Shell<'f>) -> Option<Self> {
        let c = shell.pages.site.registry.with_feature(Feature::Findings)?;
        let first = |path: &str| c.options(path).first().cloned();
        let (open, fix) = (first(finding::STATE)?, first(finding::SEVERITY)?);
        Some(Self { shell, c, owner: c.access.subjects.first()?, open, fix })
    }

    async fn groups(&self, by: &str, own: Option<i64>) -> Vec<Group> {
        let owner = own.map(|id| format!("&where[{}][equals]={id}", self.owner)).unwrap_or_default();
        let (state, severity) = (finding::STATE, finding::SEVERITY);
        let path =
            format!("/api/{}/counts?by={by},{severity}&where[{state}][equals]={}{owner}", self.c.slug, self.open);
        let answer: Answer = self.shell.get(&path).await;
        let group = |group: &Value| {
            let fix = at(group, severity).as_str() == Some(self.fix.as_str());
            Some(Group { value: at(group, by).clone(), fix, count: group.get("n")?.as_u64()? })
        };
        let groups = answer.body.get("groups").and_then(Value::as_array);
        groups.into_iter().flatten().filter_map(group).collect()
    }

    /// Address of the list of findings under these conditions.
    fn list(&self, conditions: &[(&str, &str)]) -> String {
        format!("/book/{}?{}", self.c.slug, self.query(conditions))
    }

    fn query(&self, conditions: &[(&str, &str)]) -> String {
        let open = [(finding::STATE, self.open.as_str())];
        let all = conditions.iter().chain(&open);
        let all: Vec<(String, String)> =
            all.map(|(path, value)| (format!("where[{path}][equals]"), (*value).to_owned())).collect();
        written(&all)
    }

    async fn by_check(&self, own: i64) -> Markup {
        let (fixes, notes): (Vec<Group>, Vec<Group>) =
            self.groups(finding::CODE, Some(own)).await.into_iter().partition(|group| group.fix);
        let sum = |groups: &[Group]| groups.iter().map(|group| group.count).sum::<u64>();
        html! {
            @if !fixes.is_empty() {
                section class="queue" {
                    h3 { (self.shell.text("page-findings-fix")) " " span class="count" { (sum(&fixes)) } }
                    (self.checks(&fixes, own, "page-findings-fix", ("page-findings-correct", "/correct")))
                }
            }
            @if !notes.is_empty() {
                details class="queue" {
                    summary { (self.shell.text("page-findings-notes")) " " span class="count" { (sum(&notes)) } }
                    (self.checks(&notes, own, "page-findings-notes", ("page-findings-look", "")))
                }
            }
        }
    }

    /// The checks with their numbers, each with what is to be done about all of its findings.
    fn checks(&self, groups: &[Group], own: i64, name: &str, (deed, page): (&str, &str)) -> Markup {
        let language = self.shell.language();
        let label = labels::field(language, self.c.slug, finding::CODE);
        html! {
            section class="wide" tabindex="0" aria-label=(self.shell.text(name)) { table class="list" {
                thead { tr {
                    th scope="col" { (label) }
                    th scope="col" { (self.shell.text("page-findings-count")) }
                    th scope="col" { (self.shell.text("page-findings-deed")) }
                } }
                tbody { @for group in groups {
                    @let code = group.value.as_str().unwrap_or_default();
                    @let query = self.query(&[(finding::CODE, code), (self.owner, &own.to_string())]);
                    @let field = self.c.field(finding::CODE);
                    @let name = field.map(|field| DisplayField::of(self.c, field).text(self.shell.pages.site.registry, language, &group.value));
                    tr {
                        th scope="row" { (name.unwrap_or_default()) }
                        td data-head=(self.shell.text("page-findings-count")) { (group.count) }
                        td data-head=(self.shell.text("page-findings-deed")) {
                            a href=(format!("/book/{}{page}?{query}", self.c.slug)) { (self.shell.text(deed)) }
                        }
                    }
                } }
            } }
        }
    }

    /// The farms with most findings to be corrected.
    async fn by_farm(&self) -> Markup {
        let mut farms: BTreeMap<i64, [u64; 2]> = BTreeMap::new();
        for group in self.groups(self.owner, None).await {
            let Some(farm) = group.value.as_i64() else { continue };
            let [fix, note] = farms.entry(farm).or_default();
            *(if group.fix { fix } else { note }) += group.count;
        }
        let mut farms: Vec<(i64, [u64; 2])> = farms.into_iter().collect();
        farms.sort_by_key(|(id, counts)| (std::cmp::Reverse(*counts), *id));
        farms.truncate(FARMS);
        let organizations =
            self.c.field(self.owner).and_then(|field| self.shell.pages.site.registry.get(field.target()?));
        let (Some(organizations), false) = (organizations, farms.is_empty()) else {
            return html! {};
        };
        let ids = farms.iter().enumerate().map(|(place, (id, _))| format!("where[id][in][{place}]={id}"));
        let ids: Vec<String> = ids.collect();
        let names = format!("/api/{}?{}&limit={FARMS}&depth=0&joins=false", organizations.slug, ids.join("&"));
        let names = self.shell.get(&names).await;
        let named = |id: i64| {
            let doc = names.docs().iter().find(|doc| at(doc, "id").as_i64() == Some(id));
            doc.map_or_else(|| format!("№ {id}"), |doc| self.shell.title(organizations, doc))
        };
        let [fix, note] = ["page-findings-fix", "page-findings-notes"].map(|text| self.shell.text(text));
        let title = self.shell.text("page-findings-farms");
        html! {
            h2 { (title) }
            section class="wide" tabindex="0" aria-label=(title) { table class="list" {
                thead { tr {
                    th scope="col" { (labels::collection(self.shell.language(), organizations.slug)) }
                    th scope="col" { (fix) }
                    th scope="col" { (note) }
                } }
                tbody { @for (id, counts) in &farms { tr {
                    th scope="row" {
                        a href=(self.list(&[(self.owner, &id.to_string())])) { (named(*id)) }
                    }
                    @for (count, head) in counts.iter().zip([&fix, &note]) { td data-head=(head) { (count) } }
                } } }
            } }
        }
    }
}

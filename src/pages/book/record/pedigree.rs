//! The ancestors of a record as a tree, each by its name with what the declaration tells of relatives.

use super::super::query::populate_names;
use super::card::Card;
use crate::components::shell::Shell;
use maud::{Markup, html};
use model::display::{DisplayField, at};
use model::messages::labels;
use model::registry::{Collection, Field};
use serde_json::Value;
use std::collections::BTreeMap;

/// Generations of the tree on the page.
pub(super) const GENERATIONS: usize = 4;

fn selected<'p>(paths: impl Iterator<Item = &'p str>) -> String {
    paths.map(|path| format!("&select[{}]=true", path.replace('.', "]["))).collect()
}

/// Ancestors by their numbers: 2n is the father of n, 2n + 1 the mother.
fn by_number(nodes: &Value) -> BTreeMap<u64, &Value> {
    let nodes = at(nodes, "nodes").as_array().into_iter().flatten();
    nodes.filter_map(|node| Some((node.get("number")?.as_u64()?, node))).collect()
}

/// Names the parents whose records are closed to the visitor, as their pedigree does.
pub(super) async fn name_parents(shell: &Shell<'_>, c: &'static Collection, id: i64, doc: &mut Value) {
    let parents = c.lineage.into_iter().flatten();
    let closed: Vec<(u64, &str)> = (2..).zip(parents).filter(|(_, path)| at(doc, path).is_number()).collect();
    if closed.is_empty() {
        return;
    }
    let query = format!("generations=1&depth=0{}", selected(c.title().paths()));
    let answer = shell.get(&format!("/api/{}/{id}/pedigree?{query}", c.slug)).await;
    let nodes = by_number(&answer.body);
    for (number, path) in closed {
        let named = nodes.get(&number).map(|node| at(node, "doc").clone());
        // There is no way to it, whose id this would be.
        if let (Some(Value::Object(mut named)), Some(members)) = (named, doc.as_object_mut()) {
            named.remove("id");
            members.insert(path.to_owned(), Value::Object(named));
        }
    }
}

pub(super) async fn markup(card: &Card<'_>, generations: usize) -> Markup {
    let (shell, c) = (card.shell, card.c);
    let relatives: Vec<&Field> = card.page.relatives.iter().filter_map(|path| c.field(path)).collect();
    let names = populate_names(shell.pages.site.registry, relatives.iter().copied());
    let paths = c.title().names.into_iter().chain(card.page.relatives.iter().copied());
    let query = format!("generations={generations}&depth=1{}{names}", selected(paths));
    let answer = shell.get(&format!("/api/{}/{}/pedigree?{query}", c.slug, card.id)).await;
    let ancestors = by_number(&answer.body);
    let tree = Tree { shell, c, relatives, ancestors };
    html! {
        @if tree.ancestors.len() > 1 {
            section class="pedigree" id="pedigree" {
                h2 { (shell.text("page-pedigree")) }
                section class="wide" tabindex="0" aria-label=(shell.text("page-pedigree")) {
                    ul class="tree" { (tree.animal(1, generations)) }
                }
            }
        }
    }
}

struct Tree<'t> {
    shell: &'t Shell<'t>,
    c: &'static Collection,
    relatives: Vec<&'static Field>,
    ancestors: BTreeMap<u64, &'t Value>,
}

impl Tree<'_> {
    /// An animal with those before it.
    fn animal(&self, number: u64, generations: usize) -> Markup {
        let (father, mother) = (number.saturating_mul(2), number.saturating_mul(2).saturating_add(1));
        html! {
            li {
                @match self.ancestors.get(&number) {
                    Some(node) => div class=(if number.is_multiple_of(2) { "kin sire" } else { "kin dam" }) { (self.named(node)) },
                    None => div class="kin none" { (self.shell.text("page-unknown")) },
                }
                @if generations > 0 && self.ancestors.contains_key(&number) {
                    ul { @for parent in [father, mother] { (self.animal(parent, generations.saturating_sub(1))) } }
                }
            }
        }
    }

    fn named(&self, node: &Value) -> Markup {
        let (shell, c) = (self.shell, self.c);
        let doc = at(node, "doc");
        // A record that the visitor may not read has no page for him.
        let address = shell.record(c, at(doc, "id")).filter(|_| node.get("closed").is_none());
        // Of a closed ancestor the breed has no name.
        let shown = self.relatives.iter().filter(|field| field.target().is_none() || at(doc, &field.path).is_object());
        let facts = shown.filter_map(|field| {
            let display = DisplayField::of(c, field);
            let text = display.text(shell.pages.site.registry, shell.language(), at(doc, &field.path));
            match (text.is_empty(), field.target()) {
                (true, _) => None,
                (_, Some(_)) => Some(text),
                (_, None) => Some(format!("{} {text}", labels::member(shell.language(), c.slug, &field.path))),
            }
        });
        let facts: Vec<String> = facts.collect();
        html! {
            a href=[address.map(|address| address + "?tab=pedigree")] { (shell.title(c, doc)) }
            @if !facts.is_empty() { span class="note" { (facts.join(" · ")) } }
        }
    }
}

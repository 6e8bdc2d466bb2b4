//! Pictures of an animal: files of the collections that have one for each row and belong to it.

use super::super::query::populate_names;
use crate::components::shell::Shell;
use crate::components::value::picture;
use futures_util::future::join_all;
use maud::{Markup, html};
use model::display::at;
use model::registry::Collection;
use serde_json::Value;

/// Rows of each collection that are looked at.
const ROWS: usize = 12;

pub(in crate::book) async fn markup(shell: &Shell<'_>, c: &'static Collection, (id, about): (i64, &str)) -> Markup {
    let registry = shell.pages.site.registry;
    let of = c.joins.iter().filter_map(|join| {
        let of = registry.get(join.collection)?;
        let (file, [path]) = (of.file?, join.on) else {
            return None;
        };
        Some((of, file, *path))
    });
    let all = of.map(async |(of, file, path)| {
        let names = populate_names(registry, of.fields.iter());
        let query = format!("where[{path}][equals]={id}&limit={ROWS}&depth=1&joins=false{names}");
        let answer = shell.get(&format!("/api/{}?{query}", of.slug)).await;
        let target = of.field(file).and_then(|field| field.target());
        let pictures = answer.docs().iter().filter_map(|doc| {
            let drawn = picture(shell, target?, at(doc, file), about);
            (!drawn.0.is_empty()).then(|| figure(shell, of, doc, &drawn))
        });
        pictures.collect::<Vec<Markup>>()
    });
    let all: Vec<Markup> = join_all(all).await.into_iter().flatten().collect();
    html! {
        @if !all.is_empty() {
            section {
                h2 { (shell.text("page-pictures")) }
                div class="pictures" { @for one in all { (one) } }
            }
        }
    }
}

fn figure(shell: &Shell<'_>, c: &'static Collection, doc: &Value, drawn: &Markup) -> Markup {
    html! {
        figure {
            (drawn)
            figcaption { a href=[shell.record(c, at(doc, "id"))] { (shell.title(c, doc)) } }
        }
    }
}

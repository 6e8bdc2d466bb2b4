//! How fast works over the whole book were, for the Association: a small curve for each.

use crate::components::shell::Shell;
use crate::components::times;
use maud::{Markup, html};
use model::display::at;
use model::record::time::parse;
use model::registry::Feature;
use model::registry::measurements::{AT, CASES, LABEL, RATE, WORKS};
use serde_json::Value;

/// Measurements that the curves are drawn of, the latest.
const SHOWN: usize = 200;

pub(crate) async fn markup(shell: &Shell<'_>) -> Markup {
    let c = shell.pages.site.registry.with_feature(Feature::Measurements);
    let Some(c) = c.filter(|_| shell.visitor.is_association()) else {
        return html! {};
    };
    let labels = WORKS.iter().enumerate().map(|(place, work)| format!("where[{LABEL}][in][{place}]={work}"));
    let labels: Vec<String> = labels.collect();
    let query = format!("{}&sort=-{AT}&limit={SHOWN}&depth=0&joins=false", labels.join("&"));
    let answer = shell.get(&format!("/api/{}?{query}", c.slug)).await;
    let curve = |work: &&str| {
        let own = answer.docs().iter().rev().filter(|doc| at(doc, LABEL) == *work);
        let all: Vec<(i64, f64)> = own.filter_map(measurement).collect();
        times::chart(shell.language(), &shell.text(&format!("page-work-{work}")), &all)
    };
    let curves: Vec<Markup> = WORKS.iter().filter_map(curve).collect();
    html! {
        @if !curves.is_empty() {
            h2 { (shell.text("page-works")) }
            div class="multiples" { @for one in curves { (one) } }
        }
    }
}

/// When it was, and how many rows a second.
fn measurement(doc: &Value) -> Option<(i64, f64)> {
    let mut rates = at(doc, CASES).as_array()?.iter().filter_map(|case| at(case, RATE).as_f64());
    Some((parse(at(doc, AT).as_str()?)?, rates.next_back()?))
}

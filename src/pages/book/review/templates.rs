//! Ways to the templates of files that the form of a package takes.

use crate::components::shell::Shell;
use maud::{Markup, html};
use model::display::set;
use model::registry::{Collection, Feature};

/// A template for each set of rows; nothing where the collection takes no packages.
pub(in crate::book) fn templates(shell: &Shell<'_>, c: &Collection) -> Markup {
    let (registry, language) = (shell.pages.site.registry, shell.language());
    let sets = registry.package_sets().filter(|_| c.is(Feature::Packages));
    let sets: Vec<(&str, String)> =
        sets.filter_map(|(_, one)| Some((one.name, set(registry, language, one.name)?))).collect();
    let link = |name: &str, form: &str, text: &str| {
        // A browser asks for the language that it prefers, not for the one that was chosen on a page.
        let query = format!("dataset={name}&format={form}&language={}", language.word());
        html! { a href=(format!("/api/{}/template?{query}", c.slug)) { (shell.text(text)) } }
    };
    html! {
        @if !sets.is_empty() {
            details id="templates" {
                summary { (shell.text("page-templates")) }
                p { (shell.text("page-templates-note")) }
                ul class="ways" { @for (name, label) in sets {
                    li { (label) ": " (link(name, "xlsx", "page-file-xlsx")) " " (link(name, "csv", "page-file-csv")) }
                } }
            }
        }
    }
}

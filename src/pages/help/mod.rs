//! `/help`: the first steps of a farm, of the Association and of visitors, each with the way to the page where it is taken
//! (docs/pages.md, *Help*). Must not know any single collection.

pub(crate) mod field;

use crate::Pages;
use crate::components::reply::page;
use crate::components::shell::{FIND, HELP, Shell};
use crate::evaluation;
use crate::stop::{Page, Stop};
use crate::visitor::Visitor;
use axum::extract::State;
use axum::http::StatusCode;
use maud::html;
use model::messages::labels;
use model::registry::{Collection, Feature};

/// The parameter that chooses whose steps they are.
const ROLE: &str = "role";

/// Where a step is taken.
enum Way {
    Place(&'static str),
    /// The list of the collection of a feature.
    List(Feature),
    /// The lists of what is set in place of built-in values.
    Settings,
}

/// The steps of each role, by the words of their texts.
static ROLES: [(&str, &[(&str, Way)]); 3] = [
    (
        "farm",
        &[
            ("account", Way::Place("/account")),
            ("animals", Way::List(Feature::Mating)),
            ("package", Way::List(Feature::Packages)),
            ("events", Way::List(Feature::Births)),
            ("work", Way::Place("/")),
            ("findings", Way::List(Feature::Findings)),
            ("request", Way::List(Feature::Requests)),
            ("colleague", Way::List(Feature::Invitations)),
            ("program", Way::Place("/partners")),
            ("share", Way::List(Feature::ViewLinks)),
        ],
    ),
    (
        "association",
        &[
            ("queue", Way::Place("/")),
            ("review", Way::List(Feature::Packages)),
            ("decide", Way::List(Feature::Requests)),
            ("certificate", Way::List(Feature::Certificates)),
            ("settings", Way::Settings),
            ("run", Way::List(Feature::EvaluationRuns)),
            ("base", Way::List(Feature::IndexBases)),
            ("invite", Way::List(Feature::Invitations)),
        ],
    ),
    (
        "visitor",
        &[
            ("look", Way::Place("/book")),
            ("search", Way::Place(FIND)),
            ("values", Way::Place(evaluation::PATH)),
            ("enter", Way::Place("/sign-in")),
            ("partner", Way::Place("/partners")),
            ("interface", Way::Place("/api-docs")),
        ],
    ),
];

impl Way {
    /// Addresses, with the names of lists.
    fn links(&self, shell: &Shell<'_>) -> Vec<(String, String)> {
        let registry = shell.pages.site.registry;
        let list = |c: &'static Collection| (shell.list(c), labels::collections(shell.language(), c.slug));
        match self {
            Self::Place(address) => vec![((*address).to_owned(), String::new())],
            Self::List(feature) => registry.with_feature(*feature).map(list).into_iter().collect(),
            Self::Settings => registry.iter().filter(|c| c.built_in.is_some()).map(list).collect(),
        }
    }
}

/// The steps of the chosen role, else of the visitor's own.
pub(crate) async fn first_steps(State(pages): State<Pages>, visitor: Visitor) -> Page {
    let shell = Shell::new(&pages, &visitor);
    let own = match (&visitor.user, visitor.is_association()) {
        (Some(_), true) => "association",
        (Some(_), false) => "farm",
        (None, _) => "visitor",
    };
    let query = visitor.query();
    let chosen = query.get(ROLE).unwrap_or(own);
    let (role, steps) = ROLES.iter().find(|(role, _)| *role == chosen).ok_or_else(|| Stop::missing(&shell))?;
    let title = shell.text("page-steps");
    let body = html! {
        h1 { (title) }
        nav class="tabs" aria-label=(title) { ul { @for (one, _) in &ROLES {
            li { a href=(format!("{HELP}?{ROLE}={one}")) aria-current=[(one == role).then_some("page")] {
                (shell.text(&format!("page-steps-{one}")))
            } }
        } } }
        ol class="steps" { @for (word, way) in *steps {
            @let links = way.links(&shell);
            @if let Some(((address, _), others)) = links.split_first() {
                li {
                    a href=(address) { (shell.text(&format!("page-step-{word}"))) }
                    p {
                        (shell.text(&format!("page-step-{word}.how")))
                        @for (address, name) in others { " " a href=(address) { (name) } }
                    }
                }
            }
        } }
    };
    Ok(page(StatusCode::OK, shell.document(&title, &body)))
}

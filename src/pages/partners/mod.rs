//! `/partners`: how a program begins with this service, by what it is. Steps with requests to copy, in the language of the
//! partner's choice, with the address of this service and what the visitor's account has.

mod call;
mod roles;
mod write;

use crate::Pages;
use crate::components::reply::page;
use crate::components::shell::Shell;
use crate::stop::{Page, Stop};
use crate::visitor::{Visit, Visitor, accounts};
use crate::words::text_of;
use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::get;
use call::variable;
use maud::{Markup, html};
use model::messages;
use model::record::time::to_iso;
use model::registry::Collection;
use roles::{Facts, ROLES, Role, Step, Way};
use serde_json::Value;
use std::collections::BTreeMap;
use write::{WRITERS, Writer};

/// A day, milliseconds.
const DAY: i64 = 86_400_000;
/// Animals among which one is looked for that the requests may name.
const LOOKED_AT: u64 = 50;

pub(crate) fn routes() -> Router<Pages> {
    Router::new().route("/partners", get(all)).route("/partners/{role}", get(one))
}

async fn all(State(pages): State<Pages>, visitor: Visitor) -> Response {
    let shell = Shell::new(&pages, &visitor);
    let title = shell.text("page-partners");
    let body = html! {
        h1 { (title) }
        p { (shell.text("page-partners-note")) }
        ul class="roles" { @for role in &ROLES {
            li {
                a href=(format!("/partners/{}", role.word)) { (text(&shell, role.word, "")) }
                p { (text(&shell, role.word, "-note")) }
            }
        } }
        h2 { (shell.text("page-partners-more")) }
        ul {
            li { a href="/api-docs" { (shell.text("page-api")) } " – " (shell.text("page-api-note")) }
            li { a href="/api/graphql-playground" { (shell.text("page-graphql")) } " – " (shell.text("page-graphql-note")) }
            li { a href="/.well-known/ade" { code { "/.well-known/ade" } } " – " (shell.text("page-partners-discovery")) }
        }
    };
    page(StatusCode::OK, shell.document(&title, &body))
}

async fn one(Visit(pages, visitor, role): Visit<String>) -> Page {
    let shell = Shell::new(&pages, &visitor);
    let query = visitor.query();
    let writer = Writer::of_word(query.get("in"));
    let (Some(role), Some(writer)) = (Role::of_word(&role), writer) else {
        return Err(Stop::missing(&shell));
    };
    let discovery = Discovery::of(&shell, role).await;
    let title = text(&shell, role.word, "");
    let body = Guide { shell: &shell, role, writer, discovery: &discovery };
    Ok(page(StatusCode::OK, shell.document(&title, &body.markup(&title))))
}

fn text(shell: &Shell<'_>, word: &str, more: &str) -> String {
    shell.text(&format!("page-partner-{word}{more}"))
}

/// What the service says of itself and to the visitor.
struct Discovery {
    document: Value,
    /// A location and an animal of the visitor, and the scheme of animals.
    location: Option<[String; 2]>,
    animal: Option<[String; 2]>,
}

impl Discovery {
    async fn of(shell: &Shell<'_>, role: &Role) -> Self {
        let document = shell.get("/.well-known/ade").await.body;
        let own = document.pointer("/locations/first/0/identifier");
        let location = own.and_then(identifier).filter(|_| role.way == Way::Farm);
        let mut animal = None;
        if let Some([scheme, id]) = &location {
            let at = format!("/ade/v1/locations/{scheme}/{id}/animals?pageSize={LOOKED_AT}");
            let list = shell.get(&at).await.body;
            let members = list.get("member").and_then(Value::as_array);
            let mut cows = members.into_iter().flatten().filter(|one| is_cow(one));
            animal = cows.find_map(|one| identifier(one.get("identifier")?));
        }
        Self { document, location, animal }
    }

    /// What the visitor's account may do with a data set; none for visitors without an account.
    fn verbs(&self, set: &str) -> Option<Vec<&str>> {
        let types = self.document.get("types")?.as_array()?;
        let own = types.iter().find(|one| one.get("collection").is_some_and(|name| name == set));
        let verbs = own.and_then(|one| one.get("verbs")?.as_array());
        Some(verbs.into_iter().flatten().filter_map(Value::as_str).collect())
    }

    fn number(&self, place: &str) -> String {
        let value = self.document.pointer(place).and_then(Value::as_u64);
        value.map_or(String::new(), |number| number.to_string())
    }

    fn scheme(&self, place: &str) -> String {
        let value = self.document.pointer(place).and_then(Value::as_str);
        value.unwrap_or_default().to_owned()
    }
}

fn identifier(value: &Value) -> Option<[String; 2]> {
    let member = |name: &str| Some(value.get(name)?.as_str()?.to_owned());
    Some([member("scheme")?, member("id")?])
}

/// Whether events of milk of an animal may be read.
fn is_cow(animal: &Value) -> bool {
    let says = |name: &str, value: &str| animal.get(name).is_some_and(|own| own == value);
    let calved = animal.get("lactationStatus").and_then(Value::as_str);
    says("gender", "Female") && says("status", "Alive") && calved.is_some_and(|one| one != "Dry")
}

/// The page of a role in a language.
struct Guide<'g> {
    shell: &'g Shell<'g>,
    role: &'static Role,
    writer: &'static Writer,
    discovery: &'g Discovery,
}

impl Guide<'_> {
    fn markup(&self, title: &str) -> Markup {
        let (shell, role) = (self.shell, self.role);
        let now = to_iso(shell.pages.site.clock.now());
        let day = to_iso(shell.pages.site.clock.now() - DAY);
        let slug = |collection: Option<&'static Collection>| collection.map_or("", |c| c.slug);
        let registry = shell.pages.site.registry;
        let mandates = registry.with_feature(model::registry::Feature::Mandates);
        let facts = Facts {
            users: slug(accounts(registry)),
            keys: slug(registry.with_feature(model::registry::Feature::ApiKeys)),
            animals: slug(registry.iter().find(|c| c.lineage.is_some())),
            day: day.get(..10).unwrap_or_default(),
            now: &now,
        };
        let (key, steps) = (role.key(facts), role.steps(facts));
        html! {
            nav class="crumbs" aria-label=(shell.text("page-path")) { a href="/partners" { (shell.text("page-partners")) } }
            h1 { (title) }
            p { (text(shell, role.word, "-note")) }
            (self.languages())
            (self.step(&key, Some(&self.head(&[&key]))))
            @if role.way == Way::Mandate { (self.mandate(slug(mandates))) }
            section {
                h2 { (text(shell, "head", "")) }
                p { (text(shell, "head", "-note")) }
                (self.code(&self.head(&steps.iter().collect::<Vec<_>>()), "head"))
            }
            @for step in &steps { (self.step(step, None)) }
            (self.limits())
        }
    }

    fn languages(&self) -> Markup {
        let role = self.role.word;
        html! {
            nav class="choices" aria-label=(text(self.shell, "language", "")) { ul {
                @for one in &WRITERS {
                    li { a href=(format!("/partners/{role}?in={}", one.word))
                        aria-current=[(one.word == self.writer.word).then_some("true")] { (one.name) } }
                }
            } }
        }
    }

    /// A step, with the head of its program where it is one of its own.
    fn step(&self, step: &Step, head: Option<&str>) -> Markup {
        let shell = self.shell;
        let note = match step.word {
            "batch" => {
                let most = self.discovery.number("/limits/batch");
                text_of(shell.language(), "page-partner-batch-note", "most", &most)
            }
            word => text(shell, word, "-note"),
        };
        let calls = self.writer.calls(&step.calls);
        let whole = head.map_or_else(|| calls.clone(), |head| format!("{head}\n{calls}"));
        html! {
            section {
                h2 { (text(shell, step.word, "")) }
                p { (note) }
                @if step.word == "send" { (self.allowed()) }
                (self.code(&whole, step.word))
            }
        }
    }

    /// What the account of the visitor may do with what the role sends.
    fn allowed(&self) -> Markup {
        let sends = self.role.sends;
        let verbs = sends.and_then(|sends| Some((sends.set, self.discovery.verbs(sends.set)?)));
        html! {
            @if let Some((set, verbs)) = verbs {
                p { (text(self.shell, "allowed", "")) " " code { (set) } ": " (verbs.join(", ")) "." }
            }
        }
    }

    fn mandate(&self, slug: &str) -> Markup {
        html! {
            section {
                h2 { (text(self.shell, "mandate", "")) }
                p { (text(self.shell, "mandate", "-note")) " "
                    a href=(format!("/book/{slug}/new")) { (text(self.shell, "mandate", "-make")) } }
            }
        }
    }

    fn limits(&self) -> Markup {
        let (shell, discovery) = (self.shell, self.discovery);
        let values = BTreeMap::from([
            ("page".to_owned(), discovery.number("/limits/pageSize/max")),
            ("changes".to_owned(), discovery.number("/limits/changes/max")),
            ("wait".to_owned(), discovery.number("/limits/changes/wait")),
        ]);
        html! {
            section {
                h2 { (text(shell, "limits", "")) }
                p { (messages::text(shell.language(), "page-partner-limits-note", &values)) }
                p { (text(shell, "faults", "")) }
            }
        }
    }

    /// The head of a program of these steps, with the values of its variables as far as they are known.
    fn head(&self, steps: &[&Step]) -> String {
        let steps: Vec<Step> = steps.iter().map(|step| (*step).clone()).collect();
        let values: Vec<(&str, String)> =
            (self.role.variables(&steps).into_iter()).map(|name| (name, self.value(name, &steps))).collect();
        self.writer.head(&values)
    }

    fn value(&self, name: &str, steps: &[Step]) -> String {
        let of = |values: &Option<[String; 2]>, place: usize| {
            let values = values.as_ref().and_then(|both| both.get(place));
            values.cloned()
        };
        let signs_in = steps.iter().any(|step| step.word == "key");
        let [location_scheme, location_id] = variable::LOCATION;
        let [animal_scheme, animal_id] = variable::ANIMAL;
        let discovery = self.discovery;
        match name {
            variable::HUB => self.shell.here(),
            variable::AUTHORIZATION if signs_in => String::new(),
            variable::AUTHORIZATION => "users API-Key YOUR-KEY".to_owned(),
            variable::EMAIL => "YOUR-EMAIL".to_owned(),
            variable::PASSWORD => "YOUR-PASSWORD".to_owned(),
            variable::SINCE => to_iso(self.shell.pages.site.clock.now() - DAY),
            name if name == location_scheme => {
                of(&discovery.location, 0).unwrap_or_else(|| discovery.scheme("/schemes/location/0"))
            }
            name if name == location_id => of(&discovery.location, 1).unwrap_or_else(|| "YOUR-LOCATION".to_owned()),
            name if name == animal_scheme => {
                of(&discovery.animal, 0).unwrap_or_else(|| discovery.scheme("/schemes/animal/0/scheme"))
            }
            name if name == animal_id => of(&discovery.animal, 1).unwrap_or_else(|| "YOUR-ANIMAL".to_owned()),
            _ => String::new(),
        }
    }

    fn code(&self, program: &str, word: &str) -> Markup {
        html! {
            section class="program" tabindex="0" aria-label=(format!("{}: {}", text(self.shell, word, ""), self.writer.name))
                data-copy=(text(self.shell, "copy", "")) data-copied=(text(self.shell, "copied", "")) {
                pre { code { (program) } }
            }
        }
    }
}

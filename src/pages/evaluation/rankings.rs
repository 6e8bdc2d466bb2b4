//! The ways to lists of animals by rank: bulls and cows by each profile.

use crate::components::shell::Shell;
use maud::{Markup, html};
use model::display::at;
use model::messages::labels;
use model::registry::evaluation::index_values::{PROFILE, VALUE};
use model::registry::evaluation::profiles;
use model::registry::mating::{FEMALE, MALE, SEX};
use model::registry::{Collection, Feature};
use serde_json::Value;

/// Profiles that are rows, at most: those of the Association and of a farm.
const PROFILES: usize = 100;

/// The words for the sexes.
const SEXES: [(&str, &str); 2] = [(MALE, "page-evaluation-bulls"), (FEMALE, "page-evaluation-cows")];

/// Keys and names of the profiles: those that every book has, and of the others those that the visitor reads.
pub(crate) async fn profiles(shell: &Shell<'_>) -> Vec<(String, String)> {
    let registry = shell.pages.site.registry;
    let mut all = Vec::new();
    if let Some(c) = registry.with_feature(Feature::IndexValues) {
        let keys = c.field(PROFILE).map_or(&[][..], |field| field.named_values()).iter();
        all.extend(keys.map(|key| (key.clone(), labels::option(shell.language(), c.slug, PROFILE, key))));
    }
    if let Some(c) = registry.with_feature(Feature::IndexProfiles) {
        let path = format!("/api/{}?sort={}&limit={PROFILES}&depth=0&joins=false", c.slug, profiles::NAME);
        let answer = shell.get(&path).await;
        let own = |doc: &Value| {
            let name = at(doc, profiles::NAME).as_str()?.to_owned();
            Some((format!("{}{}", profiles::KEY, at(doc, "id")), name))
        };
        all.extend(answer.docs().iter().filter_map(own));
    }
    all
}

pub(crate) async fn markup(shell: &Shell<'_>) -> Markup {
    let Some(c) = shell.pages.site.registry.with_feature(Feature::IndexValues) else {
        return html! {};
    };
    let profiles = profiles(shell).await;
    html! {
        nav aria-label=(shell.text("page-evaluation-rankings")) {
            p { (shell.text("page-evaluation-rankings")) ":" }
            ul { @for (key, name) in &profiles { li { (name) ": " (ways(shell, c, key)) } } }
        }
    }
}

/// The lists of one profile.
pub(super) fn ways(shell: &Shell<'_>, c: &'static Collection, key: &str) -> Markup {
    let sex = c.animal.filter(|_| shell.pages.site.registry.with_feature(Feature::Mating).is_some());
    let address = |word: &str| {
        let sex = sex.map(|animal| (format!("where[{animal}.{SEX}][equals]"), word.to_owned()));
        let profile = (format!("where[{PROFILE}][equals]"), key.to_owned());
        let all: Vec<(String, String)> =
            [Some(profile), sex, Some(("sort".to_owned(), format!("-{VALUE}")))].into_iter().flatten().collect();
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        format!("/book/{}?{}", c.slug, query.extend_pairs(all).finish())
    };
    html! {
        @for (place, (word, text)) in SEXES.iter().enumerate() {
            @if place > 0 { ", " }
            a href=(address(word)) { (shell.text(text)) }
        }
    }
}

//! What is in force of the values that rows of a collection may replace, subject by subject, above the list of the rows.
//! Must not know which collection it is.

use super::rights::Rights;
use crate::components::shell::Shell;
use maud::{Markup, html};
use model::display::{self, at, number};
use model::messages::labels;
use model::registry::{BuiltIn, BuiltInValue, Collection, Setting};
use serde_json::Value;

/// All that there is with the rows that set something; nothing for other collections.
pub(super) async fn markup(shell: &Shell<'_>, c: &'static Collection) -> Markup {
    let Some(of) = &c.built_in else {
        return html! {};
    };
    let path = format!("/api/{}?depth=0&pagination=false", c.slug);
    let (rows, rights) = futures_util::join!(shell.get(&path), Rights::of(shell, c, None));
    let table = Table { shell, c, of, rows: rows.docs(), creates: rights.may("create") };
    let all = (of.all)();
    let mut subjects: Vec<(&str, Vec<&Setting>)> = Vec::new();
    for setting in &all {
        match subjects.iter_mut().find(|(subject, _)| *subject == setting.subject) {
            Some((_, settings)) => settings.push(setting),
            None => subjects.push((setting.subject, vec![setting])),
        }
    }
    html! {
        @for (subject, settings) in &subjects {
            section class="group" {
                h2 { (shell.text(&format!("page-subject-{subject}"))) }
                (table.markup(settings))
            }
        }
        h2 { (shell.text("page-in-force-rows")) }
    }
}

/// The number of a setting that is in force; none where it is not known.
pub(super) async fn limit(shell: &Shell<'_>, word: &str) -> Option<f64> {
    let (c, of, setting) = shell.pages.site.registry.iter().find_map(|c| {
        let of = c.built_in.as_ref()?;
        Some((c, of, (of.all)().into_iter().find(|one| one.word == word)?))
    })?;
    let BuiltInValue::Number(built_in, ..) = setting.built_in else {
        return None;
    };
    let answer = shell.get(&format!("/api/{}?where[{}][equals]={word}&depth=0&limit=1", c.slug, of.key)).await;
    let set = answer.docs().first().and_then(|row| at(row, of.value).as_f64());
    answer.is_good().then(|| set.unwrap_or(built_in))
}

struct Table<'t> {
    shell: &'t Shell<'t>,
    c: &'static Collection,
    of: &'static BuiltIn,
    rows: &'t [Value],
    creates: bool,
}

impl Table<'_> {
    fn markup(&self, settings: &[&Setting]) -> Markup {
        let language = self.shell.language();
        let heads = [
            labels::field(language, self.c.slug, self.of.key),
            self.shell.text("page-in-force"),
            self.shell.text("page-built-in"),
            self.shell.text("page-unit"),
            self.shell.text("page-allowed"),
            labels::collections(language, self.of.used.0),
        ];
        let ranged = settings.iter().any(|one| matches!(one.built_in, BuiltInValue::Number(..)));
        let shown = |place: usize| ranged || !(3..5).contains(&place);
        let heads: Vec<&String> = heads.iter().enumerate().filter(|(at, _)| shown(*at)).map(|(_, head)| head).collect();
        html! {
            section class="wide" tabindex="0" aria-label=(heads.first().map_or("", |head| head.as_str())) {
                table class="list" {
                    thead { tr { @for head in &heads { th scope="col" { (head) } } } }
                    tbody { @for setting in settings { tr {
                        @for (place, cell) in self.cells(setting).into_iter().enumerate().filter(|(at, _)| shown(*at)) {
                            @match place {
                                0 => { th scope="row" { (cell) } },
                                _ => { td { (cell) } },
                            }
                        }
                    } } }
                }
            }
        }
    }

    /// The name with the way to its row, what is in force, what is built in, its unit, what is allowed, what uses it.
    fn cells(&self, setting: &Setting) -> [Markup; 6] {
        let (shell, language) = (self.shell, self.shell.language());
        let row = self.rows.iter().find(|row| at(row, self.of.key) == setting.word);
        let name = labels::option(language, self.c.slug, self.of.key, setting.word);
        let (slug, path) = self.of.used;
        let used: Vec<String> = setting.used.iter().map(|word| labels::option(language, slug, path, word)).collect();
        let built_in = self.built_in(setting.built_in);
        let enabled = self.of.enabled.is_none_or(|path| row.is_none_or(|row| at(row, path) != false));
        let set = row.map(|row| at(row, self.of.value)).filter(|value| !value.is_null());
        let in_force = match (enabled, set) {
            (false, _) => shell.text("page-switched-off"),
            (true, None) => built_in.clone(),
            (true, Some(Value::String(word))) => labels::option(language, self.c.slug, self.of.value, word),
            (true, Some(value)) => number(language, &value.to_string()),
        };
        let address = match row {
            Some(row) => Some(format!("/book/{}/{}", self.c.slug, at(row, "id"))),
            None if self.creates => Some(format!("/book/{}/new?{}={}", self.c.slug, self.of.key, setting.word)),
            None => None,
        };
        let (unit, allowed) = match setting.built_in {
            BuiltInValue::Number(_, ends, unit) => {
                let allowed = ends.map(|one| number(language, &one.to_string())).join(" – ");
                (display::unit(language, unit), allowed)
            }
            BuiltInValue::Word(_) => Default::default(),
        };
        [
            html! { a href=[address] { (name) } },
            html! { @if row.is_some() { strong { (in_force) } } @else { (in_force) } },
            html! { (built_in) },
            html! { (unit) },
            html! { (allowed) },
            html! { (used.join("; ")) },
        ]
    }

    fn built_in(&self, value: BuiltInValue) -> String {
        let language = self.shell.language();
        match value {
            BuiltInValue::Number(value, ..) => number(language, &value.to_string()),
            BuiltInValue::Word("both") => self.shell.text("page-grade-both"),
            BuiltInValue::Word(word) => labels::option(language, self.c.slug, self.of.value, word),
        }
    }
}

//! Everything that callers see has a name for people in every language.

use crate::collections::registry;
use model::messages::Language;
use model::messages::labels::{self, about_step, of_action, of_field, of_option, of_step};
use model::registry::{Class, Collection, Field, Kind};
use std::collections::{BTreeMap, BTreeSet};

/// What one language lacks, and the ids that were found.
struct Walk {
    language: Language,
    lacking: Vec<String>,
    used: BTreeSet<String>,
}

impl Walk {
    fn collection(&mut self, c: &Collection) {
        self.used.insert(c.slug.to_owned());
        self.used.insert(format!("{}.many", c.slug));
        let mut names: BTreeMap<String, String> = BTreeMap::new();
        for (path, field) in visible_fields(c) {
            let note = &mut |id: &str| {
                self.used.insert(id.to_owned());
            };
            let (name, translated) = of_field(self.language, c.slug, &path, note);
            if !translated {
                self.lacking.push(format!("{}.{path}", c.slug));
            }
            if let Some(other) = names.insert(name.clone(), path.clone()) {
                let both = format!("{}: {path} and {other} are {name}", c.slug);
                self.lacking.push(both);
            }
            let options = field.map_or(&[][..], Field::known_values);
            self.options(c.slug, &path, options);
        }
        for action in &c.actions {
            self.used.insert(format!("{}-do-{}.done", c.slug, action.name));
        }
        let many = c.for_many.iter().map(|how| how.name);
        for action in c.actions.iter().map(|action| action.name).chain(many) {
            let note = &mut |id: &str| {
                self.used.insert(id.to_owned());
            };
            if !of_action(self.language, c.slug, action, note).1 {
                self.lacking.push(format!("{} {action}", c.slug));
            }
        }
    }

    /// Every step that people make has a text for what is done and what was done, and one that needs a confirmation says
    /// what follows.
    fn steps(&mut self, c: &Collection) {
        let all = c.states.iter();
        let all = all.flat_map(|states| states.made_by_people().map(|step| (states.path, step)));
        for (path, step) in all {
            let note = &mut |id: &str| {
                self.used.insert(id.to_owned());
            };
            let name = of_step(self.language, c.slug, path, step.to, note);
            let then = about_step(self.language, c.slug, path, step.to, "then", note);
            let done = about_step(self.language, c.slug, path, step.to, "done", note);
            if name.is_none() || done.is_none() || step.grave != then.is_some() {
                let what = format!("{}.{path} to {}: {name:?}, {then:?}, {done:?}", c.slug, step.to);
                self.lacking.push(what);
            }
        }
    }

    fn options(&mut self, slug: &str, path: &str, options: &[String]) {
        let mut names: BTreeMap<String, &str> = BTreeMap::new();
        for option in options {
            let note = &mut |id: &str| {
                self.used.insert(id.to_owned());
            };
            let (name, translated) = of_option(self.language, slug, path, option, note);
            if !translated {
                self.lacking.push(format!("{slug}.{path} {option}"));
            }
            if let Some(other) = names.insert(name, option) {
                let both = format!("{slug}.{path}: {option} and {other} have one name");
                self.lacking.push(both);
            }
        }
    }
}

/// Paths that callers see, those of groups among them.
fn visible_fields(c: &Collection) -> BTreeMap<String, Option<&Field>> {
    let mut all = BTreeMap::new();
    let visible = |f: &&Field| f.class != Class::Hidden || matches!(f.kind, Kind::Password);
    for field in c.fields.iter().filter(visible) {
        let groups = field.path.match_indices('.');
        for (at, _) in groups {
            all.insert(field.path[..at].to_owned(), None);
        }
        all.insert(field.path.clone(), Some(field));
        if let Kind::Rows(members) = &field.kind {
            for member in members.iter().filter(visible) {
                all.insert(format!("{}.{}", field.path, member.path), Some(member));
            }
        }
    }
    all
}

#[test]
fn everything_that_callers_see_has_a_name_of_its_own_in_every_language() {
    let registry = registry().unwrap();
    for language in Language::ALL {
        let mut walk = Walk { language, lacking: vec![], used: BTreeSet::new() };
        for c in registry.iter() {
            walk.collection(c);
            walk.steps(c);
        }
        let all = labels::ids(language);
        let absent = walk.used.difference(&all).map(|id| format!("no text {id}"));
        let mut lacking = walk.lacking;
        lacking.extend(absent);
        assert_eq!(lacking, Vec::<String>::new(), "{language:?}");
        let left: Vec<_> = all.difference(&walk.used).collect();
        assert_eq!(left, Vec::<&String>::new(), "{language:?} has texts that name nothing");
    }
}

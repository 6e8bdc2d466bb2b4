//! Operations of a collection, by the words of its declaration. An operation that the rules forbid to every caller is not
//! listed: such a request answers 403.

use super::template::{ACCOUNTS, COLLECTION, FEATURES, Filling, PACKAGES, REST, SERVER};
use crate::rest::mating;
use domain::collections::certificates::Form;
use domain::collections::mating::Goal;
use model::messages::Language;
use model::registry::review::package;
use model::registry::{BulkMode, Collection, Feature, ForMany, Registry, Verb};
use ops::{GENERATIONS_MAX, MOST_OF_MANY};
use serde_json::{Map, Value, json};

/// The tag of a collection: its section of the model, and its name.
pub(super) fn tag(c: &Collection) -> String {
    format!("{} · {}", c.section, c.plural)
}

pub(super) fn sign_in_tag(c: &Collection) -> String {
    format!("{} · Sign-in", c.section)
}

/// Operations about the server itself.
pub(super) fn server() -> Map<String, Value> {
    Filling::new(&REST, common(), Vec::new()).paths(&SERVER, "paths")
}

pub(super) fn paths(registry: &Registry, c: &Collection) -> Map<String, Value> {
    let words = words(registry, c).into_iter();
    let words = words.filter_map(|(word, holds)| holds.then_some(word));
    let filling = Filling::new(&REST, holes(c), words.collect());
    let mut out = Map::new();
    for file in [&COLLECTION, &FEATURES, &PACKAGES] {
        out.extend(filling.paths(file, "paths"));
    }
    if let Some(how) = &c.for_many {
        out.extend(for_many(&filling, c, how).paths(&COLLECTION, "many"));
    }
    for join in &c.joins {
        let mended = c.is(Feature::Packages) && package::ROWS == join.name;
        let joined = filling.with([("join", join.name.into()), ("of", join.collection.into())]);
        out.extend(joined.when("mended", mended).paths(&COLLECTION, "joins"));
    }
    for action in &c.actions {
        let acted = filling.with([("action", action.name.into()), ("about", action.doc.into())]);
        out.extend(acted.paths(&COLLECTION, "actions"));
    }
    if c.auth {
        out.extend(filling.paths(&ACCOUNTS, "paths"));
    }
    out
}

/// What templates of operations take from the program.
fn common() -> Vec<(&'static str, Value)> {
    vec![
        ("languages", json!(Language::ALL.map(Language::word))),
        ("certificates", json!(Form::ALL.map(Form::word))),
        ("certificate", Form::Pedigree.word().into()),
        ("generations", GENERATIONS_MAX.into()),
        ("with-max", mating::WITH_MAX.into()),
        ("naming-max", mating::NAMING_MAX.into()),
        ("females-max", mating::FEMALES_MAX.into()),
        ("bulls-max", mating::BULLS_MAX.into()),
        ("plan-inbreeding", mating::INBREEDING.into()),
        ("goal-traits", Goal::traits().collect()),
    ]
}

/// What templates take from a declaration.
pub(super) fn holes(c: &Collection) -> Vec<(&'static str, Value)> {
    let mut values: Vec<&str> = c.ui.charts.iter().map(|chart| chart.value).collect();
    let mut axes: Vec<&str> = c.happens.into_iter().collect();
    let curves = c.ui.charts.iter().filter_map(|chart| chart.curves);
    axes.extend(curves.map(|curves| curves.at));
    values.dedup();
    axes.dedup();
    let lists = c.ui.work_lists.iter().flat_map(|lists| lists.lists.iter().map(|list| Value::from(list.name)));
    // In names of operations.
    let joined = |label: &str| label.split_whitespace().collect::<String>();
    let mut out = common();
    out.extend([
        ("slug", c.slug.into()),
        ("section", c.section.into()),
        ("article", article(&c.singular).into()),
        ("singular", c.singular.as_str().into()),
        ("plural", c.plural.as_str().into()),
        ("type", joined(&c.singular).into()),
        ("types", joined(&c.plural).into()),
        ("doc", c.doc.into()),
        ("value", json!(values.first())),
        ("values", json!(values)),
        ("axis", json!(axes.first())),
        ("axes", json!(axes)),
        ("work-lists", lists.collect()),
        ("counts-by", json!(c.ui.counts_by.join(", "))),
    ]);
    out
}

/// A name of a collection begins with a capital letter; `User` sounds as if it began with a consonant.
fn article(name: &str) -> &'static str {
    let is_open = name.starts_with(['A', 'E', 'I', 'O']) || name.starts_with('U') && !name.starts_with("Us");
    if is_open { "an" } else { "a" }
}

/// The words of templates, and whether they hold for a collection.
fn words(registry: &Registry, c: &Collection) -> [(&'static str, bool); 18] {
    let certified = registry.certificates_about(c.slug).is_some();
    let named_set = c.fields.iter().any(|field| field.named_set().is_some());
    [
        ("create", c.access.opens(Verb::Create)),
        ("update", c.access.opens(Verb::Update)),
        ("delete", c.access.opens(Verb::Delete)),
        ("pedigree", c.lineage.is_some()),
        ("mating", c.is(Feature::Mating)),
        ("files", c.upload.is_some()),
        ("packages", c.is(Feature::Packages)),
        ("decided", c.is(Feature::Requests)),
        ("invites", c.is(Feature::Invitations)),
        ("proposals", named_set),
        ("certified", certified),
        ("certifies", c.is(Feature::Certificates)),
        ("card", c.ui.card.is_some()),
        ("means", !c.ui.charts.is_empty()),
        ("work-lists", c.ui.work_lists.is_some()),
        ("counts", !c.ui.counts_by.is_empty()),
        ("view-links", c.is(Feature::ViewLinks)),
        ("letters", !c.sign_in.wishes.is_empty()),
    ]
}

fn for_many<'t>(filling: &Filling<'t>, c: &Collection, how: &ForMany) -> Filling<'t> {
    let of = c.field(how.relation).and_then(|field| field.target());
    let (most, one_by_one, way) = match how.how {
        BulkMode::Together => (MOST_OF_MANY, false, "Written in parts, each a transaction."),
        BulkMode::OneByOne(most) => {
            (most, true, "What is said of one alone refuses that one. Written in one transaction.")
        }
    };
    let mut reasons = vec!["open"];
    let mut why = "`open`: it has the same one, `id`.".to_owned();
    if how.only.is_some() {
        reasons.push("not-registered");
        why += " `not-registered`: it does not take part.";
    }
    if one_by_one {
        reasons.push("refused");
        why += " `refused`: `issues` say why.";
    }
    let holes = [
        ("many", how.name.into()),
        ("of", of.unwrap_or_default().into()),
        ("relation", how.relation.into()),
        ("most", most.into()),
        ("way", way.into()),
        ("reasons", json!(reasons)),
        ("why", why.into()),
    ];
    filling.with(holes).when("one-by-one", one_by_one)
}

#[cfg(test)]
mod tests {
    use super::super::template::files;
    use super::*;
    use std::collections::BTreeSet;

    /// Words that hold by more than the declaration of a collection.
    const OTHERS: [&str; 7] = ["mended", "one-by-one", "whole", "posts", "reads", "retracts", "sends"];

    fn collect<'v>(value: &'v Value, words: &mut BTreeSet<&'v str>) {
        match value {
            Value::Array(items) => items.iter().for_each(|item| collect(item, words)),
            Value::Object(members) => {
                words.extend(members.get("when").and_then(Value::as_str));
                members.values().for_each(|member| collect(member, words));
            }
            _ => {}
        }
    }

    #[test]
    fn templates_and_declarations_have_the_same_words() {
        let registry = domain::collections::registry().unwrap();
        let c = registry.iter().next().unwrap();
        let own = words(registry, c).map(|(word, _)| word);
        let names: BTreeSet<&str> = own.into_iter().chain(OTHERS).collect();
        let mut used = BTreeSet::new();
        for file in files() {
            collect(file, &mut used);
        }
        assert_eq!(used, names);
    }
}

//! Values of uploaded files that no entry of a dictionary and no choice has: the Association decides what they mean.

use crate::collections::dictionaries::lookups::written;
use crate::collections::events::measures::JSON_BYTES;
use crate::collections::hooks::hooks;
use crate::collections::slots::slots;
use crate::collections::verification::submissions::intake;
use model::error::Result;
use model::record::{Record, Value};
use model::registry::{
    ALIASES, Access, BookReader, Class, Collection, Command, Doer, Draft, HookContext, ID, Kind,
    Lookup, Move, Registry, Rule, Set, States, Verb, Vocabulary, Who, Wording, entry_key, fields,
    group, instant, int, json, long_text, relation, relations, select, text, text_n,
};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;

const SLUG: &str = "pending-values";
/// Unknown values of a column, beyond which it has something else than entries of a dictionary.
const VALUES: usize = 200;
/// Longest value, characters; longer ones are remarks.
const LONGEST: usize = 100;
/// Headings that are stored of a value.
const SAMPLES: usize = 10;
/// Packages of a value that are read again, and organisations.
const PACKAGES: usize = 1_000;

/// The collection.
pub(crate) fn pending_values() -> Collection {
    let access = Access::read(Rule::Assoc)
        .create(Rule::Admin)
        .update(Rule::Assoc)
        .delete(Rule::Admin);
    let fields = fields![
        relation("ownerOrg", "organizations").server() => "Organisation whose file had it first.",
        text_n("title", 100).required().once() => "Value as it was written.",
        text("normalized").server()
            => "Normalised value, by which values are compared; one row for all farms.",
        text_n("target", 100).required().once().wording(Wording::Values)
            => "Dictionary (`breeds`), or collection and field of a choice (`calvings:ease`).",
        select("status", "new|accepted|declined|duplicate").default("new").indexed()
            => "What the Association decided.",
        text_n("meansCode", 60)
            => "Code of the entry or choice that it means; a name or label is taken too.",
        group("decision", fields![
            long_text("comment") => "Remark on the decision.",
            relation("decidedBy", "users").server() => "User who decided.",
            instant("decidedAt").server(),
        ]),
        int("seenTimes").counted().default(1) => "In how many files it was seen.",
        int("rowsWithValue").counted() => "How many rows had it.",
        instant("firstSeenAt").server(),
        instant("lastSeenAt").server().indexed(),
        json("samples").bytes(JSON_BYTES) => "Some headings of the columns that had it.",
        relations("organizations", "organizations") => "Organisations whose files had it.",
        relations("submissions", "data-submissions").server().class(Class::Hidden)
            => "Packages that are read again when it is decided.",
    ];
    Collection::new(SLUG, access, fields)
        .singular("Unrecognised Value")
        .unique(&["target", "normalized"])
        .states(steps())
        .waits(Doer::Association, "status", &["new"])
        .hooks(Behaviour)
        .doc("Values of uploaded files that no entry of a dictionary and no choice has.")
}

fn steps() -> States {
    let decided = |to| {
        Move::new(&["new"], to)
            .by(Who::Association)
            .set("decision.decidedBy", Set::Me)
            .set("decision.decidedAt", Set::Now)
    };
    States::of("status")
        .with(
            decided("accepted")
                .needs(&["meansCode"])
                .doc("Further uploads understand the value: of a dictionary it becomes an alias of the entry."),
        )
        .with(decided("declined"))
        .with(decided("duplicate"))
}

slots!(
    /// Slots of `pending-values`.
    Slots of "pending-values" {
        title: "title", normalized: "normalized", target: "target", status: "status", means: "meansCode",
        first: "firstSeenAt", last: "lastSeenAt", times: "seenTimes", rows: "rowsWithValue", samples: "samples",
        organizations: "organizations", submissions: "submissions",
    }
);

hooks!(Behaviour {
    check(context, drafts) {
        let (s, now) = (Slots::get(), context.now());
        for draft in written(drafts) {
            if draft.verb == Verb::Create {
                for slot in [s.first, s.last] {
                    if draft.new.get(slot).is_null() {
                        draft.new.set(slot, Value::Time(now));
                    }
                }
            }
            let key = entry_key(draft.new.get(s.title).text().unwrap_or_default());
            draft.new.set(s.normalized, Value::from(key));
            means_something(context, draft).await?;
        }
        Ok(())
    }
    effects(context, changes) {
        let s = Slots::get();
        let mut again = Vec::new();
        for change in changes {
            let (Some(old), Some(new)) = (&change.old, &change.new) else {
                continue;
            };
            let means = accepted(new).filter(|means| accepted(old) != Some(*means));
            if let Some(means) = means {
                let target = text_of(new, s.target);
                if let Some(former) = accepted(old) {
                    rename(context, target, former, |aliases| without(aliases, text_of(new, s.title))).await?;
                }
                rename(context, target, means, |aliases| with(aliases, text_of(new, s.title))).await?;
            }
            if means.is_some() || old.get(s.status) != new.get(s.status) {
                again.extend_from_slice(new.get(s.submissions).ids());
            }
        }
        intake::read_again(context, again).await
    }
});

fn text_of(row: &Record, slot: usize) -> &str {
    row.get(slot).text().unwrap_or_default()
}

/// The code that an accepted value means.
fn accepted(row: &Record) -> Option<&str> {
    let s = Slots::get();
    let code = text_of(row, s.means);
    (text_of(row, s.status) == "accepted" && !code.is_empty()).then_some(code)
}

/// What an accepted value means is there; a name of an entry or a label becomes its code.
async fn means_something(context: &mut dyn BookReader, draft: &mut Draft) -> Result<()> {
    let s = Slots::get();
    let changed = draft.changes(s.status) || draft.changes(s.means);
    let Some(means) = accepted(&draft.new).filter(|_| changed).map(str::to_owned) else {
        // The move itself says that the code is missing.
        return Ok(());
    };
    let target = text_of(&draft.new, s.target).to_owned();
    match code_of(context, &target, means.trim()).await? {
        Some(code) => draft.new.set(s.means, Value::from(code)),
        None => {
            let message = "There is no entry or choice of this code.";
            draft.fault("meansCode", "not-an-option", message);
        }
    }
    Ok(())
}

/// The code of an entry of a dictionary, or of a choice, by its code or a name.
async fn code_of(context: &mut dyn BookReader, target: &str, name: &str) -> Result<Option<String>> {
    let registry = crate::collections::registry()?;
    if let Some((slug, path)) = target.split_once(':') {
        let c = registry.get(slug);
        let code = c.and_then(|c| match &c.member(path)?.kind {
            Kind::Select(values) => c.worded(path, values, name),
            _ => None,
        });
        return Ok(code.map(str::to_owned));
    }
    let Some(c) = registry.get(target).filter(|c| c.has_aliases()) else {
        return Ok(None);
    };
    if entry(context, c, name).await?.is_some() {
        return Ok(Some(name.to_owned()));
    }
    let Some(vocabulary) = Vocabulary::read(context, c).await? else {
        return Ok(None);
    };
    let entries: Vec<i64> = vocabulary.entries(None, name).into_iter().collect();
    let [id] = entries.as_slice() else {
        return Ok(None);
    };
    let lookup = Lookup::by_ids("id", [*id]).fields(&["code"]);
    let rows = context.find(c.slug, lookup).await?;
    let code = rows.first().and_then(|row| row.get(c.slot("code")?).text());
    Ok(code.map(str::to_owned))
}

/// The entry of a dictionary with this code, and its aliases.
async fn entry(
    context: &mut dyn BookReader,
    c: &'static Collection,
    code: &str,
) -> Result<Option<(i64, Vec<String>)>> {
    let lookup = Lookup::default()
        .is_in("code", vec![code.into()])
        .fields(&["code", ALIASES])
        .limit(1);
    let rows = context.find(c.slug, lookup).await?;
    Ok(rows.first().and_then(|row| {
        let aliases = row.get(c.slot(ALIASES)?).texts().to_vec();
        Some((row.get(ID).int()?, aliases))
    }))
}

/// Changes the aliases of an entry of a dictionary; of a choice nothing.
async fn rename(
    context: &mut dyn HookContext,
    target: &str,
    code: &str,
    change: impl FnOnce(Vec<String>) -> Vec<String> + Send,
) -> Result<()> {
    let registry = crate::collections::registry()?;
    let Some(c) = registry.get(target).filter(|c| c.has_aliases()) else {
        return Ok(());
    };
    let Some((id, aliases)) = entry(context, c, code).await? else {
        return Ok(());
    };
    let changed = change(aliases.clone());
    if changed == aliases {
        return Ok(());
    }
    let fields = vec![(ALIASES.to_owned(), Value::Texts(changed))];
    let commands = vec![Command::Update(id, fields)];
    context.write(c.slug, commands).await.map(drop)
}

fn without(mut aliases: Vec<String>, name: &str) -> Vec<String> {
    let key = entry_key(name);
    aliases.retain(|alias| entry_key(alias) != key);
    aliases
}

fn with(aliases: Vec<String>, name: &str) -> Vec<String> {
    let mut aliases = without(aliases, name);
    aliases.push(name.to_owned());
    aliases
}

/// What values of choices mean that the Association accepted: by collection and field, and normalised value, the choice.
pub type ValueDecisions = BTreeMap<String, BTreeMap<String, String>>;

/// What the Association decided about values of choices; those of dictionaries are aliases.
///
/// # Errors
/// The errors of the reader.
pub async fn value_decisions(context: &mut dyn BookReader) -> Result<ValueDecisions> {
    let s = Slots::get();
    let lookup = Lookup::default()
        .is_in("status", vec!["accepted".into()])
        .fields(&["normalized", "target", "status", "meansCode"]);
    let rows = context.find(SLUG, lookup).await?;
    let mut decided = ValueDecisions::new();
    for row in &rows {
        let target = text_of(row, s.target);
        if let (true, Some(code)) = (target.contains(':'), accepted(row)) {
            let words = decided.entry(target.to_owned()).or_default();
            words.insert(text_of(row, s.normalized).to_owned(), code.to_owned());
        }
    }
    Ok(decided)
}

/// Values of the rows of a package that no entry of a dictionary and no choice has.
#[derive(Debug, Clone, Default)]
pub struct UnknownValues {
    /// By dictionary or choice, and heading; none: the column has too many.
    columns: BTreeMap<(String, String), Option<BTreeMap<String, UnknownValue>>>,
}

/// A value that is unknown.
#[derive(Debug, Clone, Default)]
struct UnknownValue {
    title: String,
    rows: i64,
    headings: Vec<String>,
}

impl UnknownValues {
    /// Notes those of a row by its faults.
    pub(crate) fn note(&mut self, registry: &Registry, slug: &str, faults: &[Json]) {
        let Some(c) = registry.get(slug) else { return };
        for fault in faults {
            let text = |name: &str| fault.get(name).and_then(Json::as_str).unwrap_or_default();
            let (code, value) = (text("code"), text("value").trim());
            // `field:value` says itself which field is meant.
            let is_word = !value.contains(':') && value.chars().count() <= LONGEST;
            if !matches!(code, "invalid-relation" | "not-an-option") || !is_word {
                continue;
            }
            let key = entry_key(value);
            let Some(target) = target_of(registry, c, text("path")).filter(|_| !key.is_empty())
            else {
                continue;
            };
            let heading = text("column").to_owned();
            let column = self.columns.entry((target, heading));
            let column = column.or_insert_with(|| Some(BTreeMap::new()));
            if let Some(values) = column {
                let known = values.entry(key).or_insert_with(|| UnknownValue {
                    title: value.to_owned(),
                    ..UnknownValue::default()
                });
                known.rows = known.rows.saturating_add(1);
                if values.len() > VALUES {
                    *column = None;
                }
            }
        }
    }

    /// By dictionary or choice.
    fn by_target(&self) -> BTreeMap<&str, BTreeMap<&str, UnknownValue>> {
        let mut all: BTreeMap<&str, BTreeMap<&str, UnknownValue>> = BTreeMap::new();
        for ((target, heading), values) in &self.columns {
            for (key, value) in values.iter().flatten() {
                let known = all.entry(target).or_default().entry(key).or_default();
                if known.title.is_empty() {
                    known.title.clone_from(&value.title);
                }
                known.rows = known.rows.saturating_add(value.rows);
                known.headings.push(heading.clone());
            }
        }
        all
    }
}

/// The dictionary, or the choice, that a field of a row has a value of.
fn target_of(registry: &Registry, c: &Collection, path: &str) -> Option<String> {
    let is_place = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    let parts: Vec<&str> = path.split('.').filter(|part| !is_place(part)).collect();
    let path = parts.join(".");
    match &c.member(&path)?.kind {
        Kind::Relation(slug) => {
            let target = registry.get(slug).filter(|target| target.has_aliases());
            target.map(|target| target.slug.to_owned())
        }
        Kind::Select(_) => Some(format!("{}:{path}", c.slug)),
        _ => None,
    }
}

/// Notes unknown values of a package: one row for each value of a dictionary or choice, of all farms.
///
/// # Errors
/// The errors of the context.
pub async fn saw_values(
    context: &mut dyn HookContext,
    package: &intake::OpenPackage,
    values: &UnknownValues,
) -> Result<()> {
    let (s, now) = (Slots::get(), Value::Time(context.now()));
    let mut commands = Vec::new();
    for (target, mut open) in values.by_target() {
        let names: Vec<Value> = open.keys().map(|name| Value::from(*name)).collect();
        let lookup = Lookup::default()
            .is_in("target", vec![target.into()])
            .is_in("normalized", names);
        let rows = context.find(SLUG, lookup).await?;
        for row in &rows {
            let Some(value) = open.remove(text_of(row, s.normalized)) else {
                continue;
            };
            let Some(id) = row.get(ID).int() else {
                continue;
            };
            let more = |slot: usize, more: i64| {
                Value::Int(row.get(slot).int().unwrap_or_default().saturating_add(more))
            };
            let mut fields = vec![
                ("lastSeenAt".to_owned(), now.clone()),
                ("samples".to_owned(), headings(Some(row), value.headings)),
                (
                    "organizations".to_owned(),
                    joined(Some(row), s.organizations, package.organization),
                ),
                (
                    "submissions".to_owned(),
                    joined(Some(row), s.submissions, package.id),
                ),
            ];
            if !package.again {
                fields.push(("seenTimes".to_owned(), more(s.times, 1)));
                fields.push(("rowsWithValue".to_owned(), more(s.rows, value.rows)));
            }
            commands.push(Command::Update(id, fields));
        }
        for value in open.into_values() {
            commands.push(Command::Create(vec![
                ("title".to_owned(), value.title.into()),
                ("target".to_owned(), target.into()),
                ("ownerOrg".to_owned(), Value::Int(package.organization)),
                ("rowsWithValue".to_owned(), Value::Int(value.rows)),
                ("samples".to_owned(), headings(None, value.headings)),
                (
                    "organizations".to_owned(),
                    joined(None, s.organizations, package.organization),
                ),
                (
                    "submissions".to_owned(),
                    joined(None, s.submissions, package.id),
                ),
            ]));
        }
    }
    match commands.is_empty() {
        true => Ok(()),
        false => context.write(SLUG, commands).await.map(drop),
    }
}

/// The ids of a row with one more, as far as there is room.
fn joined(row: Option<&Record>, slot: usize, id: i64) -> Value {
    let mut ids = row.map_or_else(Vec::new, |row| row.get(slot).ids().to_vec());
    if !ids.contains(&id) && ids.len() < PACKAGES {
        ids.push(id);
    }
    Value::Ids(ids)
}

/// The headings of a row with more, as far as there is room.
fn headings(row: Option<&Record>, more: Vec<String>) -> Value {
    let known = row.map_or(&[][..], |row| row.get(Slots::get().samples).rows());
    let known = known
        .iter()
        .filter_map(|one| one.as_str().map(str::to_owned));
    let mut all: Vec<String> = known.collect();
    for heading in more {
        if !all.contains(&heading) && all.len() < SAMPLES {
            all.push(heading);
        }
    }
    Value::json(json!(all))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collections::registry;

    fn fault(path: &str, code: &str, value: &str) -> Json {
        json!({"column": "C", "path": path, "code": code, "value": value})
    }

    /// What is noted of a fault: the target and the title.
    fn noted(slug: &str, faults: &[Json]) -> Vec<(String, String)> {
        let mut values = UnknownValues::default();
        values.note(registry().unwrap(), slug, faults);
        let all = values.by_target();
        let all = all.iter().flat_map(|(target, values)| {
            let titles = values.values().map(|value| value.title.clone());
            titles.map(move |title| ((*target).to_owned(), title))
        });
        all.collect()
    }

    #[test]
    fn values_of_dictionaries_and_choices_are_noted_and_nothing_else() {
        for case in [
            "animals;breed;invalid-relation; Голштин ;breeds",
            "animals;dnaTests.0.type;invalid-relation;STR;dna-test-types",
            "calvings;ease;not-an-option;тяжко;calvings:ease",
            "calvings;progeny.1.sex;not-an-option;бычара;calvings:progeny.sex",
            "animals;breed;ambiguous-relation;Голштин;",
            "animals;breed;invalid-relation;code:X;",
            "animals;breed;invalid-relation;.;",
            "animals;father;invalid-relation;960000000001;",
            "animals;owner;invalid-relation;Заря;",
            "inseminations;technician;invalid-relation;Иванова А. П.;",
            "animals;name;wrong-type;Нега;",
            "animals;nothing;not-an-option;x;",
        ] {
            let parts: Vec<&str> = case.split(';').collect();
            let [slug, path, code, value, target] = parts[..] else {
                panic!("{case}");
            };
            let found = noted(slug, &[fault(path, code, value)]);
            let expected = (target.to_owned(), value.trim().to_owned());
            let expected = Some(expected).filter(|_| !target.is_empty());
            assert_eq!(found, Vec::from_iter(expected), "{case}");
        }
        let remark = "а".repeat(LONGEST + 1);
        assert!(noted("animals", &[fault("breed", "invalid-relation", &remark)]).is_empty());
    }

    #[test]
    fn a_column_with_too_many_values_has_none_of_a_dictionary() {
        let of = |count: usize| {
            let values = (0..count).map(|n| fault("breed", "invalid-relation", &format!("Б{n}")));
            noted("animals", &values.collect::<Vec<_>>()).len()
        };
        assert_eq!(of(VALUES), VALUES);
        assert_eq!(of(VALUES + 1), 0);
        assert_eq!(of(VALUES + 9), 0);
    }
}

//! What a column that nobody knows may mean (docs/packages.md, *Mapping*): fields whose headings are like its title, whose
//! values its samples can be, and those that its farms named for it before.

use crate::files::sheet::column;
use crate::meanings::columns::Column;
use crate::values::cell_value::cell_value;
use crate::values::notation::Profiles;
use domain::collections::packages::Mapping;
use domain::slots;
use model::display;
use model::error::{Error, Result};
use model::messages::{Language, labels};
use model::record::{Record, Value};
use model::registry::{BookReader, Collection, Field, Kind, Lookup, PackageSet, Registry, Test, normal};
use ops::Book;
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};

/// Best proposals of an answer.
const BEST: usize = 3;
/// Points of a field that farms named before.
const BY_FARM: f64 = 4.0;
/// Points of a heading that is the title; a heading that is like it has its likeness of them.
const BY_HEADING: f64 = 2.0;
/// From which likeness on a heading counts.
const LIKE: f64 = 0.5;
/// Which share of the samples must be values of a field.
const SHARE: f64 = 0.8;
/// Points below which nothing is proposed.
const LEAST: f64 = 0.3;
/// Packages whose mappings are looked at, the latest first.
const PACKAGES: i64 = 500;

slots!(Columns of "pending-columns" { title, dataset, samples, organizations });
slots!(
    /// Slots of `data-submissions` that say what their sender stated.
    Packages of "data-submissions" { mapping }
);

#[derive(Debug, Default)]
struct PendingColumn {
    title: String,
    /// The set of the table.
    dataset: Option<String>,
    /// Some of the values.
    samples: Vec<String>,
    /// Farms whose files had it.
    organizations: Vec<i64>,
}

/// A field that a column may mean.
#[derive(Debug, Clone)]
struct Proposal {
    c: &'static Collection,
    set: &'static PackageSet,
    path: String,
    points: f64,
    because: Vec<&'static str>,
}

/// What a pending column may mean, with names in a language: `docs`, the best; `fields`, all.
///
/// # Errors
/// [`Error::NotFound`] when there is no such column; the errors of the database.
pub async fn proposals(book: &Book, id: i64, language: Language) -> Result<Json> {
    let (registry, now) = (book.registry, book.clock.now());
    book.transact(move |work| {
        Box::pin(async move {
            let pending = pending_column(work, id).await?.ok_or(Error::NotFound)?;
            let stated = stated_mappings(work, registry, pending.organizations.clone()).await?;
            let all = all(registry, pending.dataset.as_deref());
            let entries = entries(work, registry, &all, &pending.samples).await?;
            let judged: Vec<Proposal> =
                (all.into_iter()).map(|field| judged(field, &pending, &stated, &entries, now)).collect();
            let to_json = |one: &Proposal| proposal_json(registry, language, one);
            let fields: Vec<Json> = judged.iter().map(to_json).collect();
            let mut best: Vec<&Proposal> = judged.iter().filter(|one| one.points >= LEAST).collect();
            best.sort_by(|one, other| other.points.total_cmp(&one.points));
            let docs: Vec<Json> = best.into_iter().take(BEST).map(to_json).collect();
            Ok(json!({"docs": docs, "fields": fields}))
        })
    })
    .await
}

async fn pending_column(context: &mut dyn BookReader, id: i64) -> Result<Option<PendingColumn>> {
    let s = Columns::get();
    let rows = context.find("pending-columns", Lookup::by_ids("id", [id])).await?;
    let column = |row: &Record| {
        let text = |slot: usize| row.get(slot).text().unwrap_or_default().to_owned();
        let samples = row.get(s.samples).rows().iter();
        PendingColumn {
            title: text(s.title),
            dataset: Some(text(s.dataset)).filter(|set| !set.is_empty()),
            samples: samples.filter_map(|one| one.as_str().map(str::to_owned)).collect(),
            organizations: row.get(s.organizations).ids().to_vec(),
        }
    };
    Ok(rows.first().map(column))
}

/// What farms stated of the columns of packages that were read and not rejected.
async fn stated_mappings(
    context: &mut dyn BookReader,
    registry: &Registry,
    organizations: Vec<i64>,
) -> Result<Vec<Mapping>> {
    if organizations.is_empty() {
        return Ok(Vec::new());
    }
    let slot = Packages::get().mapping;
    let open = ["uploaded", "checking", "checked", "accepted"];
    let lookup = Lookup::by_ids("organization", organizations)
        .is_in("status", open.map(Value::from).to_vec())
        .test("intake.readAt", Test::Filled)
        .test("mapping", Test::Filled)
        .fields(&["mapping"])
        .order(&["-id"])
        .limit(PACKAGES);
    let rows = context.find("data-submissions", lookup).await?;
    Ok(rows.iter().filter_map(|row: &Record| Mapping::read(registry, row.get(slot).as_json()).ok()).collect())
}

fn proposal_json(registry: &Registry, language: Language, one: &Proposal) -> Json {
    json!({
        "dataset": one.set.name, "path": one.path, "because": one.because,
        "label": labels::field(language, one.c.slug, &one.path),
        "set": display::set(registry, language, one.set.name),
    })
}

/// All fields of a set, or of all sets where none is named.
fn all(registry: &'static Registry, dataset: Option<&str>) -> Vec<Proposal> {
    let sets = registry.package_sets().filter(|(_, set)| dataset.is_none_or(|name| name == set.name));
    sets.flat_map(|(c, set)| {
        set.paths(c).into_iter().map(move |path| Proposal { c, set, path, points: 0.0, because: Vec::new() })
    })
    .collect()
}

/// Codes and names of entries of dictionaries that are among the samples, by dictionary.
type Entries = BTreeMap<&'static str, BTreeSet<String>>;

async fn entries(
    reader: &mut dyn BookReader,
    registry: &'static Registry,
    all: &[Proposal],
    samples: &[String],
) -> Result<Entries> {
    let mut entries = Entries::new();
    let written: BTreeSet<String> = samples.iter().flat_map(|sample| spellings(sample.trim())).collect();
    for one in all {
        let Some(target) = one.c.member(&one.path).and_then(Field::target).and_then(|slug| registry.get(slug)) else {
            continue;
        };
        let paths = target.naming.known_as.clone();
        if !paths.contains(&"code") || entries.contains_key(target.slug) || written.is_empty() {
            continue;
        }
        let words = entries.entry(target.slug).or_default();
        for path in paths {
            let Some(slot) = target.slot(path) else { continue };
            let values = written.iter().map(|text| text.as_str().into()).collect();
            let rows = reader.find(target.slug, Lookup::default().is_in(path, values).fields(&[path])).await?;
            words.extend(rows.iter().filter_map(|row| row.get(slot).text().map(normal)));
        }
    }
    Ok(entries)
}

/// A text as it stands, in small letters, in capitals, and with a capital first.
fn spellings(text: &str) -> [String; 4] {
    let small = text.to_lowercase();
    let mut letters = small.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    let rest = letters.as_str();
    [text.to_owned(), text.to_uppercase(), format!("{first}{rest}"), small]
}

fn judged(mut one: Proposal, pending: &PendingColumn, stated: &[Mapping], entries: &Entries, now: i64) -> Proposal {
    let title = normal(&pending.title);
    let by_farm = stated.iter().any(|mapping| {
        let stated = mapping.columns.get(&title).and_then(Option::as_deref);
        mapping.set.as_deref().is_none_or(|set| set == one.set.name) && stated == Some(one.path.as_str())
    });
    if by_farm {
        one.points += BY_FARM;
        one.because.push("farm");
    }
    let (c, set) = (one.c, one.set);
    let names = headings(c, set, &one.path);
    let like = names.iter().map(|name| likeness(&title, name)).fold(0.0, f64::max);
    let fit = column(c, set, &one.path, 1.0).and_then(|column| fit(c, &column, &pending.samples, entries, now));
    if like >= LIKE {
        one.points += BY_HEADING * like;
        one.because.push("heading");
    }
    match fit {
        Some((share, weight)) if share >= SHARE => {
            one.points += weight * share;
            one.because.push("values");
        }
        // Values that are none of the field speak against it, whatever the heading is like.
        Some(_) if !by_farm => {
            one.points = 0.0;
            one.because.clear();
        }
        _ => {}
    }
    one
}

/// What a column of a field is called: its declared headings, and its names in all languages.
fn headings(c: &Collection, set: &PackageSet, path: &str) -> Vec<String> {
    let declared = (c.naming.headings.iter()).chain(set.headings).filter(|(own, _)| *own == path);
    let mut all: Vec<String> = declared.flat_map(|(_, headings)| headings.split('|').map(normal)).collect();
    all.extend(Language::ALL.map(|language| normal(&labels::field(language, c.slug, path))));
    all.push(normal(path));
    all
}

/// How like two texts are, from 0 to 1: the Sørensen–Dice coefficient of their pairs of letters.
fn likeness(one: &str, other: &str) -> f64 {
    let pairs = |text: &str| -> Vec<(char, char)> {
        let letters: Vec<char> = text.chars().filter(|c| c.is_alphanumeric()).collect();
        letters.iter().zip(letters.iter().skip(1)).map(|(first, second)| (*first, *second)).collect()
    };
    let (own, mut others) = (pairs(one), pairs(other));
    let all = own.len().saturating_add(others.len());
    let mut shared = 0_u32;
    for pair in own {
        if let Some(place) = others.iter().position(|other| *other == pair) {
            others.swap_remove(place);
            shared = shared.saturating_add(2);
        }
    }
    match u32::try_from(all) {
        Ok(all) if all > 0 => f64::from(shared) / f64::from(all),
        _ => 0.0,
    }
}

/// Which share of the samples are values of a field, and how much that says; none where all texts are.
fn fit(c: &Collection, column: &Column, samples: &[String], entries: &Entries, now: i64) -> Option<(f64, f64)> {
    let field = column.field(c)?;
    let (least, most) = field.bounds();
    let weight = match &field.kind {
        Kind::Select(_) => 1.5,
        Kind::Relation(target) if entries.contains_key(target.as_str()) => 1.5,
        Kind::Day | Kind::Instant => 1.0,
        Kind::Bool => 0.5,
        Kind::Int | Kind::Number if least.is_finite() && most.is_finite() => 0.4,
        Kind::Int | Kind::Number => 0.2,
        _ => return None,
    };
    let mut profiles = Profiles::new(c, std::iter::once(Some(column)), now);
    for sample in samples {
        profiles.see_text(0, sample);
    }
    let notation = profiles.decided().pop().unwrap_or_default();
    let fits = |sample: &&String| {
        let Some(value) = cell_value(c, column, &notation, sample) else { return false };
        match (field.target(), value.as_f64()) {
            (Some(target), _) => (entries.get(target)).is_some_and(|all| all.contains(&normal(sample))),
            (None, Some(number)) => (least..=most).contains(&number),
            _ => true,
        }
    };
    let all = u32::try_from(samples.len()).ok().filter(|all| *all > 0)?;
    let fit = u32::try_from(samples.iter().filter(fits).count()).ok()?;
    Some((f64::from(fit) / f64::from(all), weight))
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::collections::registry;

    fn best(title: &str, dataset: &str, samples: &[&str]) -> Vec<(String, Vec<&'static str>)> {
        let registry = registry().unwrap();
        let pending = PendingColumn {
            title: title.to_owned(),
            samples: samples.iter().map(|one| (*one).to_owned()).collect(),
            ..PendingColumn::default()
        };
        let judged = (all(registry, Some(dataset)).into_iter())
            .map(|one| judged(one, &pending, &[], &Entries::new(), 1_772_366_400_000));
        let mut all: Vec<Proposal> = judged.filter(|one| one.points >= LEAST).collect();
        all.sort_by(|one, other| other.points.total_cmp(&one.points));
        all.into_iter().take(BEST).map(|one| (one.path, one.because)).collect()
    }

    #[test]
    fn headings_and_values_propose_and_values_of_another_kind_object() {
        let first = |title, samples: &[&str]| best(title, "milkTests", samples).into_iter().next();
        let both = Some(("milkYield".to_owned(), vec!["heading", "values"]));
        assert_eq!(first("Удой за день", &["30,5", "28"]), both);
        let (path, why) = first("Когда", &["06/25/2026", "06/05/2026"]).unwrap();
        assert_eq!((path.as_str(), why), ("date", vec!["values"]));
        let proposal = best("Удой за день", "milkTests", &["добрая", "злая"]);
        assert!(proposal.iter().all(|(path, _)| path != "milkYield"), "{proposal:?}");
    }

    #[test]
    fn texts_are_like_by_their_pairs_of_letters() {
        for (one, other, like) in
            [("удой", "удой", 1.0), ("удой за день", "удой день", 12.0 / 16.0), ("жир", "белок", 0.0), ("", "", 0.0)]
        {
            let share = likeness(one, other);
            assert!((share - like).abs() < 1e-9, "{one} {other}: {share}");
        }
    }
}

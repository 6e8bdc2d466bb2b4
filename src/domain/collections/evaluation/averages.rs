//! Averages of lactations (docs/derived.md, *Averages*), computed by the job [`AVERAGES_JOB`]. Those of a farm follow its
//! animals every night. Those of regions and of the book are written once: a later one would tell by how much one animal
//! changed it. Where the Association deletes them, they are computed anew.

use crate::collections::FieldSet;
use crate::collections::hooks::hooks;
use crate::collections::slots::slots;
use crate::derive::averages::{AVERAGED, Average, Class};
use model::error::Result;
use model::record::{Record, Value};
use model::registry::{
    Access, Collection, Command, HookContext, ID, Lookup, Rule, Test, fields, int, number, relation, select, text,
};
use std::collections::BTreeMap;

/// The collection, and the kind of its jobs.
const SLUG: &str = "lactation-averages";
pub const AVERAGES_JOB: &str = SLUG;
/// What the averages are of.
const TRAITS: &str = "milk305|fat305|protein305|ecm305|scs|calvingInterval|daysOpen|ageAtFirstCalving";

/// The collection.
pub(crate) fn lactation_averages() -> Collection {
    let access = Access::read(Rule::Open("organization=")).delete(Rule::Assoc).subjects(&["organization"]);
    let fields = fields![
        relation("organization", "organizations").indexed().cascade()
            => "Farm that owned the animals when they calved; empty: a region or the book.",
        text("region").indexed() => "Name of the region of the farms; empty with an empty farm: the book.",
        int("year").required().indexed() => "Year of the calvings that began the lactations.",
        int("parity").required() => "1, 2, or 3 for all later lactations.",
        select("trait", TRAITS).required() => "What the average is of.",
        number("mean").required() => "Mean of the animals, each with the weight of one.",
        int("animals").required() => "Animals of the average: five or more.",
    ];
    Collection::new(SLUG, access, fields)
        .sort("-year")
        .index(&["organization", "year"])
        .hooks(Behaviour)
        .doc("Averages of lactations by year of calving and parity; computed by the service.")
}

slots!(Averages of "lactation-averages" { organization, year, parity, of: "trait", mean, animals });

hooks!(Behaviour {
    effects(_collection, context, changes) {
        let s = Averages::get();
        let of_many = |row: &Record| row.get(s.organization).is_null();
        match changes.iter().any(|change| change.new.is_none() && change.old.as_ref().is_some_and(of_many)) {
            true => queue_averages(context).await,
            false => Ok(()),
        }
    }
});

/// Asks for all averages.
///
/// # Errors
/// Those of the context.
pub async fn queue_averages(context: &mut dyn HookContext) -> Result<()> {
    // The only job of its kind.
    context.queue_jobs(AVERAGES_JOB, vec![0], 0).await
}

/// The fields of a row.
fn row(organization: Option<i64>, region: Option<&str>, average: &Average) -> Vec<(String, Value)> {
    let Average { class, mean, animals } = average;
    let fields = [
        ("organization", Value::from(organization)),
        ("region", region.map_or(Value::Null, Value::from)),
        ("year", class.year.into()),
        ("parity", class.parity.into()),
        ("trait", trait_of(*class).into()),
        ("mean", (*mean).into()),
        ("animals", i64::from(*animals).into()),
    ];
    fields.map(|(path, value)| (path.to_owned(), value)).to_vec()
}

fn trait_of(class: Class) -> &'static str {
    AVERAGED.get(class.of).map_or("", |one| one.key)
}

/// Writes what differs of the averages of a farm.
///
/// # Errors
/// Those of the context.
pub async fn store_averages_of_farm(context: &mut dyn HookContext, farm: i64, averages: &[Average]) -> Result<()> {
    let s = Averages::get();
    if context.find("organizations", Lookup::by_ids("id", [farm]).fields(&["id"])).await?.is_empty() {
        return Ok(());
    }
    let stored = context.find(SLUG, Lookup::by_ids("organization", [farm]).fields(Averages::PATHS)).await?;
    let key = |row: &Record| {
        let (year, parity) = (row.get(s.year).int()?, row.get(s.parity).int()?);
        Some((year, parity, row.get(s.of).text()?.to_owned()))
    };
    let mut left: BTreeMap<_, Vec<Record>> = BTreeMap::new();
    for row in stored {
        left.entry(key(&row)).or_default().push(row);
    }
    let mut commands = Vec::new();
    for average in averages {
        let Class { year, parity, .. } = average.class;
        let of_class = left.get_mut(&Some((year, parity, trait_of(average.class).to_owned())));
        let Some(stored) = of_class.and_then(Vec::pop) else {
            commands.push(Command::Create(row(Some(farm), None, average)));
            continue;
        };
        let is_equal = stored.get(s.mean).num() == Some(average.mean)
            && stored.get(s.animals).int() == Some(i64::from(average.animals));
        if let Some(id) = stored.get(ID).int().filter(|_| !is_equal) {
            commands.push(Command::Update(id, row(Some(farm), None, average)));
        }
    }
    commands.extend(left.values().flatten().filter_map(|row| row.get(ID).int()).map(Command::Delete));
    context.write_and_forget(SLUG, commands).await
}

/// Writes the averages of regions and of the book in one trait and year of calving, if none of them is there.
///
/// # Errors
/// Those of the context.
pub async fn store_averages_of_many(
    context: &mut dyn HookContext,
    averages: &[(Option<String>, Average)],
) -> Result<()> {
    let Some((_, first)) = averages.first() else {
        return Ok(());
    };
    let lookup = Lookup::default()
        .is_in("year", vec![first.class.year.into()])
        .is_in("trait", vec![trait_of(first.class).into()])
        .test("organization", Test::Empty);
    if context.count(SLUG, lookup, 1).await? > 0 {
        return Ok(());
    }
    let rows = averages.iter().map(|(region, average)| Command::Create(row(None, region.as_deref(), average)));
    context.write_and_forget(SLUG, rows.collect()).await
}

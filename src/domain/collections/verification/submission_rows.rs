//! Rows of packages as they were sent, with what became of each (docs/packages.md, *Rows*).

use crate::collections::events::measures::JSON_BYTES;
use crate::collections::slots::slots;
use model::error::Result;
use model::record::Value;
use model::registry::{
    Access, BookReader, Class, Collection, Feature, HookContext, ID, Lookup, Rule, Test, Wording, boolean, day, fields,
    instant, int, json, long_text, relation, rows, select, text, text_n,
};
use serde_json::Value as Json;
use std::collections::BTreeMap;

/// Its name.
pub(crate) const SLUG: &str = "submission-rows";
/// Rows that are judged of a package.
const OUTSIDE: i64 = 5_000;
/// A day, milliseconds.
const DAY: i64 = 86_400_000;

pub(crate) fn submission_rows() -> Collection {
    let access = Access::read(Rule::Farm).subjects(&["organization"]);
    let fields = fields![
        relation("submission", "data-submissions").required().cascade() => "The package.",
        relation("organization", "organizations").required() => "Who sent it.",
        int("position").required() => "Number of the row among all rows of the file, from 1.",
        text_n("sheet", 120) => "Name of the sheet, in workbooks.",
        int("line") => "Row of the sheet, or line of the text file, as programs show it.",
        text("ident") => "Number of the animal as written.",
        select("state", "created|updated|unchanged|skipped|held") => "What became of it.",
        text_n("dataset", 20).wording(Wording::Set) => "The set of the row.",
        text_n("collection", 40).wording(Wording::Collection) => "Collection of its record.",
        int("record").wording(Wording::Record("collection")) => "Id of its record.",
        relation("animal", "animals") => "The animal that it is about.",
        day("date") => "Day that it is about.",
        json("cells").bytes(JSON_BYTES) => "The cells as they were written, in the order of the columns.",
        rows("faults", [
            text("column").doc("Header of the column."),
            text("path").doc("Path of the field."),
            text_n("code", 40).doc("What is wrong, as a code."),
            text("value").doc("The cell as it was written."),
            long_text("message").doc("What is wrong."),
            text("expected").doc("What may stand there."),
        ]) => "Why it was not taken, or which of its values were left out.",
        rows("mended", [
            int("place").doc("Number of the column, from 1."),
            long_text("was").doc("The cell as the file has it."),
            instant("at").doc("When it was mended last."),
            relation("by", "users").doc("Who mended it."),
        ]) => "Cells that were mended since the file was sent.",
        boolean("waits").class(Class::Hidden) => "It may be taken when other records are there.",
        json("before").bytes(JSON_BYTES).class(Class::Hidden)
            => "Of each value of the record that the row changed: what it was before, and since then.",
    ];
    Collection::new(SLUG, access, fields)
        .singular("Row of a Package")
        .told_by(&["submission", "position"])
        .sort("position")
        .unique(&["submission", "position"])
        .index(&["submission", "state", "position"])
        .index(&["organization", "waits"])
        .feature(Feature::SentRows)
        .doc("Rows of packages as they were sent, and what became of each.")
}

slots!(Slots of "submission-rows" { animal, date, faults });

/// Rows that became records and are dated before or after a period: id, animal and day; the first of them.
pub(crate) async fn outside(
    context: &mut dyn BookReader,
    package: i64,
    from: Option<i64>,
    to: Option<i64>,
) -> Result<Vec<(i64, Option<i64>, i64)>> {
    let s = Slots::get();
    let before = from.map(|from| Test::Before(Value::Time(from)));
    let after = to.map(|to| Test::From(Value::Time(to.saturating_add(DAY))));
    let mut dated = Vec::new();
    for test in before.into_iter().chain(after) {
        let lookup = Lookup::by_ids("submission", [package])
            .test("date", test)
            .fields(&["animal", "date"])
            .order(&["position"])
            .limit(OUTSIDE);
        let rows = context.find(SLUG, lookup).await?;
        dated.extend(
            rows.iter().filter_map(|row| Some((row.get(ID).int()?, row.get(s.animal).int(), row.get(s.date).time()?))),
        );
    }
    Ok(dated)
}

/// Adds faults to rows by their id.
pub(crate) async fn add_faults(context: &mut dyn HookContext, faults: BTreeMap<i64, Json>) -> Result<()> {
    let s = Slots::get();
    let lookup = Lookup::by_ids("id", faults.keys().copied()).fields(&["faults"]);
    let rows = context.find(SLUG, lookup).await?;
    let amended = rows.iter().filter_map(|row| {
        let id = row.get(ID).int()?;
        let fault = faults.get(&id)?;
        let mut all = row.get(s.faults).rows().to_vec();
        all.retain(|one| one.get("code") != fault.get("code"));
        all.push(fault.clone());
        Some((id, vec![(s.faults, Value::json(Json::Array(all)))]))
    });
    let amended = amended.collect();
    context.amend(SLUG, amended).await
}

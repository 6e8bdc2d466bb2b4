//! The places of calves at calvings: whether a calving may list one more animal, and where.

use crate::collections::days::placed;
use crate::collections::dictionaries::lookups::{by_id, related};
use crate::collections::events::history::{Calvings, event_of};
use crate::collections::slots::slots;
use crate::derive::day_of;
use crate::derive::lactation::CalvingEvent;
use model::error::Result;
use model::record::{Record, Value};
use model::registry::{BookReader, Command, ID};
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};

slots!(
    /// Slots of `calvings` that a new calf changes.
    Signed of "calvings" { verification }
);
slots!(
    /// Slots of `animals` that tell calves apart.
    Sexes of "animals" { sex }
);

/// What is read of calvings.
const FIELDS: &[&str] =
    &["animal", "date", "eventType", "calves", "progeny", "liveHeifers", "liveBulls", "stillborn", "verification"];

/// An animal that was born at a calving.
#[derive(Debug)]
pub(crate) struct Calf {
    pub(crate) id: i64,
    pub(crate) sex: String,
    /// Everything that may stand on its tag.
    pub(crate) numbers: Vec<String>,
}

/// A calving with the calves that it lists.
#[derive(Debug)]
pub(crate) struct Calving {
    row: Record,
    /// The owner of the cow, who may write the row.
    pub(crate) owner: Option<i64>,
    /// The sexes of the listed calves.
    sexes: BTreeMap<i64, String>,
}

/// Where a calving takes one more calf.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// In this row of `progeny`.
    Row(usize),
    /// Beside the others of `calves`.
    List,
}

/// Of each animal that is listed, whether the first row that lists it is a calving: that one makes
/// its birth.
pub(crate) async fn first_listing(
    context: &mut dyn BookReader,
    animals: impl IntoIterator<Item = i64>,
) -> Result<BTreeMap<i64, bool>> {
    let animals: BTreeSet<i64> = animals.into_iter().collect();
    let fields = ["calves", "eventType"];
    let ids = animals.iter().copied();
    let rows = related(context, "calvings", "calves", ids, &fields).await?;
    let mut first: BTreeMap<i64, bool> = BTreeMap::new();
    for row in rows {
        let calving = event_of(&row) == CalvingEvent::Calving;
        for id in Calving::calves_of(&row).filter(|id| animals.contains(id)) {
            first.entry(id).or_insert(calving);
        }
    }
    Ok(first)
}

impl Calving {
    /// The calvings of cows.
    pub(crate) async fn of(
        context: &mut dyn BookReader,
        cows: BTreeSet<i64>,
        owner: impl Fn(i64) -> Option<i64>,
    ) -> Result<Vec<Self>> {
        let rows = related(context, "calvings", "animal", cows, FIELDS).await?;
        let mut rows = placed(context, "calvings", rows).await?;
        rows.retain(|row| event_of(row) == CalvingEvent::Calving);
        let listed: BTreeSet<i64> = rows.iter().flat_map(Self::calves_of).collect();
        let listed = by_id(context, "animals", listed, &["sex"]).await?;
        let sex = Sexes::get().sex;
        let sex_of = |id: i64| Some((id, listed.get(&id)?.get(sex).text()?.to_owned()));
        Ok((rows.into_iter())
            .map(|row| Self {
                owner: row.get(Calvings::get().animal).int().and_then(&owner),
                sexes: Self::calves_of(&row).filter_map(sex_of).collect(),
                row,
            })
            .collect())
    }

    /// The animals that a row of `calvings` lists.
    pub(crate) fn calves_of(row: &Record) -> impl Iterator<Item = i64> + use<'_> {
        row.get(Calvings::get().calves).ids().iter().copied()
    }

    pub(crate) fn id(&self) -> Option<i64> {
        self.row.get(ID).int()
    }

    pub(crate) fn animal(&self) -> Option<i64> {
        self.row.get(Calvings::get().animal).int()
    }

    pub(crate) fn day(&self) -> Option<i64> {
        self.row.get(Calvings::get().date).time().map(day_of)
    }

    /// Where it takes a calf. Of several rows the one with a tag of the calf comes first, then those
    /// without a tag, and those of its sex before those of an unknown one.
    pub(crate) fn place(&self, calf: &Calf) -> Option<Place> {
        let s = Calvings::get();
        let rows = self.row.get(s.progeny).rows();
        if !rows.is_empty() {
            let ranked = rows.iter().enumerate();
            let ranked = ranked.filter_map(|(at, row)| Some((rank(row, calf)?, at)));
            return ranked.min().map(|(_, at)| Place::Row(at));
        }
        let count = |slot: usize| self.row.get(slot).int();
        let counts = [s.live_heifers, s.live_bulls, s.stillborn].map(count);
        if counts.iter().all(Option::is_none) {
            // Nothing is said about the calves.
            let none = Self::calves_of(&self.row).next().is_none();
            return none.then_some(Place::List);
        }
        let born = match calf.sex.as_str() {
            "male" => count(s.live_bulls),
            _ => count(s.live_heifers),
        };
        let born = usize::try_from(born.unwrap_or_default()).unwrap_or_default();
        let listed = self.sexes.values().filter(|sex| **sex == calf.sex).count();
        (listed < born).then_some(Place::List)
    }

    /// Lists a calf.
    pub(crate) fn take(&mut self, calf: &Calf) {
        let s = Calvings::get();
        match self.place(calf) {
            Some(Place::Row(at)) => {
                let mut rows = self.row.get(s.progeny).rows().to_vec();
                if let Some(Json::Object(row)) = rows.get_mut(at) {
                    row.insert("animal".to_owned(), json!(calf.id));
                }
                self.row.set(s.progeny, Value::json(Json::Array(rows)));
            }
            Some(Place::List) => {
                let all = Self::calves_of(&self.row).chain([calf.id]).collect();
                self.row.set(s.calves, Value::Ids(all));
            }
            None => return,
        }
        self.sexes.insert(calf.id, calf.sex.clone());
    }

    /// What writes it. What the owner of the cow says beside a signature ends it, here as elsewhere.
    pub(crate) fn command(&self) -> Option<Command> {
        let s = Calvings::get();
        let (path, slot) = match self.row.get(s.progeny).rows().is_empty() {
            true => ("calves", s.calves),
            false => ("progeny", s.progeny),
        };
        let mut values = vec![(path.to_owned(), self.row.get(slot).clone())];
        let signed = self.row.get(Signed::get().verification).text();
        if signed.is_some_and(|word| word != "unverified") {
            values.push(("verification".to_owned(), Value::from("unverified")));
        }
        Some(Command::Update(self.id()?, values))
    }
}

/// How well a calf fits a row of `progeny`, the best first; none for a row of another one.
fn rank(row: &Json, calf: &Calf) -> Option<(u8, u8)> {
    let word = |name: &str| row.get(name).and_then(Json::as_str).unwrap_or_default();
    let free = row.get("animal").is_none_or(Json::is_null);
    let alive = !matches!(word("birthStatus"), "stillborn" | "aborted");
    let sex = match word("sex") {
        sex if sex == calf.sex => 0,
        "unknown" => 1,
        _ => return None,
    };
    let tag = word("tag").trim();
    let own = |number: &String| number.eq_ignore_ascii_case(tag);
    let tag = match tag {
        "" => 1,
        _ if calf.numbers.iter().any(own) => 0,
        _ => 2,
    };
    (free && alive).then_some((tag, sex))
}

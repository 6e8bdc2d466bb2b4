//! The rows of movements and the animals they move, between records and the course.

use super::course::{Kind, Ownership, Step, sorted};
use crate::collections::days::placed;
use crate::collections::dictionaries::lookups::{by_id, grouped, keyed, related};
use crate::collections::herd::animals::{Animal, Slots as AnimalSlots};
use crate::collections::slots::slots;
use model::error::Result;
use model::record::Record;
use model::registry::{BookReader, Class, ID};
use std::collections::{BTreeMap, BTreeSet};

slots!(Slots of "movements" {
    animal, date, kind, from, to, from_herd: "fromHerd", to_herd: "toHerd", reason, applied, confirmation,
    recorded_by: "recordedBy", recorded_role: "recordedRole", confirmed_role: "confirmedRole", released, objection,
    departure: "ade.source", arrival: "adeTo.source", outside, created_at: "createdAt",
});
slots!(
    /// Slots of `organizations` that movements read.
    Present of "organizations" { presence }
);
slots!(
    /// Slots of `herds` that movements read.
    Places of "herds" { organization }
);

/// What is read of the animals.
const ANIMAL: &[&str] = &[
    "owner",
    "herd",
    "birthDate",
    "state",
    "disposalDate",
    "disposalReason",
    "disposalOrganization",
    "arrivalDate",
    "previousOrganization",
    "pastOwners",
    "entry.owner",
    "entry.herd",
    "entry.arrivalDate",
    "entry.previousOrganization",
    "mergedInto",
];

const MOVEMENT: &[&str] =
    &["animal", "date", "kind", "from", "to", "fromHerd", "toHerd", "reason", "applied", "outside"];

/// Animals and their applied movements in order, with their days on the clocks of their places.
#[derive(Debug)]
pub(super) struct Courses {
    pub(super) animals: BTreeMap<i64, Record>,
    steps: BTreeMap<i64, Vec<Step>>,
    /// Animals of whose movements some are left out.
    partly: BTreeSet<i64>,
}

impl Courses {
    pub(super) async fn load(context: &mut dyn BookReader, ids: impl IntoIterator<Item = i64>) -> Result<Self> {
        let rows = related(context, "animals", "id", ids, ANIMAL).await?;
        let animals = keyed(placed(context, "animals", rows).await?);
        let ids = animals.keys().copied();
        let rows = related(context, "movements", "animal", ids, MOVEMENT).await?;
        let rows = placed(context, "movements", rows).await?;
        let steps = (grouped(rows, Slots::get().animal).into_iter())
            .map(|(id, rows)| (id, sorted(rows.iter().filter_map(step_of).collect())))
            .collect();
        Ok(Self { animals, steps, partly: BTreeSet::new() })
    }

    /// The courses as far as the caller sees them: a refusal must reveal nothing about a course that the
    /// caller does not see.
    pub(super) async fn visible(context: &mut dyn BookReader, ids: impl IntoIterator<Item = i64>) -> Result<Self> {
        let mut courses = Self::load(context, ids).await?;
        let all = courses.steps.values().flatten().map(|step| step.id);
        let all: BTreeSet<i64> = all.collect();
        if all.is_empty() || context.caller().sees_all() {
            return Ok(courses);
        }
        let open = context.reads("movements", Class::Row, all).await?;
        for (animal, steps) in &mut courses.steps {
            let before = steps.len();
            steps.retain(|step| open.contains(&step.id));
            if steps.len() < before {
                courses.partly.insert(*animal);
            }
        }
        Ok(courses)
    }

    /// Applied movements of an animal.
    pub(super) fn steps(&self, animal: i64) -> &[Step] {
        self.steps.get(&animal).map_or(&[], Vec::as_slice)
    }

    /// The steps of an animal without one.
    pub(super) fn others(&self, animal: i64, id: i64) -> Vec<Step> {
        let steps = self.steps(animal).iter();
        steps.filter(|s| s.id != id).cloned().collect()
    }

    /// What the movements of an animal start from: stored from the first movement on, otherwise the
    /// present values.
    pub(super) fn entry(&self, animal: i64) -> Option<Ownership> {
        let s = AnimalSlots::get();
        let row = Animal(self.animals.get(&animal)?);
        if self.partly.contains(&animal) {
            return Some(match self.steps(animal).first() {
                Some(first) => Ownership::entry(first.from, first.from_herd, None, None),
                None => Ownership::entry(
                    row.link(s.owner),
                    row.link(s.herd),
                    row.0.get(s.arrival).time(),
                    row.link(s.previous),
                ),
            });
        }
        let owner = row.link(s.entry_owner);
        let (herd, arrival, previous) = if owner.is_some() {
            (s.entry_herd, s.entry_arrival, s.entry_previous)
        } else {
            (s.herd, s.arrival, s.previous)
        };
        Some(Ownership::entry(
            owner.or_else(|| row.link(s.owner)),
            row.link(herd),
            row.0.get(arrival).time(),
            row.link(previous),
        ))
    }
}

/// A row as a step; none when it is not applied.
pub(super) fn step_of(row: &Record) -> Option<Step> {
    let s = Slots::get();
    let link = |slot| row.get(slot).int();
    Some(Step {
        id: link(ID)?,
        date: row.get(s.date).time()?,
        kind: Kind::parse(row.get(s.kind).text()?)?,
        from: link(s.from),
        to: link(s.to),
        from_herd: link(s.from_herd),
        to_herd: link(s.to_herd),
        reason: link(s.reason),
        outside: row.get(s.outside).truth(),
    })
    .filter(|_| row.get(s.applied).truth())
}

/// Whether organisations take part in the book, and whose herds are which.
#[derive(Debug)]
pub(super) struct Parties {
    registered: BTreeMap<i64, bool>,
    herds: BTreeMap<i64, Option<i64>>,
}

impl Parties {
    pub(super) async fn load<'r>(
        context: &mut dyn BookReader,
        rows: impl Iterator<Item = &'r Record> + Clone,
    ) -> Result<Self> {
        let s = Slots::get();
        let ids = |slots: [usize; 2]| {
            let rows = rows.clone();
            rows.flat_map(move |r| slots.map(|slot| r.get(slot).int())).flatten().collect::<Vec<_>>()
        };
        let organizations = by_id(context, "organizations", ids([s.from, s.to]), &["presence"]).await?;
        let ids = ids([s.from_herd, s.to_herd]);
        let herds = by_id(context, "herds", ids, &["organization"]).await?;
        let (presence, organization) = (Present::get().presence, Places::get().organization);
        Ok(Self {
            registered: (organizations.into_iter())
                .map(|(id, r)| (id, r.get(presence).text() == Some("registered")))
                .collect(),
            herds: (herds.into_iter()).map(|(id, r)| (id, r.get(organization).int())).collect(),
        })
    }

    /// Whether an organisation takes part in the book itself.
    pub(super) fn registered(&self, organization: Option<i64>) -> bool {
        organization.is_some_and(|id| self.registered.get(&id).copied().unwrap_or(false))
    }

    /// Whether a herd, if any, belongs to the organisation.
    pub(super) fn keeps(&self, organization: Option<i64>, herd: Option<i64>) -> bool {
        herd.is_none_or(|herd| self.herds.get(&herd).copied().flatten() == organization)
    }
}

/// The last applied movement of an animal.
#[derive(Debug)]
pub(crate) struct Closing {
    /// Key.
    pub(crate) id: i64,
    /// Day, epoch milliseconds.
    pub(crate) date: i64,
    /// The state it left the animal in, when that ended or left the book.
    pub(crate) state: Option<&'static str>,
    /// The user who recorded it.
    pub(crate) recorded_by: Option<i64>,
    /// Both confirmed it, and the giver did not let it go.
    pub(crate) shared: bool,
    /// When it was recorded, epoch milliseconds.
    pub(crate) created_at: i64,
}

/// The last applied movement of each animal.
pub(crate) async fn last(
    context: &mut dyn BookReader,
    animals: impl IntoIterator<Item = i64>,
) -> Result<BTreeMap<i64, Closing>> {
    let s = Slots::get();
    let fields = [MOVEMENT, &["recordedBy", "createdAt", "confirmation", "released"]].concat();
    let rows = related(context, "movements", "animal", animals, &fields).await?;
    let rows = placed(context, "movements", rows).await?;
    let closing = |rows: Vec<Record>| {
        let steps = rows.iter().filter_map(|r| Some((step_of(r)?, r)));
        let (step, row) = steps.max_by_key(|(step, _)| step.order())?;
        Some(Closing {
            id: step.id,
            date: step.date,
            state: step.closing(),
            recorded_by: row.get(s.recorded_by).int(),
            shared: row.get(s.confirmation).text() == Some("confirmed") && !row.get(s.released).truth(),
            created_at: row.get(s.created_at).time().unwrap_or_default(),
        })
    };
    Ok((grouped(rows, s.animal).into_iter()).filter_map(|(id, rows)| Some((id, closing(rows)?))).collect())
}

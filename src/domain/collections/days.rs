//! Days of places (docs/derived.md, *Days*). Times are put on the clock of the place of their row before
//! anything is derived from them: what is derived knows UTC days only ([`crate::derive`]).

use crate::collections::FieldSet;
use crate::collections::dictionaries::lookups::{by_id, related};
use crate::collections::slots::slots;
use crate::derive::{day_of, instant_of};
use futures_util::future::BoxFuture;
use model::error::{Issue, Result};
use model::record::zone::{TimeZone, clock, day_clock, instant, is_day, zone};
use model::record::{Record, Value};
use model::registry::{BookReader, Change, Collection, Draft, ID, Kind};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

slots!(Organizations of "organizations" { zone: "timeZone" });
slots!(Herds of "herds" { organization, zone: "timeZone" });
slots!(Animals of "animals" { owner, herd, entry: "entry.owner" });
slots!(Movements of "movements" { animal, date, kind, from, to, from_herd: "fromHerd", to_herd: "toHerd", applied });

/// Where a row belongs: its organisation, and the herd of its animal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    organization: Option<i64>,
    herd: Option<i64>,
}

impl Place {
    /// The present place of an animal, of which owner and herd were read.
    pub(crate) fn of(animal: &Record) -> Self {
        let s = Animals::get();
        Self { organization: animal.get(s.owner).int(), herd: animal.get(s.herd).int() }
    }

    /// The herds between which a movement was.
    pub(crate) fn between(movement: &Record) -> impl Iterator<Item = Self> {
        let s = Movements::get();
        let places = [(s.from, s.from_herd), (s.to, s.to_herd)].map(|(organization, herd)| Self {
            organization: movement.get(organization).int(),
            herd: movement.get(herd).int(),
        });
        places.into_iter().filter(|place| place.herd.is_some())
    }
}

/// Where a row belongs as time goes on.
#[derive(Debug)]
struct Stay {
    today: Place,
    /// Where it belonged before each movement of its animal, with the day of the movement, the earliest first.
    earlier: Vec<(i64, Place)>,
}

impl Stay {
    fn places(&self) -> impl Iterator<Item = Place> + '_ {
        self.earlier.iter().map(|(_, place)| *place).chain([self.today])
    }

    /// The place at a time that the clock of each place shows as `shown`. A movement is over when its day begins.
    fn at(&self, clocks: &Clocks, shown: impl Fn(Place) -> i64) -> Place {
        let stood = |(until, place): &&(i64, Place)| shown(*place) < clocks.day(*place, *until);
        self.earlier.iter().find(stood).map_or(self.today, |(_, place)| *place)
    }
}

/// The clocks of some places.
#[derive(Debug)]
pub(crate) struct Clocks {
    usual: TimeZone,
    now: i64,
    organizations: BTreeMap<i64, TimeZone>,
    /// With the organisation of each herd.
    herds: BTreeMap<i64, (Option<i64>, TimeZone)>,
}

impl Clocks {
    /// Reads what they need: one look-up of organisations and one of herds.
    pub(crate) fn of<'c>(
        context: &'c mut dyn BookReader,
        places: impl Iterator<Item = Place>,
    ) -> BoxFuture<'c, Result<Self>> {
        let places: BTreeSet<Place> = places.collect();
        Box::pin(Self::read(context, places))
    }

    async fn read(context: &mut dyn BookReader, places: BTreeSet<Place>) -> Result<Self> {
        let ids: BTreeSet<i64> = places.iter().filter_map(|p| p.organization).collect();
        let organizations = by_id(context, "organizations", ids, &["timeZone"]).await?;
        let ids: BTreeSet<i64> = places.iter().filter_map(|p| p.herd).collect();
        let herds = by_id(context, "herds", ids, Herds::PATHS).await?;
        // A name that an earlier program let through and that is of no zone states nothing.
        let zone_of = |row: &Record, slot| row.get(slot).text().and_then(zone);
        let (o, h) = (Organizations::get(), Herds::get());
        Ok(Self {
            usual: context.zone(),
            now: context.now(),
            organizations: (organizations.iter()).filter_map(|(id, row)| Some((*id, zone_of(row, o.zone)?))).collect(),
            herds: (herds.iter())
                .filter_map(|(id, row)| Some((*id, (row.get(h.organization).int(), zone_of(row, h.zone)?))))
                .collect(),
        })
    }

    fn at(&self, place: Place) -> &TimeZone {
        let herd = place.herd.and_then(|id| self.herds.get(&id));
        let own = herd.filter(|(organization, _)| *organization == place.organization);
        let organization = || self.organizations.get(&place.organization?);
        own.map(|(_, zone)| zone).or_else(organization).unwrap_or(&self.usual)
    }

    /// Whether the days of two places are the same.
    pub(crate) fn agree(&self, one: Place, other: Place) -> bool {
        self.at(one) == self.at(other)
    }

    /// A time of a field of days on the clock of a place.
    pub(crate) fn day(&self, place: Place, at: i64) -> i64 {
        day_clock(self.at(place), at)
    }

    /// The present time on the clock of a place.
    pub(crate) fn now(&self, place: Place) -> i64 {
        clock(self.at(place), self.now)
    }
}

/// The slots of a collection that hold days, or when its events happened.
fn day_slots(c: &Collection) -> Vec<usize> {
    let own = |path: &str| c.happens == Some(path);
    let fields = c.fields.iter().enumerate();
    fields.filter(|(_, f)| f.stored() && (f.kind == Kind::Day || own(&f.path))).map(|(slot, _)| slot).collect()
}

fn instants<'a>(row: &'a Record, slots: &'a [usize]) -> impl Iterator<Item = (usize, i64)> + 'a {
    let time = |slot: &usize| Some((*slot, row.get(*slot).time()?));
    slots.iter().filter_map(time).filter(|(_, at)| !is_day(*at))
}

/// Rows of a collection with their days on the clocks of their places. Nothing is read where all days are days.
///
/// # Errors
/// The errors of the reader.
pub async fn placed(context: &mut dyn BookReader, slug: &str, mut rows: Vec<Record>) -> Result<Vec<Record>> {
    let c = context.collection(slug)?;
    let mut each: Vec<&mut Record> = rows.iter_mut().collect();
    put(context, c, &mut each).await?;
    Ok(rows)
}

/// The times of rows in a slot, which the clocks of their places show and which stand there as if they were UTC, as
/// instants; none where a clock does not tell ([`instant`]).
///
/// # Errors
/// The errors of the reader.
pub async fn shown_times(
    context: &mut dyn BookReader,
    slug: &str,
    slot: usize,
    mut rows: Vec<Record>,
) -> Result<Vec<Option<i64>>> {
    let c = context.collection(slug)?;
    let rows: Vec<&mut Record> = rows.iter_mut().collect();
    let stays = stays(context, c, &rows).await?;
    let clocks = Clocks::of(context, stays.iter().flat_map(Stay::places)).await?;
    let shown = rows.iter().zip(stays).map(|(row, stay)| {
        let at = row.get(slot).time()?;
        instant(clocks.at(stay.at(&clocks, |_| at)), at)
    });
    Ok(shown.collect())
}

/// Changes of a collection in the same way.
pub(crate) async fn placed_changes<'a>(
    context: &mut dyn BookReader,
    slug: &str,
    changes: &'a [Change],
) -> Result<Cow<'a, [Change]>> {
    let c = context.collection(slug)?;
    let rows = changes.iter().flat_map(|c| c.old.iter().chain(&c.new));
    if !have_instants(rows, &day_slots(c)) {
        return Ok(Cow::Borrowed(changes));
    }
    let mut changes = changes.to_vec();
    let rows = changes.iter_mut().flat_map(|c| c.old.iter_mut().chain(c.new.iter_mut()));
    let mut rows: Vec<&mut Record> = rows.collect();
    put(context, c, &mut rows).await?;
    Ok(Cow::Owned(changes))
}

/// Whether one of the times is not a day.
fn have_instants<'r>(mut rows: impl Iterator<Item = &'r Record>, slots: &[usize]) -> bool {
    rows.any(|row| instants(row, slots).next().is_some())
}

async fn put(context: &mut dyn BookReader, c: &'static Collection, rows: &mut [&mut Record]) -> Result<()> {
    let slots = day_slots(c);
    rows.sort_by_key(|row| instants(row, &slots).next().is_none());
    let within = rows.partition_point(|row| instants(row, &slots).next().is_some());
    let Some(rows) = rows.get_mut(..within).filter(|rows| !rows.is_empty()) else {
        return Ok(());
    };
    let stays = stays(context, c, rows).await?;
    let clocks = Clocks::of(context, stays.iter().flat_map(Stay::places)).await?;
    for (row, stay) in rows.iter_mut().zip(stays) {
        let times: Vec<(usize, i64)> = instants(row, &slots).collect();
        for (slot, at) in times {
            let place = stay.at(&clocks, |place| clocks.day(place, at));
            row.set(slot, Value::Time(clocks.day(place, at)));
        }
    }
    Ok(())
}

/// Whose rows of a collection are: of animals the owner, of movements the giver, else the receiver, of events
/// the owner at that time.
const OWNERS: [&str; 4] = ["ownerOrg", "owner", "from", "to"];

/// Where a row of a collection says whose it is and which animal it is about.
struct Whose {
    owners: Vec<usize>,
    /// The animal of an event or movement; the herd of an animal.
    about: Option<usize>,
    /// The herd that a movement names itself.
    herd: Option<usize>,
    /// Whether the rows are animals.
    animals: bool,
}

impl Whose {
    fn of(c: &Collection) -> Self {
        let animal = c.slot("animal");
        Self {
            owners: OWNERS.iter().filter_map(|path| c.slot(path)).collect(),
            about: animal.or_else(|| c.slot("herd")),
            herd: c.slot("fromHerd"),
            animals: animal.is_none(),
        }
    }

    fn slots(&self) -> impl Iterator<Item = usize> + '_ {
        self.owners.iter().copied().chain(self.about).chain(self.herd)
    }

    fn lacks(&self, row: &Record) -> bool {
        self.slots().any(|slot| !row.has(slot))
    }

    /// The organisation of a row, what it is about, and the herd that it names.
    fn read(&self, row: &Record) -> [Option<i64>; 3] {
        let owner = self.owners.iter().find_map(|slot| row.get(*slot).int());
        let [about, herd] = [self.about, self.herd].map(|slot| row.get(slot?).int());
        [owner, about, herd]
    }
}

/// The herds that animals stood in before each of their movements, with its day, the earliest first; nothing is read
/// of animals without movements. An absence leaves no herd.
async fn herds_before(
    context: &mut dyn BookReader,
    animals: &BTreeMap<i64, Record>,
) -> Result<BTreeMap<i64, Vec<(i64, Option<i64>)>>> {
    let s = Movements::get();
    let moved = animals.iter().filter(|(_, animal)| !animal.get(Animals::get().entry).is_null());
    let moved: Vec<i64> = moved.map(|(id, _)| *id).collect();
    let mut rows = related(context, "movements", "animal", moved, Movements::PATHS).await?;
    rows.retain(|row| row.get(s.applied).truth() && row.get(s.kind).text() != Some("absence"));
    rows.sort_by_key(|row| (row.get(s.date).time(), row.get(ID).int()));
    let mut before: BTreeMap<i64, Vec<(i64, Option<i64>)>> = BTreeMap::new();
    for row in &rows {
        if let Some((animal, at)) = row.get(s.animal).int().zip(row.get(s.date).time()) {
            before.entry(animal).or_default().push((at, row.get(s.from_herd).int()));
        }
    }
    Ok(before)
}

/// The places of rows, which may have been read in part.
async fn stays(context: &mut dyn BookReader, c: &'static Collection, rows: &[&mut Record]) -> Result<Vec<Stay>> {
    let whose = Whose::of(c);
    let mut partial: Vec<i64> = Vec::new();
    for row in rows.iter().filter(|row| whose.lacks(row)) {
        partial.extend(row.get(ID).int());
    }
    let paths: Vec<&str> = (whose.slots()).filter_map(|slot| Some(c.fields.get(slot)?.path.as_str())).collect();
    let whole = by_id(context, c.slug, partial, &paths).await?;
    let read: Vec<[Option<i64>; 3]> = (rows.iter())
        .map(|row| {
            let stored = row.get(ID).int().and_then(|id| whole.get(&id));
            whose.read(stored.filter(|_| whose.lacks(row)).unwrap_or(row))
        })
        .collect();
    let (mut animals, mut before) = (BTreeMap::new(), BTreeMap::new());
    if !whose.animals {
        let ids = read.iter().filter_map(|[_, animal, _]| *animal);
        animals = by_id(context, "animals", ids, Animals::PATHS).await?;
        if whose.herd.is_none() {
            before = herds_before(context, &animals).await?;
        }
    }
    Ok((read.into_iter())
        .map(|[organization, about, herd]| {
            let animal = about.and_then(|id| animals.get(&id));
            let present = match whose.animals {
                true => Place { organization, herd: about },
                false => animal.map(Place::of).unwrap_or_default(),
            };
            let organization = organization.or(present.organization);
            let earlier = about.and_then(|id| before.get(&id)).into_iter().flatten();
            Stay {
                today: Place { organization, herd: herd.or(present.herd) },
                earlier: earlier.map(|(at, herd)| (*at, Place { organization, herd: *herd })).collect(),
            }
        })
        .collect())
}

/// The stored and the new value of a slot of a draft.
type Times = [Option<i64>; 2];

/// Days of drafts that were put on the clocks of their places for a rule, and are put back after it: draft, slot, the
/// times as they were, and as they were put.
#[derive(Debug, Default)]
pub(crate) struct ShiftedDays(Vec<(usize, usize, Times, Times)>);

/// The days of drafts.
fn times(drafts: &[Draft], slots: &[usize]) -> Vec<(usize, usize, Times)> {
    let mut times = Vec::new();
    for (at, draft) in drafts.iter().enumerate() {
        for slot in slots {
            let old = draft.old.as_ref().and_then(|row| row.get(*slot).time());
            times.push((at, *slot, [old, draft.new.get(*slot).time()]));
        }
    }
    times
}

/// Puts the days of drafts on the clocks of their places.
pub(crate) async fn put_drafts(
    context: &mut dyn BookReader,
    c: &'static Collection,
    drafts: &mut [Draft],
) -> Result<ShiftedDays> {
    let slots = day_slots(c);
    let rows = drafts.iter().flat_map(|d| d.old.iter().chain([&d.new]));
    if !have_instants(rows, &slots) {
        return Ok(ShiftedDays::default());
    }
    let before = times(drafts, &slots);
    let mut rows: Vec<&mut Record> = (drafts.iter_mut()).flat_map(|d| d.old.iter_mut().chain([&mut d.new])).collect();
    put(context, c, &mut rows).await?;
    let after = times(drafts, &slots);
    let moved = before.into_iter().zip(after).filter(|(was, is)| was.2 != is.2);
    Ok(ShiftedDays(moved.map(|((at, slot, was), (_, _, is))| (at, slot, was, is)).collect()))
}

impl ShiftedDays {
    /// Puts back what the rule did not replace.
    pub(crate) fn put_back(self, drafts: &mut [Draft]) {
        for (at, slot, [old, new], [old_put, new_put]) in self.0 {
            let Some(draft) = drafts.get_mut(at) else {
                continue;
            };
            if let (Some(row), Some(at)) = (&mut draft.old, old)
                && row.get(slot).time() == old_put
            {
                row.set(slot, Value::Time(at));
            }
            if let Some(at) = new.filter(|_| draft.new.get(slot).time() == new_put) {
                draft.new.set(slot, Value::Time(at));
            }
        }
    }
}

/// The day of a time on the clock of its place, as it is stored.
pub(crate) fn as_day(at: i64) -> Value {
    Value::Time(instant_of(day_of(at)))
}

/// Rows whose time zone is another one now.
pub(crate) fn rezoned(changes: &[Change], slot: usize) -> BTreeSet<i64> {
    let zone = |row: &Option<Record>| row.as_ref().and_then(|row| row.get(slot).text().map(str::to_owned));
    let other = changes.iter().filter(|c| zone(&c.old) != zone(&c.new));
    other.map(|change| change.id).collect()
}

/// Refuses names of no time zone.
pub(crate) fn zones(drafts: &mut [Draft], slot: usize) {
    for draft in drafts.iter_mut().filter(|d| d.changes(slot)) {
        let name = draft.new.get(slot).text().filter(|name| !name.is_empty());
        if name.is_some_and(|name| zone(name).is_none()) {
            let message = "This is not the IANA name of a time zone, such as Europe/Moscow.";
            draft.issues.push(Issue::error("timeZone", "no-such-zone", message));
        }
    }
}

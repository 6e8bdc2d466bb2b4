//! A small server of a change feed, deterministic, with a switch for each mistake.

mod apply;
mod tokens;

use super::fault::Fault;
use apply::apply;
use feed_oracle::{Answer, Profile, Resource};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

pub(crate) const KINDS: [&str; 2] = ["weights", "heats"];
pub(crate) const FARMS: [&str; 3] = ["1", "2", "3"];
const NUMBERS_AT_BEGIN: i64 = 8;

/// How a server works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// The latest states by number are the feed, and rights are changes.
    Log,
    /// A beginning lists what is there by key, then come the changes since; with other
    /// rights reading begins anew.
    Snapshot,
}

/// Kind, number, farm.
type Id = (usize, u8, usize);

#[derive(Debug, Clone)]
struct Doc {
    seq: i64,
    commit: i64,
    modified: i64,
    deleted: bool,
    version: i64,
    withdrawn: bool,
}

type Docs = Vec<(Id, Doc)>;

#[derive(Debug, Clone, Copy)]
pub(crate) enum Write {
    Put(usize, u8, usize),
    Delete(usize, u8),
    Recreate(usize, u8),
    Sell(usize, u8, usize),
}

#[derive(Debug, Clone, Default)]
struct Transaction {
    begun: i64,
    writes: Vec<Write>,
}

/// The content of a backup.
#[derive(Debug, Clone, Default)]
struct Book {
    rows: BTreeMap<(usize, u8), usize>,
    docs: BTreeMap<Id, Doc>,
    seq: i64,
    last: i64,
}

/// Who asks, and for what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Asker {
    pub(crate) reader: usize,
    /// All kinds, unless one.
    pub(crate) kind: Option<usize>,
}

pub(crate) struct Server {
    pub(crate) style: Style,
    pub(crate) fault: Option<Fault>,
    pub(crate) marks: bool,
    profile: Profile,
    book: Book,
    /// Documents that only one reader receives, by a change of its rights.
    told: BTreeMap<(usize, Id), Doc>,
    /// By reader: what it sees, and since which number.
    rights: Vec<BTreeMap<usize, i64>>,
    open: BTreeMap<u32, Transaction>,
    begun: u32,
    now: i64,
    version: i64,
    commits: i64,
    generation: i64,
    /// Tombstones up to here are cleared away.
    floor: i64,
    /// Readers whose next token is taken for an older one.
    rewound: BTreeSet<usize>,
    backup: Option<Book>,
    copy: Book,
    cache: BTreeMap<(Asker, String, usize), (u32, Answer)>,
    all: BTreeMap<(Option<usize>, i64, usize), Docs>,
}

impl Server {
    pub(crate) fn new(style: Style, profile: Profile, readers: Vec<Vec<usize>>) -> Self {
        Self {
            style,
            fault: None,
            marks: profile.marks,
            profile,
            book: Book::default(),
            told: BTreeMap::new(),
            rights: (readers.into_iter())
                .map(|farms| farms.into_iter().map(|farm| (farm, 0)).collect())
                .collect(),
            open: BTreeMap::new(),
            begun: 0,
            now: 0,
            version: 0,
            commits: 0,
            generation: 1,
            floor: 0,
            rewound: BTreeSet::new(),
            backup: None,
            copy: Book::default(),
            cache: BTreeMap::new(),
            all: BTreeMap::new(),
        }
    }

    fn has(&self, fault: Fault) -> bool {
        self.fault == Some(fault)
    }

    pub(crate) fn clock(&mut self, by: i64) {
        self.now += by;
    }

    pub(crate) fn begin(&mut self) -> u32 {
        self.begun += 1;
        let mut transaction = Transaction::default();
        if self.has(Fault::SerialOrder) {
            transaction.begun = self.book.seq;
            self.book.seq += NUMBERS_AT_BEGIN;
        }
        self.open.insert(self.begun, transaction);
        self.begun
    }

    /// Writes, unless the row is locked by another transaction or there is nothing to do.
    pub(crate) fn write(&mut self, transaction: u32, write: Write) {
        let (Write::Put(kind, number, _)
        | Write::Delete(kind, number)
        | Write::Recreate(kind, number)
        | Write::Sell(kind, number, _)) = write;
        let same = |w: &Write| match w {
            Write::Put(k, n, _) | Write::Sell(k, n, _) => (*k, *n) == (kind, number),
            Write::Delete(k, n) | Write::Recreate(k, n) => (*k, *n) == (kind, number),
        };
        let locked = self.open.values().any(|t| t.writes.iter().any(same));
        let full = self.open[&transaction].writes.len() >= 3;
        if locked || full {
            return;
        }
        if self.has(Fault::CacheAhead) {
            let mut shown = self.book.clone();
            let mut version = self.version + 1_000_000;
            let seq = self.book.seq;
            apply(
                &mut shown,
                write,
                (self.now, self.commits, None),
                (&mut version, seq),
            );
            // Visible already, at the numbers that it will have.
            self.book.docs = shown.docs;
        }
        self.open.get_mut(&transaction).unwrap().writes.push(write);
    }

    pub(crate) fn commit(&mut self, transaction: u32) -> Vec<Resource> {
        let Some(transaction) = self.open.remove(&transaction) else {
            return Vec::new();
        };
        self.copy = self.book.clone();
        self.commits += 1;
        self.book.last = self.book.last.max(self.now);
        let mut seq = if self.has(Fault::SerialOrder) {
            transaction.begun
        } else {
            self.book.seq
        };
        let mut changes = Vec::new();
        for write in transaction.writes {
            let place = (self.book.last, self.commits, self.fault);
            let done = apply(&mut self.book, write, place, (&mut self.version, seq));
            seq = done.1;
            for (id, doc) in done.0 {
                for reader in 0..self.rights.len() {
                    if self.rights[reader].contains_key(&id.2) {
                        self.told.remove(&(reader, id));
                    }
                }
                changes.push(self.resource(id, &doc));
            }
        }
        self.book.seq = self.book.seq.max(seq);
        changes
    }

    pub(crate) fn roll_back(&mut self, transaction: u32) {
        let Some(transaction) = self.open.remove(&transaction) else {
            return;
        };
        if self.has(Fault::RolledBackStays) {
            for write in transaction.writes {
                let place = (self.book.last, self.commits, None);
                let rows = self.book.rows.clone();
                let seq = self.book.seq;
                let done = apply(&mut self.book, write, place, (&mut self.version, seq));
                self.book.seq = done.1;
                self.book.rows = rows;
            }
        }
    }

    pub(crate) fn open(&self) -> Vec<u32> {
        self.open.keys().copied().collect()
    }

    pub(crate) fn grant(&mut self, reader: usize, farm: usize) {
        if self.rights[reader].contains_key(&farm) {
            return;
        }
        self.rights[reader].insert(farm, self.book.seq);
        if self.style == Style::Snapshot {
            return;
        }
        if !self.has(Fault::GainWithoutHistory) {
            for (id, doc) in self.of(farm) {
                if !doc.deleted {
                    self.tell(reader, id, doc);
                }
            }
        }
        self.rights[reader].insert(farm, self.book.seq);
    }

    pub(crate) fn revoke(&mut self, reader: usize, farm: usize) {
        if self.rights[reader].remove(&farm).is_none() || self.style == Style::Snapshot {
            return;
        }
        self.told.retain(|(r, id), _| *r != reader || id.2 != farm);
        if !self.has(Fault::LossWithoutTombstones) {
            for (id, mut doc) in self.of(farm) {
                doc.deleted = true;
                doc.withdrawn = !self.has(Fault::LossWithoutReason);
                self.tell(reader, id, doc);
            }
        }
    }

    fn of(&self, farm: usize) -> Vec<(Id, Doc)> {
        let all = self.book.docs.iter().filter(|(id, _)| id.2 == farm);
        all.map(|(id, doc)| (*id, doc.clone())).collect()
    }

    fn tell(&mut self, reader: usize, id: Id, doc: Doc) {
        self.book.seq += 1;
        let seq = self.book.seq;
        self.told.insert((reader, id), Doc { seq, ..doc });
    }

    pub(crate) fn restart(&mut self) {
        self.cache.clear();
        self.all.clear();
        self.rewound = (0..self.rights.len()).collect();
    }

    pub(crate) fn regenerate(&mut self) {
        self.generation += 1;
    }

    pub(crate) fn back_up(&mut self) {
        self.backup = Some(self.book.clone());
    }

    pub(crate) fn restore(&mut self) {
        let Some(book) = self.backup.clone() else {
            return;
        };
        self.open.clear();
        self.cache.clear();
        self.all.clear();
        self.copy = book.clone();
        self.book = book;
        if !self.has(Fault::FutureToken) {
            self.generation += 1;
        }
    }

    /// Clears tombstones away that are old.
    pub(crate) fn compact(&mut self) {
        let floor = self.book.seq - 12;
        if floor <= self.floor {
            return;
        }
        self.floor = floor;
        self.book
            .docs
            .retain(|_, doc| !doc.deleted || doc.seq > floor);
        self.told.retain(|_, doc| !doc.deleted || doc.seq > floor);
        self.copy = self.book.clone();
        self.backup = None;
    }

    /// The job of [`Fault::LostUpdate`].
    pub(crate) fn background(&mut self) {
        if !self.has(Fault::LostUpdate) {
            return;
        }
        let old = self.copy.docs.iter().find(|(id, doc)| {
            let now = self.book.docs.get(*id);
            !doc.deleted && now.is_some_and(|now| now.version > doc.version)
        });
        if let Some((id, doc)) = old.map(|(id, doc)| (*id, doc.clone())) {
            self.book.seq += 1;
            let seq = self.book.seq;
            self.book.docs.insert(id, Doc { seq, ..doc });
        }
    }

    /// A page of changes.
    pub(crate) fn changes(
        &mut self,
        asker: Asker,
        since: Option<&str>,
        limit: usize,
        draw: u64,
    ) -> Answer {
        let cached = (asker, since.unwrap_or("").to_owned(), limit);
        if self.has(Fault::CacheBehind) {
            if let Some((left, answer)) = self.cache.get_mut(&cached)
                && *left > 0
            {
                *left -= 1;
                return answer.clone();
            }
            let answer = self.fresh(asker, since, limit, draw);
            self.cache.insert(cached, (2, answer.clone()));
            return answer;
        }
        self.fresh(asker, since, limit, draw)
    }

    fn fresh(&mut self, asker: Asker, since: Option<&str>, limit: usize, draw: u64) -> Answer {
        let mut anew = since.is_none() && self.has(Fault::FullSyncForever);
        let mut place = Place::Beginning;
        if let Some(token) = since {
            match self.opened(asker, token) {
                Opened::Place(at) => place = at,
                Opened::Anew => anew = !self.has(Fault::SilentResync),
                Opened::Current => place = Place::After(self.book.seq, self.book.seq),
                Opened::Bad(word) => {
                    let body = json!({"errors": [{"status": 400, "type": word}]}).to_string();
                    return Answer::new(400, [], body);
                }
            }
        }
        let (docs, next, more) = match (self.style, place) {
            (Style::Snapshot, Place::Beginning) => self.listed(asker, (self.book.seq, None), limit),
            (Style::Snapshot, Place::Listing(start, key)) => {
                self.listed(asker, (start, Some(key)), limit)
            }
            (_, Place::After(seq, begun)) => self.after(asker, (seq, begun), limit, draw),
            (Style::Log, _) => self.after(asker, (0, self.book.seq), limit, draw),
        };
        let (docs, next, more) = match next {
            // Nothing is left to list: this page would be taken for the end.
            Place::After(seq, begun) if docs.is_empty() && begun < self.book.seq && !more => {
                match self.style {
                    Style::Log => (docs, next, more),
                    Style::Snapshot => self.after(asker, (seq, begun), limit, draw),
                }
            }
            _ => (docs, next, more),
        };
        let stays = self.has(Fault::TokenStays) && docs.len() == limit;
        let token = match since.filter(|_| stays && !anew) {
            Some(token) => token.to_owned(),
            None => self.sealed(asker, next),
        };
        let mut page = vec![json!({"id": "@context"})];
        page.extend(docs.iter().map(|(id, doc)| self.document(*id, doc)));
        let mut end = json!({"id": "@continuation", "token": token});
        if self.marks && !(self.has(Fault::EmptyUnmarked) && docs.is_empty() && more) {
            end["current"] = (!more || self.has(Fault::AlwaysCurrent)).into();
        }
        if !(self.has(Fault::NoContinuation) && !more && !docs.is_empty()) {
            page.push(end);
        }
        let mut body = Value::from(page).to_string().into_bytes();
        if self.has(Fault::CutPage) && draw.is_multiple_of(7) {
            let at = usize::try_from(draw).unwrap_or(0) % body.len();
            body.truncate(at);
        }
        let header = anew.then_some(("icar-full-sync", "true"));
        Answer::new(200, header, body)
    }

    /// What a reader may see after a number, by number.
    fn feed(&self, asker: Asker, after: i64, lagging: bool) -> Vec<(Id, Doc)> {
        let book = if lagging { &self.copy } else { &self.book };
        let rights = &self.rights[asker.reader];
        let public = book.docs.iter().filter(|(id, doc)| {
            rights
                .get(&id.2)
                .is_some_and(|since| self.style == Style::Snapshot || doc.seq > *since)
        });
        let own = self
            .told
            .iter()
            .filter(|((reader, _), _)| *reader == asker.reader);
        let own = own.map(|((_, id), doc)| (id, doc));
        let all = public.chain(own).filter(|(_, doc)| doc.seq > after);
        let mut all: Vec<(Id, Doc)> = all.map(|(id, doc)| (*id, doc.clone())).collect();
        all.sort_by_key(|(id, doc)| (doc.seq, *id));
        all
    }

    fn after(
        &mut self,
        asker: Asker,
        (after, begun): (i64, i64),
        limit: usize,
        draw: u64,
    ) -> (Vec<(Id, Doc)>, Place, bool) {
        let lagging = self.has(Fault::LaggingCopy) && draw.is_multiple_of(3);
        let mut after = after;
        if self.has(Fault::RewoundToken) && self.rewound.remove(&asker.reader) {
            after /= 2;
        }
        let from = match self.fault {
            Some(Fault::ClockPaging) => -1,
            _ => after,
        };
        let mut all = self.feed(asker, from, lagging);
        if self.has(Fault::ClockPaging) {
            all.retain(|(_, doc)| doc.modified > after);
            all.sort_by_key(|(_, doc)| (doc.modified, doc.seq));
        }
        if self.has(Fault::CacheOfAll) {
            let key = (asker.kind, after * 10_000 + self.book.seq, limit);
            all = self.all.entry(key).or_insert(all).clone();
        }
        // Filtered while it is read; where pages are marked, an empty one may come in the middle.
        let wanted = |(id, doc): &(Id, Doc)| match asker.kind {
            Some(kind) => id.0 == kind && !(self.has(Fault::FilterLosesTombstones) && doc.deleted),
            None => true,
        };
        if !self.marks && !self.has(Fault::EmptyUnmarked) {
            all.retain(wanted);
        }
        let limit = if self.has(Fault::Unbounded) {
            limit * 2
        } else {
            limit
        };
        let more = all.len() > limit;
        all.truncate(limit);
        let last = all.last().map_or(after, |(_, doc)| match self.fault {
            Some(Fault::ClockPaging) => doc.modified,
            _ => doc.seq.max(after),
        });
        all.retain(wanted);
        if self.has(Fault::OrderedByKey) {
            all.sort_by_key(|(id, _)| *id);
        }
        if self.has(Fault::SetDisagrees) && asker.kind.is_some() {
            all.sort_by_key(|(_, doc)| (doc.commit, -doc.seq));
        }
        let last = match self.fault {
            Some(Fault::SkippedBoundary) if more => last + 1,
            Some(Fault::RepeatedBoundary) if more => last - 1,
            _ => last,
        };
        (all, Place::After(last, begun), more)
    }

    /// A part of a snapshot, by key.
    fn listed(
        &self,
        asker: Asker,
        (start, key): (i64, Option<Id>),
        limit: usize,
    ) -> (Vec<(Id, Doc)>, Place, bool) {
        let mut all = self.feed(asker, 0, false);
        all.retain(|(id, doc)| !doc.deleted && asker.kind.is_none_or(|kind| kind == id.0));
        all.retain(|(id, _)| key.is_none_or(|key| *id > key));
        all.sort_by_key(|(id, _)| *id);
        let more = all.len() > limit;
        all.truncate(limit);
        let next = match all.last().filter(|_| more) {
            Some((id, _)) => Place::Listing(start, *id),
            None if self.has(Fault::SnapshotGap) => Place::After(self.book.seq, start),
            None => Place::After(start, start),
        };
        (all, next, more)
    }

    fn document(&self, (kind, number, farm): Id, doc: &Doc) -> Value {
        let ms = doc.modified;
        let modified = format!(
            "2026-02-01T{:02}:{:02}:{:02}.{:03}Z",
            ms / 3_600_000,
            ms / 60_000 % 60,
            ms / 1_000 % 60,
            ms % 1_000
        );
        // Without the location in its identity, a resource has a name for each place.
        let id = match self.style {
            Style::Log => format!("n{number}"),
            Style::Snapshot => format!("n{number}@{farm}"),
        };
        let mut document = json!({
            "resourceType": KINDS[kind],
            "location": {"scheme": "org.example", "id": FARMS[farm]},
            "meta": {"source": "model", "sourceId": id, "modified": modified},
        });
        if doc.deleted {
            document["meta"]["isDeleted"] = true.into();
        } else {
            document["version"] = doc.version.into();
        }
        if doc.withdrawn {
            document["meta"]["reason"] = "rights".into();
        }
        document
    }

    fn resource(&self, id: Id, doc: &Doc) -> Resource {
        Resource::read(&self.profile, self.document(id, doc), "a document").unwrap()
    }
}

#[derive(Debug, Clone, Copy)]
enum Place {
    Beginning,
    /// After a number, along a chain that began when the book stood at the second.
    After(i64, i64),
    Listing(i64, Id),
}

enum Opened {
    Place(Place),
    Anew,
    Current,
    Bad(&'static str),
}

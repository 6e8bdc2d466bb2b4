//! The last state that was sent of each resource (table `exchange_sent`). Of two states the later
//! `meta.modified` wins, in whatever order they arrive; and the retraction of a batch sees whether
//! the batch brought the state that still holds.

use crate::full_sync::FullSync;
use crate::intake::DocumentIntake;
use crate::intake::delivery::{Delivery, DocumentAnswer, State};
use crate::intake::issues::{ahead, of_another_set, stale};
use indexmap::Equivalent;
use indexmap::map::raw_entry_v1::RawEntryApiV1;
use model::error::Result;
use model::fast::{IndexMap, IndexSet};
use model::record::{Value, member, text};
use ops::WriteTransaction;
use serde_json::Value as Json;
use store::{Sql, Ty, pieces};

/// Rows of one statement.
const TOGETHER: usize = 500;

/// Location, `meta.source`, `meta.sourceId`.
type Pair = (i64, String, String);

/// The last state that was sent of a resource.
#[derive(Debug, Clone, Default)]
struct LastState {
    /// `meta.modified`, epoch milliseconds.
    modified: Option<i64>,
    /// The sequence number at which it was stored; a later change is by another caller.
    seq: i64,
    batch: Option<String>,
    /// Whether the resource exists after it: false when it was a deletion.
    live: bool,
    /// The organisation that sent it; none: the Association.
    organization: Option<i64>,
    /// The sequence numbers at which full syncs named the resource last, by [`SyncScope`].
    named_at: [i64; 2],
    /// What this intake changed and must store; none: nothing.
    difference: Option<Difference>,
    /// The scope of the full sync that names the resource in this intake.
    named_by: Option<SyncScope>,
    /// The latest place in commit order at which a full sync began that is ending now.
    ending: Option<i64>,
    /// Whether that one spares the resource because of this intake.
    spared: bool,
}

/// The sender whose full syncs can name a resource: that of its location, or the Association. The
/// two are counted apart and do not touch each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SyncScope {
    Location,
    Association,
}

impl SyncScope {
    pub(crate) fn of(organization: Option<i64>) -> Self {
        organization.map_or(Self::Association, |_| Self::Location)
    }

    /// The column with the sequence numbers of this scope.
    pub(crate) fn column(self) -> &'static str {
        match self {
            Self::Location => "named",
            Self::Association => "named_above",
        }
    }
}

impl LastState {
    fn named_at_mut(&mut self, scope: SyncScope) -> &mut i64 {
        let [location, association] = &mut self.named_at;
        match scope {
            SyncScope::Location => location,
            SyncScope::Association => association,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Difference {
    Changed,
    Time,
    NamedBySync,
}

/// The sender of the states of an intake.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sender<'v> {
    /// The organisation; none: the Association.
    pub organization: Option<i64>,
    pub batch: Option<&'v str>,
}

/// The last states of a pair by data set.
type States = IndexMap<String, LastState>;

/// The last states of the resources of an intake, by pair and data set.
#[derive(Debug, Default)]
pub(crate) struct LastStates(IndexMap<Pair, States>);

/// Whether a document is newer than the last state of its resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Timely {
    /// Not older.
    Yes,
    /// Its time lies ahead of the clock of this service: it counts as now.
    Ahead,
    /// A later state was sent before.
    Stale,
}

impl LastStates {
    fn states(&self, location: i64, doc: &Json) -> Option<&States> {
        self.0.get(&PairRef::of(location, doc)?)
    }

    /// The state of a resource in a data set, which is new where none was sent before.
    fn state(&mut self, pair: PairRef<'_>, dataset: &str) -> &mut LastState {
        let states = self.0.raw_entry_mut_v1().from_key(&pair);
        let (_, states) = states.or_insert_with(|| (pair.pair(), States::default()));
        let state = states.raw_entry_mut_v1().from_key(dataset);
        state.or_insert_with(|| (dataset.to_owned(), LastState::default())).1
    }

    /// Compares a document with the last state; `latest` is the latest time that is accepted.
    pub(crate) fn timely(&self, dataset: &str, location: i64, doc: &Json, latest: i64) -> Timely {
        let Some(modified) = modified(doc) else { return Timely::Yes };
        if modified > latest {
            return Timely::Ahead;
        }
        let last = self.states(location, doc).and_then(|states| states.get(dataset));
        match last.and_then(|state| state.modified) {
            Some(last) if modified < last => Timely::Stale,
            _ => Timely::Yes,
        }
    }

    /// Whether the resource of a document was sent before, and not changed by this intake.
    pub(crate) fn is_as_before(&self, dataset: &str, location: i64, doc: &Json) -> bool {
        let states = self.states(location, doc);
        let state = states.and_then(|states| states.get(dataset));
        state.is_some_and(|state| state.difference != Some(Difference::Changed))
    }

    /// The organisation that sent the last state of the resource of a document, none for the
    /// Association; nothing of a resource that was never sent.
    pub(crate) fn sender(&self, dataset: &str, location: i64, doc: &Json) -> Option<Option<i64>> {
        let state = self.states(location, doc)?.get(dataset)?;
        Some(state.organization)
    }

    /// Forgets the states that others sent under the pair of a document.
    pub(crate) fn keep_only(&mut self, location: i64, doc: &Json, sender: Option<i64>) {
        if let Some(states) = PairRef::of(location, doc).and_then(|pair| self.0.get_mut(&pair)) {
            states.retain(|_, state| state.organization == sender);
        }
    }

    /// Another data set in which the pair names a resource.
    pub(crate) fn elsewhere(&self, dataset: &str, location: i64, doc: &Json) -> Option<&str> {
        let other = self.states(location, doc)?.iter().find(|(set, state)| *set != dataset && state.live);
        other.map(|(set, _)| set.as_str())
    }

    /// Records the state that an accepted document brings. Times ahead of the clock count as `now`.
    pub(crate) fn note(
        &mut self,
        dataset: &str,
        location: i64,
        doc: &Json,
        answer: &DocumentAnswer,
        (now, latest): (i64, i64),
    ) {
        let Some(pair) = PairRef::of(location, doc) else { return };
        let state = self.state(pair, dataset);
        let sent_at = modified(doc).map(|at| if at > latest { now } else { at });
        let later = sent_at.is_some() && sent_at > state.modified;
        state.modified = state.modified.max(sent_at);
        match answer.state {
            State::Rejected => {}
            State::Unchanged => {
                state.live = true;
                if later {
                    state.difference.get_or_insert(Difference::Time);
                }
                // What is sent while a full sync ends is not deleted by it.
                if state.ending.is_some_and(|began| state.seq < began) {
                    state.spared = true;
                    state.difference.get_or_insert(Difference::NamedBySync);
                }
            }
            State::Created | State::Updated | State::Deleted => {
                state.live = answer.state != State::Deleted;
                state.difference = Some(Difference::Changed);
            }
        }
    }

    /// Records that a full sync names resources. Returns how many it names for the first time.
    pub(crate) fn all_named(&mut self, deliveries: &[Delivery], answers: &[DocumentAnswer], sync: &FullSync) -> usize {
        let scope = SyncScope::of(sync.organization);
        let taken = (deliveries.iter().zip(answers))
            .filter(|(_, answer)| answer.state != State::Rejected)
            .filter_map(|(d, _)| Some((PairRef::of(d.location, &d.doc)?, d.dataset.as_str())));
        let mut first = 0;
        for (pair, dataset) in taken {
            let state = self.state(pair, dataset);
            first += usize::from(state.named_by.is_none() && *state.named_at_mut(scope) < sync.began);
            state.named_by = Some(scope);
            state.difference.get_or_insert(Difference::NamedBySync);
        }
        first
    }

    /// Compares the documents of a data set with their last states.
    pub(crate) fn judged(&self, dataset: &str, location: i64, docs: &[&Json], times: (i64, i64)) -> Vec<Timely> {
        docs.iter().map(|doc: &&Json| self.timely(dataset, location, doc, times.1)).collect()
    }

    /// Completes the answers: stale documents get theirs, the others (see [`on_time`]) have those
    /// of `taken` and are recorded.
    pub(crate) fn noted(
        &mut self,
        (dataset, location): (&str, i64),
        docs: &[&Json],
        timely: &[Timely],
        taken: Vec<DocumentAnswer>,
        times: (i64, i64),
    ) -> Vec<DocumentAnswer> {
        let mut taken = taken.into_iter();
        let mut answers = Vec::with_capacity(docs.len());
        for (doc, time) in docs.iter().zip(timely) {
            if *time == Timely::Stale {
                answers.push(stale(None, Vec::new()));
                continue;
            }
            let mut answer = taken.next().unwrap_or_else(|| DocumentAnswer::rejected(Vec::new()));
            if *time == Timely::Ahead {
                answer.issues.push(ahead());
            }
            let other = self.elsewhere(dataset, location, doc);
            if let (State::Created, Some(other)) = (answer.state, other) {
                answer.issues.push(of_another_set(other));
            }
            if answer.state != State::Rejected {
                self.note(dataset, location, doc, &answer, times);
            }
            answers.push(answer);
        }
        answers
    }
}

/// The documents that are not stale.
pub(crate) fn on_time<'d>(docs: &[&'d Json], timely: &[Timely]) -> Vec<&'d Json> {
    (docs.iter().zip(timely)).filter(|(_, time)| **time != Timely::Stale).map(|(doc, _)| *doc).collect()
}

impl DocumentIntake {
    /// Loads the last states of the resources that documents name, in sets.
    pub(crate) async fn last_states(
        &self,
        work: &mut WriteTransaction<'_>,
        deliveries: &[Delivery],
    ) -> Result<LastStates> {
        let pairs: IndexSet<PairRef<'_>> =
            (deliveries.iter()).filter_map(|d| PairRef::of(d.location, &d.doc)).collect();
        let pairs: Vec<PairRef<'_>> = pairs.into_iter().collect();
        let mut last = LastStates::default();
        for piece in pairs.chunks(TOGETHER) {
            let locations: IndexSet<i64> = piece.iter().map(|p| p.0).collect();
            let sources: IndexSet<&str> = piece.iter().map(|p| p.1).collect();
            let mut sql = Sql::new(
                "SELECT location, source, source_id, dataset, modified, seq, batch, live, \
                 organization, named, named_above, (SELECT max(began) FROM exchange_full_syncs \
                 WHERE stage = 'ending') FROM ",
            );
            let ids = piece.iter().map(|p| Value::Text(p.2.to_owned()));
            sql.keyed(work.tx().dialect(), ("exchange_sent", "s", "source_id"), (Ty::Text, ids), |sql| {
                sql.push(" AND location IN ").bind_list(Ty::Int, locations.into_iter().map(Value::Int));
                sql.push(" AND source IN ").bind_list(Ty::Text, sources.into_iter().map(Value::from));
            });
            let sql = if piece.len() > 1 { sql.one_off() } else { sql };
            for row in work.tx().rows(sql).await? {
                let text = |at: usize| row.text(at).unwrap_or_default().to_owned();
                let pair = (row.int(0).unwrap_or_default(), text(1), text(2));
                let state = LastState {
                    modified: row.int(4),
                    seq: row.int(5).unwrap_or_default(),
                    batch: row.text(6).map(str::to_owned),
                    live: row.truth(7).unwrap_or_default(),
                    organization: row.int(8),
                    named_at: [9, 10].map(|at| row.int(at).unwrap_or_default()),
                    difference: None,
                    named_by: None,
                    ending: row.int(11),
                    spared: false,
                };
                last.0.entry(pair).or_default().insert(text(3), state);
            }
        }
        Ok(last)
    }

    /// Stores the states that changed. Call it after the documents were rendered: a document with a
    /// higher sequence number was then changed by another caller.
    pub(crate) async fn store_last_states(
        &self,
        work: &mut WriteTransaction<'_>,
        last: LastStates,
        sender: Sender<'_>,
    ) -> Result<()> {
        let seq = work.tx().seq();
        let each = (last.0.into_iter()).flat_map(|(pair, states)| {
            states.into_iter().filter(|(_, s)| s.difference.is_some()).map(move |one| (pair.clone(), one))
        });
        let changed: Vec<(Pair, String, LastState)> = each
            .filter_map(|(pair, (set, mut state))| {
                if state.difference? == Difference::Changed {
                    state.seq = seq;
                    state.batch = sender.batch.map(str::to_owned);
                    state.organization = sender.organization;
                }
                if let Some(scope) = state.named_by {
                    *state.named_at_mut(scope) = seq;
                }
                if state.spared {
                    *state.named_at_mut(SyncScope::of(state.organization)) = seq;
                }
                Some((pair, set, state))
            })
            .collect();
        let sizes: Vec<usize> = pieces(&changed, 11).map(<[_]>::len).collect();
        let mut changed = changed.into_iter();
        for size in sizes {
            let into = "exchange_sent (location, source, source_id, dataset, modified, seq, batch, live, \
                        organization, named, named_above)";
            let (int, text) = (Ty::Int, Ty::Text);
            let types = [int, text, text, text, int, int, text, Ty::Bool, int, int, int];
            let rows = changed.by_ref().take(size).map(|((location, source, source_id), set, state)| {
                let [location, seq] = [location, state.seq].map(Value::Int);
                let [source, source_id, set] = [source, source_id, set].map(Value::Text);
                let [modified, organization] = [state.modified, state.organization].map(Value::from);
                let [named, named_above] = state.named_at.map(Value::Int);
                let (batch, live) = (state.batch.into(), state.live.into());
                [location, source, source_id, set, modified, seq, batch, live, organization, named, named_above]
            });
            let mut sql = Sql::insert(into, types, rows);
            sql.push(
                " ON CONFLICT (location, source, source_id, dataset) DO UPDATE SET \
                 modified = excluded.modified, seq = excluded.seq, batch = excluded.batch, \
                 live = excluded.live, organization = excluded.organization, \
                 named = excluded.named, named_above = excluded.named_above",
            );
            work.tx().send(sql).await?;
        }
        Ok(())
    }
}

/// How a document names its resource: the location, and the sender's pair. Equal to the [`Pair`] of the same texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct PairRef<'d>(i64, &'d str, &'d str);

impl<'d> PairRef<'d> {
    fn of(location: i64, doc: &'d Json) -> Option<Self> {
        let meta = member(doc.as_object()?, "meta")?.as_object()?;
        let (source, id) = (text(meta, "source")?, text(meta, "sourceId")?);
        // A database accepts no zero character, neither in a row nor in a query.
        let plain = !source.contains('\0') && !id.contains('\0');
        plain.then_some(Self(location, source, id))
    }

    fn pair(self) -> Pair {
        (self.0, self.1.to_owned(), self.2.to_owned())
    }
}

impl Equivalent<Pair> for PairRef<'_> {
    fn equivalent(&self, pair: &Pair) -> bool {
        (self.0, self.1, self.2) == (pair.0, pair.1.as_str(), pair.2.as_str())
    }
}

fn modified(doc: &Json) -> Option<i64> {
    let meta = member(doc.as_object()?, "meta")?.as_object()?;
    ade::time::parse(text(meta, "modified")?)
}

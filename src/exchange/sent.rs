//! What each sender said last of a resource. By this the last state wins, never an older
//! one that comes late; and a batch knows whether its word is still the last.

use super::Exchange;
use super::full_sync::FullSync;
use super::intake::{Answer, Delivery, State};
use super::told::{ahead, of_another_set, stale};
use crate::error::Result;
use crate::ops::Work;
use crate::record::Value;
use crate::store::{Sql, Ty, pieces};
use indexmap::{IndexMap, IndexSet};
use serde_json::Value as Json;

/// Rows of one statement.
const TOGETHER: usize = 500;

/// Location, `meta.source`, `meta.sourceId`.
type Pair = (i64, String, String);

/// The last word on a resource.
#[derive(Debug, Clone, Default)]
struct Word {
    /// `meta.modified`, epoch milliseconds.
    modified: Option<i64>,
    /// Up to this place in commit order it is the last one.
    seq: i64,
    batch: Option<String>,
    /// Whether the resource was not deleted by it.
    live: bool,
    /// Who said it; none: the Association.
    organization: Option<i64>,
    /// The places in commit order at which full syncs named the resource last, by [`Namer`].
    named: [i64; 2],
    /// To be written: it changed the resource, or only its time is news.
    news: Option<News>,
    /// Whose full sync names the resource now.
    naming: Option<Namer>,
}

/// Who can name a resource in full syncs: the people of its location, and the Association.
/// They speak each for themselves, side by side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Namer {
    Location,
    Association,
}

impl Namer {
    pub(super) fn of(organization: Option<i64>) -> Self {
        organization.map_or(Self::Association, |_| Self::Location)
    }

    /// The column of his places.
    pub(super) fn column(self) -> &'static str {
        match self {
            Self::Location => "named",
            Self::Association => "named_above",
        }
    }
}

impl Word {
    fn named(&mut self, namer: Namer) -> &mut i64 {
        let [location, association] = &mut self.named;
        match namer {
            Namer::Location => location,
            Namer::Association => association,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum News {
    Changed,
    Time,
    Named,
}

/// Whose word it is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Voice<'v> {
    /// The organisation; none: the Association.
    pub organization: Option<i64>,
    /// The batch that brought it.
    pub batch: Option<&'v str>,
}

/// The last words on the resources of an intake, by pair and data set.
#[derive(Debug, Default)]
pub(super) struct Sent(IndexMap<Pair, IndexMap<String, Word>>);

/// How a document stands to the last word on its resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Timely {
    /// Not older.
    Yes,
    /// Its time lies ahead of the clock of this service: it counts as now.
    Ahead,
    /// A later state was sent before.
    Stale,
}

impl Sent {
    fn words(&self, location: i64, doc: &Json) -> Option<&IndexMap<String, Word>> {
        self.0.get(&pair(location, doc)?)
    }

    /// Whether a document is the last word; `latest` is the latest time that is believed.
    pub(super) fn timely(&self, dataset: &str, location: i64, doc: &Json, latest: i64) -> Timely {
        let Some(modified) = modified(doc) else {
            return Timely::Yes;
        };
        if modified > latest {
            return Timely::Ahead;
        }
        let last = self
            .words(location, doc)
            .and_then(|words| words.get(dataset));
        match last.and_then(|word| word.modified) {
            Some(last) if modified < last => Timely::Stale,
            _ => Timely::Yes,
        }
    }

    /// Another data set in which the pair names a resource.
    pub(super) fn elsewhere(&self, dataset: &str, location: i64, doc: &Json) -> Option<&str> {
        let mut words = self.words(location, doc)?.iter();
        let found = words.find(|(set, word)| *set != dataset && word.live);
        found.map(|(set, _)| set.as_str())
    }

    /// Notes a document that was taken in. Times ahead of the clock count as `now`.
    pub(super) fn note(
        &mut self,
        dataset: &str,
        location: i64,
        doc: &Json,
        answer: &Answer,
        (now, latest): (i64, i64),
    ) {
        let Some(pair) = pair(location, doc) else {
            return;
        };
        let words = self.0.entry(pair).or_default();
        let word = words.entry(dataset.to_owned()).or_default();
        let sent = modified(doc).map(|at| if at > latest { now } else { at });
        let later = sent.is_some() && sent > word.modified;
        word.modified = word.modified.max(sent);
        match answer.state {
            State::Rejected => {}
            State::Unchanged => {
                word.live = true;
                if later {
                    word.news.get_or_insert(News::Time);
                }
            }
            State::Created | State::Updated | State::Deleted => {
                word.live = answer.state != State::Deleted;
                word.news = Some(News::Changed);
            }
        }
    }
}

impl Sent {
    /// Notes that a full sync names resources. Answers how many it names for the first time.
    pub(super) fn all_named(
        &mut self,
        deliveries: &[Delivery],
        answers: &[Answer],
        sync: &FullSync,
    ) -> usize {
        let namer = Namer::of(sync.organization);
        let taken = (deliveries.iter().zip(answers))
            .filter(|(_, answer)| answer.state != State::Rejected)
            .filter_map(|(d, _)| Some((pair(d.location, &d.doc)?, d.dataset.as_str())));
        let mut first = 0;
        for (pair, dataset) in taken {
            let words = self.0.entry(pair).or_default();
            let word = words.entry(dataset.to_owned()).or_default();
            first += usize::from(word.naming.is_none() && *word.named(namer) < sync.began);
            word.naming = Some(namer);
            word.news.get_or_insert(News::Named);
        }
        first
    }

    /// How documents of a data set stand to the last words on them.
    pub(super) fn judged(
        &self,
        dataset: &str,
        location: i64,
        docs: &[&Json],
        times: (i64, i64),
    ) -> Vec<Timely> {
        let timely = |doc: &&Json| self.timely(dataset, location, doc, times.1);
        docs.iter().map(timely).collect()
    }

    /// The answers to all documents, from those to the ones on time
    /// ([`on_time`]), which are noted.
    pub(super) fn noted(
        &mut self,
        (dataset, location): (&str, i64),
        docs: &[&Json],
        timely: &[Timely],
        taken: Vec<Answer>,
        times: (i64, i64),
    ) -> Vec<Answer> {
        let mut taken = taken.into_iter();
        let mut answers = Vec::with_capacity(docs.len());
        for (doc, time) in docs.iter().zip(timely) {
            if *time == Timely::Stale {
                answers.push(stale(None, Vec::new()));
                continue;
            }
            let mut answer = taken.next().unwrap_or_else(|| Answer::rejected(Vec::new()));
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

/// The documents that no later state came before.
pub(super) fn on_time<'d>(docs: &[&'d Json], timely: &[Timely]) -> Vec<&'d Json> {
    (docs.iter().zip(timely))
        .filter(|(_, time)| **time != Timely::Stale)
        .map(|(doc, _)| *doc)
        .collect()
}

impl Exchange {
    /// The last words on the resources that documents name, in sets.
    pub(super) async fn sent(&self, work: &mut Work<'_>, deliveries: &[Delivery]) -> Result<Sent> {
        let pairs: IndexSet<Pair> = (deliveries.iter())
            .filter_map(|d| pair(d.location, &d.doc))
            .collect();
        let pairs: Vec<&Pair> = pairs.iter().collect();
        let mut sent = Sent::default();
        for piece in pairs.chunks(TOGETHER) {
            let locations: IndexSet<i64> = piece.iter().map(|p| p.0).collect();
            let sources: IndexSet<&String> = piece.iter().map(|p| &p.1).collect();
            let mut sql = Sql::new(
                "SELECT location, source, source_id, dataset, modified, seq, batch, live, \
                 organization, named, named_above FROM exchange_sent WHERE location IN ",
            );
            sql.bind_list(Ty::Int, locations.into_iter().map(Value::Int));
            sql.push(" AND source IN ");
            sql.bind_list(Ty::Text, sources.into_iter().cloned().map(Value::Text));
            sql.push(" AND source_id IN ");
            sql.bind_list(Ty::Text, piece.iter().map(|p| Value::Text(p.2.clone())));
            let sql = if piece.len() > 1 { sql.one_off() } else { sql };
            for row in work.tx().rows(sql).await? {
                let text = |at: usize| row.text(at).unwrap_or_default().to_owned();
                let pair = (row.int(0).unwrap_or_default(), text(1), text(2));
                let word = Word {
                    modified: row.int(4),
                    seq: row.int(5).unwrap_or_default(),
                    batch: row.text(6).map(str::to_owned),
                    live: row.truth(7).unwrap_or_default(),
                    organization: row.int(8),
                    named: [9, 10].map(|at| row.int(at).unwrap_or_default()),
                    news: None,
                    naming: None,
                };
                sent.0.entry(pair).or_default().insert(text(3), word);
            }
        }
        Ok(sent)
    }

    /// Keeps what was said. Call it when the documents are rendered: what is changed later
    /// was changed by somebody else.
    pub(super) async fn keep_sent(
        &self,
        work: &mut Work<'_>,
        sent: Sent,
        voice: Voice<'_>,
    ) -> Result<()> {
        let seq = work.tx().seq();
        let news: Vec<(&Pair, &String, Word)> = (sent.0.iter())
            .flat_map(|(pair, words)| words.iter().map(move |(set, word)| (pair, set, word)))
            .filter_map(|(pair, set, word)| {
                let mut word = word.clone();
                if word.news? == News::Changed {
                    word.seq = seq;
                    word.batch = voice.batch.map(str::to_owned);
                    word.organization = voice.organization;
                }
                if let Some(namer) = word.naming {
                    *word.named(namer) = seq;
                }
                Some((pair, set, word))
            })
            .collect();
        for piece in pieces(&news, 11) {
            let mut sql = Sql::new(
                "INSERT INTO exchange_sent \
                 (location, source, source_id, dataset, modified, seq, batch, live, \
                 organization, named, named_above) VALUES ",
            );
            for (i, (pair, set, word)) in piece.iter().enumerate() {
                sql.push(if i > 0 { ",(" } else { "(" });
                sql.bind(Ty::Int, pair.0).push(",");
                sql.bind(Ty::Text, pair.1.as_str()).push(",");
                sql.bind(Ty::Text, pair.2.as_str()).push(",");
                sql.bind(Ty::Text, set.as_str()).push(",");
                sql.bind(Ty::Int, word.modified).push(",");
                sql.bind(Ty::Int, word.seq).push(",");
                sql.bind(Ty::Text, word.batch.clone()).push(",");
                sql.bind(Ty::Bool, word.live).push(",");
                sql.bind(Ty::Int, word.organization).push(",");
                // Below zero only while a full sync ends.
                let [location, association] = word.named.map(|at| at.max(0));
                sql.bind(Ty::Int, location).push(",");
                sql.bind(Ty::Int, association).push(")");
            }
            sql.push(
                " ON CONFLICT (location, source, source_id, dataset) DO UPDATE SET \
                 modified = excluded.modified, seq = excluded.seq, batch = excluded.batch, \
                 live = excluded.live, organization = excluded.organization, \
                 named = excluded.named, named_above = excluded.named_above",
            );
            work.tx().run(sql).await?;
        }
        Ok(())
    }
}

fn pair(location: i64, doc: &Json) -> Option<Pair> {
    let meta = doc.get("meta")?;
    let text = |name: &str| meta.get(name)?.as_str().map(str::to_owned);
    let (source, id) = (text("source")?, text("sourceId")?);
    // No text of a database has a zero character, nor may it be asked for one.
    let plain = !source.contains('\0') && !id.contains('\0');
    plain.then_some((location, source, id))
}

fn modified(doc: &Json) -> Option<i64> {
    let text = doc.get("meta")?.get("modified")?.as_str()?;
    ade::time::parse(text)
}

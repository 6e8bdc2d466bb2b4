//! One row for each of many rows of another collection (`Collection::for_many`; docs/writing.md, *One for each of
//! many*). Rows are made in pieces, each a transaction with its change log and emails, so that no number of them holds
//! the book for long. What was made stays; the same request made once more leaves it out. Rows that are judged one by one
//! are made in a single transaction. Must not know HTTP.

use crate::access::Decision;
use crate::find::list_query;
use crate::write::blank;
use crate::{Book, Item, Outcome, WriteTransaction, handling};
use model::error::{Error, Issue, Result, Severity};
use model::query::Filter;
use model::query::qs::Tree;
use model::record::{Record, Value};
use model::registry::{
    BookReader, BulkMode, Collection, ForMany, HookContext, ID, Lookup, Open, Principal, Test, Verb,
};
use model::said;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Rows of one request.
pub const MOST_OF_MANY: usize = 20_000;
/// Rows of one transaction.
const PIECE: usize = 500;

/// The rows for which rows are made.
#[derive(Debug, Clone)]
pub enum OfMany {
    /// Those that fulfil a condition, among the rows that the caller reads.
    Where(Tree),
    Ids(Vec<i64>),
}

/// A request for rows of many.
#[derive(Debug, Clone)]
pub struct ForManyAsk {
    /// The row that is made, without the relation; with the faults that were found while it was read.
    pub item: Item,
    /// For which; none: it could not be read, and is among the faults.
    pub of: Option<OfMany>,
    /// Faults of the request itself.
    pub issues: Vec<Issue>,
    /// Whether nothing is to be made.
    pub dry: bool,
    /// Whether nothing is made when one is refused.
    pub whole: bool,
}

/// Why no row was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LeftOut {
    /// This row is the same, and open.
    Open(i64),
    /// The other row does not take part.
    NotTakingPart,
    /// The row was refused for what it says of the other one.
    Refused(Vec<Issue>),
}

/// The rows that were made and left out.
#[derive(Debug, Clone, Default)]
pub struct MadeForMany {
    /// By the row for which it was made: the id, none where nothing was to be made.
    pub made: Vec<(i64, Option<i64>)>,
    /// The other rows.
    pub left: Vec<(i64, LeftOut)>,
}

/// A request under way.
struct Way {
    c: &'static Collection,
    of: &'static Collection,
    how: ForMany,
    caller: Arc<Principal>,
}

impl Book {
    /// Makes one row for each of many.
    ///
    /// # Errors
    /// [`Error::Forbidden`] for callers who make no such rows; [`Error::Query`] for an invalid condition;
    /// [`Error::Invalid`] with all faults, before anything is made; errors of the database, also after some rows were
    /// made, which stay.
    pub async fn make_for_many(
        &self,
        caller: &Arc<Principal>,
        c: &'static Collection,
        mut ask: ForManyAsk,
    ) -> Result<MadeForMany> {
        self.may_try(caller, c, Verb::Create)?;
        let missing = || Error::internal(format!("{} makes no rows for many", c.slug));
        let how = c.for_many.ok_or_else(missing)?;
        let of = c.many_of(self.registry, &how).ok_or_else(missing)?;
        if !caller.sees_all() {
            // What is left out, and why, tells of rows that others may not see.
            return Err(Error::forbidden());
        }
        let most = match how.how {
            BulkMode::Together => MOST_OF_MANY,
            BulkMode::OneByOne(most) => most,
        };
        let mut issues = std::mem::take(&mut ask.issues);
        let ids = match ask.of.take() {
            Some(of_many) => self.of_many((caller, most), of, of_many, &mut issues).await?,
            None => Vec::new(),
        };
        handling::handled(std::slice::from_mut(&mut ask.item));
        let way = Arc::new(Way { c, of, how, caller: Arc::clone(caller) });
        if matches!(how.how, BulkMode::OneByOne(_)) {
            return self.judged(way, ids, ask, issues).await;
        }
        let (tried, item, all) = (Arc::clone(&way), ask.item.clone(), ids.clone());
        let job = self.transact(move |work| Box::pin(async move { tried.rehearse(work, item, &all).await }));
        let (row, findings) = job.await?;
        issues.extend(findings);
        if issues.iter().any(|issue| issue.severity >= Severity::Error) {
            return Err(Error::Invalid(issues));
        }
        if let Some(handling) = handling::current() {
            handling.note(&issues);
        }
        let mut all = MadeForMany::default();
        let Some(row) = row.map(Arc::new) else {
            // None of them takes part.
            all.left = ids.into_iter().map(|id| (id, LeftOut::NotTakingPart)).collect();
            return Ok(all);
        };
        for piece in ids.chunks(PIECE) {
            let (way, row, item) = (Arc::clone(&way), Arc::clone(&row), ask.item.clone());
            let (piece, dry) = (piece.to_vec(), ask.dry);
            let job =
                self.transact(move |work| Box::pin(async move { way.piece(work, &piece, (&row, item), dry).await }));
            let made = job.await?;
            all.made.extend(made.made);
            all.left.extend(made.left);
        }
        Ok(all)
    }

    /// Rows that are judged one by one: all in one transaction, of which nothing stays when it is only tried.
    async fn judged(
        &self,
        way: Arc<Way>,
        ids: Vec<i64>,
        ask: ForManyAsk,
        mut issues: Vec<Issue>,
    ) -> Result<MadeForMany> {
        let is_error = |issue: &Issue| issue.severity >= Severity::Error;
        let dry = ask.dry || issues.iter().any(is_error);
        let (item, whole) = (ask.item, ask.whole);
        if ids.is_empty() {
            issues.extend(item.issues.clone());
        }
        let job = self.transact(move |work| Box::pin(async move { way.judged(work, &ids, item, (dry, whole)).await }));
        let made = match job.await {
            Err(Error::Invalid(faults)) => {
                issues.extend(faults);
                MadeForMany::default()
            }
            made => made?,
        };
        if issues.iter().any(is_error) {
            return Err(Error::Invalid(issues));
        }
        if let Some(handling) = handling::current() {
            handling.note(&issues);
        }
        Ok(made)
    }

    /// The rows that are meant, as the caller reads them, in order of their ids.
    async fn of_many(
        &self,
        (caller, most): (&Arc<Principal>, usize),
        of: &'static Collection,
        many: OfMany,
        issues: &mut Vec<Issue>,
    ) -> Result<Vec<i64>> {
        self.measure().await;
        let reader = self.reader(caller);
        let too_many = |path: &str| Issue::error(path, "too-many", said!("At most {limit} at once.", limit = most));
        let (path, tree, requested_ids) = match many {
            OfMany::Where(tree) => ("where", tree, Vec::new()),
            OfMany::Ids(ids) if ids.len() > most => {
                issues.push(too_many(of.slug));
                return Ok(Vec::new());
            }
            OfMany::Ids(ids) => (of.slug, Tree::from(json!({"id": {"in": ids}})), ids),
        };
        let Decision::Rows(readable) = reader.gate().read(of) else { return Err(Error::forbidden()) };
        if path == "where" && matches!(crate::ask::condition(reader.gate(), of, &tree)?, Filter::True) {
            let message = "A condition is needed; {\"id\": {\"exists\": true}} means all.";
            issues.push(Issue::error(path, "required", message));
            return Ok(Vec::new());
        }
        let list_query = list_query(&reader, of, Some(&tree), &["id".to_owned()])?;
        let filter = Filter::and([readable, list_query.filter]);
        let limit = u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1);
        let sql = reader.select_ids(of, &filter, &list_query.orders, Some(limit))?;
        let rows = reader.rows(sql).await?;
        let existing: Vec<i64> = rows.iter().filter_map(|row| row.int(0)).collect();
        if existing.len() > most {
            issues.push(too_many(path));
            return Ok(Vec::new());
        }
        let existing_ids: BTreeSet<i64> = existing.iter().copied().collect();
        for (at, id) in requested_ids.iter().enumerate() {
            if !existing_ids.contains(id) {
                let message = said!("There is no record {id} in {collection}.", id = id, collection = of.slug);
                issues.push(Issue::error(format!("{path}.{at}"), "invalid-relation", message));
            }
        }
        Ok(existing)
    }
}

impl Way {
    /// Tries the row of the first that takes part, of which nothing stays: as it would be stored, and its faults. If
    /// none takes part, the faults but for those of the relation.
    async fn rehearse(
        &self,
        work: &mut WriteTransaction<'_>,
        mut item: Item,
        ids: &[i64],
    ) -> Result<(Option<Record>, Vec<Issue>)> {
        let mut first = None;
        for piece in ids.chunks(PIECE) {
            first = self.taking_part(work, piece).await?.first().copied();
            if first.is_some() {
                break;
            }
        }
        let relation = self.how.relation;
        item.body.push((self.c.at(relation), Value::from(first)));
        let attempt = work.attempt().await?;
        let outcomes = work.write(self.c, &self.caller, vec![item]).await;
        work.undo(attempt).await?;
        let relevant = |mut issues: Vec<Issue>| {
            issues.retain(|issue| first.is_some() || issue.path != relation);
            issues
        };
        match outcomes?.into_iter().next() {
            Some(Outcome::Done(change, issues)) => Ok((change.new, relevant(issues))),
            Some(Outcome::Refused(Error::Invalid(issues))) => Ok((None, relevant(issues))),
            Some(Outcome::Refused(error)) => Err(error),
            Some(Outcome::Unchanged(..)) | None => Ok((None, Vec::new())),
        }
    }

    async fn piece(
        &self,
        work: &mut WriteTransaction<'_>,
        ids: &[i64],
        (row, item): (&Record, Item),
        dry: bool,
    ) -> Result<MadeForMany> {
        if !dry {
            self.lock(work).await?;
        }
        let (mut out, made) = self.sorted(work, ids, row).await?;
        if dry {
            out.made = made.into_iter().map(|id| (id, None)).collect();
            return Ok(out);
        }
        for (of, outcome) in made.iter().zip(self.write(work, &item, &made).await?) {
            match outcome {
                Outcome::Done(change, _) => out.made.push((*of, Some(change.id))),
                Outcome::Unchanged(id, _, _) => out.made.push((*of, Some(id))),
                Outcome::Refused(error) => return Err(error),
            }
        }
        Ok(out)
    }

    /// All of them, each by itself. What refuses a row for more than what it says of the other one refuses the request.
    async fn judged(
        &self,
        work: &mut WriteTransaction<'_>,
        ids: &[i64],
        item: Item,
        (dry, whole): (bool, bool),
    ) -> Result<MadeForMany> {
        let attempt = work.attempt().await?;
        self.lock(work).await?;
        let (mut out, tried) = self.sorted(work, ids, &blank_with(self.c, &item)).await?;
        let outcomes = self.write(work, &item, &tried).await?;
        let mut faults: Vec<Issue> = Vec::new();
        for (of, outcome) in tried.iter().zip(outcomes) {
            match outcome {
                Outcome::Done(change, _) => {
                    out.made.push((*of, Some(change.id).filter(|_| !dry)));
                }
                Outcome::Unchanged(id, _, _) => out.made.push((*of, Some(id).filter(|_| !dry))),
                Outcome::Refused(Error::Invalid(issues)) => {
                    let about_it = |issue: &Issue| issue.path == self.how.relation;
                    let (own, others): (Vec<Issue>, Vec<Issue>) = issues.into_iter().partition(about_it);
                    for issue in others {
                        if !faults.contains(&issue) {
                            faults.push(issue);
                        }
                    }
                    out.left.push((*of, LeftOut::Refused(own)));
                }
                Outcome::Refused(error) => return Err(error),
            }
        }
        if faults.is_empty() && whole && !dry {
            faults = refused(&out, self.of.slug);
        }
        if faults.iter().any(|issue| issue.severity >= Severity::Error) {
            return Err(Error::Invalid(faults));
        }
        out.left.sort_by_key(|(id, _)| *id);
        match dry {
            true => work.undo(attempt).await?,
            false => work.keep_attempt(attempt).await?,
        }
        Ok(out)
    }

    /// Requests at the same time wait for each other here, so that none makes what the other makes.
    async fn lock(&self, work: &mut WriteTransaction<'_>) -> Result<i64> {
        work.next(&format!("{}:{}", self.c.slug, self.how.name), 1).await
    }

    /// What is left out, and the rows for which one is to be made.
    async fn sorted(
        &self,
        work: &mut WriteTransaction<'_>,
        ids: &[i64],
        row: &Record,
    ) -> Result<(MadeForMany, Vec<i64>)> {
        let taking_part = self.taking_part(work, ids).await?;
        let open = self.open(work, ids, row).await?;
        let (mut out, mut wanted) = (MadeForMany::default(), Vec::new());
        for id in ids {
            match open.get(id) {
                _ if !taking_part.contains(id) => out.left.push((*id, LeftOut::NotTakingPart)),
                Some(same) => out.left.push((*id, LeftOut::Open(*same))),
                None => wanted.push(*id),
            }
        }
        Ok((out, wanted))
    }

    /// Writes the row for each of these.
    async fn write(&self, work: &mut WriteTransaction<'_>, item: &Item, ids: &[i64]) -> Result<Vec<Outcome>> {
        let slot = self.c.at(self.how.relation);
        let items = ids.iter().map(|id| {
            let mut item = item.clone();
            item.body.push((slot, Value::Int(*id)));
            item
        });
        work.write(self.c, &self.caller, items.collect()).await
    }

    async fn taking_part(&self, work: &mut WriteTransaction<'_>, ids: &[i64]) -> Result<BTreeSet<i64>> {
        let Some((field, value)) = self.how.only else { return Ok(ids.iter().copied().collect()) };
        let mut lookup = Lookup::by_ids("id", ids.iter().copied()).is_in(field, vec![value.into()]).fields(&["id"]);
        if let Some(merged) = self.of.merged {
            lookup = lookup.test(merged, Test::Empty);
        }
        let rows = work.find(self.of.slug, lookup).await?;
        Ok(rows.iter().filter_map(|row| row.get(ID).int()).collect())
    }

    /// Open rows that are the same, by the row for which they were made.
    async fn open(&self, work: &mut WriteTransaction<'_>, ids: &[i64], row: &Record) -> Result<BTreeMap<i64, i64>> {
        let relation = self.how.relation;
        let lookup = Lookup::by_ids(relation, ids.iter().copied());
        let lookup = match self.how.open {
            Open::While(field, words) => lookup.is_in(field, words.iter().map(|word| Value::from(*word)).collect()),
            Open::Between(from, to) => lookup.test(from, Test::Filled).test(to, Test::Empty),
        };
        let mut lookup = lookup.fields(&[relation]);
        for path in self.how.same {
            let value = row.get(self.c.at(path)).clone();
            let test = if value.is_null() { Test::Empty } else { Test::In(vec![value]) };
            lookup = lookup.test(path, test);
        }
        let rows = work.find(self.c.slug, lookup).await?;
        let slot = self.c.at(relation);
        let pair = |row: &Record| Some((row.get(slot).int()?, row.get(ID).int()?));
        // The earliest, whichever order they come in.
        let mut open = BTreeMap::new();
        for (of, id) in rows.iter().filter_map(pair) {
            let earliest = open.entry(of).or_insert(id);
            *earliest = id.min(*earliest);
        }
        Ok(open)
    }
}

/// The row of an item as far as it is stated, with what it has by default.
fn blank_with(c: &'static Collection, item: &Item) -> Record {
    let mut row = blank(c, 0);
    for (slot, value) in &item.body {
        row.set(*slot, value.clone());
    }
    row
}

/// What refused rows, each with the row that it is about.
fn refused(made: &MadeForMany, slug: &str) -> Vec<Issue> {
    let all = made.left.iter().filter_map(|(id, why)| match why {
        LeftOut::Refused(issues) => Some((id, issues)),
        LeftOut::Open(_) | LeftOut::NotTakingPart => None,
    });
    let issues_by_row = all.flat_map(|(id, issues)| {
        issues.iter().map(move |issue| Issue { path: format!("{slug}.{id}"), additional: true, ..issue.clone() })
    });
    issues_by_row.collect()
}

//! What a collection may do around a write. Hooks work on whole sets, never row by row,
//! and reach the book only through a [`BookReader`] or a [`HookContext`], so that they know neither SQL
//! nor faces.

use crate::error::{Error, Issue, Result};
use crate::letter::Letter;
use crate::messages::Sentence;
use crate::outward::Policy;
use crate::record::zone::{TimeZone, usual};
use crate::record::{Record, SlotSet, Value};
use crate::registry::{Class, Collection, Operation, Principal, StandardCurves, Verb};
use async_trait::async_trait;
use futures_util::future::BoxFuture;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// A row on its way into the book.
#[derive(Debug, Clone)]
pub struct Draft {
    /// Create, update or delete.
    pub verb: Verb,
    /// The row's id; for a create it is already given.
    pub id: i64,
    /// The stored row; none on create.
    pub old: Option<Record>,
    /// The row to be written; on delete equal to the stored one.
    pub new: Record,
    /// Slots that the caller sent.
    pub sent: SlotSet,
    /// Bad content (400). A draft with issues of severity error goes no further.
    pub issues: Vec<Issue>,
    /// Fields that the caller may not write so (403).
    pub refused: Vec<Issue>,
    /// Its place among the rows that were sent.
    pub place: usize,
}

impl Draft {
    /// Whether a slot gets another value than the stored one.
    pub fn changes(&self, slot: usize) -> bool {
        match &self.old {
            Some(old) => old.get(slot) != self.new.get(slot),
            None => !self.new.get(slot).is_null(),
        }
    }
    /// Adds a fault of its content.
    pub fn fault(&mut self, path: impl Into<String>, code: impl Into<Cow<'static, str>>, message: impl Into<Sentence>) {
        self.issues.push(Issue::error(path, code, message));
    }
    /// Whether the draft may go on.
    pub fn clean(&self) -> bool {
        self.refused.is_empty() && self.issues.iter().all(|i| i.severity < crate::error::Severity::Error)
    }
}

/// A row that was written.
#[derive(Debug, Clone)]
pub struct Change {
    pub id: i64,
    /// Before; none after a create.
    pub old: Option<Record>,
    /// After; none after a delete.
    pub new: Option<Record>,
}

impl Change {
    /// The row as it is, or as it was when it is deleted.
    pub fn latest(&self) -> Option<&Record> {
        self.new.as_ref().or(self.old.as_ref())
    }
}

/// A condition on one stored field.
#[derive(Debug, Clone, PartialEq)]
pub enum Test {
    /// One of these.
    In(Vec<Value>),
    /// Not filled.
    Empty,
    Filled,
    /// At least.
    From(Value),
    /// Less than.
    Before(Value),
}

/// A plain look-up for hooks: all conditions must hold; own stored fields and relation lists only.
#[derive(Debug, Clone, Default)]
pub struct Lookup {
    /// `(field path, condition)`.
    pub all: Vec<(String, Test)>,
    /// A field for which the first condition, a membership, may hold instead.
    pub instead: Option<String>,
    /// Field paths to read; empty: all. Records read in part are marked so.
    pub fields: Vec<String>,
    /// Field paths to order by, `-` before a path for descending. The id is appended.
    pub order: Vec<String>,
    /// The largest number of rows.
    pub limit: Option<i64>,
}

impl Lookup {
    /// Rows whose relation (or `id`) is one of these ids.
    pub fn by_ids(path: &str, ids: impl IntoIterator<Item = i64>) -> Self {
        Self::default().is_in(path, ids.into_iter().map(Value::Int).collect())
    }
    /// Rows of which one of two relations is one of these ids.
    pub fn by_either([one, other]: [&str; 2], ids: impl IntoIterator<Item = i64>) -> Self {
        let instead = Some(other.to_owned());
        Self { instead, ..Self::by_ids(one, ids) }
    }
    /// Adds a membership.
    pub fn is_in(self, path: &str, values: Vec<Value>) -> Self {
        self.test(path, Test::In(values))
    }
    /// Adds any condition.
    pub fn test(mut self, path: &str, test: Test) -> Self {
        self.all.push((path.to_owned(), test));
        self
    }
    /// Reads only these fields (and the id).
    pub fn fields(mut self, paths: &[&str]) -> Self {
        self.fields = paths.iter().map(|p| (*p).to_owned()).collect();
        self
    }
    pub fn order(mut self, paths: &[&str]) -> Self {
        self.order = paths.iter().map(|p| (*p).to_owned()).collect();
        self
    }
    pub fn limit(mut self, rows: i64) -> Self {
        self.limit = Some(rows);
        self
    }
}

/// Rows that belong to one other row, as some values of each, in order of their ids.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Series {
    width: usize,
    ids: Vec<i64>,
    values: Vec<Value>,
}

impl Series {
    /// No rows yet, with this number of values each.
    pub fn new(width: usize) -> Self {
        Self { width, ..Self::default() }
    }
    /// Adds a row.
    pub fn push(&mut self, id: i64, values: impl IntoIterator<Item = Value>) {
        self.ids.push(id);
        self.values.extend(values.into_iter().take(self.width));
        self.values.resize(self.ids.len() * self.width, Value::Null);
    }
    /// Puts the rows in order of their ids.
    pub fn sort(&mut self) {
        if self.ids.is_sorted() {
            return;
        }
        let rows = self.values.chunks_exact(self.width.max(1));
        let mut rows: Vec<(i64, &[Value])> = self.ids.iter().copied().zip(rows).collect();
        rows.sort_by_key(|(id, _)| *id);
        let values = rows.iter().flat_map(|(_, row)| row.iter().cloned());
        self.values = values.collect();
        self.ids.sort_unstable();
    }
    /// The values of each row, in the order of the request.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[Value]> {
        self.values.chunks_exact(self.width.max(1))
    }
}

/// A row that a request wrote.
#[derive(Debug, Clone)]
pub struct WrittenRow {
    pub collection: &'static str,
    pub id: i64,
    /// The animals that it is about, before and after.
    pub animals: BTreeSet<i64>,
    /// When it happened, before and after, epoch milliseconds.
    pub times: Vec<i64>,
    /// The animal that it was about before, and the row; none of a new one.
    pub old: Option<(i64, Record)>,
}

/// What a hook asks to be written through the whole pipeline, as the system.
#[derive(Debug, Clone)]
pub enum Command {
    /// A new row with these fields (path, value).
    Create(Vec<(String, Value)>),
    /// Changed fields of a row.
    Update(i64, Vec<(String, Value)>),
    /// A row to be deleted.
    Delete(i64),
}

/// What an installation decides about derived values (docs/derived.md).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rules {
    /// Longest time between two test days that is no gap, days.
    pub longest_gap: i64,
    /// Curves between test days; none: straight lines.
    pub curves: Option<&'static StandardCurves>,
    /// Days of gestation from which on an abortion opens a lactation where nothing is stated.
    pub opening_abortion: i64,
}

impl Default for Rules {
    fn default() -> Self {
        Self { longest_gap: 100, curves: None, opening_abortion: 210 }
    }
}

/// The book as a hook reads it: inside the running transaction, with no way to write.
#[async_trait]
pub trait BookReader: Send {
    /// Time of this transaction, epoch milliseconds; never earlier than that of any
    /// transaction committed before.
    fn now(&self) -> i64;
    /// The caller of the write that runs now.
    fn caller(&self) -> &Principal;
    /// A declaration by its slug.
    fn collection(&self, slug: &str) -> Result<&'static Collection>;
    /// Rows by a look-up; sees what this transaction wrote.
    async fn find(&mut self, slug: &str, lookup: Lookup) -> Result<Vec<Record>>;
    /// How many rows a look-up finds, at most so many: no more are read.
    async fn count(&mut self, slug: &str, lookup: Lookup, most: i64) -> Result<i64>;
    /// Fields of the rows whose relation is one of these ids, by that id: for many small rows
    /// of which few values are wanted. Numbers, times, relations, and values of a select only.
    async fn series(
        &mut self,
        slug: &str,
        relation: &str,
        ids: &[i64],
        fields: &[&str],
    ) -> Result<BTreeMap<i64, Series>>;
    /// Which of these rows the caller reads, with fields of a class. A row that the caller does not
    /// read does not exist for the caller, and must not refuse a write.
    async fn reads(&mut self, _slug: &str, _class: Class, ids: BTreeSet<i64>) -> Result<BTreeSet<i64>> {
        Ok(ids)
    }
    /// Whether a book is being loaded: far more rows of each subject come than a batch has.
    fn loads(&self) -> bool {
        false
    }
    /// What the installation decides about derived values.
    fn rules(&self) -> Rules {
        Rules::default()
    }
    /// Where the server may connect to by itself.
    fn outward(&self) -> Policy {
        Policy::default()
    }
    /// The time zone of the installation, where a place has none of its own.
    fn zone(&self) -> TimeZone {
        usual()
    }
    /// Whether the exchange has a data set of that name, those of sets of animals aside.
    fn offers(&self, _dataset: &str) -> bool {
        false
    }
    /// Whether resources of a data set can be sent for another organisation.
    fn delegates(&self, _dataset: &str) -> bool {
        false
    }
    /// A part of the rows that were signed with a package ([`HookContext::keep_signed`]); none
    /// behind the last one.
    async fn signed_part(&mut self, _slug: &str, _package: i64, _part: i64) -> Result<Option<String>> {
        Ok(None)
    }
}

/// What the installation signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedStatement {
    /// The statement in canonical form, with service, algorithm and key.
    pub statement: String,
    /// Name of the key.
    pub key: String,
    pub algorithm: String,
    /// The signature of the statement, base64url.
    pub value: String,
}

/// Rows by id whose computed values are behind: of each collection whose changed rows they follow
/// from, the earliest date of such a row (epoch milliseconds).
pub type PendingRecompute = BTreeMap<i64, BTreeMap<&'static str, i64>>;

/// What a hook may do to the book. Only hooks whose refusal undoes all that was written get it
/// ([`Hooks::complete`], [`Hooks::effects`]).
#[async_trait]
pub trait HookContext: BookReader {
    /// Writes through the whole pipeline as the system: defaults, checks, hooks. The first
    /// fault refuses the whole call; ids come back in the order of the commands. No command costs nothing.
    async fn write(&mut self, slug: &str, commands: Vec<Command>) -> Result<Vec<i64>>;
    /// [`HookContext::write`] for very many rows, piece by piece, as [`HookContext::amend_and_forget`] does.
    async fn write_and_forget(&mut self, slug: &str, commands: Vec<Command>) -> Result<()> {
        self.write(slug, commands).await.map(drop)
    }
    /// Writes computed values of existing rows (views, `~` fields) without checks or hooks.
    async fn amend(&mut self, slug: &str, rows: Vec<(i64, Vec<(usize, Value)>)>) -> Result<()>;
    /// [`HookContext::amend`] for very many rows, piece by piece: the projections of a piece are updated with it,
    /// and its rows do not stay in memory until the end of the transaction.
    async fn amend_and_forget(&mut self, slug: &str, rows: Vec<(i64, Vec<(usize, Value)>)>) -> Result<()> {
        self.amend(slug, rows).await
    }
    /// Whether what is computed of these rows of a collection is computed later, once for all rows of
    /// a batch or load ([`Hooks::recompute_pending`]); they are noted then.
    fn postpone(&mut self, _slug: &'static str, _behind: &PendingRecompute) -> bool {
        false
    }
    /// The first of the next numbers of a named sequence, which begins with 1 and gives no number
    /// twice, not even after a delete. The name has a `:`, as no table has.
    async fn next(&mut self, sequence: &str, count: usize) -> Result<i64>;
    /// Inserts rows of a closed collection (logs, tombstones, removals) without hooks.
    async fn log(&mut self, slug: &str, rows: Vec<Record>) -> Result<()>;
    /// Adds what an effect changes in a row to the log of changed values, as far as people could have written it.
    fn note_change(&mut self, _slug: &str, _id: i64, _old: &Record, _new: &Record) {}
    /// Adds a line to the operation log, in this transaction.
    fn operate(&mut self, _operation: Operation) {}
    /// Signs a statement with the key of the installation, which is made if there is none.
    async fn sign(&mut self, _statement: serde_json::Map<String, serde_json::Value>) -> Result<SignedStatement> {
        Err(Error::internal("this context cannot sign"))
    }
    /// Stores a part of the rows that are signed with a package, from 0; the first one replaces all
    /// that were there. They go when the package is deleted.
    async fn keep_signed(&mut self, _slug: &str, _package: i64, _part: i64, _lines: String) -> Result<()> {
        Err(Error::internal("this context cannot store signed rows"))
    }
    /// Queues jobs of rows from a time on, epoch milliseconds; 0: at once (docs/design/jobs.md). One that is there begins
    /// anew.
    async fn queue_jobs(&mut self, _kind: &str, _ids: Vec<i64>, _due: i64) -> Result<()> {
        Err(Error::internal("this context cannot queue jobs"))
    }
    /// Queues an email in this transaction; it is sent after the commit.
    async fn mail(&mut self, _letter: &Letter) -> Result<()> {
        Err(Error::internal("this context cannot send emails"))
    }
    /// Queues many emails, in few statements.
    async fn mail_all(&mut self, letters: &[Letter]) -> Result<()> {
        for letter in letters {
            self.mail(letter).await?;
        }
        Ok(())
    }
}

/// Behaviour of a collection beyond its declaration. Every method has an empty default.
pub trait Hooks: Send + Sync + 'static {
    /// Before access is checked: fills what comes from the session or from other fields.
    fn prepare<'a>(
        &'a self,
        _collection: &'static Collection,
        _context: &'a mut dyn BookReader,
        _drafts: &'a mut [Draft],
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(async { Ok(()) })
    }
    /// After access and field checks: domain rules, computed fields of the row itself.
    /// Drafts with errors are still in the slice; leave them alone (`Draft::clean`).
    fn check<'a>(
        &'a self,
        _collection: &'static Collection,
        _context: &'a mut dyn BookReader,
        _drafts: &'a mut [Draft],
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(async { Ok(()) })
    }
    /// When it is certain which rows are written, and before they are: numbers of sequences,
    /// and rows that must be written while a row that goes still stands. A refusal of this
    /// stage is an error of the whole set, as in [`Hooks::effects`].
    fn complete<'a>(
        &'a self,
        _collection: &'static Collection,
        _context: &'a mut dyn HookContext,
        _drafts: &'a mut [Draft],
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(async { Ok(()) })
    }
    /// After the rows are written: effects on other rows, derived views, log rows.
    fn effects<'a>(
        &'a self,
        _collection: &'static Collection,
        _context: &'a mut dyn HookContext,
        _changes: &'a [Change],
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(async { Ok(()) })
    }
    /// Looks at rows that a request wrote, once all of them are; gives the rows of this collection that came or changed
    /// by it. Of the collection of findings.
    fn survey<'a>(
        &'a self,
        _collection: &'static Collection,
        _context: &'a mut dyn HookContext,
        _written: &'a [WrittenRow],
    ) -> BoxFuture<'a, Result<Vec<Record>>> {
        Box::pin(async { Ok(Vec::new()) })
    }
    /// The rows with their days on the clocks of their places, for keys by day (docs/derived.md, *Days*).
    fn placed<'a>(
        &'a self,
        _collection: &'static Collection,
        _context: &'a mut dyn BookReader,
        rows: Vec<Record>,
    ) -> BoxFuture<'a, Result<Vec<Record>>> {
        Box::pin(async { Ok(rows) })
    }
    /// Computes what was postponed ([`HookContext::postpone`]) of rows of this collection. Of rows
    /// that are gone nothing is computed.
    fn recompute_pending<'a>(
        &'a self,
        _collection: &'static Collection,
        _context: &'a mut dyn HookContext,
        _behind: &'a PendingRecompute,
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(async { Ok(()) })
    }
}

/// No behaviour.
#[derive(Debug)]
pub struct NoHooks;
impl Hooks for NoHooks {}

impl Default for Box<dyn Hooks> {
    fn default() -> Self {
        Box::new(NoHooks)
    }
}

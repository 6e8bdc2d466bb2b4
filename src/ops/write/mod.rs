//! A running write: the context that hooks see, and the pipeline that every row passes
//! (caller, defaults, access, checks, hooks, store, effects).

mod attempt;
mod changes;
pub(crate) mod deferred_recompute;
mod delete;
mod hook_context;
mod logs;
mod merge;
mod pipeline;
mod read_cache;
mod rows;
mod runs;
pub(crate) mod server_fields;
mod survey;
mod together;
mod validation;
mod values;

use super::Projection;
use super::quota::Stock;
pub use attempt::Attempt;
pub use changes::Changes;
use model::error::{Error, Issue, Result, Severity};
use model::fast::IndexMap;
use model::outward::Policy;
use model::record::zone::TimeZone;
use model::record::{Record, SlotSet, Value};
use model::registry::{Change, Principal, Registry, Rules, Verb};
pub(crate) use pipeline::blank;
use secure::keys::KeyRing;
use std::sync::Arc;
use store::Tx;
pub use survey::{CHECKED_AT_ONCE, NewFinding, SurveyResult};
pub use validation::locks::{LOCKED_BY, locked_slots};
pub(super) use validation::rules::{ValueDecision, takes};
pub(crate) use validation::valid::limits;
pub(super) use values::stored;

/// Faults of one value by the declaration of its field alone.
pub fn checked(field: &model::registry::Field, value: &Value) -> Vec<Issue> {
    let mut issues = Vec::new();
    limits(field, value, &field.path, &mut issues);
    issues
}

#[derive(Debug, Clone)]
pub struct Item {
    /// Create, update or delete.
    pub verb: Verb,
    /// The row; a create names an id only if the system writes it (a fill).
    pub id: Option<i64>,
    /// Values that the caller sent, by slot.
    pub body: Vec<(usize, Value)>,
    /// Values that the server adds; marks such as `~` do not apply to them.
    pub server: Vec<(usize, Value)>,
    /// Faults found while reading the body.
    pub issues: Vec<Issue>,
    /// Whether fields that would be ignored are refused.
    pub strict: bool,
}

impl Item {
    pub fn create(body: Vec<(usize, Value)>) -> Self {
        Self { verb: Verb::Create, id: None, body, server: Vec::new(), issues: Vec::new(), strict: false }
    }
    /// Changed fields of a row.
    pub fn update(id: i64, body: Vec<(usize, Value)>) -> Self {
        Self { verb: Verb::Update, id: Some(id), ..Self::create(body) }
    }
    pub fn delete(id: i64) -> Self {
        Self { verb: Verb::Delete, ..Self::update(id, Vec::new()) }
    }
    /// Whether no fault was found so far.
    pub fn is_sound(&self) -> bool {
        self.issues.iter().all(|i| i.severity < Severity::Error)
    }
    /// With faults found while reading.
    pub fn with_issues(mut self, issues: Vec<Issue>) -> Self {
        self.issues = issues;
        self
    }
    pub fn with_server(mut self, server: Vec<(usize, Value)>) -> Self {
        self.server = server;
        self
    }
}

#[derive(Debug)]
pub enum Outcome {
    /// Written; with warnings.
    Done(Change, Vec<Issue>),
    /// An update that changed nothing: no new sequence number.
    Unchanged(i64, Record, Vec<Issue>),
    /// Refused; nothing of it was written.
    Refused(Error),
}

/// A row as a transaction first found it and as it left it.
#[derive(Debug, Clone, Default)]
pub struct Touch {
    /// The row before the transaction; none if the transaction created it.
    pub old: Option<Record>,
    /// The row now; none if it was deleted, or if only `amended` fields are known.
    pub new: Option<Record>,
    /// Whether the row is deleted.
    pub gone: bool,
    pub slots: SlotSet,
}

impl Touch {
    /// With what happened to the row later.
    fn join(&mut self, later: Self) {
        self.gone = later.gone;
        if later.gone || later.new.is_some() {
            self.new = later.new;
        }
        self.slots.extend(later.slots.iter());
    }
}

/// All rows that a transaction touched, in the order of first touch.
pub type Touched = IndexMap<(&'static str, i64), Touch>;

pub struct WriteTransaction<'t> {
    registry: &'static Registry,
    tx: &'t mut Tx,
    pub(super) caller: Arc<Principal>,
    /// The caller of the outermost write.
    actor: Arc<Principal>,
    /// Log lines that are written at the end.
    logs: logs::revise::Logs,
    touched: Touched,
    journal: Vec<((&'static str, i64), Option<Touch>)>,
    depth: usize,
    read_cache: read_cache::ReadCache,
    keys: Option<Arc<KeyRing>>,
    services: Option<WriteServices>,
    /// The farm whose package is being taken in.
    pub(super) package: Option<i64>,
    /// Whether fields that are locked are written like open ones.
    unlocked: bool,
    /// Whether what is written is no news: emails that accounts may decline are not queued.
    pub(super) quiet: bool,
    /// The rows that were changed, where the caller requests them.
    changes: Option<Changes>,
    /// None: derived values are computed with each write.
    deferred_recompute: Option<deferred_recompute::DeferredRecompute>,
}

/// What hooks may use around a write.
#[derive(Clone)]
pub(super) struct WriteServices {
    /// Where the server may connect to by itself.
    pub(super) policy: Arc<Policy>,
    /// Time zone of places that have none of their own.
    pub(super) zone: TimeZone,
    /// The projection that writes update.
    pub(super) projection: Arc<dyn Projection>,
    /// How much may be stored.
    pub(super) stock: Stock,
    /// What the installation decides about derived values.
    pub(super) rules: Rules,
    pub(super) service: Arc<str>,
    pub(super) address: Arc<str>,
}

impl<'t> WriteTransaction<'t> {
    /// Starts a write in a transaction, as the system.
    pub fn new(registry: &'static Registry, tx: &'t mut Tx) -> Self {
        Self {
            registry,
            tx,
            caller: Arc::new(Principal::system()),
            actor: Arc::new(Principal::system()),
            logs: logs::revise::Logs::default(),
            touched: Touched::default(),
            journal: Vec::new(),
            depth: 0,
            read_cache: read_cache::ReadCache::default(),
            keys: None,
            services: None,
            package: None,
            unlocked: false,
            quiet: false,
            changes: None,
            deferred_recompute: None,
        }
    }

    /// With the services that its hooks may use.
    pub(super) fn within(mut self, services: WriteServices) -> Self {
        self.services = Some(services);
        self
    }

    /// With the keys of the service, for emails and API keys.
    pub(super) fn with_keys(mut self, keys: Arc<KeyRing>) -> Self {
        self.keys = Some(keys);
        self
    }

    pub(super) fn keys(&self) -> Result<Arc<KeyRing>> {
        self.keys.clone().ok_or_else(|| Error::internal("the write has no key ring"))
    }

    /// Everything that is looked up from here on is requested by this caller ([`BookReader::reads`]).
    ///
    /// [`BookReader::reads`]: model::registry::BookReader::reads
    pub fn set_caller(&mut self, caller: &Arc<Principal>) {
        if self.depth == 0 {
            self.caller = Arc::clone(caller);
        }
    }

    /// The transaction, for statements of the exchange store.
    pub fn tx(&mut self) -> &mut Tx {
        self.tx
    }

    pub fn dialect(&self) -> store::Dialect {
        self.tx.dialect()
    }

    pub fn registry(&self) -> &'static Registry {
        self.registry
    }

    /// Writes the logs, and passes the touched rows to the projection.
    pub async fn project(&mut self, projection: &dyn Projection) -> Result<()> {
        self.write_logs().await?;
        let touched = std::mem::take(&mut self.touched);
        self.journal.clear();
        self.note_changes(&touched);
        if touched.is_empty() {
            return Ok(());
        }
        projection.project(self, &touched).await
    }

    fn touch(&mut self, slug: &'static str, id: i64, change: impl FnOnce(&mut Touch)) {
        // Nobody asks what a load touched.
        if self.is_load() {
            return;
        }
        let key = (slug, id);
        self.journal.push((key, self.touched.get(&key).cloned()));
        change(self.touched.entry(key).or_default());
    }

    /// Forgets touches down to a mark of the journal, and what was read since.
    fn untouch(&mut self, mark: usize) {
        self.read_cache.forget();
        while self.journal.len() > mark {
            if let Some((key, before)) = self.journal.pop() {
                match before {
                    Some(touch) => {
                        self.touched.insert(key, touch);
                    }
                    None => {
                        self.touched.shift_remove(&key);
                    }
                }
            }
        }
    }
}

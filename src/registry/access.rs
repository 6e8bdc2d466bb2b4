//! Who may do what, as words (model, section 2). A rule is data here; `ops::access`
//! turns it into deny, allow, or a filter that is added to the statement.

use std::collections::BTreeSet;
use std::sync::Arc;

/// Class of a caller (model, section 2.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Caller {
    /// No or bad token, or a blocked user.
    Anonymous,
    /// Role farmer, service or individual: equal in rights.
    Farm,
    /// Role expert or admin.
    Association,
    /// Jobs, and the write step of intake after its caller passed the rules.
    System,
}

/// What a member of an organisation may do besides reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Capability {
    /// Write animals and events.
    Data,
    /// Submit packages and requests.
    Submit,
    /// Record movements.
    Move,
    /// Give grants, consents and links.
    Share,
    /// Manage users of the organisation.
    Team,
    /// Change the organisation itself.
    Org,
}

/// Scope of a grant (`SCOPES` of the model).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// Whichever scope the grant has.
    Any,
    /// Pedigree and card.
    Origin,
    /// Events.
    Production,
    /// Evaluations.
    Evaluation,
    /// Documents.
    Documents,
}

impl Scope {
    /// The stored word; none for any.
    pub fn word(self) -> Option<&'static str> {
        match self {
            Self::Any => None,
            Self::Origin => Some("origin"),
            Self::Production => Some("production"),
            Self::Evaluation => Some("evaluation"),
            Self::Documents => Some("documents"),
        }
    }
}

/// The twelve rules of section 2.3.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rule {
    /// Always.
    Any,
    /// Signed in; to write, not a viewer.
    Signed,
    /// The Association.
    Assoc,
    /// Role admin.
    Admin,
    /// Never, on every face; the system writes.
    Nobody,
    /// The row is the caller; Association (writes: admin); team of the same organisation.
    SelfRow,
    /// The caller's own rows, and rows shared with his organisation.
    Author,
    /// Association, public, own, past or any grant, on an animal.
    Book,
    /// Association, own or granted animal, subject, and with `card` opened cards.
    Event {
        /// Scope of grants that open the row.
        scope: Scope,
        /// Whether an opened card opens the row too.
        card: bool,
    },
    /// Association; the caller's organisation or user among the subjects.
    Farm,
    /// Association; the flag of that field; the subjects.
    Open(&'static str),
    /// Association; the capability and the caller's organisation among the write
    /// subjects, on the stored row and on the row to be written.
    Own(Capability),
}

/// An exception to a closed rule: certain callers may write certain fields.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allowance {
    /// Which operation it opens.
    pub verb: Verb,
    /// Path of the organisation or user that must be the caller's.
    pub who: &'static str,
    /// The only fields that may differ; empty: all.
    pub only: &'static [&'static str],
    /// Days since `createdAt` within which it holds; `None`: always.
    pub days: Option<i64>,
}

/// The four operations that rules speak of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verb {
    /// R
    Read,
    /// C
    Create,
    /// U
    Update,
    /// D
    Delete,
}

/// Access of one collection.
#[derive(Debug, Clone, PartialEq)]
pub struct Access {
    /// R
    pub read: Rule,
    /// C
    pub create: Rule,
    /// U
    pub update: Rule,
    /// D
    pub delete: Rule,
    /// S: paths of organisations or users whom a row concerns.
    pub subjects: Vec<&'static str>,
    /// S→: the same for writing.
    pub write_subjects: Vec<&'static str>,
    /// Exceptions.
    pub allowances: Vec<Allowance>,
}

impl Access {
    /// One rule for reading, nobody writes.
    pub fn read(rule: Rule) -> Self {
        Self {
            read: rule,
            create: Rule::Nobody,
            update: Rule::Nobody,
            delete: Rule::Nobody,
            subjects: Vec::new(),
            write_subjects: Vec::new(),
            allowances: Vec::new(),
        }
    }
    /// C
    pub fn create(mut self, rule: Rule) -> Self {
        self.create = rule;
        self
    }
    /// U
    pub fn update(mut self, rule: Rule) -> Self {
        self.update = rule;
        self
    }
    /// D
    pub fn delete(mut self, rule: Rule) -> Self {
        self.delete = rule;
        self
    }
    /// W: all three.
    pub fn write(self, rule: Rule) -> Self {
        self.create(rule.clone()).update(rule.clone()).delete(rule)
    }
    /// S, and S→ unless given apart.
    pub fn subjects(mut self, paths: &[&'static str]) -> Self {
        self.subjects = paths.to_vec();
        if self.write_subjects.is_empty() {
            self.write_subjects = paths.to_vec();
        }
        self
    }
    /// S→
    pub fn write_subjects(mut self, paths: &[&'static str]) -> Self {
        self.write_subjects = paths.to_vec();
        self
    }
    /// An exception.
    pub fn allow(mut self, allowance: Allowance) -> Self {
        self.allowances.push(allowance);
        self
    }
    /// The rule of an operation.
    pub fn rule(&self, verb: Verb) -> &Rule {
        match verb {
            Verb::Read => &self.read,
            Verb::Create => &self.create,
            Verb::Update => &self.update,
            Verb::Delete => &self.delete,
        }
    }
}

/// A grant that the caller's organisation holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// Whose animals it opens.
    pub owner: i64,
    /// The one animal, or the whole herd.
    pub animal: Option<i64>,
    /// Stored scope words.
    pub scopes: Vec<String>,
    /// End, epoch milliseconds.
    pub expires: Option<i64>,
}

impl Grant {
    /// Whether it opens the scope at that time.
    pub fn opens(&self, scope: Scope, now: i64) -> bool {
        self.expires.is_none_or(|end| end > now)
            && (scope.word()).is_none_or(|w| self.scopes.iter().any(|s| s == w))
    }
}

/// Who calls, resolved once per request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Principal {
    /// The class.
    pub caller: Caller,
    /// The signed-in user.
    pub user: Option<i64>,
    /// *my*: the user's organisation, through `mergedInto`.
    pub organization: Option<i64>,
    /// Role admin.
    pub admin: bool,
    /// What he may do besides reading.
    pub capabilities: BTreeSet<Capability>,
    /// Grants to his organisation that were not revoked.
    pub grants: Arc<[Grant]>,
    /// Session of the token (`sid`), for sign-out.
    pub session: Option<String>,
}

impl Principal {
    /// Nobody in particular.
    pub fn anonymous() -> Self {
        Self {
            caller: Caller::Anonymous,
            user: None,
            organization: None,
            admin: false,
            capabilities: BTreeSet::new(),
            grants: Arc::new([]),
            session: None,
        }
    }
    /// The server itself.
    pub fn system() -> Self {
        Self {
            caller: Caller::System,
            ..Self::anonymous()
        }
    }
    /// Association or system: no row is closed to him.
    pub fn sees_all(&self) -> bool {
        matches!(self.caller, Caller::Association | Caller::System)
    }
    /// Whether he has the capability; Association and system have all.
    pub fn can(&self, capability: Capability) -> bool {
        self.sees_all() || self.capabilities.contains(&capability)
    }
}

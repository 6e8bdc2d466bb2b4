//! Access rules as words (docs/design/access.md, *Access*). A rule is data here; `ops::access`
//! turns it into deny, allow, or a filter that is added to the statement.

use crate::registry::field::Class;
use crate::registry::mandates::Mandate;
use std::collections::BTreeSet;
use std::net::IpAddr;
use std::sync::Arc;

/// Class of a caller (docs/design/access.md, *Callers*).
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

/// Flags of animals that open them, and their cards, to everybody.
pub const OPENNESS: [&str; 2] = ["publicVisible", "publicDetails"];

/// The roles of the Association.
pub const ASSOCIATION: [&str; 2] = ["expert", "admin"];

/// The sides on which people stand ([`Principal::role`]).
pub const ROLES: &str = "farm|association";

/// Field of organisations with the words of what they are accredited for, which the Association
/// gives.
pub const ACTIVITIES: &str = "activities";

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

impl Capability {
    /// What a member of an organisation may do, by the role in it and its membership.
    pub fn of_member(role: &str, membership: Option<&str>) -> BTreeSet<Self> {
        let all = [Self::Data, Self::Submit, Self::Move, Self::Share, Self::Team, Self::Org];
        let many = match role {
            "head" => all.len(),
            "operator" => 2,
            _ => 0,
        };
        let suspended = membership == Some("suspended");
        let taken = |one: &Self| suspended && matches!(one, Self::Submit | Self::Move | Self::Share);
        let own = all.into_iter().take(many);
        own.filter(|one| !taken(one)).collect()
    }
}

/// Scope of a grant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// Whichever scope the grant has.
    Any,
    /// Pedigree and card.
    Origin,
    /// Events.
    Production,
    Evaluation,
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

/// The twelve rules (docs/design/access.md, *The twelve rules*).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Rule {
    /// Always.
    Any,
    /// Signed in; to write, not a viewer.
    Signed,
    Assoc,
    /// Role admin.
    Admin,
    /// Never, on every face; the system writes.
    #[default]
    Nobody,
    /// The row is the caller; Association (writes: admin); team of the same organisation.
    SelfRow,
    /// The caller's own rows, and rows shared with the caller's organisation.
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
    /// Association; the flag, which is a boolean field, `field=word` of a select, or
    /// `field=` for a relation that is empty; the subjects.
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
    /// It holds only for rows that fulfil one of these, written as the flag of [`Rule::Open`];
    /// empty: for all.
    pub when: &'static [&'static str],
}

/// Rows that are read only by those who see a class of fields on their animal, regardless of what
/// else the rule opens: drafts, genotype reports. Rows about no animal are not affected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Demand {
    /// Path of the field that marks such rows.
    pub field: &'static str,
    /// Its value in them.
    pub value: &'static str,
    /// The class that they ask for (docs/design/access.md, *Classes of fields*).
    pub class: Class,
}

/// The four operations that rules are about.
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
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Access {
    /// R
    pub read: Rule,
    /// C
    pub create: Rule,
    /// U
    pub update: Rule,
    /// D
    pub delete: Rule,
    /// What must hold on the row for an opened card to open it, written as the flag of
    /// [`Rule::Open`].
    pub card_when: Option<&'static str>,
    /// The field that holds the letter of the class (docs/design/access.md, *Classes of fields*)
    /// that the animal must show to the caller for the row to show.
    pub row_class: Option<&'static str>,
    /// S: paths of organisations or users whom a row concerns.
    pub subjects: Vec<&'static str>,
    /// S→: the same for writing.
    pub write_subjects: Vec<&'static str>,
    /// Only the first filled one of S→ counts (*organization, else animal.owner*).
    pub write_first: bool,
    /// Rows in which this relation names an organisation are read by it and the Association alone, as far as the rule
    /// opens them.
    pub only_of: Option<&'static str>,
    /// Rows that fulfil this, written as the flag of [`Rule::Open`], are read only by those
    /// who see this class of the animal too.
    pub guard: Option<(&'static str, Class)>,
    /// Exceptions.
    pub allowances: Vec<Allowance>,
    /// Rows that are read by fewer.
    pub demands: Vec<Demand>,
}

impl Access {
    /// One rule for reading; no caller writes.
    pub fn read(rule: Rule) -> Self {
        Self { read: rule, ..Self::default() }
    }
    /// Whether any caller may do it; an operation that no caller may do is not offered.
    pub fn opens(&self, verb: Verb) -> bool {
        *self.rule(verb) != Rule::Nobody || self.allowances.iter().any(|a| a.verb == verb)
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
    /// An opened card opens only rows that fulfil this: `moderation=approved`.
    pub fn card_when(mut self, flag: &'static str) -> Self {
        self.card_when = Some(flag);
        self
    }
    /// Rows that fulfil a flag need a class of the animal besides the rule.
    pub fn guard(mut self, flag: &'static str, class: Class) -> Self {
        self.guard = Some((flag, class));
        self
    }
    /// Each row shows only to those who see the class that it names, on its animal.
    pub fn row_class(mut self, path: &'static str) -> Self {
        self.row_class = Some(path);
        self
    }
    /// Rows that name an organisation here are read by it and the Association alone.
    pub fn only_of(mut self, path: &'static str) -> Self {
        self.only_of = Some(path);
        self
    }
    /// The flags that the rules test.
    pub fn flags(&self) -> impl Iterator<Item = &'static str> {
        let open = match self.read {
            Rule::Open(flag) => Some(flag),
            _ => None,
        };
        open.into_iter()
            .chain(self.card_when)
            .chain(self.guard.map(|(flag, _)| flag))
            .chain(self.allowances.iter().flat_map(|a| a.when.iter().copied()))
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
    /// S→ of which only the first filled one counts.
    pub fn write_first(mut self, paths: &[&'static str]) -> Self {
        self.write_subjects = paths.to_vec();
        self.write_first = true;
        self
    }
    /// An exception.
    pub fn allow(mut self, allowance: Allowance) -> Self {
        self.allowances.push(allowance);
        self
    }
    /// Rows with this value demand that the caller sees the class on their animal.
    pub fn demand(mut self, field: &'static str, value: &'static str, class: Class) -> Self {
        self.demands.push(Demand { field, value, class });
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
    /// The owner of the animals that it opens.
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
        self.expires.is_none_or(|end| end > now) && (scope.word()).is_none_or(|w| self.scopes.iter().any(|s| s == w))
    }
}

/// A genotype consent whose grantee is the caller's organisation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Consent {
    /// The owner of the animals that it opens.
    pub owner: i64,
    /// The one animal, or all of the owner.
    pub animal: Option<i64>,
    /// Stored purposes.
    pub purposes: Vec<String>,
    /// End, epoch milliseconds.
    pub expires: Option<i64>,
}

impl Consent {
    /// The purposes that let the grantee see genotypes (docs/design/access.md, *Classes of
    /// fields*); `publication` opens them to all and asks for no grantee.
    pub const SHOWING: [&'static str; 3] = ["research", "evaluation", "exchange"];

    /// Whether it shows genotypes to its grantee at that time.
    pub fn shows(&self, now: i64) -> bool {
        self.expires.is_none_or(|end| end > now) && (self.purposes.iter()).any(|p| Self::SHOWING.contains(&p.as_str()))
    }
}

/// The rights that an API key has of its account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyScope {
    /// The row of the key; none: the single key of the account itself, which has all rights of it.
    pub id: Option<i64>,
    /// Whether it may write.
    pub writes: bool,
    /// The data sets of the exchange that it is limited to; empty: all of the service.
    pub datasets: Vec<String>,
}

impl KeyScope {
    /// The one key of an account itself.
    pub fn whole() -> Self {
        Self { id: None, writes: true, datasets: Vec::new() }
    }
    /// Whether it permits a data set of the exchange.
    pub fn opens(&self, dataset: &str) -> bool {
        self.datasets.is_empty() || self.datasets.iter().any(|one| one == dataset)
    }
}

/// How long after a password was shown it need not be shown again, milliseconds.
const FRESH: i64 = 600_000;

/// The caller, resolved once per request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Principal {
    /// The class.
    pub caller: Caller,
    /// The signed-in user.
    pub user: Option<i64>,
    /// *my*: the user's organisation, through `mergedInto`.
    pub organization: Option<i64>,
    /// What his organisation is accredited for; of a sender by mandate that of the sender.
    pub activities: Arc<[String]>,
    /// The organisation that sends by mandate to the location of `organization`.
    pub sender: Option<i64>,
    /// Role admin.
    pub admin: bool,
    /// What the caller may do besides reading.
    pub capabilities: BTreeSet<Capability>,
    /// Grants to the caller's organisation that were not revoked.
    pub grants: Arc<[Grant]>,
    /// Genotype consents to the caller's organisation that were not revoked.
    pub consents: Arc<[Consent]>,
    /// Mandates of his organisation that were not revoked.
    pub mandates: Arc<[Mandate]>,
    /// Session of the token (`sid`), for sign-out.
    pub session: Option<String>,
    /// When the caller last gave the password, epoch milliseconds; none: the caller is known
    /// otherwise.
    pub proved: Option<i64>,
    /// The API key by which the caller is known; none: by a session, or not at all.
    pub key: Option<Arc<KeyScope>>,
    /// The caller's network address; given for writes only, for the operation log.
    pub ip: Option<IpAddr>,
}

impl Principal {
    /// An unknown caller.
    pub fn anonymous() -> Self {
        Self {
            caller: Caller::Anonymous,
            user: None,
            organization: None,
            activities: Arc::new([]),
            sender: None,
            admin: false,
            capabilities: BTreeSet::new(),
            grants: Arc::new([]),
            consents: Arc::new([]),
            mandates: Arc::new([]),
            session: None,
            proved: None,
            key: None,
            ip: None,
        }
    }
    /// The server itself.
    pub fn system() -> Self {
        Self { caller: Caller::System, ..Self::anonymous() }
    }
    /// Association or system: no row is hidden from the caller.
    pub fn sees_all(&self) -> bool {
        matches!(self.caller, Caller::Association | Caller::System)
    }
    /// The side on which a person stands, as rows say it that he wrote; none: the server.
    pub fn role(&self) -> Option<&'static str> {
        match self.caller {
            Caller::Farm => Some("farm"),
            Caller::Association => Some("association"),
            Caller::Anonymous | Caller::System => None,
        }
    }
    /// Whether the caller may only read.
    pub fn reads_only(&self) -> bool {
        self.key.as_ref().is_some_and(|key| !key.writes)
    }
    /// Whether the caller may change credentials as far as the password is concerned: the session
    /// is young, or the caller confirmed. Callers without session and key are the server's.
    pub fn is_fresh(&self, now: i64) -> bool {
        match (&self.key, &self.session) {
            (Some(_), _) => false,
            (None, None) => true,
            (None, Some(_)) => self.proved.is_some_and(|at| now.saturating_sub(at) <= FRESH),
        }
    }
    /// Everything that an answer to the caller can depend on at that time: equal for callers that
    /// get the same answers.
    pub fn print(&self, now: i64) -> String {
        let live = |end: Option<i64>| end.is_none_or(|end| end > now);
        let number = |id: Option<i64>| id.map_or_else(String::new, |id| id.to_string());
        let capabilities = (self.capabilities.iter()).fold(0_u32, |all, one| all | 1 << *one as u32);
        let mut print = format!(
            "{} {} {} {} {capabilities} {:?}",
            self.caller as u8,
            number(self.user),
            number(self.organization),
            self.admin,
            self.session,
        );
        for activity in self.activities.iter() {
            print.push_str(&format!(" {activity}"));
        }
        if let Some(key) = &self.key {
            print.push_str(&format!(" {key:?}"));
        }
        for grant in self.grants.iter().filter(|g| live(g.expires)) {
            print.push_str(&format!(" {grant:?}"));
        }
        for consent in self.consents.iter().filter(|c| live(c.expires)) {
            print.push_str(&format!(" {consent:?}"));
        }
        for mandate in self.mandates.iter().filter(|m| m.is_live(now)) {
            print.push_str(&format!(" {mandate:?}"));
        }
        print
    }
    /// The next time after that one at which a right of the caller begins or ends; until then
    /// [`Principal::print`] stays as it is.
    pub fn turns(&self, now: i64) -> i64 {
        let grants = self.grants.iter().filter_map(|g| g.expires);
        let consents = self.consents.iter().filter_map(|c| c.expires);
        let mandates = self.mandates.iter().flat_map(|m| [m.from, m.until]);
        let all = grants.chain(consents).chain(mandates.flatten());
        all.filter(|turn| *turn > now).min().unwrap_or(i64::MAX)
    }
    /// Whether the caller's organisation has a mandate for a location, of whichever data set.
    pub fn is_mandated(&self, location: i64, now: i64) -> bool {
        let mut mandates = self.mandates.iter();
        mandates.any(|m| m.grantor == location && m.is_live(now))
    }
    /// Whether the caller's organisation has a mandate to send resources of a data set to a location.
    pub fn may_send(&self, location: i64, dataset: &str, now: i64) -> bool {
        let mut mandates = self.mandates.iter();
        mandates.any(|m| m.grantor == location && m.covers(dataset, now))
    }
    /// The sender of resources by mandate: the user, writing data as a member of the
    /// organisation of the location, without any other right.
    pub fn mandated(&self, location: i64) -> Self {
        let data = [Capability::Data].into_iter();
        Self {
            caller: Caller::Farm,
            user: self.user,
            organization: Some(location),
            activities: Arc::clone(&self.activities),
            sender: self.organization,
            capabilities: data.filter(|one| self.can(*one)).collect(),
            key: self.key.clone(),
            ip: self.ip,
            ..Self::anonymous()
        }
    }
    /// Whether the caller has the capability; Association and system have all.
    pub fn can(&self, capability: Capability) -> bool {
        self.sees_all() || self.capabilities.contains(&capability)
    }
}

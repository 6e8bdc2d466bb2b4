//! Emails about the book's own work: to the people of an organisation who are concerned by a change and wish to know
//! (docs/letters.md). Queued in the transaction of the change.

use crate::collections::dictionaries::lookups::{CHUNK, by_id, grouped};
use crate::collections::slots::slots;
use model::error::Result;
use model::letter::{Letter, Template};
use model::messages::day_value;
use model::record::{Record, Value};
use model::registry::{Collection, HookContext, ID, Lookup, Test};
use std::collections::{BTreeMap, BTreeSet};

/// Days in which sending is tried.
const DAYS: i64 = 7;
/// Who gets such emails, besides that they wish them.
const ROLES: [&str; 2] = ["head", "operator"];
/// Who gets those to the Association.
const STAFF: [&str; 2] = ["expert", "admin"];

slots!(
    /// Slots of `users` that emails are addressed by.
    Users of "users" { email, organization }
);
slots!(
    /// Slots of `organizations` that emails name.
    Organizations of "organizations" { name }
);

/// Who receives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum To {
    /// The people of an organisation.
    Organization(i64),
    /// A user who acts for none.
    User(i64),
    /// The Association, about this organisation: whoever is responsible, else all of its people.
    Association(i64, Option<i64>),
}

/// What people read.
#[derive(Debug)]
pub(crate) struct Notice {
    to: To,
    letter: Letter,
}

impl Notice {
    /// An occasion, for an organisation; the values of its text are still to be set.
    pub(crate) fn new(template: Template, organization: i64) -> Self {
        Self { to: To::Organization(organization), letter: Letter::new("", template, 0) }
    }
    /// A notice for a user who acts for no organisation.
    pub(crate) fn of_user(template: Template, user: i64) -> Self {
        Self { to: To::User(user), letter: Letter::new("", template, 0) }
    }
    /// A notice for the Association about an organisation: for this user alone, if one of it is responsible.
    pub(crate) fn of_association(template: Template, organization: i64, responsible: Option<i64>) -> Self {
        Self { to: To::Association(organization, responsible), letter: Letter::new("", template, 0) }
    }
    /// Sets the record that it is about.
    pub(crate) fn about(mut self, collection: &str, record: &Record) -> Self {
        self.letter = self.letter.about(collection, record.get(ID).int());
        self
    }
    /// Sets a value of the text.
    pub(crate) fn with(mut self, place: &str, value: &str) -> Self {
        self.letter = self.letter.with(place, value);
        self
    }
    /// Sets a value to the text of a field; nothing where it is empty.
    pub(crate) fn with_text(self, place: &str, value: &Value) -> Self {
        let text = value.text().unwrap_or_default().to_owned();
        self.with(place, &text)
    }
    /// Sets a value to a number; zero where it is empty.
    pub(crate) fn with_number(self, place: &str, value: &Value) -> Self {
        let number = value.int().unwrap_or_default().to_string();
        self.with(place, &number)
    }
    /// Sets a value to a day.
    pub(crate) fn with_day(self, place: &str, value: &Value) -> Self {
        let day = value.time().map(day_value).unwrap_or_default();
        self.with(place, &day)
    }
    /// Sets the remark, which may be empty.
    pub(crate) fn with_remark(mut self, value: &Value) -> Self {
        self.letter = self.letter.with_remark(value.text());
        self
    }
}

/// One notice for each organisation with the number of rows of a collection.
pub(crate) fn counted(
    template: Template,
    collection: &str,
    organizations: impl IntoIterator<Item = i64>,
) -> Vec<Notice> {
    let mut counts: BTreeMap<i64, usize> = BTreeMap::new();
    for organization in organizations {
        *counts.entry(organization).or_default() += 1;
    }
    let notice = |(organization, count): (i64, usize)| {
        let mut notice = Notice::new(template, organization).with("count", &count.to_string());
        notice.letter = notice.letter.about(collection, None);
        notice
    };
    counts.into_iter().map(notice).collect()
}

/// Writes to active, confirmed users of the organisations who act for them, and to people of the Association, who wish
/// such emails.
pub(crate) async fn notify(context: &mut dyn HookContext, notices: Vec<Notice>) -> Result<()> {
    if notices.is_empty() {
        return Ok(());
    }
    let (mut organizations, mut persons, mut subjects) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for notice in &notices {
        match notice.to {
            To::Organization(id) => organizations.insert(id),
            To::User(id) => persons.insert(id),
            To::Association(id, _) => subjects.insert(id),
        };
    }
    let users = context.collection("users")?;
    let acting = people(context, users, "organization", &organizations).await?;
    let acting = grouped(acting, Users::get().organization);
    let persons = people(context, users, "id", &persons).await?;
    let persons = grouped(persons, ID);
    let staff = if subjects.is_empty() { Vec::new() } else { association(context, users).await? };
    let concerned = acting.keys().copied().chain(subjects);
    let names = by_id(context, "organizations", concerned, &["name"]).await?;
    let until = context.now().saturating_add(DAYS * 86_400_000);
    let mut letters = Vec::new();
    for notice in notices {
        let (people, organization) = match notice.to {
            To::Organization(id) => (acting.get(&id).map_or(&[][..], Vec::as_slice), names.get(&id)),
            To::User(id) => (persons.get(&id).map_or(&[][..], Vec::as_slice), None),
            To::Association(id, responsible) => {
                let one = staff.iter().find(|user| responsible.is_some() && user.get(ID).int() == responsible);
                (one.map_or(staff.as_slice(), std::slice::from_ref), names.get(&id))
            }
        };
        let flag = notice.letter.template.wish();
        let Some(flag) = flag.and_then(|wish| users.slot(users.sign_in.wish(wish)?)) else {
            continue;
        };
        let organization = organization.and_then(|row| row.get(Organizations::get().name).text());
        let role: (&str, &[&str], bool) = match notice.to {
            To::Organization(_) | To::User(_) => ("orgRole", &ROLES, false),
            To::Association(_, responsible) => {
                let alone = responsible.is_some() && people.iter().all(|user| user.get(ID).int() == responsible);
                ("role", &STAFF, alone)
            }
        };
        for user in people.iter().filter(|user| user.get(flag).truth()) {
            let (Some(to), Some(id)) = (user.get(Users::get().email).text(), user.get(ID).int()) else {
                continue;
            };
            // Of an organisation or of the Association: for whom the user acts, so that who leaves gets none.
            let own = user.get(Users::get().organization).int().filter(|_| !matches!(notice.to, To::User(_)));
            let mut letter = notice.letter.clone();
            letter.to = to.to_owned();
            letter.until = until;
            let name = users.name_of(user).unwrap_or_else(|| to.to_owned());
            letters.push(
                letter
                    .to_account(users.slug, id, own, role)
                    .with("name", &name)
                    .with("organization", organization.unwrap_or(&name)),
            );
        }
    }
    context.mail_all(&letters).await
}

/// Those of these organisations for which somebody acts who wishes emails of an occasion.
pub(super) async fn acting(
    context: &mut dyn HookContext,
    template: Template,
    organizations: &BTreeSet<i64>,
) -> Result<BTreeSet<i64>> {
    let users = context.collection("users")?;
    let flag = template.wish().and_then(|wish| users.slot(users.sign_in.wish(wish)?));
    let people = people(context, users, "organization", organizations).await?;
    let wishing = people.iter().filter(|user| flag.is_some_and(|flag| user.get(flag).truth()));
    Ok(wishing.filter_map(|user| user.get(Users::get().organization).int()).collect())
}

/// Active, confirmed users by a relation of theirs, or by their ids: of those of organisations, the ones who act for
/// them.
async fn people(
    context: &mut dyn HookContext,
    users: &'static Collection,
    path: &str,
    ids: &BTreeSet<i64>,
) -> Result<Vec<Record>> {
    let fields = addressed_by(users);
    let all: Vec<i64> = ids.iter().copied().collect();
    let mut users_of = Vec::new();
    for chunk in all.chunks(CHUNK) {
        let lookup = Lookup::by_ids(path, chunk.iter().copied())
            .is_in("orgRole", ROLES.map(Value::from).to_vec())
            .is_in("confirmed", vec![Value::Bool(true)])
            .test("blockedAt", Test::Empty)
            .fields(&fields);
        users_of.extend(context.find(users.slug, lookup).await?);
    }
    Ok(users_of)
}

/// The active people of the Association.
async fn association(context: &mut dyn HookContext, users: &'static Collection) -> Result<Vec<Record>> {
    let lookup = Lookup::default().is_in("role", STAFF.map(Value::from).to_vec()).test("blockedAt", Test::Empty);
    context.find(users.slug, lookup.fields(&addressed_by(users))).await
}

/// What of a user an email and the choice of its readers need.
fn addressed_by(users: &'static Collection) -> Vec<&'static str> {
    let mut fields = users.name_paths();
    fields.extend(["email", "organization"]);
    fields.extend(users.sign_in.wishes.iter().map(|(_, path)| *path));
    fields
}

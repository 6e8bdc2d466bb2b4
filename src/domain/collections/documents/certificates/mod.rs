//! Certificates of animals: the conditions under which they are issued, what they show, and how
//! anybody checks them (docs/certificates.md).

mod check;
mod conditions;
mod snapshot;
mod subject;

pub(super) use check::is_server_number;
pub use check::{Certificate, NUMBER, certificate, numbers, plain, view};
pub use conditions::Form;

use crate::collections::dictionaries::lookups::written;
use crate::collections::slots::slots;
use conditions::applicable;
use model::error::{Error, Issue, Result};
use model::messages::{Language, Sentence, labels};
use model::record::{Record, Value, time};
use model::registry::{BookReader, Caller, Change, Class, Command, Draft, HookContext, ID, Lookup, Test};
use model::said;
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};
use subject::{CertificateSubject, Names};

/// Documents that are issued by one request, which is one transaction.
pub(super) const MOST_AT_ONCE: usize = 500;

/// Letters and digits that are not mistaken for each other.
const ALPHABET: &[u8] = b"234679ACDEFGHJKMNPQRTUVWXYZ";

slots!(
    /// Slots of `documents` that make a certificate.
    Slots of "documents" {
        kind: "type", number, issued_at: "issuedAt", code: "publicCode", animal, snapshot,
        revoked_at: "revoked.at",
    }
);

/// The form of a row that is an issued certificate.
fn issued(row: &Record) -> Option<Form> {
    let s = Slots::get();
    let form = row.get(s.kind).text().and_then(Form::of);
    form.filter(|_| !row.get(s.issued_at).is_null())
}

/// Refuses certificates of animals that do not meet the conditions, naming all of them, and changes
/// of what a certificate certifies; takes down what the others show. Certificates that the system
/// stores (those of another book that fill this one) stay as they are.
pub(super) async fn check(context: &mut dyn BookReader, drafts: &mut [Draft]) -> Result<()> {
    if context.caller().caller == Caller::System {
        return Ok(());
    }
    let s = Slots::get();
    let mut wanted: Vec<(&mut Draft, i64, Form)> = Vec::new();
    for draft in written(drafts).filter(|draft| draft.refused.is_empty()) {
        if draft.old.as_ref().and_then(issued).is_some() {
            keep(draft);
            continue;
        }
        let Some(form) = issued(&draft.new) else {
            continue;
        };
        match draft.new.get(s.animal).int() {
            Some(animal) => wanted.push((draft, animal, form)),
            None => draft.fault("animal", "required", "A certificate is about an animal."),
        }
    }
    let Some(generations) = wanted.iter().map(|(_, _, form)| form.generations()).max() else {
        return Ok(());
    };
    let animals: BTreeSet<i64> = wanted.iter().map(|(_, animal, _)| *animal).collect();
    let subject = CertificateSubject::read(context, animals.clone(), generations).await?;
    let names = Names::read(context, &subject, &animals).await?;
    let mut others = all_in_force(context, animals).await?;
    for (draft, animal, form) in wanted {
        // A missing animal has a fault already.
        let Some(facts) = subject.facts(animal, form) else {
            continue;
        };
        let unmet = applicable(&facts, form).filter(|(_, met)| !met);
        let before = draft.issues.len();
        let unmet =
            unmet.map(|(one, _)| Issue::additional("animal", one.code, Sentence::both(one.english, one.russian)));
        draft.issues.extend(unmet);
        if draft.issues.len() == before {
            let json = snapshot::snapshot(&subject, &names, animal, form);
            draft.new.set(s.snapshot, Value::from(json.map(Value::json)));
            for (_, number) in others.remove(&(animal, form.word())).unwrap_or_default() {
                let number = number.text().unwrap_or_default().to_owned();
                let message = said!("It replaces {number}, which is revoked.", number = number);
                let warning = Issue::warning("animal", "certificate-replaced", message);
                draft.issues.push(warning);
            }
        }
    }
    Ok(())
}

/// An issued certificate keeps what stands on paper.
fn keep(draft: &mut Draft) {
    let s = Slots::get();
    for (slot, path) in [(s.kind, "type"), (s.animal, "animal"), (s.number, "number"), (s.issued_at, "issuedAt")] {
        // A number that was missing may be added.
        let added = slot == s.number && (draft.old.as_ref()).is_some_and(|o| o.get(slot).is_null());
        if draft.changes(slot) && !added {
            let message = "An issued certificate does not change: revoke it, and issue another.";
            draft.fault(path, "certificate-issued", message);
        }
    }
}

/// Numbers, codes that cannot be guessed, and both on the certificate.
pub(super) async fn complete(context: &mut dyn HookContext, drafts: &mut [Draft]) -> Result<()> {
    let s = Slots::get();
    let fresh =
        |draft: &&mut Draft| (draft.changes(s.issued_at) || draft.changes(s.kind)) && issued(&draft.new).is_some();
    let mut fresh: Vec<&mut Draft> = written(drafts).filter(fresh).collect();
    let iso = time::to_iso(context.now());
    let year = iso.get(..4).unwrap_or_default();
    let given = |draft: &&mut Draft| draft.new.get(s.number).text().map(str::to_owned);
    let brought: BTreeSet<String> = fresh.iter().filter_map(given).collect();
    let count = fresh.len().saturating_sub(brought.len());
    let mut free = free_numbers(context, year, count, brought).await?.into_iter();
    for draft in &mut fresh {
        if draft.new.get(s.number).is_null() {
            draft.new.set(s.number, free.next());
        }
        if draft.new.get(s.code).is_null() {
            draft.new.set(s.code, code());
        }
        if !draft.changes(s.snapshot) {
            continue;
        }
        let Some(mut content) = draft.new.get(s.snapshot).as_json().cloned() else {
            continue;
        };
        if let Some(members) = content.as_object_mut() {
            let day = draft.new.get(s.issued_at).time().map(time::to_iso);
            let day = day.and_then(|iso| iso.get(..10).map(str::to_owned));
            members.insert("number".to_owned(), json!(draft.new.get(s.number).text()));
            members.insert("issuedAt".to_owned(), json!(day));
        }
        draft.new.set(s.snapshot, Value::json(content));
    }
    Ok(())
}

/// The next numbers of a year that no document has: some come with documents that are taken over.
async fn free_numbers(
    context: &mut dyn HookContext,
    year: &str,
    count: usize,
    mut taken: BTreeSet<String>,
) -> Result<Vec<String>> {
    let mut free: Vec<String> = Vec::with_capacity(count);
    while free.len() < count {
        let missing = count.saturating_sub(free.len());
        let first = context.next(&format!("documents:{year}"), missing).await?;
        let made = (first..).take(missing).map(|next| format!("RU-{year}-{next:04}"));
        let made: Vec<String> = made.collect();
        let values = made.iter().map(|number| Value::from(number.as_str()));
        let lookup = Lookup::default().is_in(NUMBER, values.collect());
        let existing = context.find("documents", lookup.fields(&[NUMBER])).await?;
        let number = |row: &Record| row.get(Slots::get().number).text().map(str::to_owned);
        taken.extend(existing.iter().filter_map(number));
        free.extend(made.into_iter().filter(|number| !taken.contains(number)));
    }
    Ok(free)
}

/// The animal and the form of an issued certificate that was not revoked.
fn in_force(row: &Record) -> Option<(i64, Form)> {
    let s = Slots::get();
    let form = issued(row).filter(|_| row.get(s.revoked_at).is_null())?;
    Some((row.get(s.animal).int()?, form))
}

/// The certificates in force of some animals: animal, form, id and number, by ids.
async fn all_in_force(
    context: &mut dyn BookReader,
    animals: BTreeSet<i64>,
) -> Result<BTreeMap<(i64, &'static str), Vec<(i64, Value)>>> {
    let mut all: BTreeMap<_, Vec<_>> = BTreeMap::new();
    if animals.is_empty() {
        return Ok(all);
    }
    let forms = Form::ALL.map(|form| Value::from(form.word())).to_vec();
    let lookup = Lookup::by_ids("animal", animals)
        .is_in("type", forms)
        .test("issuedAt", Test::Filled)
        .test("revoked.at", Test::Empty)
        .fields(&["animal", "type", NUMBER, "issuedAt", "revoked.at"])
        .order(&["id"]);
    for row in context.find("documents", lookup).await? {
        if let (Some((animal, form)), Some(id)) = (in_force(&row), row.get(ID).int()) {
            let number = row.get(Slots::get().number).clone();
            all.entry((animal, form.word())).or_default().push((id, number));
        }
    }
    Ok(all)
}

/// One certificate of a form is in force for an animal: a new one takes the place of those before it.
/// Transactions go one after another, so that none is overlooked.
pub(super) async fn replace(context: &mut dyn HookContext, changes: &[Change]) -> Result<()> {
    if context.caller().caller == Caller::System {
        return Ok(());
    }
    // The last one of a set.
    let mut fresh: BTreeMap<(i64, &str), (i64, &Record)> = BTreeMap::new();
    for change in changes {
        let before = change.old.as_ref().and_then(issued);
        let now = change.new.as_ref().filter(|_| before.is_none());
        if let Some((row, (animal, form))) = now.and_then(|row| Some((row, in_force(row)?))) {
            fresh.insert((animal, form.word()), (change.id, row));
        }
    }
    let animals = fresh.keys().map(|(animal, _)| *animal).collect();
    let mut commands = Vec::new();
    for (key, others) in all_in_force(context, animals).await? {
        let Some((id, row)) = fresh.get(&key) else {
            continue;
        };
        let number = row.get(Slots::get().number).text().unwrap_or_default();
        let reason = format!("Заменено: {number}. Replaced by {number}.");
        for (other, _) in others.into_iter().filter(|(other, _)| other != id) {
            let fields = vec![
                ("revoked.at".to_owned(), Value::Time(context.now())),
                ("revoked.reason".to_owned(), reason.as_str().into()),
            ];
            commands.push(Command::Update(other, fields));
        }
    }
    context.write("documents", commands).await.map(drop)
}

fn code() -> String {
    // The last eight bytes are random but for two bits.
    let [.., a, b, c, d, e, f, g, h] = uuid::Uuid::new_v4().into_bytes();
    let mut rest = u64::from_be_bytes([a & 0x3f, b, c, d, e, f, g, h]);
    let base = ALPHABET.len() as u64;
    let letters = (0..8).filter_map(|_| {
        let at = usize::try_from(rest % base).ok()?;
        rest /= base;
        ALPHABET.get(at).copied().map(char::from)
    });
    letters.collect()
}

/// A condition as callers read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConditionResult {
    pub code: &'static str,
    /// Whether the animal meets it.
    pub met: bool,
    /// That it is met, or is not, in English and in Russian.
    pub message: [&'static str; 2],
    /// By which form its owner asks for it, unless it is met: a field of requests or packages, and its word.
    pub request: Option<(&'static str, &'static str)>,
}

/// The conditions for a certificate of an animal, for its owner and the Association. They ask nothing
/// of ancestors but whether the book has them, so that both are answered alike.
///
/// # Errors
/// [`Error::Forbidden`] for others, who learn no more; those of the book.
pub async fn conditions(reader: &mut dyn BookReader, animal: i64, form: Form) -> Result<Vec<ConditionResult>> {
    let own = reader.reads("animals", Class::Owner, [animal].into()).await?;
    if own.is_empty() {
        return Err(Error::forbidden());
    }
    let subject = CertificateSubject::read(reader, own, form.generations()).await?;
    let facts = subject.facts(animal, form).ok_or(Error::NotFound)?;
    let results = applicable(&facts, form).map(|(one, met)| ConditionResult {
        code: one.code,
        met,
        message: one.message(met),
        request: one.request.filter(|_| !met),
    });
    Ok(results.collect())
}

impl ConditionResult {
    pub fn json(&self) -> Json {
        let [english, russian] = self.message;
        let mut json = json!({"code": self.code, "met": self.met, "message": {"en": english, "ru": russian}});
        if let (Some((field, word)), Some(members)) = (self.request, json.as_object_mut()) {
            members.insert("request".to_owned(), json!({field: word}));
        }
        json
    }
}

/// The name of a class of type classification, as a snapshot has its code.
pub fn class(language: Language, code: &str) -> String {
    labels::option(language, "animal-exteriors", "finalClass", code)
}

#[cfg(test)]
mod tests {
    use super::{ALPHABET, code};

    #[test]
    fn codes_have_eight_letters_and_differ() {
        let codes: Vec<String> = (0..100).map(|_| code()).collect();
        for code in &codes {
            assert_eq!(code.len(), 8);
            assert!(code.bytes().all(|b| ALPHABET.contains(&b)), "{code}");
        }
        let distinct: std::collections::BTreeSet<_> = codes.iter().collect();
        assert_eq!(distinct.len(), codes.len());
    }
}

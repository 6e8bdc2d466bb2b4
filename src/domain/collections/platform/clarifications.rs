//! Clarifications: questions about records that a writer does not see. The writer names an animal
//! by its number and gets no information about it; the written data contradict records that the
//! writer does not see, and are not refused; a number already belongs to another record, and is
//! accepted all the same. Each case becomes a row here, for the owner of the animal that was named
//! and for the Association, who confirm or refuse it. The writer reads none of it.

use crate::collections::FieldSet;
use crate::collections::dictionaries::lookups::{by_id, related};
use crate::collections::events::history::Amendments;
use crate::collections::hooks::hooks;
use crate::collections::slots::slots;
use model::error::{Error, Result};
use model::record::{Record, Value};
use model::registry::{
    Access, Assignee, BookReader, Capability, Change, Class, Collection, Command, Decl, Draft, HookContext, ID, Lookup,
    Move, Rule, Set, States, Verb, Who, fields, instant, int, long_text, relation, select, text_n,
};
use std::collections::BTreeSet;

/// The collection that stores them.
const SLUG: &str = "clarifications";
/// What they are about.
const KINDS: &str = "parent|age|descent|course|sharedNumber";
/// Rows that name the animal.
const ANIMALS: &str = "animals";

pub(crate) fn clarifications() -> Collection {
    let access = Access::read(Rule::Farm)
        .create(Rule::Nobody)
        .update(Rule::Own(Capability::Data))
        .delete(Rule::Admin)
        .subjects(&["owner"]);
    Collection::new(SLUG, access, fields())
        .hooks(Behaviour)
        .states(steps())
        .kind_of("kind")
        .told_by(&["animal", "createdAt"])
        .waits(Assignee::Party("owner"), "status", &["open"])
        .index(&["owner", "status"])
        .index(&["recordId", "kind"])
        .doc(
            "Questions about records that the writer does not see: parents given by their numbers, \
             data that contradict such records, and numbers that two records have.",
        )
}

fn fields() -> Vec<Decl> {
    fields![
        select("kind", KINDS).required().server().indexed() => "Kind of the question.",
        select("status", "open|confirmed|refused").default("open").indexed() => "Decision on the question.",
        relation("animal", "animals").server() => "Animal that was named, or that contradicts what was written.",
        relation("owner", "organizations").server()
            => "Owner of the animal that was named, who decides. Empty: the Association decides.",
        relation("organization", "organizations").server() => "Organisation that the row belongs to.",
        text_n("collection", 40).required().server() => "Collection of the row.",
        int("recordId").required().server() => "Id of the row.",
        text_n("path", 60).required().server() => "Field of the row that the question is about.",
        text_n("number", 60).server() => "The number that was written.",
        text_n("statedBy", 60).server() => "Number of the animal whose parent was named.",
        long_text("message").server() => "The question as text.",
        long_text("response") => "Answer of the user who decided.",
        instant("decidedAt").server() => "Time of the decision.",
        relation("decidedBy", "users").server() => "User who decided.",
    ]
}

fn steps() -> States {
    let decided = |to| {
        Move::new(&["open"], to)
            .by(Who::Farm(Capability::Data))
            .by(Who::Association)
            .set("decidedAt", Set::Now)
            .set("decidedBy", Set::Me)
    };
    States::of("status")
        .begun_by_server()
        .with(decided("confirmed").doc("For kind `parent`, the named animal becomes the parent."))
        .with(decided("refused").grave().doc("For kind `parent`, the parent remains a text."))
}

slots!(Slots of "clarifications" {
    kind, status, animal, owner, organization, collection, record: "recordId", path, number,
});
slots!(
    /// Slots of `animals` that clarifications read.
    Animals of "animals" { owner, father, mother }
);

/// Something to be clarified.
#[derive(Debug, Clone)]
pub(crate) struct Clarification {
    pub(crate) kind: &'static str,
    pub(crate) collection: &'static str,
    pub(crate) record: i64,
    pub(crate) path: &'static str,
    pub(crate) animal: Option<i64>,
    pub(crate) owner: Option<i64>,
    pub(crate) organization: Option<i64>,
    pub(crate) number: Option<String>,
    pub(crate) stated_by: Option<String>,
    pub(crate) message: &'static str,
}

impl Clarification {
    /// A contradiction between the book and what was written, for the Association.
    pub(crate) fn conflict(kind: &'static str, record: i64, path: &'static str, other: Option<i64>) -> Self {
        Self {
            kind,
            collection: ANIMALS,
            record,
            path,
            animal: other,
            owner: None,
            organization: None,
            number: None,
            stated_by: None,
            message: match kind {
                "age" => "The births of the animal and of its parent or child contradict each other.",
                "descent" => "The parent descends from the animal.",
                _ => "The movement does not fit the course of the animal.",
            },
        }
    }

    fn same(&self, row: &Record) -> bool {
        let s = Slots::get();
        row.get(s.record).int() == Some(self.record)
            && row.get(s.kind).text() == Some(self.kind)
            && row.get(s.collection).text() == Some(self.collection)
            && row.get(s.path).text() == Some(self.path)
            && row.get(s.animal).int() == self.animal
            && row.get(s.number).text() == self.number.as_deref()
    }

    fn create(self) -> Command {
        let fields: [(&str, Value); 10] = [
            ("kind", self.kind.into()),
            ("collection", self.collection.into()),
            ("recordId", Value::Int(self.record)),
            ("path", self.path.into()),
            ("animal", Value::from(self.animal)),
            ("owner", Value::from(self.owner)),
            ("organization", Value::from(self.organization)),
            ("number", Value::from(self.number)),
            ("statedBy", Value::from(self.stated_by)),
            ("message", self.message.into()),
        ];
        let fields = fields.map(|(path, value)| (path.to_owned(), value));
        Command::Create(fields.to_vec())
    }
}

/// Creates clarifications that do not exist yet. Refused ones stay refused.
pub(crate) async fn open(context: &mut dyn HookContext, mut clarifications: Vec<Clarification>) -> Result<()> {
    if clarifications.is_empty() {
        return Ok(());
    }
    let organization = context.caller().organization;
    let fields = ["kind", "collection", "recordId", "path", "animal", "number"];
    let records = clarifications.iter().map(|clarification| clarification.record);
    let existing = related(context, SLUG, "recordId", records.collect::<Vec<_>>(), &fields).await?;
    clarifications.retain(|clarification| !existing.iter().any(|row| clarification.same(row)));
    let rows = clarifications.into_iter().map(|mut clarification| {
        clarification.organization = clarification.organization.or(organization);
        clarification.create()
    });
    let rows: Vec<Command> = rows.collect();
    context.write(SLUG, rows).await.map(drop)
}

/// The hidden number of [`Collection::disputes`].
pub(crate) fn disputed() -> Decl {
    int("disputed")
        .required()
        .default(0)
        .server()
        .class(Class::Hidden)
        .doc("Distinguishes the row from one of the same number that its writer did not see; otherwise 0.")
        .into()
}

/// Reports rows to the Association that got a number which another row has.
pub(crate) async fn shared(
    context: &mut dyn HookContext,
    slug: &'static str,
    paths: &[&'static str],
    changes: &[Change],
) -> Result<()> {
    let c = context.collection(slug)?;
    let disputed = c.at("disputed");
    let fresh = |change: &&Change| {
        let now = change.new.as_ref().map(|row| row.get(disputed));
        let before = change.old.as_ref().map(|row| row.get(disputed));
        now.is_some_and(|now| now.int().is_some_and(|id| id != 0) && Some(now) != before)
    };
    let mut clarifications = Vec::new();
    for change in changes.iter().filter(fresh) {
        for path in paths {
            let number = change.new.as_ref().map(|row| row.get(c.at(path)));
            let Some(number) = number.filter(|number| !number.is_null()) else {
                continue;
            };
            let lookup = Lookup::default().is_in(path, vec![number.clone()]);
            let others = context.find(slug, lookup.fields(&["id"])).await?;
            if others.iter().any(|row| row.get(ID).int() != Some(change.id)) {
                clarifications.push(Clarification {
                    collection: slug,
                    number: number.text().map(str::to_owned),
                    message: "Another row that the writer does not see has the same number.",
                    ..Clarification::conflict("sharedNumber", change.id, path, None)
                });
            }
        }
    }
    open(context, clarifications).await
}

/// A field of a record that names an animal by its number, with its present value.
pub(crate) struct NamedParent {
    pub(crate) record: i64,
    /// Path of the field.
    pub(crate) path: &'static str,
    /// The number in it; none: the field is empty, or holds a relation.
    pub(crate) number: Option<String>,
}

/// Deletes the open clarifications about these fields that ask for another number than the present
/// one.
pub(crate) async fn close(context: &mut dyn HookContext, fields: &[NamedParent]) -> Result<()> {
    let s = Slots::get();
    let lookup = Lookup::by_ids("recordId", fields.iter().map(|field| field.record))
        .is_in("kind", vec!["parent".into()])
        .is_in("status", vec!["open".into()])
        .fields(&["recordId", "path", "number"]);
    let stale = |row: &Record| {
        fields.iter().any(|field| {
            row.get(s.record).int() == Some(field.record)
                && row.get(s.path).text() == Some(field.path)
                && row.get(s.number).text() != field.number.as_deref()
        })
    };
    let rows = context.find(SLUG, lookup).await?;
    let rows = rows.iter().filter(|row| stale(row));
    let gone = rows.filter_map(|row| Some(Command::Delete(row.get(ID).int()?)));
    let gone: Vec<Command> = gone.collect();
    context.write(SLUG, gone).await.map(drop)
}

hooks!(Behaviour {
    check(context, drafts) {
        check(context, drafts).await
    }
    effects(context, changes) {
        confirmed(context, changes).await
    }
});

/// Asks the present owners of these animals, in place of the former ones.
pub(crate) async fn sold(context: &mut dyn HookContext, animals: &BTreeSet<i64>) -> Result<()> {
    if animals.is_empty() {
        return Ok(());
    }
    let (s, a) = (Slots::get(), Animals::get());
    let fields = ["animal", "owner", "status"];
    let rows = related(context, SLUG, "animal", animals.iter().copied(), &fields).await?;
    // Where no owner decides, the Association does, and a decided row stays with the user who
    // decided it.
    let open = |row: &&Record| row.get(s.status).text() == Some("open") && !row.get(s.owner).is_null();
    let rows: Vec<&Record> = rows.iter().filter(open).collect();
    let animal_ids = rows.iter().filter_map(|row| row.get(s.animal).int());
    let animals = by_id(context, ANIMALS, animal_ids.collect::<Vec<_>>(), &["owner"]).await?;
    let mut amendments = Amendments::default();
    for row in rows {
        let animal = row.get(s.animal).int().and_then(|id| animals.get(&id));
        if let Some(owner) = animal.map(|animal| animal.get(a.owner).clone()) {
            amendments.note(row, [(s.owner, owner)]);
        }
    }
    amendments.write(context, SLUG).await
}

fn parent(row: &Record) -> bool {
    let s = Slots::get();
    row.get(s.kind).text() == Some("parent") && row.get(s.status).text() == Some("confirmed")
}

/// The owner who decides must still have the animal, and the place must still be free.
async fn check(context: &mut dyn BookReader, drafts: &mut [Draft]) -> Result<()> {
    let (s, a) = (Slots::get(), Animals::get());
    let due = |d: &Draft| d.verb == Verb::Update && d.changes(s.status) && parent(&d.new);
    let ids = drafts.iter().filter(|d| due(d));
    let ids = ids.flat_map(|d| [d.new.get(s.animal).int(), d.new.get(s.record).int()]);
    let ids: Vec<i64> = ids.flatten().collect();
    let animals = by_id(context, ANIMALS, ids, Animals::PATHS).await?;
    let farm = !context.caller().sees_all();
    for draft in drafts.iter_mut().filter(|d| due(d)) {
        let animal = draft.new.get(s.animal).int().and_then(|id| animals.get(&id));
        let child = draft.new.get(s.record).int().and_then(|id| animals.get(&id));
        let place = match draft.new.get(s.path).text() {
            Some("father") => a.father,
            _ => a.mother,
        };
        let owner = animal.and_then(|row| row.get(a.owner).int());
        let fault = match (animal, child) {
            (None, _) | (_, None) => Some(("gone", "One of the two animals is not in the book.")),
            _ if farm && owner != draft.new.get(s.owner).int() => {
                Some(("not-the-owner", "The animal has another owner now."))
            }
            (_, Some(child)) if !child.get(place).is_null() => Some(("taken", "The animal has such a parent already.")),
            _ => None,
        };
        if let Some((code, message)) = fault {
            draft.fault("status", code, message);
        }
    }
    Ok(())
}

/// A confirmed parent becomes the parent. Contradictions are reported to the Association when a
/// farm confirmed: the farm does not see the other animal.
async fn confirmed(context: &mut dyn HookContext, changes: &[Change]) -> Result<()> {
    let s = Slots::get();
    let farm = !context.caller().sees_all();
    let mut clarifications = Vec::new();
    for change in changes {
        let (Some(old), Some(new)) = (&change.old, &change.new) else {
            continue;
        };
        if parent(old) || !parent(new) {
            continue;
        }
        let path = match new.get(s.path).text() {
            Some("father") => "father",
            _ => "mother",
        };
        let (Some(record), animal) = (new.get(s.record).int(), new.get(s.animal).clone()) else {
            continue;
        };
        let other = animal.int();
        let fields = vec![(path.to_owned(), animal)];
        match context.write(ANIMALS, vec![Command::Update(record, fields)]).await {
            Err(Error::Invalid(_)) if farm => {
                let clarification = Clarification::conflict("age", record, path, other);
                clarifications.push(Clarification {
                    organization: new.get(s.organization).int(),
                    message: "The owner confirmed the parent, but the animal cannot be the parent.",
                    ..clarification
                });
            }
            Err(error) => return Err(error),
            Ok(_) => {}
        }
    }
    open(context, clarifications).await
}

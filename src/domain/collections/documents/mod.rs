//! Documents of animals and organisations: certificates, reports, contracts.

pub(crate) mod animal_gallery;
pub(crate) mod certificates;
pub(crate) mod media;
pub(crate) mod pictures;

use crate::collections::dictionaries::lookups::{by_id, related, related_ids};
use crate::collections::herd::animals::{Animal, Slots as Animals, parentage};
use crate::collections::hooks::hooks;
use crate::collections::people::notices::{Notice, notify};
use crate::collections::people::trust;
use crate::collections::platform::clarifications::{disputed, shared};
use crate::collections::slots::slots;
use model::error::{Issue, Result};
use model::letter::Template;
use model::record::Record;
use model::registry::{
    Access, BookReader, BulkMode, Caller, Capability, Change, Class, Collection, Decl, Draft, Feature, ForMany,
    HookContext, Move, News, Open, Rule, Scope, Set, States, Verb, Who, Writer, day, fields, group, instant, json,
    long_text, moves, relation, select, text, text_n,
};
use serde_json::Value as Json;
use std::collections::BTreeSet;

/// The declarations of this section, in the order of the book.
pub(crate) fn declared() -> Vec<Collection> {
    vec![documents(), media::media(), animal_gallery::animal_gallery()]
}

pub(super) fn documents() -> Collection {
    let scope = Scope::Documents;
    let access = Access::read(Rule::Event { scope, card: true })
        .create(Rule::Own(Capability::Data))
        .update(Rule::Own(Capability::Data))
        .delete(Rule::Admin)
        .subjects(&["organization"])
        .write_first(&["organization", "animal.owner"])
        .guard("type=genotypeReport", Class::Genotype);
    Collection::new("documents", access, fields())
        .label("number")
        .sought(&[])
        .stock("organization", "issuedBy")
        .animal("animal")
        .told_by(&["number"])
        .kind_of("type")
        .file("file")
        .feature(Feature::Certificates)
        .for_many(ForMany {
            name: "for-animals",
            relation: "animal",
            same: &["type"],
            open: Open::Between("issuedAt", "revoked.at"),
            only: None,
            how: BulkMode::OneByOne(certificates::MOST_AT_ONCE),
            doc: "issues one for each of many animals, as for a sale, in one transaction. Animals that do not meet the \
                  conditions are left out with those that are not met, and so are animals that have a valid document of \
                  the type ([writing](../writing.md#one-for-each-of-many)).",
        })
        .disputes("disputed")
        .news(News { party: "organization", at: "issuedAt", happened: None, of: &[], filled: None, shows: &[] })
        .states(steps())
        .columns(&[
            "number",
            "type",
            "title",
            "animal",
            "organization",
            "issuedAt",
        ])
        .hooks(Behaviour)
        .doc("Certificates, reports and contracts.")
}

fn steps() -> States {
    let issued = |one: Move| {
        one.by(Who::Association)
            .set("issuedBy", Set::MeIfEmpty)
            .log("document-issued")
            .says("The Association issues documents.")
            .doc(
                "A [certificate](certificates.md) is refused with every condition that its animal does \
                 not meet; it gets a number, a public code and a snapshot of what it shows. A genotype report that names its \
                 laboratory raises the animal to trust level 2.",
            )
    };
    moves![States::times("draft", &[("issued", "issuedAt"), ("revoked", "revoked.at")]);
        issued(Move::begin("issued")),
        issued(Move::new(&["draft"], "issued")),
        Move::new(&["issued"], "revoked").by(Who::Association).grave().needs(&["revoked.reason"])
            .set("revoked.at", Set::Now).set("revoked.by", Set::Me).says("The Association revokes documents.")
            => "This is final. A trust level that only this report gave is withdrawn.",
    ]
}

fn fields() -> Vec<Decl> {
    fields![
        text("title").required() => "Title of the document.",
        select("type", "pedigreeCertificate|zootechnicalCertificate|genotypeReport|vetCertificate|saleContract|other")
            .default("pedigreeCertificate")
            => "Kind of the document.",
        text_n("number", 40).unique().indexed() => "Number; certificates get one when they are issued.",
        day("issuedAt") => "Day of issue; empty: a draft.",
        text_n("publicCode", 8).server().class(Class::Private).indexed()
            => "Code with which anyone can check a certificate.",
        relation("animal", "animals") => "Animal that the document is about.",
        relation("organization", "organizations").session() => "Organisation that the document belongs to.",
        relation("file", "media") => "The document as a file.",
        json("snapshot").server().class(Class::Private) => "What the certificate shows, as it was when it was issued.",
        relation("issuedBy", "users").writer(Writer::Association)
            => "User who issued the document; from then on, only the Association changes it.",
        text("labName").indexed() => "Laboratory that a report comes from.",
        disputed(),
        group("revoked", fields![
            instant("at").indexed() => "When it was revoked.",
            relation("by", "users").server() => "User who revoked it.",
            long_text("reason") => "Why it was revoked.",
        ]),
    ]
}

slots!(Slots of "documents" {
    kind: "type", number, issued_at: "issuedAt", title, organization, animal, issued_by: "issuedBy",
    lab: "labName", revoked_at: "revoked.at",
});

hooks!(Behaviour {
    prepare(collection, context, drafts) {
        own(collection, context, drafts).await
    }
    check(context, drafts) {
        certificates::check(context, drafts).await
    }
    complete(context, drafts) {
        certificates::complete(context, drafts).await
    }
    effects(context, changes) {
        examine(context, changes).await?;
        certificates::replace(context, changes).await?;
        shared(context, "documents", &["number"], changes).await?;
        tell(context, changes).await
    }
});

/// A farm writes about its own animals only, regardless of the organisation that the document
/// belongs to, and does not change documents that the Association issued. The answer for a missing
/// animal is the same as for an animal of another owner.
async fn own(collection: &'static Collection, context: &mut dyn BookReader, drafts: &mut [Draft]) -> Result<()> {
    let s = Slots::get();
    let caller = context.caller().clone();
    if caller.caller != Caller::Farm {
        return Ok(());
    }
    let ids = related_ids(drafts, s.animal);
    let owners = by_id(context, "animals", ids, &["owner"]).await?;
    for draft in drafts.iter_mut().filter(|d| d.verb != Verb::Delete) {
        let changed = (0..collection.width()).any(|slot| draft.changes(slot));
        // One that was brought along has a day of issue, and nobody here who issued it.
        let issued =
            (draft.old.as_ref()).is_some_and(|o| !o.get(s.issued_by).is_null() || !o.get(s.issued_at).is_null());
        if issued && changed {
            let message = "Only the Association changes documents that it issued.";
            draft.refused.push(Issue::error("issuedBy", "forbidden", message));
        }
        let number = draft.new.get(s.number).text();
        if draft.changes(s.number) && number.is_some_and(certificates::is_server_number) {
            let message = "Numbers of this form are given by the server.";
            draft.fault("number", "server-number", message);
        }
        let animal = draft.new.get(s.animal).int().filter(|_| draft.changes(s.animal));
        let Some(animal) = animal else { continue };
        let owner = owners.get(&animal).and_then(|a| Animal(a).link(Animals::get().owner));
        if owners.contains_key(&animal) && owner != caller.organization {
            let message = "Only the owner of an animal writes rows about it.";
            draft.refused.push(Issue::error("animal", "forbidden", message));
        }
    }
    Ok(())
}

/// Tells the owner of the animal of a document that was issued; where it is about none, its organisation. What the
/// installation brings in by itself is no news.
async fn tell(context: &mut dyn HookContext, changes: &[Change]) -> Result<()> {
    let s = Slots::get();
    if context.caller().caller == Caller::System {
        return Ok(());
    }
    let issued = |change: &&Change| {
        let on = |row: &Record| !row.get(s.issued_at).is_null();
        change.new.as_ref().is_some_and(on) && !change.old.as_ref().is_some_and(on)
    };
    let issued: Vec<&Record> = (changes.iter().filter(issued)).filter_map(|change| change.new.as_ref()).collect();
    let animals: Vec<i64> = issued.iter().filter_map(|row| row.get(s.animal).int()).collect();
    let owners = by_id(context, "animals", animals, &["owner"]).await?;
    let notices = issued.into_iter().filter_map(|row| {
        let animal = row.get(s.animal).int();
        let organization = match animal {
            Some(animal) => Animal(owners.get(&animal)?).link(Animals::get().owner),
            None => row.get(s.organization).int(),
        };
        let numbered = match row.get(s.number).is_null() {
            true => "no",
            false => "yes",
        };
        let notice = Notice::new(Template::DocumentIssued, organization?)
            .about("documents", row)
            .with_text("title", row.get(s.title))
            .with("numbered", numbered)
            .with_text("number", row.get(s.number));
        Some(notice)
    });
    let notices = notices.collect();
    notify(context, notices).await
}

/// The animal of a report in force, and the number of the report.
type Report = (i64, Option<String>);

/// A report in force: a genotype report of a named laboratory, issued and not revoked.
fn report(row: &Record) -> Option<i64> {
    let s = Slots::get();
    let has_lab = row.get(s.lab).text().is_some_and(|t| !t.trim().is_empty());
    let holds = row.get(s.kind).text() == Some("genotypeReport")
        && !row.get(s.issued_at).is_null()
        && row.get(s.revoked_at).is_null();
    row.get(s.animal).int().filter(|_| has_lab && holds)
}

/// Animals are confirmed by a laboratory while a report of it is in force, and so are their genetic tests.
async fn examine(context: &mut dyn HookContext, changes: &[Change]) -> Result<()> {
    let all = |of: fn(&Change) -> Option<&Record>| -> BTreeSet<i64> {
        changes.iter().filter_map(|c| report(of(c)?)).collect()
    };
    let before = all(|c| c.old.as_ref());
    let after = all(|c| c.new.as_ref());
    trust::examined(context, &(&after - &before)).await?;
    let s = Slots::get();
    let number = |row: &Record| row.get(s.number).text().map(str::to_owned);
    let of = |row: &Record| Some((report(row)?, number(row)));
    let moved = changes.iter().filter_map(|change| {
        let (old, new) = (change.old.as_ref().and_then(of), change.new.as_ref().and_then(of));
        (old != new).then_some((old, new))
    });
    let (gone, fresh): (Vec<_>, Vec<_>) = moved.unzip();
    let gone: BTreeSet<i64> = gone.into_iter().flatten().map(|(animal, _)| animal).collect();
    let fresh: Vec<Report> = fresh.into_iter().flatten().collect();
    let accepts = |reports: &[Report], animal: i64, test: &Json| {
        let mut own = reports.iter().filter(|(of, _)| *of == animal);
        own.any(|(_, number)| parentage::is_of_report(test, number.as_deref()))
    };
    if !gone.is_empty() {
        let fields = ["type", "issuedAt", "revoked.at", "labName", "animal", "number"];
        let ids = gone.iter().copied();
        let others = related(context, "documents", "animal", ids, &fields).await?;
        let left: Vec<Report> = others.iter().filter_map(of).collect();
        let remaining: BTreeSet<i64> = left.iter().map(|(animal, _)| *animal).collect();
        trust::unexamined(context, &(&gone - &remaining)).await?;
        trust::attest(context, &gone, |animal, test| {
            let ended = parentage::attested(test) == Some(parentage::REPORT) && !accepts(&left, animal, test);
            ended.then_some(None)
        })
        .await?;
    }
    let animals: BTreeSet<i64> = fresh.iter().map(|(animal, _)| *animal).collect();
    trust::attest(context, &animals, |animal, test| {
        let accepted = parentage::attested(test).is_none() && accepts(&fresh, animal, test);
        accepted.then_some(Some(parentage::REPORT))
    })
    .await
}

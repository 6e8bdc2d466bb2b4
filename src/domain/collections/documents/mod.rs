//! Documents of animals and organisations: certificates, reports, contracts
//! (docs/model/documents.md). How certificates are made and shown is elsewhere.

pub(crate) mod animal_gallery;
pub(crate) mod media;
pub(crate) mod pictures;

use crate::collections::dictionaries::lookups::{by_id, named, related, written};
use crate::collections::herd::animals::{Animal, Slots as Animals};
use crate::collections::hooks::hooks;
use crate::collections::people::notices::{Notice, notify};
use crate::collections::people::trust;
use crate::collections::platform::clarifications::{disputed, shared};
use crate::collections::slots::slots;
use model::error::{Issue, Result};
use model::letter::Template;
use model::record::{Record, time};
use model::registry::{
    Access, BookReader, Caller, Capability, Change, Class, Collection, Decl, Draft, HookContext,
    Move, Rule, Scope, Set, States, Verb, Who, Writer, day, fields, group, instant, json,
    long_text, moves, relation, select, text, text_n,
};
use std::collections::BTreeSet;

/// The declarations of this section, in the order of the book.
pub(crate) fn declared() -> Vec<Collection> {
    vec![
        documents(),
        media::media(),
        animal_gallery::animal_gallery(),
    ]
}

/// Letters and digits that are not mistaken for each other.
const ALPHABET: &[u8] = b"234679ACDEFGHJKMNPQRTUVWXYZ";

/// The collection.
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
        .stock("organization", "issuedBy")
        .animal("animal")
        .file("file")
        .disputes("disputed")
        .states(steps())
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
                "A certificate gets a number and a public code. A genotype report that names its \
                 laboratory raises the animal to trust level 2.",
            )
    };
    moves![States::times("draft", &[("issued", "issuedAt"), ("revoked", "revoked.at")]);
        issued(Move::begin("issued")),
        issued(Move::new(&["draft"], "issued")),
        Move::new(&["issued"], "revoked").by(Who::Association).needs(&["revoked.reason"])
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
        json("snapshot").server().class(Class::Private) => "Content of the certificate when it was issued.",
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

slots!(
    /// Slots of `documents`.
    Slots of "documents" {
        kind: "type", number: "number", issued_at: "issuedAt", code: "publicCode",
        title: "title", organization: "organization", animal: "animal", issued_by: "issuedBy", lab: "labName", revoked_at: "revoked.at",
    }
);

hooks!(Behaviour {
    prepare(collection, context, drafts) {
        own(collection, context, drafts).await
    }
    complete(context, drafts) {
        let s = Slots::get();
        for draft in written(drafts) {
            if draft.changes(s.issued_at) && certificate(&draft.new) {
                number(context, draft).await?;
            }
        }
        Ok(())
    }
    effects(context, changes) {
        examine(context, changes).await?;
        shared(context, "documents", &["number"], changes).await?;
        tell(context, changes).await
    }
});

/// A farm writes about its own animals only, regardless of the organisation that the document
/// belongs to, and does not change documents that the Association issued. The answer for a missing
/// animal is the same as for an animal of another owner.
async fn own(
    collection: &'static Collection,
    context: &mut dyn BookReader,
    drafts: &mut [Draft],
) -> Result<()> {
    let s = Slots::get();
    let caller = context.caller().clone();
    if caller.caller != Caller::Farm {
        return Ok(());
    }
    let owners = by_id(context, "animals", named(drafts, s.animal), &["owner"]).await?;
    for draft in drafts.iter_mut().filter(|d| d.verb != Verb::Delete) {
        let changed = (0..collection.width()).any(|slot| draft.changes(slot));
        let issued = (draft.old.as_ref()).is_some_and(|o| !o.get(s.issued_by).is_null());
        if issued && changed {
            let message = "Only the Association changes documents that it issued.";
            draft
                .refused
                .push(Issue::error("issuedBy", "forbidden", message));
        }
        let animal = draft
            .new
            .get(s.animal)
            .int()
            .filter(|_| draft.changes(s.animal));
        let Some(animal) = animal else { continue };
        let owner = owners
            .get(&animal)
            .and_then(|a| Animal(a).link(Animals::get().owner));
        if owners.contains_key(&animal) && owner != caller.organization {
            let message = "Only the owner of an animal writes rows about it.";
            draft
                .refused
                .push(Issue::error("animal", "forbidden", message));
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
    let issued: Vec<&Record> = (changes.iter().filter(issued))
        .filter_map(|change| change.new.as_ref())
        .collect();
    let animals: Vec<i64> = issued
        .iter()
        .filter_map(|row| row.get(s.animal).int())
        .collect();
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
            .with_text("title", row.get(s.title))
            .with("numbered", numbered)
            .with_text("number", row.get(s.number));
        Some(notice)
    });
    let notices = notices.collect();
    notify(context, notices).await
}

fn certificate(row: &Record) -> bool {
    let kind = row.get(Slots::get().kind).text();
    matches!(
        kind,
        Some("pedigreeCertificate" | "zootechnicalCertificate")
    )
}

/// `RU-YYYY-NNNN` by sequence, and a code that cannot be guessed.
async fn number(context: &mut dyn HookContext, draft: &mut Draft) -> Result<()> {
    let s = Slots::get();
    if draft.new.get(s.issued_at).is_null() {
        return Ok(());
    }
    if draft.new.get(s.number).is_null() {
        let iso = time::to_iso(context.now());
        let year = iso.get(..4).unwrap_or_default();
        let next = context.next(&format!("documents:{year}"), 1).await?;
        draft.new.set(s.number, format!("RU-{year}-{next:04}"));
    }
    if draft.new.get(s.code).is_null() {
        draft.new.set(s.code, code());
    }
    Ok(())
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

/// A report in force: a genotype report of a named laboratory, issued and not revoked.
fn report(row: &Record) -> Option<i64> {
    let s = Slots::get();
    let named = row.get(s.lab).text().is_some_and(|t| !t.trim().is_empty());
    let holds = row.get(s.kind).text() == Some("genotypeReport")
        && !row.get(s.issued_at).is_null()
        && row.get(s.revoked_at).is_null();
    row.get(s.animal).int().filter(|_| named && holds)
}

/// Animals are confirmed by a laboratory while a report of it is in force.
async fn examine(context: &mut dyn HookContext, changes: &[Change]) -> Result<()> {
    let all = |of: fn(&Change) -> Option<&Record>| -> BTreeSet<i64> {
        changes.iter().filter_map(|c| report(of(c)?)).collect()
    };
    let before = all(|c| c.old.as_ref());
    let after = all(|c| c.new.as_ref());
    trust::examined(context, &(&after - &before)).await?;
    let lost = &before - &after;
    if lost.is_empty() {
        return Ok(());
    }
    let fields = ["type", "issuedAt", "revoked.at", "labName", "animal"];
    let others = related(
        context,
        "documents",
        "animal",
        lost.iter().copied(),
        &fields,
    )
    .await?;
    let kept: BTreeSet<i64> = others.iter().filter_map(report).collect();
    trust::unexamined(context, &(&lost - &kept)).await
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

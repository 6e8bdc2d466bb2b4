//! Organisations: farms, services, individuals, the Association.

use crate::collections::days::{rezoned, zones};
use crate::collections::dictionaries::lookups::{related, written};
use crate::collections::events;
use crate::collections::hooks::hooks;
use crate::collections::people::taking_part;
use crate::collections::slots::slots;
use model::error::{Error, Issue, Result};
use model::record::Value;
use model::registry::{
    ACTIVITIES, Access, Assignee, BookReader, Caller, Capability, Change, Class, Collection, Command, Decl, Draft,
    Field, HookContext, ID, Lookup, Move, Principal, Rule, Set, States, Test, Verb, Who, Writer, day, email, fields,
    group, instant, long_text, moves, relation, select, selects, text, text_n,
};
use std::collections::BTreeSet;

/// The receiver of animals that left the book without a known one.
const PLACEHOLDER: &str = "Outside the herd book";

pub(crate) fn organizations() -> Collection {
    let access = Access::read(Rule::Any)
        .create(Rule::Signed)
        .update(Rule::Own(Capability::Org))
        .delete(Rule::Admin)
        .subjects(&["id"])
        .write_subjects(&["id", "referencedBy"]);
    let mut fields = naming();
    fields.extend(contact());
    fields.extend(membership());
    Collection::new("organizations", access, fields)
        .rights()
        .singular("Organisation")
        .states(steps())
        .columns(&["name", "type", "region", "inn", "presence", "membership"])
        .waits(Assignee::Association, "membership", &["pending"])
        .states(taking_part::presence())
        .states(taking_part::merging())
        .merges("mergedInto")
        .subject("organization", None, &["id"])
        .natural(&["name"])
        .known_as(&["name", "shortName", "inn", "ogrn"])
        .name_key("nameKey", name_key)
        .sought(&[])
        .headings(&[
            ("name", "Наименование|название|хозяйство|организация"),
            ("shortName", "Краткое наименование"),
            ("inn", "ИНН"),
            ("kpp", "КПП"),
            ("ogrn", "ОГРН"),
            ("region", "Регион"),
            ("phone", "Телефон"),
            ("address", "Адрес"),
        ])
        .hooks(Behaviour)
        .join("herds", "herds", &["organization"])
        .join("animals", "animals", &["owner"])
        .doc("Organisations that own animals or are named by records.")
}

fn naming() -> Vec<Decl> {
    fields![
        text("name").required() => "Full name.",
        text("shortName") => "Short name.",
        text("nameKey").server().indexed() => "Normalised name, by which duplicates are found.",
        select("presence", "registered|referenced").server().default("referenced").indexed()
            => "Whether the organisation takes part itself or is only named by others.",
        relation("referencedBy", "organizations").server()
            => "Organisation that named it, and may maintain it while it is only named.",
        relation("mergedInto", "organizations").server() => "The organisation that it was merged into.",
        select("type", "farm|service|individual").default("farm") => "Kind of organisation.",
        selects(ACTIVITIES, "association|laboratory|aiStation|breedingPlant|reproducer|genePool|registrar|classifier|evaluationCentre")
            .writer(Writer::Association)
            => "What it is accredited for.",
    ]
}

fn contact() -> Vec<Decl> {
    fields![
        text_n("inn", 12) => "Taxpayer number.",
        text_n("kpp", 9) => "Tax registration reason code.",
        text_n("ogrn", 15) => "State registration number.",
        text("region") => "Name of a region in `regions`.",
        text_n("timeZone", 40)
            => "IANA time zone (Asia/Yekaterinburg), by which events belong to days; empty: that of the installation.",
        text_n("phone", 30).class(Class::SignedIn) => "Telephone.",
        email("email").class(Class::SignedIn) => "Email address.",
        long_text("address").class(Class::SignedIn) => "Postal address.",
    ]
}

fn membership() -> Vec<Decl> {
    let private = |field: Field| -> Decl { field.class(Class::Private).into() };
    fields![
        select("membership", "none|pending|member|suspended").default("none").writer(Writer::Association).indexed()
            => "Membership in the Association.",
        day("workLetterWeek").server().class(Class::Hidden).memory()
            => "Monday of the week in which its people last got the email about work lists, or wished none.",
        group("membershipReview", fields![
            private(relation("decidedBy", "users").server().doc("User who decided.")),
            private(instant("decidedAt").server().doc("Time of the decision.")),
            private(day("since").writer(Writer::Association).doc("First day of membership.")),
            private(long_text("comment").writer(Writer::Association).doc("Remark on the decision.")),
        ]),
    ]
}

slots!(Slots of "organizations" {
    name, key: "nameKey", presence, referenced_by: "referencedBy", region, zone: "timeZone",
});
slots!(Regions of "regions" { name });

hooks!(Behaviour {
    prepare(context, drafts) {
        let caller = context.caller().clone();
        drafts.iter_mut().for_each(|draft| named_by(draft, &caller));
        Ok(())
    }
    check(collection, context, drafts) {
        zones(drafts, Slots::get().zone);
        check(context, drafts).await?;
        taking_part::check(collection, context, drafts).await
    }
    effects(context, changes) {
        let members = changes.iter().filter(|c| c.new.as_ref().is_some_and(taking_part::is_member));
        let members: Vec<i64> = members.map(|c| c.id).collect();
        taking_part::register(context, members).await?;
        moved_zone(context, changes).await?;
        taking_part::follow(context, changes).await
    }
});

/// What is made through the API is only named, by the caller's organisation.
fn named_by(draft: &mut Draft, caller: &Principal) {
    let s = Slots::get();
    if draft.verb != Verb::Create || caller.caller == Caller::System {
        return;
    }
    draft.new.set(s.presence, "referenced");
    draft.new.set(s.referenced_by, caller.organization);
}

async fn check(context: &mut dyn BookReader, drafts: &mut [Draft]) -> Result<()> {
    let s = Slots::get();
    let known_regions = regions(context, drafts).await?;
    let caller = context.caller().clone();
    for draft in written(drafts) {
        let key = draft.new.get(s.name).text().map(name_key);
        draft.new.set(s.key, key);
        keeper(draft, &caller);
        if let Some(region) = draft.new.get(s.region).text()
            && draft.changes(s.region)
            && !known_regions.contains(region)
        {
            let message = "There is no region of this name.";
            draft.fault("region", "no-such-region", message);
        }
    }
    Ok(())
}

/// Another time zone: the events of its animals, and those of former days, belong to other days.
async fn moved_zone(context: &mut dyn HookContext, changes: &[Change]) -> Result<()> {
    let changed = rezoned(changes, Slots::get().zone);
    let mut animals = BTreeSet::new();
    for path in ["owner", "pastOwners"] {
        let rows = related(context, "animals", path, changed.iter().copied(), &["id"]).await?;
        animals.extend(rows.iter().filter_map(|row| row.get(ID).int()));
    }
    events::rezoned(context, &animals).await
}

async fn regions(context: &mut dyn BookReader, drafts: &[Draft]) -> Result<BTreeSet<String>> {
    let s = Slots::get();
    let names: BTreeSet<&str> = (drafts.iter())
        .filter(|d| d.verb != Verb::Delete && d.changes(s.region))
        .filter_map(|d| d.new.get(s.region).text())
        .collect();
    if names.is_empty() {
        return Ok(BTreeSet::new());
    }
    let names = names.into_iter().map(Value::from).collect();
    let lookup = Lookup::default().is_in("name", names).fields(&["name"]);
    let rows = context.find("regions", lookup).await?;
    let slot = Regions::get().name;
    Ok((rows.iter()).filter_map(|r| r.get(slot).text().map(str::to_owned)).collect())
}

/// The organisation that named another one maintains it only while it is only named.
fn keeper(draft: &mut Draft, caller: &Principal) {
    let s = Slots::get();
    let registered = (draft.old.as_ref()).is_some_and(|o| o.get(s.presence).text() == Some("registered"));
    if registered && caller.caller == Caller::Farm && caller.organization != Some(draft.id) {
        let message = "The organisation takes part itself now.";
        draft.refused.push(Issue::error("id", "forbidden", message));
    }
}

/// Steps of membership (docs/states.md, *organizations · membership*).
fn steps() -> States {
    let decided = |from, to| {
        Move::new(from, to)
            .by(Who::Association)
            .set("membershipReview.decidedBy", Set::Me)
            .set("membershipReview.decidedAt", Set::Now)
            .log("membership-decided")
    };
    moves![States::of("membership");
        Move::begin("pending").by(Who::Association),
        Move::new(&["none"], "pending").by(Who::Association)
            => "A request of purpose membership causes this move too.",
        decided(&["pending"], "member") => "The approval of that request causes this move too.",
        decided(&["pending"], "none"),
        decided(&["member"], "suspended").grave() => "Its users may neither submit nor move nor share.",
        decided(&["suspended"], "member"),
    ]
}

/// The organisation that stands for unknown receivers outside the book; created on first use.
///
/// # Errors
/// The errors of the hook context.
pub async fn placeholder(context: &mut dyn HookContext) -> Result<i64> {
    let lookup = Lookup::default()
        .is_in("nameKey", vec![Value::Text(name_key(PLACEHOLDER))])
        .is_in("presence", vec![Value::from("referenced")])
        .test("referencedBy", Test::Empty)
        .fields(&["id"])
        .limit(1);
    let existing = context.find("organizations", lookup).await?;
    if let Some(id) = existing.first().and_then(|r| r.get(ID).int()) {
        return Ok(id);
    }
    let fields =
        vec![("name".to_owned(), Value::from(PLACEHOLDER)), ("presence".to_owned(), Value::from("referenced"))];
    let made = context.write("organizations", vec![Command::Create(fields)]).await?;
    let id = made.first().copied();
    id.ok_or_else(|| Error::internal("no id for the placeholder organisation"))
}

/// A name for comparison: lower case, ё as е, punctuation and repeated blanks as one blank.
fn name_key(name: &str) -> String {
    let letters = name.to_lowercase().replace('ё', "е").replace(['№', '#'], " номер ");
    let words = letters.split(|c: char| c.is_whitespace() || "\"'«»„“”.,;:_-()%".contains(c));
    words.filter(|w| !w.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::name_key;

    #[test]
    fn doubles_have_one_key() {
        assert_eq!(name_key("ООО «Заря-Ёлки»"), name_key("ооо \"Заря  елки\""));
        assert_eq!(name_key("Farm #1"), "farm номер 1");
    }
}

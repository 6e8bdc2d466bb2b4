//! Which animals of a request an approval holds back, and why (docs/requests.md, *What is held back*).

use super::Slots;
use crate::collections::dictionaries::lookups::by_id;
use crate::collections::herd::animals::{Animal, Slots as Animals};
use crate::collections::row_ids::row_id;
use crate::collections::verification::check_findings::{Dismissal, OpenFinding, noted_findings, open_findings};
use crate::collections::verification::submissions::hooks::fixes;
use model::error::Result;
use model::record::{Record, Value};
use model::registry::{BookReader, Class};
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};

/// The reason of an animal that is not the requester's any more.
const FOREIGN: &str = "foreign-animal";
/// The reason of an animal with a finding of the review.
const REVIEW: &str = "review";
/// The reason of an animal whose registration was withdrawn.
const WITHDRAWN: &str = "withdrawn";

/// Reasons that are no check.
pub(super) const REASONS: [&str; 3] = [FOREIGN, REVIEW, WITHDRAWN];

/// What an approval would do.
#[derive(Debug, Default)]
pub(super) struct DecisionPreview {
    /// The animals that it holds back, each with the reasons.
    pub(super) held: BTreeMap<i64, BTreeSet<String>>,
    /// The animals that it lets through.
    pub(super) free: BTreeSet<i64>,
    /// Of these the ones that can get no number, for which it is refused.
    pub(super) lacking: BTreeSet<i64>,
    /// The findings about its animals that must be corrected.
    pub(super) findings: Vec<OpenFinding>,
}

/// What an approval of a request would do; `given` dismissals come with it.
pub(super) async fn preview_decision(
    context: &mut dyn BookReader,
    row: &Record,
    given: &BTreeSet<Dismissal>,
) -> Result<DecisionPreview> {
    let (s, a) = (Slots::get(), Animals::get());
    let farm = row.get(s.organization).int();
    let all = listed(row);
    let registration = row.get(s.purpose).text() == Some("registration");
    let fields = ["owner", "category", "registration.status"];
    let animals = by_id(context, "animals", all.iter().copied(), &fields).await?;
    let findings = open_findings(context, &all).await?;
    let dismissed = |finding: &OpenFinding| {
        let same = |(animal, code, _): &Dismissal| *animal == finding.animal && *code == finding.code;
        finding.dismissed || given.iter().any(same)
    };
    let mut preview = DecisionPreview::default();
    let mut hold = |animal: i64, code: &str| {
        let codes: &mut BTreeSet<String> = preview.held.entry(animal).or_default();
        codes.insert(code.to_owned());
    };
    let own = |id: &i64| {
        let animal = animals.get(id).map(Animal);
        animal.is_some_and(|animal| animal.link(a.owner) == farm)
    };
    // Of animals that have another owner it says only that.
    for id in all.iter().filter(|id| !own(id)) {
        hold(*id, FOREIGN);
    }
    for id in fixes(row.get(s.findings)).iter().filter(|id| own(id)) {
        hold(*id, REVIEW);
    }
    let of_farm = |finding: &&OpenFinding| finding.reader.is_some() && finding.reader == farm;
    for finding in findings.iter().filter(of_farm) {
        if own(&finding.animal) && !dismissed(finding) {
            hold(finding.animal, &finding.code);
        }
    }
    for (id, animal) in animals.iter().filter(|(id, _)| own(id)) {
        let withdrawn = animal.get(a.registration).text() == Some("withdrawn");
        if registration && withdrawn {
            hold(*id, WITHDRAWN);
        }
    }
    preview.held.retain(|id, _| all.contains(id));
    preview.free = all.into_iter().filter(|id| !preview.held.contains_key(id)).collect();
    if registration {
        let lacks = |id: &&i64| animals.get(id).is_none_or(|row| row.get(a.category).is_null());
        preview.lacking = preview.free.iter().filter(lacks).copied().collect();
    }
    preview.findings = findings;
    Ok(preview)
}

/// The animals of a request.
pub(super) fn listed(row: &Record) -> BTreeSet<i64> {
    row.get(Slots::get().animals).ids().iter().copied().collect()
}

impl DecisionPreview {
    /// Animals and reasons as the request tells them.
    pub(super) fn rows(&self) -> Value {
        let pairs = self.held.iter();
        let pairs = pairs.flat_map(|(id, codes)| codes.iter().map(move |code| (id, code)));
        let rows = pairs.map(|(id, code)| json!({"id": row_id(), "animal": id, "code": code}));
        Value::json(Json::Array(rows.collect()))
    }
}

/// The animals that a decided request held back.
pub(super) fn held_back(row: &Record) -> BTreeSet<i64> {
    let rows = row.get(Slots::get().held_rows).rows().iter();
    rows.filter_map(|row| row.get("animal")?.as_i64()).collect()
}

/// The dismissals of a request.
pub(super) fn dismissals(row: &Record) -> BTreeSet<Dismissal> {
    let rows = row.get(Slots::get().dismissed).rows().iter();
    rows.filter_map(dismissal).collect()
}

/// One of them.
pub(super) fn dismissal(row: &Json) -> Option<Dismissal> {
    let text = |name: &str| row.get(name).and_then(Json::as_str).map(str::to_owned);
    let animal = row.get("animal").and_then(Json::as_i64)?;
    Some((animal, text("code")?, text("reason").unwrap_or_default()))
}

/// What an approval of an undecided request would do now, or what that of a decided one did, as its caller may see it.
///
/// # Errors
/// Those of the reader.
pub async fn decision_preview(context: &mut dyn BookReader, row: &Record) -> Result<Json> {
    let s = Slots::get();
    let status = row.get(s.status).text().unwrap_or("new");
    if !matches!(status, "new" | "checking") {
        let held = row.get(s.held_rows).rows().iter();
        let pairs = held.filter_map(|row| Some((row.get("animal")?.as_i64()?, row.get("code")?.as_str()?.to_owned())));
        let mut by_animal: BTreeMap<i64, BTreeSet<String>> = BTreeMap::new();
        for (animal, code) in pairs {
            by_animal.entry(animal).or_default().insert(code);
        }
        return Ok(json!({
            "status": status, "approvedCount": row.get(s.approved).int(), "heldCount": row.get(s.held).int(),
            "held": reasons(&by_animal), "lacking": [], "findings": [],
            "notes": [], "noteCount": 0,
        }));
    }
    let preview = preview_decision(context, row, &BTreeSet::new()).await?;
    let (notes, note_count) = noted_findings(context, &listed(row)).await?;
    let open = preview.findings.iter().filter(|finding| !finding.dismissed);
    let ids = open.clone().map(|finding| finding.id).collect();
    let read = context.reads("check-findings", Class::Row, ids).await?;
    let farm = row.get(s.organization).int();
    let findings = open.filter(|finding| read.contains(&finding.id)).map(|finding| {
        let mut json = finding.json();
        let held = preview.held.get(&finding.animal);
        let holds = finding.reader == farm && held.is_some_and(|codes| codes.contains(&finding.code));
        if let Some(members) = json.as_object_mut() {
            members.insert("holds".to_owned(), Json::Bool(holds));
        }
        json
    });
    Ok(json!({
        "status": status, "approvedCount": preview.free.len(), "heldCount": preview.held.len(),
        "held": reasons(&preview.held), "lacking": preview.lacking, "findings": findings.collect::<Vec<_>>(),
        "notes": notes.iter().map(OpenFinding::json).collect::<Vec<_>>(), "noteCount": note_count,
    }))
}

fn reasons(codes_by_animal: &BTreeMap<i64, BTreeSet<String>>) -> Vec<Json> {
    let reason = |(animal, codes): (&i64, &BTreeSet<String>)| json!({"animal": animal, "codes": codes});
    codes_by_animal.iter().map(reason).collect()
}

//! Who records pass to ([`FittingReceiver`]): what pages say before that is stored.

use super::query::{titled, titles_by};
use crate::calls::Fault;
use crate::components::shell::Shell;
use crate::words::text_of;
use futures_util::future::join_all;
use model::display::at;
use model::messages;
use model::registry::{Collection, FittingReceiver};
use serde_json::Value;
use std::collections::BTreeMap;

/// What follows where records pass to a receiver; none: nobody is named.
pub(super) async fn sentence(
    shell: &Shell<'_>,
    (target, to): (&'static Collection, &FittingReceiver),
    (receiver, kind): (Option<i64>, &str),
    records: &[String],
) -> String {
    let (name, receiver) = match receiver {
        Some(id) => {
            let (path, word) = to.takes_part;
            let address = titled(shell.pages.site.registry, target, id);
            let answer = shell.get(&format!("{address}&select[{path}]=true")).await;
            let name = if at(&answer.body, path) == word { "page-passes" } else { "page-passes-outside" };
            (name, shell.title(target, &answer.body))
        }
        None => ("page-passes-unnamed", String::new()),
    };
    let values = [
        ("record", records.join(", ")),
        ("count", records.len().to_string()),
        ("receiver", receiver),
        ("days", to.days.to_string()),
        // Nobody objects to what the Association recorded.
        ("side", if shell.visitor.is_association() { "association" } else { "farm" }.to_owned()),
    ];
    let passes = messages::text(shell.language(), name, &values.map(|(key, value)| (key.to_owned(), value)).into());
    let of_kind = messages::known(shell.language(), &format!("page-passes-by-{kind}"));
    [Some(passes), of_kind.filter(|_| name == "page-passes")].into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// What is recorded of a record after the day on which it passes on, while the visitor reads it: the latest row of each
/// list in which people enter what happens.
pub(super) async fn later(shell: &Shell<'_>, c: &'static Collection, id: i64, day: &str) -> Vec<Fault> {
    let registry = shell.pages.site.registry;
    let entries = c.ui.card.map_or(&[][..], |card| card.page.entries);
    let lists = entries.iter().filter(|entry| entry.moves.is_none()).filter_map(|entry| {
        let join = c.joins.iter().find(|join| join.name == entry.join)?;
        let of = registry.get(join.collection)?;
        Some((of, *join.on.first()?, of.happens?))
    });
    let all = lists.map(async |(of, on, happens)| {
        let path = format!("/api/{}?where[{on}][equals]={id}&where[{happens}][greater_than]={day}", of.slug);
        let answer = shell.get(&format!("{path}&sort=-{happens}&limit=1&depth=0&joins=false")).await;
        let what = shell.title(of, answer.docs().first()?);
        let message = text_of(shell.language(), "page-later", "what", &what);
        Some(Fault { path: String::new(), message, record: None })
    });
    join_all(all).await.into_iter().flatten().collect()
}

/// The same of a row that a dry run made, by which its animal passes on.
pub(super) async fn later_of(shell: &Shell<'_>, c: &'static Collection, rows: &[&Value]) -> Vec<Fault> {
    let one = rows.first().and_then(|row| {
        let animal = c.animal?;
        let animals = shell.pages.site.registry.get(c.field(animal)?.target()?)?;
        Some((animals, at(row, animal).as_i64()?, at(row, c.happens?).as_str()?.get(..10)?))
    });
    match one {
        Some((animals, id, day)) => later(shell, animals, id, day).await,
        None => Vec::new(),
    }
}

/// The same of the animals of rows that a dry run made; none where none of them passes to somebody else at once.
pub(super) async fn of_rows(shell: &Shell<'_>, c: &'static Collection, rows: &[&Value]) -> Option<String> {
    let (fits, animal) = (c.ui.fits?, c.animal?);
    let relation = |path: &str| shell.pages.site.registry.get(c.field(path)?.target()?);
    let (animals, target) = (relation(animal)?, relation(fits.receiver.relation)?);
    let own = shell.visitor.organization().filter(|_| !shell.visitor.is_association());
    let mut ids: BTreeMap<(i64, &str), Vec<String>> = BTreeMap::new();
    for row in rows {
        let text = |path: &str| at(row, path).as_str().unwrap_or_default();
        let waits = c.ui.waiting.iter().any(|one| one.states.contains(&text(one.path)));
        let passes = fits.receiver_of(fits.kind, text(fits.kind)).is_some() && !waits;
        let receiver = at(row, fits.receiver.relation).as_i64().filter(|id| passes && Some(*id) != own);
        if let (Some(receiver), Some(animal)) = (receiver, at(row, animal).as_i64()) {
            let kind = at(row, fits.kind).as_str().unwrap_or_default();
            ids.entry((receiver, kind)).or_default().push(animal.to_string());
        }
    }
    let mut all = Vec::new();
    for ((receiver, kind), ids) in ids {
        let answer = shell.find(&format!("/api/{}", animals.slug), &titles_by(animals, "id", &ids)).await;
        let names: Vec<String> = answer.docs().iter().map(|doc| shell.heading(animals, doc)).collect();
        all.push(sentence(shell, (target, &fits.receiver), (Some(receiver), kind), &names).await);
    }
    (!all.is_empty()).then(|| all.join(" "))
}

/// What recording a row of a kind is called where pages have words for it, and what follows.
pub(super) fn recording(shell: &Shell<'_>, kind: &str) -> Option<(String, String)> {
    let known = |part: &str| messages::known(shell.language(), &format!("page-record-{kind}{part}"));
    let objects = known(".objects").filter(|_| !shell.visitor.is_association());
    let then = std::iter::once(known(".then")?).chain(objects).collect::<Vec<_>>().join(" ");
    Some((known("")?, then))
}

/// A related record that the visitor reads.
fn related<'d>(
    shell: &Shell<'_>,
    c: &Collection,
    doc: &'d Value,
    path: &str,
) -> Option<(&'static Collection, &'d Value)> {
    let target = shell.pages.site.registry.get(c.field(path)?.target()?)?;
    Some(at(doc, path)).filter(|value| value.is_object()).map(|value| (target, value))
}

/// The page of the animal that a record gives to somebody.
pub(super) fn animal_of(shell: &Shell<'_>, c: &Collection, doc: &Value) -> Option<String> {
    c.ui.fits?.receiver.giver?;
    let (animals, animal) = related(shell, c, doc, c.animal?)?;
    Some(format!("/book/{}/{}", animals.slug, at(animal, "id")))
}

/// What follows where a record is deleted by which its animal left whoever had it, and the words for that and for leaving
/// it as it is; none where the record is of another kind, or took no effect.
pub(super) fn undone(shell: &Shell<'_>, c: &Collection, doc: &Value) -> Option<[String; 3]> {
    let fits = c.ui.fits?;
    let is = |path: &str, words: &[&str]| at(doc, path).as_str().is_some_and(|own| words.contains(&own));
    let applies =
        c.ui.news.first()?.of.iter().filter(|(path, _)| *path != fits.kind).all(|(path, words)| is(path, words));
    let leaves =
        is(fits.kind, fits.receiver.kinds) || fits.reason.words.iter().any(|(kind, _)| is(fits.kind, &[*kind]));
    (applies && leaves).then_some(())?;
    let text = |name: &str| words_of(shell, c, doc, name);
    Some([text("page-undo-note")?, text("page-undo-back")?, text("page-undo-keep")?])
}

/// Why a record stays to which whoever received it objected: only the Association deletes it.
pub(super) fn stays(shell: &Shell<'_>, c: &Collection, doc: &Value) -> Option<String> {
    let (path, word) = c.ui.fits?.receiver.objected.filter(|_| !shell.visitor.is_association())?;
    (at(doc, path) == word).then(|| words_of(shell, c, doc, "page-objected-note"))?
}

/// A text about a record by which an animal passes from one to another.
fn words_of(shell: &Shell<'_>, c: &Collection, doc: &Value, name: &str) -> Option<String> {
    let fits = c.ui.fits?;
    let called = |path: &str| related(shell, c, doc, path).map(|(of, one)| shell.title(of, one)).unwrap_or_default();
    let (animals, animal) = related(shell, c, doc, c.animal?)?;
    let values = [
        ("record", shell.heading(animals, animal)),
        ("giver", called(fits.receiver.giver?)),
        ("receiver", called(fits.receiver.relation)),
        ("kind", at(doc, fits.kind).as_str().unwrap_or_default().to_owned()),
    ];
    let values = values.map(|(key, value)| (key.to_owned(), value)).into();
    Some(messages::text(shell.language(), name, &values))
}

//! Who records pass to ([`FittingReceiver`]): what pages say before that is stored.

use super::query::{titled, titles_by};
use crate::components::shell::Shell;
use model::display::at;
use model::messages;
use model::registry::{Collection, FittingReceiver};
use serde_json::Value;
use std::collections::BTreeMap;

/// What follows where records pass to a receiver; none: nobody is named.
pub(super) async fn sentence(
    shell: &Shell<'_>,
    (target, to): (&'static Collection, &FittingReceiver),
    receiver: Option<i64>,
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
    ];
    messages::text(shell.language(), name, &values.map(|(key, value)| (key.to_owned(), value)).into())
}

/// The same of the animals of rows that a dry run made; none where none of them passes to somebody else at once.
pub(super) async fn of_rows(shell: &Shell<'_>, c: &'static Collection, rows: &[&Value]) -> Option<String> {
    let (fits, animal) = (c.ui.fits?, c.animal?);
    let relation = |path: &str| shell.pages.site.registry.get(c.field(path)?.target()?);
    let (animals, target) = (relation(animal)?, relation(fits.receiver.relation)?);
    let own = shell.visitor.organization().filter(|_| !shell.visitor.is_association());
    let mut ids: BTreeMap<i64, Vec<String>> = BTreeMap::new();
    for row in rows {
        let text = |path: &str| at(row, path).as_str().unwrap_or_default();
        let waits = c.ui.waiting.iter().any(|one| one.states.contains(&text(one.path)));
        let passes = fits.receiver_of(fits.kind, text(fits.kind)).is_some() && !waits;
        let receiver = at(row, fits.receiver.relation).as_i64().filter(|id| passes && Some(*id) != own);
        if let (Some(receiver), Some(animal)) = (receiver, at(row, animal).as_i64()) {
            ids.entry(receiver).or_default().push(animal.to_string());
        }
    }
    let mut all = Vec::new();
    for (receiver, ids) in ids {
        let answer = shell.find(&format!("/api/{}", animals.slug), &titles_by(animals, "id", &ids)).await;
        let names: Vec<String> = answer.docs().iter().map(|doc| shell.heading(animals, doc)).collect();
        all.push(sentence(shell, (target, &fits.receiver), Some(receiver), &names).await);
    }
    (!all.is_empty()).then(|| all.join(" "))
}

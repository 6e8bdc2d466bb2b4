//! The state machines as the page `docs/states.md`.

use crate::registry::Registry;
use crate::registry::access::Capability;
use crate::registry::collection::Collection;
use crate::registry::collection::states::{Move, Set, States, Who};
use indexmap::IndexMap;
use std::fmt::Write as _;

// Writing into a String cannot fail, so the results of `write!` carry nothing.

impl Registry {
    /// All machines as a page of tables, each with the collections that have it.
    pub fn states_page(&self) -> String {
        let mut machines: IndexMap<(String, String), Vec<&str>> = IndexMap::new();
        for c in self.iter() {
            for states in &c.states {
                let paths = states.paths().join("`, `");
                machines.entry((paths, table(c, states))).or_default().push(c.slug);
            }
        }
        let mut out = String::new();
        for ((paths, table), slugs) in machines {
            let Some((first, others)) = slugs.split_first() else { continue };
            let _ = writeln!(out, "\n## {first} · `{paths}`\n");
            if !others.is_empty() {
                let _ = writeln!(out, "The same for {}.\n", others.join(", "));
            }
            out.push_str(&table);
        }
        out
    }

    /// The collection under which the page has a machine: the first of those that have it.
    pub(super) fn machine_of(&self, c: &Collection, states: &States) -> &'static str {
        let own = (states.paths(), table(c, states));
        let has = |other: &&Collection| other.states.iter().any(|one| (one.paths(), table(other, one)) == own);
        self.iter().find(|other| has(other)).map_or(c.slug, |other| other.slug)
    }
}

/// What most moves are logged as; the page leaves it out.
const LOGGED: &str = "status-changed";

/// How a row begins, and its moves; those that differ in nothing but their states in one row.
fn table(c: &Collection, states: &States) -> String {
    let begin = states.default(c);
    let by = if states.begun_by_server { ", set by the server" } else { "" };
    let mut out = format!("Begins as `{begin}`{by}.\n\n");
    out.push_str("| Move | Who | Effects | Log |\n|---|---|---|---|\n");
    let mut rows: IndexMap<String, Vec<String>> = IndexMap::new();
    for one in &states.moves {
        let mut about = vec![conditions(one), sets(one), one.doc.to_owned()];
        about.retain(|part| !part.is_empty());
        let cells = [movers(one), about.join(" "), one.log.unwrap_or("–").replace(LOGGED, "")];
        let arrows = rows.entry(cells.join(" | ")).or_default();
        arrows.push(arrow(one));
    }
    for (cells, arrows) in rows {
        let row = format!("| {} | {cells} |\n", arrows.join("; "));
        out.push_str(&row.replace("|  |", "| |").replace("|  |", "| |"));
    }
    out
}

pub(super) fn arrow(one: &Move) -> String {
    if one.from.is_empty() {
        return format!("begin → {}", one.to);
    }
    format!("{} → {}", one.from.join(", "), one.to)
}

fn movers(one: &Move) -> String {
    let movers = one.movers.iter().map(|mover| {
        let who = match mover.who {
            Who::Farm(capability) => format!("F ({})", name(capability)),
            Who::Party(capability, path) => format!("F of {path} ({})", name(capability)),
            Who::Association => "A".to_owned(),
            Who::Admin => "admin".to_owned(),
            Who::System => "X".to_owned(),
        };
        match mover.within {
            Some((days, since)) => format!("{who} within {days} days of {since}"),
            None => who,
        }
    });
    movers.collect::<Vec<_>>().join(", ")
}

pub(super) fn name(capability: Capability) -> &'static str {
    match capability {
        Capability::Data => "data",
        Capability::Submit => "submit",
        Capability::Move => "move",
        Capability::Share => "share",
        Capability::Team => "team",
        Capability::Org => "org",
    }
}

fn conditions(one: &Move) -> String {
    let mut all: Vec<String> = Vec::new();
    if !one.needs.is_empty() {
        all.push(format!("Needs {}.", one.needs.join(", ")));
    }
    all.extend(one.unlike.map(|path| format!("Not by {path}.")));
    all.extend(one.when.iter().map(|(path, words)| format!("While {path} is {}.", words.join(" or "))));
    all.join(" ")
}

fn sets(one: &Move) -> String {
    let sets = one.sets.iter().map(|(path, set)| match set {
        Set::Now => format!("{path} = now"),
        Set::Me => format!("{path} = caller"),
        Set::MeIfEmpty => format!("{path} = caller if empty"),
        Set::Empty => format!("{path} = empty"),
        Set::To(value) => format!("{path} = {}", plain(value)),
    });
    match sets.collect::<Vec<_>>().join(", ") {
        none if none.is_empty() => none,
        sets => format!("Sets {sets}."),
    }
}

fn plain(value: &crate::record::Value) -> String {
    use crate::record::Value;
    match value {
        Value::Bool(v) => v.to_string(),
        Value::Int(v) => v.to_string(),
        Value::Text(v) => v.clone(),
        other => format!("{other:?}"),
    }
}

//! The state machines as the page `docs/states.md`.

use crate::registry::Registry;
use crate::registry::access::Capability;
use crate::registry::collection::Collection;
use crate::registry::collection::states::{Move, Set, States, Who};
use std::fmt::Write as _;

// Writing into a String cannot fail, so the results of `write!` carry nothing.

impl Registry {
    /// All machines as a page of tables: one row per move.
    pub fn states_page(&self) -> String {
        let mut out = String::new();
        for c in self.iter() {
            for states in &c.states {
                section(&mut out, c, states);
            }
        }
        out
    }
}

fn section(out: &mut String, c: &Collection, states: &States) {
    let paths = states.paths().join("`, `");
    let _ = writeln!(out, "\n## {} · `{paths}`\n", c.slug);
    let begin = states.default(c);
    let first = if states.begun_by_server {
        "The server sets how a row begins:"
    } else {
        "A row begins"
    };
    let _ = writeln!(out, "{first} as `{begin}` by default.\n");
    out.push_str("| Move | Who | Conditions | Sets | Effects | Log |\n|---|---|---|---|---|---|\n");
    for one in &states.moves {
        let cells = [
            arrow(one),
            movers(one),
            conditions(one),
            sets(one),
            one.doc.to_owned(),
            one.log.unwrap_or("–").to_owned(),
        ];
        let _ = writeln!(out, "| {} |", cells.join(" | "));
    }
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
        all.push(format!("needs {}", one.needs.join(", ")));
    }
    all.extend(one.unlike.map(|path| format!("not by {path}")));
    all.join("; ")
}

fn sets(one: &Move) -> String {
    let sets = one.sets.iter().map(|(path, set)| match set {
        Set::Now => format!("{path} = now"),
        Set::Me => format!("{path} = caller"),
        Set::MeIfEmpty => format!("{path} = caller if empty"),
        Set::Empty => format!("{path} = empty"),
        Set::To(value) => format!("{path} = {}", plain(value)),
    });
    sets.collect::<Vec<_>>().join(", ")
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

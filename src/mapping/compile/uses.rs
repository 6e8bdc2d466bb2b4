//! Which codes of the standard's enumerations the files have a use for, so that no code is
//! forgotten: each goes out, comes in, or is listed with the reason why not.

use std::collections::{BTreeMap, BTreeSet};

/// Reasons and the codes that they hold for, by enumeration of the standard.
type Unused = BTreeMap<String, BTreeMap<String, Vec<String>>>;

/// Codes by file and enumeration.
#[derive(Debug, Default)]
pub(crate) struct Uses(BTreeMap<(String, String), Use>);

#[derive(Debug, Default)]
struct Use {
    all: BTreeSet<String>,
    known: BTreeSet<String>,
}

impl Uses {
    /// An entry sends or reads these codes, or refuses them for a reason.
    pub(crate) fn sent<'c>(
        &mut self,
        at: &str,
        enumeration: &str,
        all: &[&str],
        known: impl IntoIterator<Item = &'c str>,
    ) {
        let file = at.split(':').next().unwrap_or_default();
        let name = if enumeration.is_empty() { at } else { enumeration };
        let key = (file.to_owned(), name.to_owned());
        let there = self.0.entry(key).or_default();
        there.all.extend(all.iter().map(|code| (*code).to_owned()));
        (there.known).extend(known.into_iter().map(str::to_owned));
    }

    /// Codes without use and without reason, and reasons that hold for no code; `set` returns the
    /// data set that a file belongs to.
    pub(crate) fn loose<'s>(&'s self, unused: &Unused, set: impl Fn(&'s str) -> &'s str) -> Vec<String> {
        let mut sets: BTreeMap<(&str, &str), Use> = BTreeMap::new();
        for ((file, name), one) in &self.0 {
            let there = sets.entry((set(file), name)).or_default();
            there.all.extend(one.all.iter().cloned());
            there.known.extend(one.known.iter().cloned());
        }
        let mut loose = Vec::new();
        let mut needed: BTreeSet<(&str, &str)> = BTreeSet::new();
        for ((file, name), there) in &sets {
            let name = *name;
            for code in there.all.difference(&there.known) {
                let listed = unused.get(name).and_then(|reasons| {
                    reasons.iter().find(|(_, codes)| codes.contains(code)).map(|(reason, _)| reason)
                });
                match listed {
                    Some(reason) if !reason.trim().is_empty() => {
                        needed.insert((name, code.as_str()));
                    }
                    _ => loose.push(format!("{file}: {name}: {code}")),
                }
            }
        }
        for (name, reasons) in unused {
            for code in reasons.values().flatten() {
                if !needed.contains(&(name.as_str(), code.as_str())) {
                    loose.push(format!("codes.toml: unused.{name}: {code} has a use"));
                }
            }
        }
        loose
    }
}

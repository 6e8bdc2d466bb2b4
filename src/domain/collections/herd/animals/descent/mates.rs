//! Animals as candidates for mating: sex, names, and what they carry (docs/mating.md).

use crate::collections::slots::slots;
use model::record::Record;
use model::registry::ID;
use std::collections::{BTreeMap, BTreeSet};

slots!(Mates of "animals" {
    number: "identNumber", name, sex, sex_status: "sexStatus", state, owner, cvm: "genetics.cvm", blad: "genetics.blad", dumps: "genetics.dumps",
    haplotypes,
});

/// The dictionary of haplotypes and defects, and the field by which its entries are called.
pub const HAPLOTYPES: (&str, &str) = ("haplotype-types", "code");

/// An animal as far as the reader of the row sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mate {
    /// The animal.
    pub id: i64,
    /// Its number.
    pub number: String,
    /// Its name.
    pub name: Option<String>,
    /// Female at birth.
    pub female: bool,
    /// Whether its sex status lets it breed.
    pub fertile: bool,
    /// Whether it stands in a herd.
    pub alive: bool,
    /// Its owner.
    pub owner: Option<i64>,
    /// What it carries, one copy or two: codes of defects and haplotypes.
    pub carries: BTreeSet<String>,
}

impl Mate {
    /// The fields that it is read from.
    #[must_use]
    pub fn fields() -> Vec<String> {
        let paths = <Mates as crate::collections::FieldSet>::PATHS;
        paths.iter().map(|path| (*path).to_owned()).collect()
    }

    /// Reads a row. `codes` are those of the entries of [`HAPLOTYPES`].
    #[must_use]
    pub fn read(row: &Record, codes: &BTreeMap<i64, String>) -> Self {
        let s = Mates::get();
        let text = |slot| row.get(slot).text().map(str::to_owned);
        let defects = [("CVM", s.cvm), ("BLAD", s.blad), ("DUMPS", s.dumps)];
        let defects = defects.into_iter().filter_map(|(code, slot)| {
            let carrier = row.get(slot).text() == Some("carrier");
            carrier.then(|| code.to_owned())
        });
        let haplotypes = row.get(s.haplotypes).rows().iter().filter_map(|result| {
            let status = result.get("status")?.as_str()?;
            let carries = matches!(status, "carrier" | "homozygous");
            let code = codes.get(&result.get("type")?.as_i64()?)?;
            carries.then(|| code.clone())
        });
        Self {
            id: row.get(ID).int().unwrap_or_default(),
            number: text(s.number).unwrap_or_default(),
            name: text(s.name),
            female: row.get(s.sex).text() == Some("female"),
            fertile: row.get(s.sex_status).text().is_none_or(|status| status == "none"),
            alive: row.get(s.state).text().is_none_or(|state| state == "alive"),
            owner: row.get(s.owner).int(),
            carries: defects.chain(haplotypes).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::record::Value;
    use serde_json::json;

    #[test]
    fn one_copy_is_carried_as_well_as_two() {
        let s = Mates::get();
        let animals = crate::collections::registry().unwrap().get("animals").unwrap();
        let mut row = Record::partial(animals.width());
        let haplotypes = [("carrier", 1), ("homozygous", 2), ("free", 3), ("unknown", 4), ("carrier", 9)];
        let haplotypes = haplotypes.map(|(status, kind)| json!({"type": kind, "status": status}));
        for (slot, value) in [
            (ID, Value::Int(7)),
            (s.number, "RF 7".into()),
            (s.sex, "female".into()),
            (s.cvm, "carrier".into()),
            (s.blad, "free".into()),
            (s.haplotypes, Value::Json(std::sync::Arc::new(json!(haplotypes)))),
        ] {
            row.set(slot, value);
        }
        let codes = (1..5).map(|id| (id, format!("HH{id}"))).collect();
        let mate = Mate::read(&row, &codes);
        let carried: Vec<&str> = mate.carries.iter().map(String::as_str).collect();
        assert_eq!(carried, ["CVM", "HH1", "HH2"]);
        assert_eq!((mate.id, mate.number.as_str(), mate.female), (7, "RF 7", true));
        assert_eq!((mate.name, mate.owner, mate.fertile, mate.alive), (None, None, true, true));
        row.set(s.sex_status, "freemartin");
        row.set(s.state, "culled");
        let mate = Mate::read(&row, &codes);
        assert_eq!((mate.fertile, mate.alive), (false, false));
    }
}

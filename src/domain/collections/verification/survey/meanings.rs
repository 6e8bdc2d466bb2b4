//! What the dictionaries say.

use super::text;
use crate::collections::FieldSet;
use crate::collections::slots::slots;
use checks::{Base, Coat, Illness, Leaving, State, Touched};
use model::error::Result;
use model::record::{Record, Value};
use model::registry::{BookReader, ID, Lookup};
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};

slots!(Methods of "reproduction-methods" { code, ade_type: "adeType" });
slots!(Results of "insemination-results" { ade_result: "adeResult" });
slots!(Technicians of "technicians" { active: "isActive" });
slots!(Haplotypes of "haplotype-types" { code, gene, lethal });
slots!(Coats of "coat-colors" { code, whff: "whffCode" });
slots!(Reasons of "disposal-reasons" { state, reason: "adeReason" });
slots!(Illnesses of "health-event-types" { code });
slots!(Categories of "breeding-categories" { incomplete: "allowsIncompletePedigree" });
slots!(Countries of "countries" { numeric });
slots!(Bases of "index-bases" { version, traits });
slots!(Organizations of "organizations" { presence });

/// The gene of the red coat, by the code of its haplotype and by name.
const RED: [&str; 2] = ["HHR", "MC1R"];

/// What the entries of the dictionaries mean, by id.
#[derive(Debug, Default)]
pub(super) struct Meanings {
    /// Methods of reproduction that transfer an embryo.
    pub(super) embryo: BTreeSet<i64>,
    /// Results that found a calf.
    pub(super) pregnant: BTreeSet<i64>,
    /// Technicians and whether they are active.
    pub(super) technicians: BTreeMap<i64, bool>,
    /// Haplotypes: lethal, red.
    pub(super) haplotypes: BTreeMap<i64, (bool, bool)>,
    /// Colours.
    pub(super) coats: BTreeMap<i64, Coat>,
    /// Reasons for leaving: the state that they make, and whose they are.
    pub(super) reasons: BTreeMap<i64, (Option<State>, Leaving)>,
    pub(super) illnesses: BTreeMap<i64, Illness>,
    /// Categories that ask for a whole pedigree.
    pub(super) whole: BTreeSet<i64>,
    /// Numeric codes of countries.
    pub(super) countries: BTreeSet<u16>,
    /// Bases of evaluations.
    pub(super) bases: BTreeMap<String, Base>,
    /// Breeds with their code in international numbers.
    pub(super) breeds: BTreeMap<i64, Record>,
    /// Organisations that take part in the book.
    pub(super) registered: BTreeSet<i64>,
}

/// Rows of a dictionary by id.
async fn entries(context: &mut dyn BookReader, slug: &str, fields: &[&str]) -> Result<Vec<(i64, Record)>> {
    let rows = context.find(slug, Lookup::default().fields(fields)).await?;
    Ok(rows.into_iter().filter_map(|row| Some((row.get(ID).int()?, row))).collect())
}

impl Meanings {
    /// Reads the dictionaries; technicians and organisations, which may be many, only for rows that name them.
    pub(super) async fn load(context: &mut dyn BookReader, touched: &Touched) -> Result<Self> {
        let mut all = Self::default();
        all.read_services(context, touched).await?;
        all.read_passports(context).await?;
        all.read_events(context, touched).await?;
        Ok(all)
    }

    async fn read_services(&mut self, context: &mut dyn BookReader, touched: &Touched) -> Result<()> {
        let m = Methods::get();
        for (id, row) in entries(context, "reproduction-methods", Methods::PATHS).await? {
            if row.get(m.code).text() == Some("3") || row.get(m.ade_type).text() == Some("Implantation") {
                self.embryo.insert(id);
            }
        }
        for (id, row) in entries(context, "insemination-results", &["adeResult"]).await? {
            if matches!(row.get(Results::get().ade_result).text(), Some("pregnant" | "multiple")) {
                self.pregnant.insert(id);
            }
        }
        let technicians = match touched.reads("inseminations") {
            true => entries(context, "technicians", &["isActive"]).await?,
            false => Vec::new(),
        };
        for (id, row) in technicians {
            let inactive = matches!(row.get(Technicians::get().active), Value::Bool(false));
            self.technicians.insert(id, !inactive);
        }
        Ok(())
    }

    async fn read_passports(&mut self, context: &mut dyn BookReader) -> Result<()> {
        let h = Haplotypes::get();
        for (id, row) in entries(context, "haplotype-types", Haplotypes::PATHS).await? {
            let words = [row.get(h.code).text(), row.get(h.gene).text()];
            let red = words.into_iter().flatten().any(|name| RED.contains(&name));
            self.haplotypes.insert(id, (row.get(h.lethal).truth(), red));
        }
        let c = Coats::get();
        for (id, row) in entries(context, "coat-colors", Coats::PATHS).await? {
            let coat = match row.get(c.whff).text().or(row.get(c.code).text()) {
                Some("BW" | "B") => Coat::Black,
                Some("RW" | "R") => Coat::Red,
                _ => Coat::Other,
            };
            self.coats.insert(id, coat);
        }
        let incomplete = &["allowsIncompletePedigree"];
        for (id, row) in entries(context, "breeding-categories", incomplete).await? {
            if !row.get(Categories::get().incomplete).truth() {
                self.whole.insert(id);
            }
        }
        for (_, row) in entries(context, "countries", &["numeric"]).await? {
            let code = row.get(Countries::get().numeric).text().and_then(|code| code.parse::<u16>().ok());
            self.countries.extend(code);
        }
        for (_, row) in entries(context, "index-bases", Bases::PATHS).await? {
            let b = Bases::get();
            let rows = row.get(b.traits).rows().iter().filter_map(base);
            let base = Base { traits: rows.collect() };
            self.bases.extend(text(&row, b.version).map(|version| (version, base)));
        }
        let breeds = entries(context, "breeds", &["whffCode"]).await?;
        self.breeds = breeds.into_iter().collect();
        Ok(())
    }

    async fn read_events(&mut self, context: &mut dyn BookReader, touched: &Touched) -> Result<()> {
        let r = Reasons::get();
        for (id, row) in entries(context, "disposal-reasons", Reasons::PATHS).await? {
            let leaving = row.get(r.reason).text().map(Leaving::of).unwrap_or_default();
            self.reasons.insert(id, (state(&row, r.state), leaving));
        }
        for (id, row) in entries(context, "health-event-types", &["code"]).await? {
            let illness = row.get(Illnesses::get().code).text().map(Illness::of);
            self.illnesses.insert(id, illness.unwrap_or_default());
        }
        let organizations = match touched.reads("movements") {
            true => entries(context, "organizations", &["presence"]).await?,
            false => Vec::new(),
        };
        for (id, row) in organizations {
            if row.get(Organizations::get().presence).text() == Some("registered") {
                self.registered.insert(id);
            }
        }
        Ok(())
    }
}

/// A row of the traits of a base.
fn base(row: &Json) -> Option<(String, f64, f64)> {
    let number = |key: &str| row.get(key).and_then(Json::as_f64);
    Some((row.get("trait")?.as_str()?.to_owned(), number("mean")?, number("sd")?))
}

/// The state that a select names.
pub(super) fn state(row: &Record, slot: usize) -> Option<State> {
    match row.get(slot).text()? {
        "sold" => Some(State::Sold),
        "culled" => Some(State::Culled),
        "dead" => Some(State::Dead),
        _ => Some(State::Alive),
    }
}

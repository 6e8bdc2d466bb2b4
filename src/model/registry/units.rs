//! Units of measured values: those of the fields, and how people and programs write them behind headings and numbers
//! (docs/import.md, *Units*).

/// Units in which fields are, as their meanings end.
const OF_FIELDS: [&str; 7] = ["kg", "g", "%", "1000/ml", "mg/100 ml", "mmol/l", "cm"];

/// A unit in which files give the values of a field.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Unit {
    /// The unit of the fields.
    pub of: &'static str,
    /// How it is written, with `|` between, the usual one first. Blanks, points and `/` make no difference.
    words: &'static str,
    /// Its size in the unit of the fields.
    pub size: f64,
    /// Of which values; none: of all fields in that unit.
    only: Only,
    /// Whether columns come in it unsaid.
    pub is_usual: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Only {
    All,
    Milk,
}

const fn unit(of: &'static str, words: &'static str, size: f64) -> Unit {
    Unit { of, words, size, only: Only::All, is_usual: false }
}

/// A unit that nothing in a file may name.
const fn usual(of: &'static str, words: &'static str, size: f64) -> Unit {
    Unit { is_usual: true, ..unit(of, words, size) }
}

/// Urea of milk urea nitrogen: its molar mass by that of its two atoms of nitrogen, 60.06 / 28.01.
pub(crate) const MUN: f64 = 2.14;

/// All of them. Milk has 1.03 kg a litre.
static UNITS: [Unit; 20] = [
    unit("kg", "kg|кг", 1.0),
    usual("kg", "lb|lbs", 0.453_592_37),
    usual("kg", "g|г|гр", 0.001),
    usual("kg", "t|т", 1_000.0),
    unit("kg", "ц", 100.0),
    Unit { only: Only::Milk, ..unit("kg", "l|л", 1.03) },
    unit("g", "g|г|гр", 1.0),
    unit("g", "kg|кг", 1_000.0),
    unit("%", "%", 1.0),
    usual("%", "share|доля", 100.0),
    unit(
        "1000/ml",
        "1000/ml|1000/мл|тыс|тыс/мл|тыс в мл|тыс/см3|тыс/cm3|тыс/куб см|тыс кл|тыс кл/мл|тыс кл/см3|тыс клеток|\
         тыс клеток/мл|тыс клеток/см3|тыс шт|тыс шт/мл|тыс шт/см3|thousand/ml",
        1.0,
    ),
    usual("1000/ml", "cells/ml|cells|кл|кл/мл|кл/см3|клеток|клеток/мл|клеток/см3|шт|шт/мл|шт/см3", 0.001),
    usual("1000/ml", "million/ml|mln/ml|млн|млн/мл|млн кл/мл|млн/см3", 1_000.0),
    unit("mg/100 ml", "mg/100 ml|мг/100 мл|mg/dl|мг/дл|mg%|мг%", 1.0),
    usual("mg/100 ml", "mg/l|мг/л", 0.1),
    unit("mg/100 ml", "mun", MUN),
    unit("mmol/l", "mmol/l|ммоль/л", 1.0),
    unit("cm", "cm|см", 1.0),
    usual("cm", "mm|мм", 0.1),
    usual("cm", "m|м", 100.0),
];

impl Unit {
    /// How it is written mostly.
    pub fn name(&self) -> &'static str {
        self.words.split('|').next().unwrap_or_default()
    }

    /// Whether values of a field of that unit and meaning can be in it.
    fn fits(&self, of: &str, meaning: &str) -> bool {
        self.of == of && (self.only == Only::All || meaning.starts_with("Milk"))
    }
}

/// The unit of a field by its meaning, which names it behind a comma: `Live weight, kg.`
pub(crate) fn of_meaning(meaning: &str) -> Option<&'static str> {
    meaning.match_indices(", ").find_map(|(at, sign)| {
        let rest = meaning.get(at + sign.len()..)?;
        let ends = |rest: &str| rest.is_empty() || rest.starts_with(['.', ';', ',']);
        OF_FIELDS.into_iter().find(|unit| rest.strip_prefix(*unit).is_some_and(ends))
    })
}

/// Units of a field of that meaning, in which columns come unsaid.
pub(crate) fn usual_of(meaning: &str) -> impl Iterator<Item = &'static Unit> {
    let of = of_meaning(meaning);
    let fits = move |unit: &&Unit| unit.is_usual && Some(unit.of) == of;
    UNITS.iter().filter(fits)
}

/// The unit that a text is, of a field of that meaning.
pub(crate) fn written(meaning: &str, text: &str) -> Option<&'static Unit> {
    let of = of_meaning(meaning)?;
    let wanted = bare(text);
    let mut units = UNITS.iter().filter(|unit| unit.fits(of, meaning));
    units.find(|unit| !wanted.is_empty() && unit.words.split('|').any(|word| bare(word) == wanted))
}

/// Whether a text is a unit of any field.
pub fn is_unit(text: &str) -> bool {
    let wanted = bare(text);
    let mut words = UNITS.iter().flat_map(|unit| unit.words.split('|'));
    !wanted.is_empty() && words.any(|word| bare(word) == wanted)
}

/// A unit without what people write differently.
fn bare(text: &str) -> String {
    let signs = |c: &char| !c.is_whitespace() && !matches!(c, '.' | ',' | '/' | '(' | ')' | '[' | ']');
    let text = text.trim().replace('³', "3").to_lowercase();
    text.chars().filter(signs).collect()
}

#[cfg(test)]
mod tests {
    use super::{of_meaning, usual_of, written};

    #[test]
    fn meanings_name_the_unit_of_their_field() {
        for (meaning, unit) in [
            ("Live weight, kg.", Some("kg")),
            ("Milk of 24 hours, kg; left out it is a sum.", Some("kg")),
            ("Fat and protein together, kg, one decimal.", Some("kg")),
            ("Mean gain a day since the weighing before, g.", Some("g")),
            ("Fat, %.", Some("%")),
            ("Somatic cells, 1000/ml.", Some("1000/ml")),
            ("Urea, mg/100 ml.", Some("mg/100 ml")),
            ("Deleted, gone from the view.", None),
            ("Body condition score.", None),
        ] {
            assert_eq!(of_meaning(meaning), unit, "{meaning}");
        }
    }

    #[test]
    fn units_are_those_of_the_field() {
        let (weight, milk, fat) = ("Live weight, kg.", "Milk of the day, kg.", "Fat, %.");
        let (cells, urea) = ("Somatic cells, 1000/ml.", "Urea, mg/100 ml.");
        for (meaning, text, size) in [
            (weight, "кг", Some(1.0)),
            (weight, " КГ. ", Some(1.0)),
            (weight, "lb", Some(0.453_592_37)),
            (weight, "л", None),
            (weight, "%", None),
            (weight, "", None),
            (milk, "л", Some(1.03)),
            (fat, "%", Some(1.0)),
            (fat, "кг", None),
            (cells, "тыс.", Some(1.0)),
            (cells, "тыс/мл", Some(1.0)),
            (cells, "тыс. кл./мл", Some(1.0)),
            (cells, "тыс/см³", Some(1.0)),
            (cells, "кл/мл", Some(0.001)),
            (cells, "млн", Some(1_000.0)),
            (urea, "мг/100мл", Some(1.0)),
            (urea, "мг%", Some(1.0)),
            (urea, "мг", None),
            ("Body condition score.", "кг", None),
        ] {
            assert_eq!(written(meaning, text).map(|unit| unit.size), size, "{meaning} {text}");
        }
        let names: Vec<_> = usual_of(cells).map(|unit| unit.name()).collect();
        assert_eq!(names, ["cells/ml", "million/ml"]);
    }
}

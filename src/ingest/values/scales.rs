//! Breeding values of a row that come on other scales: what they are in the field, and what the row says of it
//! (docs/dialects.md, *Scales of breeding values*).

use crate::meanings::columns::Column;
use model::error::Issue;
use model::registry::{ConvertedRows, ValueScale};
use serde_json::{Map, Number, Value as Json};
use std::collections::BTreeMap;

/// Code of the fault of a value whose scale or base nothing says.
pub(crate) const SCALE_UNKNOWN: &str = "scale-unknown";

/// What was converted of a row.
#[derive(Debug)]
pub(crate) struct Conversions {
    rows: Option<&'static ConvertedRows>,
    formulas: Vec<String>,
}

impl Conversions {
    /// `rows`: what the set says of rows with values that are converted.
    pub(crate) fn new(rows: Option<&'static ConvertedRows>) -> Self {
        Self { rows, formulas: Vec::new() }
    }

    /// A value of a column as one of its field. What is no number stays, and the reader of the row says so.
    pub(crate) fn value(
        &mut self,
        column: &Column,
        (path, title): (&str, &str),
        value: Json,
    ) -> Result<Json, Box<Issue>> {
        let (Some(_), Some(published)) = (self.rows, value.as_f64()) else { return Ok(value) };
        let scale = match column.scale {
            ValueScale::BreedingValue if ValueScale::is_in(title) => ValueScale::Unknown,
            stated => stated,
        };
        let Some(converted) = scale.breeding_value(published) else {
            let message = "The values of this column are transmitting abilities or relative values, and nothing says their unit, scale and base: a dialect can say so.";
            return Err(Box::new(Issue::error(path, SCALE_UNKNOWN, message)));
        };
        let Some(formula) = scale.formula(column.factor, title) else { return Ok(value) };
        self.formulas.push(format!("{path} = {formula}"));
        // Published values have fewer digits.
        Ok(Number::from_f64((converted * 1e6).round() / 1e6 + 0.0).map_or(value, Json::Number))
    }

    /// Writes into a row whose values were converted that they were, and from what; the base it names itself, or its day
    /// tells. The fault of a row that has none.
    pub(crate) fn note(self, bases: Option<&BTreeMap<String, String>>, body: &mut Map<String, Json>) -> Option<Issue> {
        let rows = self.rows.filter(|_| !self.formulas.is_empty())?;
        let text = |path: &str| body.get(path).and_then(Json::as_str).filter(|text| !text.trim().is_empty());
        let of_day = || {
            let day = text(rows.day)?.get(..10)?;
            let (_, base) = bases?.iter().rfind(|(from, _)| from.as_str() <= day)?;
            Some(base.as_str()).filter(|base| !base.is_empty())
        };
        let Some(base) = text(rows.base).or_else(of_day).map(str::to_owned) else {
            let message =
                "The values of this row are published against a base that nothing names: they are not converted.";
            return Some(Issue::error(rows.base, SCALE_UNKNOWN, message));
        };
        let remark = text(rows.from).map(|remark| format!("{remark}\n")).unwrap_or_default();
        let (mark, converted) = rows.mark;
        for (path, value) in
            [(rows.base, base), (mark, converted.to_owned()), (rows.from, remark + &self.formulas.join("; "))]
        {
            body.insert(path.to_owned(), Json::String(value));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::{Conversions, SCALE_UNKNOWN};
    use crate::meanings::columns::{Column, Part};
    use domain::collections::registry;
    use model::registry::{ConvertedRows, ValueScale};
    use serde_json::{Map, Value, json};
    use std::collections::BTreeMap;

    fn rows() -> Option<&'static ConvertedRows> {
        let mut sets = registry().unwrap().package_sets();
        sets.find_map(|(_, set)| (set.name == "breedingValues").then_some(set.converts.as_ref())?)
    }

    fn pounds(scale: ValueScale) -> Column {
        Column { slot: 1, part: Part::Whole, factor: 0.453_592_37, scale }
    }

    fn body(members: Value) -> Map<String, Value> {
        members.as_object().unwrap().clone()
    }

    #[test]
    fn a_row_says_that_it_was_converted_from_what_and_against_which_base() {
        let bases: BTreeMap<String, String> =
            [("2020-04-07", "born 2015"), ("2025-04-01", "born 2020"), ("2030-04-01", "")]
                .map(|(day, base)| (day.to_owned(), base.to_owned()))
                .into();
        for (members, base) in [
            (json!({"evaluatedAt": "2020-04-06"}), None),
            (json!({"evaluatedAt": "2020-04-07"}), Some("born 2015")),
            (json!({"evaluatedAt": "2025-08-12"}), Some("born 2020")),
            (json!({"evaluatedAt": "2030-04-01"}), None),
            (json!({"evaluatedAt": "2020-04-06", "baseVersion": "own"}), Some("own")),
            (json!({}), None),
        ] {
            let mut conversions = Conversions::new(rows());
            let column = pounds(ValueScale::TransmittingAbility);
            let value = conversions.value(&column, ("milkForecast", "PTA Milk"), json!(453.59237));
            assert_eq!(value.unwrap(), json!(907.18474));
            let mut body = body(members);
            let fault = conversions.note(Some(&bases), &mut body);
            assert_eq!(fault.is_none(), base.is_some());
            assert_eq!(body.get("baseVersion").and_then(Value::as_str), base);
            if base.is_some() {
                assert_eq!(body["calculation"], "converted");
                assert_eq!(body["note"], "milkForecast = 2 × 0.45359237 × PTA Milk");
            }
        }
    }

    #[test]
    fn values_of_an_unknown_scale_are_not_read_and_breeding_values_stay() {
        let mut conversions = Conversions::new(rows());
        let plain = pounds(ValueScale::BreedingValue);
        let refused = conversions.value(&plain, ("milkForecast", "PTA milk, lb"), json!(1));
        assert_eq!(refused.unwrap_err().code, SCALE_UNKNOWN);
        let same = conversions.value(&plain, ("milkForecast", "EBV milk"), json!(1));
        assert_eq!(same.unwrap(), json!(1));
        let text = conversions.value(&plain, ("milkForecast", "PTA milk"), json!("x"));
        assert_eq!(text.unwrap(), json!("x"));
        let mut body = body(json!({"note": "by hand"}));
        assert!(conversions.note(None, &mut body).is_none());
        assert_eq!(body["note"], "by hand");
        // Other sets have no such scales.
        let other = Conversions::new(None).value(&plain, ("weight", "PTA"), json!(1));
        assert_eq!(other.unwrap(), json!(1));
    }
}

//! What a row of a package changed in its record, as its row keeps it, so that a package that replaces this one can take
//! it back (docs/packages.md, *Replacing*): `{"fields": {path: [before, after]}}`; `{"made": true}` of a record that the
//! row made, when it is read again; `{"unknown": true}` where what was before came with a package that this one replaces.

use model::record::{Record, Value};
use model::registry::signing::PACKAGE_OF_ROW;
use model::registry::{Collection, Kind, Writer};
use serde_json::{Map, Value as Json, json};

/// The largest text that is stored of one value, bytes.
const VALUE: usize = 4_096;

/// The values that a write changed and that callers write; none where it changed none. A value that is too large to be
/// stored is null here and not taken back.
pub(crate) fn changed_values(c: &Collection, old: &Record, new: &Record) -> Option<Json> {
    let mut fields = Map::new();
    for slot in old.changed(new).iter() {
        let Some(field) = c.fields.get(slot) else { continue };
        let stamp = [c.seq_slot(), c.updated_slot(), c.created_slot()].contains(&slot);
        let adopted = field.path == PACKAGE_OF_ROW;
        if stamp || (field.writer == Writer::Server && !adopted) {
            continue;
        }
        let pair = json!([plain(old.get(slot)), plain(new.get(slot))]);
        let fits = pair.to_string().len() <= VALUE;
        fields.insert(field.path.clone(), if fits { pair } else { Json::Null });
    }
    (!fields.is_empty()).then(|| json!({"fields": fields}))
}

/// What is stored of a row that is read again: `made` says whether it made the record, `stored` is what was stored of it, and
/// `now` what it changed this time.
pub(crate) fn merged(made: bool, stored: Option<&Json>, now: Option<Json>) -> Option<Json> {
    if made || stored.is_some_and(is_made) {
        return Some(json!({"made": true}));
    }
    if let Some(before) = stored.filter(|before| is(before, "unknown")) {
        return Some(before.clone());
    }
    let Some(mut before) = stored.cloned() else { return now };
    let fields = before.get_mut("fields").and_then(Json::as_object_mut);
    let more = now.as_ref().and_then(|now| now.get("fields")?.as_object());
    if let (Some(fields), Some(more)) = (fields, more) {
        for (path, pair) in more {
            let first = fields.get(path).and_then(|pair| pair.get(0)).cloned();
            let pair = match (first, pair.get(1)) {
                (Some(first), Some(last)) => json!([first, last]),
                // Not known before, since it was too large: not known now.
                _ if fields.contains_key(path) => Json::Null,
                _ => pair.clone(),
            };
            fields.insert(path.clone(), pair);
        }
    }
    Some(before)
}

/// With the package from which a row took its record, where the write did not say it.
pub(crate) fn adopted(before: Option<Json>, from: Option<i64>, package: i64) -> Option<Json> {
    let mut before = before.unwrap_or_else(|| json!({"fields": {}}));
    if let Some(fields) = before.get_mut("fields").and_then(Json::as_object_mut) {
        fields.insert(PACKAGE_OF_ROW.to_owned(), json!([from, package]));
    }
    Some(before)
}

/// Whether a row made its record, and was read again since.
pub(crate) fn is_made(before: &Json) -> bool {
    is(before, "made")
}

fn is(before: &Json, word: &str) -> bool {
    before.get(word).and_then(Json::as_bool) == Some(true)
}

/// What is stored of a row of a package that replaces another one: nothing of a record that it took from that one, since
/// its values of before must not come back.
pub(crate) fn taken_over(before: Json, replaced: Option<i64>) -> Json {
    let of = (before.get("fields")).and_then(|fields| fields.get(PACKAGE_OF_ROW)?.get(0)?.as_i64());
    if of.is_some() && of == replaced { json!({"unknown": true}) } else { before }
}

/// The values to which a record goes back: those that are as the package left them.
pub(crate) fn taken_back(c: &Collection, before: &Json, record: &Record) -> Vec<(usize, Value)> {
    let fields = before.get("fields").and_then(Json::as_object);
    let back = fields.into_iter().flatten().filter_map(|(path, pair)| {
        let slot = c.slot(path)?;
        let kind = &c.fields.get(slot)?.kind;
        let (first, last) = (pair.get(0)?, pair.get(1)?);
        (plain(record.get(slot)) == *last).then_some((slot, value(kind, first)?))
    });
    back.collect()
}

fn plain(value: &Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Bool(v) => json!(v),
        Value::Int(v) | Value::Time(v) => json!(v),
        Value::Num(v) => json!(v),
        Value::Text(v) => json!(v),
        Value::Ids(v) => json!(v),
        Value::Texts(v) => json!(v),
        Value::Json(v) => (**v).clone(),
    }
}

/// A stored value; none where the field has another kind by now.
fn value(kind: &Kind, json: &Json) -> Option<Value> {
    if json.is_null() {
        return Some(Value::Null);
    }
    let list = || json.as_array().map(|all| all.iter());
    let ids = || -> Option<Vec<i64>> { list()?.map(Json::as_i64).collect() };
    let text = |one: &Json| one.as_str().map(str::to_owned);
    let texts = || -> Option<Vec<String>> { list()?.map(text).collect() };
    match kind {
        Kind::Bool => json.as_bool().map(Value::Bool),
        Kind::Int | Kind::Relation(_) => json.as_i64().map(Value::Int),
        Kind::Day | Kind::Instant => json.as_i64().map(Value::Time),
        Kind::Number => json.as_f64().map(Value::Num),
        Kind::Relations(_) => ids().map(Value::Ids),
        Kind::Selects(_) | Kind::Texts(_) => texts().map(Value::Texts),
        Kind::Rows(_) | Kind::Json => Some(Value::json(json.clone())),
        Kind::Password => None,
        Kind::Text(_) | Kind::LongText | Kind::Email | Kind::Select(_) => json.as_str().map(Value::from),
    }
}

#[cfg(test)]
mod tests {
    use super::{changed_values, is_made, merged, taken_back, taken_over};
    use domain::collections::registry;
    use model::record::{Record, Value};
    use serde_json::json;

    #[test]
    fn values_go_back_unless_somebody_changed_them_since() {
        let c = registry().unwrap().get("milk-tests").unwrap();
        let (milk, fat, date) = (c.at("milkYield"), c.at("fatPercent"), c.at("date"));
        let mut old = Record::empty(c.width());
        old.set(milk, Value::Num(20.5));
        old.set(date, Value::Time(86_400_000));
        let mut new = old.clone();
        new.set(milk, Value::Num(21.0));
        new.set(fat, Value::Num(4.0));
        new.set(date, Value::Time(0));
        new.set(c.updated_slot(), Value::Time(5));
        new.set(c.at("daysInMilk"), Value::Int(5));
        let json = changed_values(c, &old, &new).unwrap();
        assert_eq!(
            json,
            json!({"fields": {"milkYield": [20.5, 21.0], "fatPercent": [null, 4.0], "date": [86_400_000, 0]}})
        );
        assert_eq!(changed_values(c, &old, &old), None);
        new.set(milk, Value::Num(22.0));
        let mut back = taken_back(c, &json, &new);
        back.sort_by_key(|(slot, _)| *slot);
        let mut expected = vec![(fat, Value::Null), (date, Value::Time(86_400_000))];
        expected.sort_by_key(|(slot, _)| *slot);
        assert_eq!(back, expected);
    }

    #[test]
    fn a_row_that_is_read_again_keeps_what_was_first() {
        let first = json!({"fields": {"milkYield": [1.0, 2.0], "remark": null}});
        let then = json!({"fields": {"milkYield": [2.0, 3.0], "remark": ["a", "b"], "urea": [4.0, 5.0]}});
        assert_eq!(
            merged(false, Some(&first), Some(then.clone())),
            Some(json!({"fields": {"milkYield": [1.0, 3.0], "remark": null, "urea": [4.0, 5.0]}}))
        );
        assert_eq!(merged(false, Some(&first), None), Some(first));
        assert_eq!(merged(false, None, Some(then.clone())), Some(then.clone()));
        let made = merged(true, None, Some(then)).unwrap();
        assert!(is_made(&made));
        assert_eq!(merged(false, Some(&made), None), Some(made));
        let mine = json!({"fields": {"milkYield": [1.0, 2.0], "submission": [7, 8]}});
        assert_eq!(taken_over(mine.clone(), Some(6)), mine);
        assert_eq!(taken_over(mine.clone(), None), mine);
        let unknown = taken_over(mine.clone(), Some(7));
        assert_eq!(merged(false, Some(&unknown), Some(mine)), Some(unknown));
    }
}

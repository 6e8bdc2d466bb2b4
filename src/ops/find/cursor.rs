//! Cursors: the place behind which a page begins, as an opaque text. One holds for the collection and the order in
//! which it was given; it opens nothing, since the rows beyond it are chosen by the same rules as any others.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use model::error::{Error, Result};
use model::query::Order;
use model::record::Value;
use model::registry::Collection;
use serde_json::{Value as Json, json};
use store::{SortPosition, Ty, sort_keys};

/// Bytes of a cursor; one that would be longer is not given.
const LENGTH_MAX: usize = 1_500;

/// A place with the number of rows before the page that begins there.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Cursor {
    pub(super) place: SortPosition,
    pub(super) before: u64,
}

impl Cursor {
    /// The text; none when it would be too long for an address.
    pub(super) fn write(&self, c: &'static Collection, orders: &[Order]) -> Option<String> {
        let keys: Vec<Json> = self.place.keys.iter().map(written).collect();
        let whole = json!([order(c, orders), self.before, self.place.id, keys]);
        let text = URL_SAFE_NO_PAD.encode(whole.to_string());
        (text.len() <= LENGTH_MAX).then_some(text)
    }

    /// # Errors
    /// [`Error::Query`] at `after` for what is no cursor of this order.
    pub(super) fn read(text: &str, c: &'static Collection, orders: &[Order]) -> Result<Self> {
        let read = || {
            let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
            let whole: Json = serde_json::from_slice(&bytes).ok()?;
            let parts = whole.as_array()?;
            let [of, before, id, keys] = parts.as_slice() else { return None };
            let types = sort_keys(c, orders);
            let keys = keys.as_array()?;
            let fits = of.as_str()? == order(c, orders) && keys.len() == types.len();
            let keys = keys.iter().zip(types).map(|(key, ty)| value(key, ty));
            Some(Self {
                place: SortPosition { id: id.as_i64()?, keys: keys.collect::<Option<_>>()? },
                before: before.as_u64()?,
            })
            .filter(|_| fits)
        };
        let cursor = Some(text).filter(|text| text.len() <= LENGTH_MAX).and_then(|_| read());
        cursor.ok_or_else(|| Error::Query(vec!["after".to_owned()]))
    }
}

/// Collection and keys in words.
fn order(c: &'static Collection, orders: &[Order]) -> String {
    let mut out = c.slug.to_owned();
    for order in orders {
        out.push_str(if order.descending { ",-" } else { "," });
        let mut from = c;
        for hop in &order.hops {
            out.push_str(from.fields.get(hop.relation).map_or("", |f| &f.path));
            out.push('.');
            from = hop.target;
        }
        out.push_str(from.fields.get(order.slot).map_or("", |f| &f.path));
    }
    out
}

fn written(value: &Value) -> Json {
    match value {
        Value::Bool(b) => json!(b),
        Value::Int(n) | Value::Time(n) => json!(n),
        // Digits may not come back as the very same number; bits do.
        Value::Num(n) => json!(n.to_bits()),
        Value::Text(text) => json!(text),
        Value::Null | Value::Ids(_) | Value::Texts(_) | Value::Json(_) => Json::Null,
    }
}

fn value(key: &Json, ty: Ty) -> Option<Value> {
    if key.is_null() {
        return Some(Value::Null);
    }
    match ty {
        Ty::Bool => key.as_bool().map(Value::Bool),
        Ty::Int => key.as_i64().map(Value::Int),
        Ty::Time => {
            let times = model::record::time::MIN_MS..=model::record::time::MAX_MS;
            key.as_i64().filter(|ms| times.contains(ms)).map(Value::Time)
        }
        Ty::Num => key.as_u64().map(f64::from_bits).filter(|n| n.is_finite()).map(Value::Num),
        Ty::Text => {
            let text = key.as_str().filter(|text| !text.contains('\0'));
            text.map(|text| Value::Text(text.to_owned()))
        }
        Ty::Json | Ty::Compressed => None,
    }
}

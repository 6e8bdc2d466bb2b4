//! Members of a body that no declaration describes, and what is wrong with them.

use super::reads::read;
use model::error::{Issue, Result};
use model::messages::Sentence;
use model::query::qs::Tree;
use model::said;
use ops::OfMany;
use serde_json::{Value, json};

/// What is wrong with a body.
#[derive(Debug, Default)]
pub(super) struct Faults(pub(super) Vec<Issue>);

impl Faults {
    pub(super) fn fault(&mut self, path: &str, code: &'static str, message: impl Into<Sentence>) {
        self.0.push(Issue::error(path, code, message));
    }

    /// A member that is true or false, or absent.
    pub(super) fn flag(&mut self, path: &str, value: Option<Value>) -> bool {
        match value {
            None | Some(Value::Null) => false,
            Some(Value::Bool(flag)) => flag,
            Some(_) => {
                self.fault(path, "wrong-type", "This must be true or false.");
                false
            }
        }
    }

    /// Of two members neither was sent, or both.
    pub(super) fn not_one(&mut self, path: &str, (one, other): (&str, &str), both: bool) {
        let (code, message) = match both {
            false => ("required", said!("Either `{condition}` or `{list}` is needed.", condition = one, list = other)),
            true => {
                let message =
                    said!("Only one of `{condition}` and `{list}` may be sent.", condition = one, list = other);
                ("not-allowed", message)
            }
        };
        self.fault(path, code, message);
    }

    /// The rows that fulfil a condition.
    ///
    /// # Errors
    /// [`Error::Query`](model::error::Error::Query) for a condition that is none.
    pub(super) fn condition(&mut self, path: &str, condition: &Value) -> Result<Option<OfMany>> {
        if !condition.is_object() {
            self.fault(path, "wrong-type", "This must be an object.");
            return Ok(None);
        }
        let tree = read::filter(&Tree::from(json!({"where": condition})))?;
        if tree.is_none() {
            let message = "A condition is needed; {\"id\": {\"exists\": true}} means all.";
            self.fault(path, "required", message);
        }
        Ok(tree.map(OfMany::Where))
    }

    /// The rows of a list of ids.
    pub(super) fn ids(&mut self, path: &str, list: &Value, most: usize) -> Option<OfMany> {
        let Value::Array(list) = list else {
            self.fault(path, "wrong-type", "This must be a list of ids.");
            return None;
        };
        if list.is_empty() {
            self.fault(path, "required", "At least one is needed.");
            return None;
        }
        if list.len() > most {
            self.fault(path, "too-many", said!("At most {limit} at once.", limit = most));
            return None;
        }
        let mut ids = Vec::with_capacity(list.len());
        for (at, id) in list.iter().enumerate() {
            match id.as_i64() {
                Some(id) => ids.push(id),
                None => self.fault(&format!("{path}.{at}"), "wrong-type", "This must be an id."),
            }
        }
        (ids.len() == list.len()).then_some(OfMany::Ids(ids))
    }
}

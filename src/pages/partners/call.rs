//! Requests that partners copy: one declaration of each, which the writers put into the words of a language.

use serde_json::{Value, json};

/// Variables of the programs. Texts of a request name them in braces: `{hub}`.
pub(crate) mod variable {
    /// Address of this service.
    pub(crate) const HUB: &str = "hub";
    /// The value of the header `Authorization`.
    pub(crate) const AUTHORIZATION: &str = "authorization";
    /// Address of the account.
    pub(crate) const EMAIL: &str = "email";
    /// Its password.
    pub(crate) const PASSWORD: &str = "password";
    /// The key that was made.
    pub(crate) const KEY: &str = "key";
    /// Scheme and number of a location.
    pub(crate) const LOCATION: [&str; 2] = ["location_scheme", "location_id"];
    /// Scheme and number of an animal.
    pub(crate) const ANIMAL: [&str; 2] = ["animal_scheme", "animal_id"];
    /// Where a feed goes on.
    pub(crate) const TOKEN: &str = "token";
    /// The time of the last change that was read.
    pub(crate) const SINCE: &str = "since";
}

/// A piece of a text of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Piece<'t> {
    Text(&'t str),
    Variable(&'t str),
}

/// The pieces of a text. What stands in braces is a variable.
pub(crate) fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut all = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        let Some((name, left)) = after.split_once('}') else {
            break;
        };
        if !before.is_empty() {
            all.push(Piece::Text(before));
        }
        all.push(Piece::Variable(name));
        rest = left;
    }
    if !rest.is_empty() {
        all.push(Piece::Text(rest));
    }
    all
}

/// Where a value stands in an answer.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Place {
    /// Members, from outside to inside.
    Members(&'static [&'static str]),
    /// A member of the last element.
    Last(&'static str),
}

/// A value of the answer, for the requests that follow.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Capture {
    pub(crate) variable: &'static str,
    /// What stands before the value.
    pub(crate) before: &'static str,
    pub(crate) place: Place,
    /// Whether the program shows the value.
    pub(crate) visible: bool,
}

/// A request.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) method: &'static str,
    /// Path and query.
    pub(crate) address: String,
    pub(crate) body: Option<Value>,
    pub(crate) capture: Option<Capture>,
}

impl Call {
    pub(crate) fn get(address: impl Into<String>) -> Self {
        Self {
            method: "GET",
            address: address.into(),
            body: None,
            capture: None,
        }
    }

    pub(crate) fn post(address: impl Into<String>, body: Value) -> Self {
        Self {
            method: "POST",
            body: Some(body),
            ..Self::get(address)
        }
    }

    /// A value that later requests need.
    pub(crate) fn takes(mut self, variable: &'static str, place: Place) -> Self {
        self.capture = Some(Capture {
            variable,
            before: "",
            place,
            visible: false,
        });
        self
    }

    /// Puts a text before the value.
    pub(crate) fn behind(mut self, before: &'static str) -> Self {
        if let Some(capture) = &mut self.capture {
            capture.before = before;
        }
        self
    }

    /// Lets the program show the value.
    pub(crate) fn visible(mut self) -> Self {
        if let Some(capture) = &mut self.capture {
            capture.visible = true;
        }
        self
    }

    /// Names of the variables that it needs.
    pub(crate) fn needs(&self) -> Vec<String> {
        let mut all = names(&self.address);
        if let Some(body) = &self.body {
            inside(body, &mut all);
        }
        all
    }
}

fn names(text: &str) -> Vec<String> {
    let named = |piece: &Piece<'_>| match piece {
        Piece::Variable(name) => Some((*name).to_owned()),
        Piece::Text(_) => None,
    };
    pieces(text).iter().filter_map(named).collect()
}

fn inside(value: &Value, all: &mut Vec<String>) {
    match value {
        Value::String(text) => all.extend(names(text)),
        Value::Array(items) => items.iter().for_each(|one| inside(one, all)),
        Value::Object(members) => members.values().for_each(|one| inside(one, all)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// An identifier of the exchange, from its two variables.
pub(crate) fn identifier([scheme, id]: [&str; 2]) -> Value {
    json!({"scheme": braced(scheme), "id": braced(id)})
}

/// A variable as texts of requests name it.
pub(crate) fn braced(name: &str) -> String {
    format!("{{{name}}}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_stand_in_braces() {
        use Piece::{Text, Variable};
        assert_eq!(
            pieces("/a/{id}/b{n}"),
            [Text("/a/"), Variable("id"), Text("/b"), Variable("n")]
        );
        assert_eq!(pieces("plain"), [Text("plain")]);
        assert_eq!(pieces("{open"), [Text("{open")]);
        let call = Call::post("/{a}", json!({"x": ["{b}", {"y": "{c}"}], "z": 1}));
        assert_eq!(call.needs(), ["a", "b", "c"]);
    }
}

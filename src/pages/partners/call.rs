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

    pub(crate) const ALL: [&str; 11] =
        [HUB, AUTHORIZATION, EMAIL, PASSWORD, KEY, LOCATION[0], LOCATION[1], ANIMAL[0], ANIMAL[1], TOKEN, SINCE];
}

/// Where a value stands in an answer.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ValuePath {
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
    pub(crate) place: ValuePath,
    /// Whether the program shows the value.
    pub(crate) visible: bool,
}

#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) method: &'static str,
    pub(crate) address: String,
    pub(crate) body: Option<Value>,
    pub(crate) capture: Option<Capture>,
}

impl Capture {
    pub(crate) fn new(variable: &'static str, place: ValuePath) -> Self {
        Self { variable, before: "", place, visible: false }
    }
}

impl Call {
    pub(crate) fn get(address: impl Into<String>) -> Self {
        Self { method: "GET", address: address.into(), body: None, capture: None }
    }

    pub(crate) fn post(address: impl Into<String>, body: Value) -> Self {
        Self { method: "POST", body: Some(body), ..Self::get(address) }
    }

    /// Takes a value that later requests need.
    pub(crate) fn takes(mut self, capture: Capture) -> Self {
        self.capture = Some(capture);
        self
    }

    /// Whether it names a variable.
    pub(crate) fn needs(&self, variable: &str) -> bool {
        let name = braced(variable);
        let body = self.body.as_ref().map(Value::to_string);
        self.address.contains(&name) || body.is_some_and(|body| body.contains(&name))
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
        let call = Call::post("/{a}", json!({"x": ["{b}", {"y": "{c}"}], "z": 1}));
        let needed = ["a", "b", "c", "x", "z"].map(|name| call.needs(name));
        assert_eq!(needed, [true, true, true, false, false]);
    }
}

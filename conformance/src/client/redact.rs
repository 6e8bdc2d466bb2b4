//! Secrets that no report may show.

use std::collections::BTreeSet;

/// Replaces a secret.
pub(crate) const HIDDEN: &str = "[hidden]";

/// Headers whose values are secrets, in requests and answers.
const HEADERS: [&str; 6] = ["authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key", "api-key"];

/// Texts that were given to sign in.
#[derive(Default)]
pub(crate) struct Secrets(BTreeSet<String>);

impl Secrets {
    /// Adds a header's value, without its scheme (`Bearer`), or a password. Short ones would hide
    /// half of the report and are left out.
    pub(crate) fn add(&mut self, text: &str) {
        let secret = text.rsplit(' ').next().unwrap_or(text);
        if secret.len() >= 6 {
            self.0.insert(secret.to_owned());
        }
    }

    pub(crate) fn all(&self) -> &BTreeSet<String> {
        &self.0
    }

    pub(crate) fn clean(&self, text: &str) -> String {
        let mut clean = text.to_owned();
        for secret in &self.0 {
            if clean.contains(secret.as_str()) {
                clean = clean.replace(secret.as_str(), HIDDEN);
            }
        }
        clean
    }

    pub(crate) fn clean_headers(&self, headers: &[(String, String)]) -> Vec<(String, String)> {
        headers
            .iter()
            .map(|(name, value)| {
                let hide = HEADERS.iter().any(|h| name.eq_ignore_ascii_case(h));
                let value = if hide { HIDDEN.to_owned() } else { self.clean(value) };
                (name.clone(), value)
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_hidden_wherever_they_stand() {
        let mut secrets = Secrets::default();
        secrets.add("Bearer abc.def.ghi");
        secrets.add("demo-password");
        assert_eq!(
            secrets.clean(r#"{"token":"abc.def.ghi","p":"demo-password"}"#),
            r#"{"token":"[hidden]","p":"[hidden]"}"#
        );
        let headers =
            [("Authorization".to_owned(), "Bearer other".to_owned()), ("x-note".to_owned(), "abc.def.ghi!".to_owned())];
        let shown = secrets.clean_headers(&headers);
        assert_eq!(shown[0].1, HIDDEN);
        assert_eq!(shown[1].1, "[hidden]!");
    }
}

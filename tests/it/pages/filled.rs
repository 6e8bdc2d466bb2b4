//! A form of a page as a browser would send it: what stands in its fields, and the button that is pressed.

use crate::rest::stage::Answer;

/// A form with what its fields hold.
#[derive(Debug, Clone)]
pub(crate) struct Filled {
    pub(crate) action: String,
    pub(crate) fields: Vec<(String, String)>,
}

impl Filled {
    /// The form of a page with a button of that text, which is pressed.
    pub(crate) fn of(page: &Answer, button: &str) -> Self {
        let end = format!(">{button}</button>");
        let mut forms = page.text.split("<form ").skip(1);
        let form = forms
            .find(|form| form.split("</form>").next().unwrap().contains(&end))
            .unwrap_or_else(|| panic!("no form with {button}: {}", page.text));
        let form = form.split("</form>").next().unwrap();
        let (head, rest) = form.split_once('>').unwrap();
        let mut fields = Vec::new();
        for tag in rest.split('<') {
            let (tag, text) = tag.split_once('>').unwrap_or((tag, ""));
            let name = attribute(tag, "name");
            match (tag.split(' ').next().unwrap(), name) {
                ("input", Some(name)) => {
                    let ticked = attribute(tag, "type").as_deref() != Some("checkbox") || tag.ends_with(" checked");
                    if ticked {
                        fields.push((name, attribute(tag, "value").unwrap_or_default()));
                    }
                }
                ("textarea", Some(name)) => {
                    fields.push((name, plain(text.trim_start_matches('\n'))));
                }
                ("select", Some(name)) => fields.push((name, String::new())),
                ("option", _) if tag.ends_with(" selected") => {
                    fields.last_mut().unwrap().1 = attribute(tag, "value").unwrap_or_default();
                }
                ("button", Some(name)) if text == button => {
                    fields.push((name, attribute(tag, "value").unwrap_or_default()));
                }
                _ => {}
            }
        }
        let action = attribute(head, "action").unwrap_or_default();
        Self { action, fields }
    }

    /// With another value in a field.
    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        let field = self.fields.iter_mut().find(|(own, _)| own == name);
        field.unwrap_or_else(|| panic!("no field {name}")).1 = value.to_owned();
        self
    }

    /// The value of a field.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let field = self.fields.iter().find(|(own, _)| own == name);
        field.map(|(_, value)| value.as_str())
    }

    /// The fields as they are sent.
    pub(crate) fn pairs(&self) -> Vec<(&str, &str)> {
        let pairs = self.fields.iter();
        pairs.map(|(name, value)| (name.as_str(), value.as_str())).collect()
    }
}

/// The address behind a link of that text.
pub(crate) fn link(page: &Answer, text: &str) -> String {
    let end = format!(">{text}</a>");
    let (before, _) = page.text.split_once(&end).unwrap_or_else(|| panic!("no link {text}: {}", page.text));
    let tag = before.rsplit("<a ").next().unwrap();
    attribute(tag, "href").unwrap()
}

fn attribute(tag: &str, name: &str) -> Option<String> {
    let (_, rest) = format!(" {tag}").split_once(&format!(" {name}=\"")).map(|(a, b)| (a.to_owned(), b.to_owned()))?;
    Some(plain(rest.split('"').next()?))
}

fn plain(text: &str) -> String {
    let text = text.replace("&quot;", "\"").replace("&lt;", "<");
    text.replace("&gt;", ">").replace("&amp;", "&")
}

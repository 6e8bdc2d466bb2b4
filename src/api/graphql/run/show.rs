//! From documents to answers: the requested parts, under the names and in the order of the request.

use super::super::Fault;
use super::super::field_selection::place;
use super::super::model::{What, is_required};
use super::super::name::choice;
use super::super::plan::{Pick, PickKind};
use serde_json::{Map, Value as Json};

/// Errors in one answer at most.
const FAULTS_MAX: usize = 100;

/// Writes one answer, and records what is missing in it.
#[derive(Debug, Default)]
pub(in crate::graphql) struct AnswerWriter {
    /// Fields that must have a value and have none.
    pub(in crate::graphql) faults: Vec<Json>,
    path: Vec<Json>,
}

impl AnswerWriter {
    pub(in crate::graphql) fn root(&mut self, pick: &Pick<'_>, document: &Json) -> Json {
        let PickKind::Field { picks, .. } = &pick.kind else {
            return Json::Null;
        };
        self.path = vec![Json::from(pick.alias.as_str())];
        if picks.is_empty() {
            return document.clone();
        }
        self.object(picks, document).unwrap_or_default()
    }

    pub(in crate::graphql) fn record(&mut self, docs: &Pick<'_>, document: &Json) -> Json {
        self.root(docs, document)
    }

    /// None when something that must be there is not.
    fn object(&mut self, picks: &[Pick<'_>], document: &Json) -> Option<Json> {
        let Json::Object(members) = document else {
            return Some(Json::Null);
        };
        let mut out = Map::with_capacity(picks.len());
        for pick in picks {
            let value = match &pick.kind {
                PickKind::Typename(name) => Json::from(*name),
                PickKind::Schema => Json::Null,
                PickKind::Field { out, picks, .. } => {
                    self.path.push(Json::from(pick.alias.as_str()));
                    let place_of_pick;
                    let key = match out.what {
                        What::Join(..) | What::Lineage | What::Timeline(_) => {
                            place_of_pick = place(pick);
                            &place_of_pick
                        }
                        _ => &out.key,
                    };
                    let value = members.get(key).unwrap_or(&Json::Null);
                    let value = self.value(&out.what, picks, value);
                    if is_required(&out.ty) && value.as_ref().is_none_or(Json::is_null) {
                        let lost = Fault::from(model::error::Error::internal(format!("no value at {:?}", self.path)));
                        if self.faults.len() < FAULTS_MAX {
                            self.faults.push(lost.into_json(pick.pos, &self.path));
                        }
                        self.path.pop();
                        return None;
                    }
                    self.path.pop();
                    value.unwrap_or_default()
                }
            };
            out.insert(pick.alias.clone(), value);
        }
        Some(Json::Object(out))
    }

    fn value(&mut self, what: &What, picks: &[Pick<'_>], value: &Json) -> Option<Json> {
        match what {
            What::Value | What::Root(_) => Some(value.clone()),
            What::Choice(options) => Some(choice_names(options, value)),
            What::Group | What::Join(..) | What::Lineage | What::Timeline(_) => self.object(picks, value),
            // What the caller does not see stays an id.
            What::One => match value {
                Json::Object(_) => self.object(picks, value),
                _ => Some(Json::Null),
            },
            What::Many | What::Rows => {
                let Json::Array(items) = value else {
                    return Some(Json::Null);
                };
                let mut out = Vec::with_capacity(items.len());
                for item in items.iter().filter(|item| item.is_object()) {
                    self.path.push(Json::from(out.len()));
                    let object = self.object(picks, item);
                    self.path.pop();
                    out.push(object?);
                }
                Some(Json::Array(out))
            }
        }
    }
}

fn choice_names(options: &[String], value: &Json) -> Json {
    match value {
        Json::String(text) => choice(options, text).map_or(Json::Null, Json::String),
        Json::Array(items) => items.iter().map(|item| choice_names(options, item)).collect(),
        _ => Json::Null,
    }
}

//! Requests for values of locked fields ([`model::registry::corrections`]): which values were requested
//! already, and requests for the others, one for each row.

use crate::intake::delivery::refusal;
use mapping::Correction;
use model::error::{Error, Issue, Result};
use model::record::{Record, Value, time};
use model::registry::corrections::{ABOUT, BY, CORRECTION, DECLINED, KIND, MEMBERS, NUMBER, OPEN, PROPOSED, STATE};
use model::registry::{BookReader, Collection, Feature, Lookup, Principal};
use ops::{Item, Outcome, WriteTransaction, parse_body};
use serde_json::{Map, Value as Json, json};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A value that the sender may not write.
pub(crate) struct LockedValue {
    pub(crate) correction: Correction,
    /// The sender repeats a former value: the message, unless the value was requested.
    pub(crate) repeated: Option<Issue>,
}

/// New values of one row, of the document at a place.
pub(crate) struct RequestedValues {
    pub(crate) at: usize,
    pub(crate) row: i64,
    pub(crate) values: Vec<Correction>,
}

/// What came of asking for the document at a place.
pub(crate) struct RequestOutcome {
    pub(crate) at: usize,
    pub(crate) outcome: std::result::Result<Vec<Issue>, Error>,
}

struct Request {
    number: String,
    state: String,
    about: Vec<i64>,
    proposed: Vec<Json>,
}

/// The requests that an organisation made about some rows, the latest last. It learns of none by
/// others, such as a former owner's.
#[derive(Default)]
pub(crate) struct CorrectionRequests(Vec<Request>);

impl CorrectionRequests {
    /// Loads the requests of an organisation about these rows of a collection.
    pub(crate) async fn load(work: &mut WriteTransaction<'_>, organization: i64, rows: &BTreeSet<i64>) -> Result<Self> {
        let Some(collection) = work.registry().with_feature(Feature::Requests).filter(|_| !rows.is_empty()) else {
            return Ok(Self::default());
        };
        let lookup = Lookup::by_ids(ABOUT, rows.iter().copied())
            .is_in(BY, vec![Value::Int(organization)])
            .is_in(KIND, vec![Value::from(CORRECTION)])
            .fields(&[ABOUT, PROPOSED, STATE, NUMBER])
            .order(&["id"]);
        let text = |row: &Record, path| row.get(collection.at(path)).text().unwrap_or_default().to_owned();
        let rows = work.find(collection.slug, lookup).await?;
        let all = rows.iter().map(|row| Request {
            number: text(row, NUMBER),
            state: text(row, STATE),
            about: row.get(collection.at(ABOUT)).ids().to_vec(),
            proposed: row.get(collection.at(PROPOSED)).rows().to_vec(),
        });
        Ok(Self(all.collect()))
    }

    /// Of the locked values of a row those that need a request, and the messages to the sender about the others.
    pub(crate) fn sift(&self, c: &Collection, row: i64, locked: Vec<LockedValue>) -> (Vec<Correction>, Vec<Issue>) {
        let (mut news, mut issues) = (Vec::new(), Vec::new());
        for LockedValue { correction, repeated } in locked {
            let member = correction.member.as_str();
            let value = json_of(&correction.value);
            let path = path_of(c, &correction);
            let about = |request: &&Request| {
                request.proposed.iter().any(|one| proposes(one, row, path).is_some_and(|v| equal(v, &value)))
            };
            match self.0.iter().rfind(about).map(|request| (request.state.as_str(), &request.number)) {
                Some((state, number)) if OPEN.contains(&state) => {
                    issues.push(requested(member, number));
                }
                Some((state, number)) if state == DECLINED => {
                    let message =
                        format!("The book keeps its value: the Association declined this one, request {number}.");
                    issues.push(Issue::warning(format!("/{member}"), "correction-declined", message));
                }
                _ => match repeated {
                    Some(issue) => issues.push(issue),
                    None => news.push(correction),
                },
            }
        }
        (news, issues)
    }

    /// Makes a request for each row. It takes over the proposals of an open request that it replaces.
    pub(crate) async fn ask(
        &self,
        work: &mut WriteTransaction<'_>,
        caller: &Arc<Principal>,
        c: &'static Collection,
        by_row: Vec<RequestedValues>,
    ) -> Result<Vec<RequestOutcome>> {
        let Some(collection) = work.registry().with_feature(Feature::Requests).filter(|_| !by_row.is_empty()) else {
            return Ok(Vec::new());
        };
        let items = by_row.iter().map(|one| {
            let proposed = Value::json(Json::Array(self.proposed(c, one)));
            Item::create(vec![
                (collection.at(KIND), Value::from(CORRECTION)),
                (collection.at(ABOUT), Value::Ids(vec![one.row])),
                (collection.at(PROPOSED), proposed),
            ])
        });
        let outcomes = work.write(collection, caller, items.collect()).await?;
        let number = collection.at(NUMBER);
        let to_outcome = |(one, outcome): (RequestedValues, Outcome)| {
            let members = one.values.iter().map(|value| value.member.as_str());
            let outcome = match outcome {
                Outcome::Done(change, _) => {
                    let number = change.new.as_ref().and_then(|row| row.get(number).text()).unwrap_or_default();
                    Ok(members.map(|member| requested(member, number)).collect())
                }
                Outcome::Unchanged(..) => Ok(Vec::new()),
                Outcome::Refused(error) => Err(at_members(error, members)),
            };
            RequestOutcome { at: one.at, outcome }
        };
        Ok(by_row.into_iter().zip(outcomes).map(to_outcome).collect())
    }

    /// What the request for a row would write.
    pub(crate) fn item(&self, c: &'static Collection, row_values: &RequestedValues) -> Item {
        let [_, path, value] = MEMBERS;
        let proposed = self.proposed(c, row_values);
        let fields =
            proposed.iter().filter_map(|one| Some((one.get(path)?.as_str()?.to_owned(), one.get(value)?.clone())));
        Item::update(row_values.row, parse_body(c, &fields.collect(), None).0)
    }

    /// The proposed values of a request: the new ones, and those of open requests about this row
    /// alone, which the new one replaces.
    fn proposed(&self, c: &Collection, row_values: &RequestedValues) -> Vec<Json> {
        let [row, path, value] = MEMBERS;
        let mut all: Map<String, Json> = Map::new();
        let replaced = |request: &&Request| OPEN.contains(&request.state.as_str()) && request.about == [row_values.row];
        for one in self.0.iter().filter(replaced).flat_map(|request| &request.proposed) {
            if let Some(name) = one.get(path).and_then(Json::as_str) {
                all.insert(name.to_owned(), one.get(value).cloned().unwrap_or_default());
            }
        }
        for one in &row_values.values {
            all.insert(path_of(c, one).to_owned(), json_of(&one.value));
        }
        all.into_iter().map(|(name, content)| json!({row: row_values.row, path: name, value: content})).collect()
    }
}

/// The value that a row of a request proposes for a field of a row.
fn proposes<'j>(one: &'j Json, row: i64, path: &str) -> Option<&'j Json> {
    let [about, field, value] = MEMBERS;
    let fits = one.get(about)?.as_i64()? == row && one.get(field)?.as_str()? == path;
    one.get(value).filter(|_| fits)
}

fn path_of<'c>(c: &'c Collection, correction: &Correction) -> &'c str {
    let field = c.fields.get(correction.slot);
    field.map_or("", |field| field.path.as_str())
}

/// A single value as requests hold it.
fn json_of(value: &Value) -> Json {
    match value {
        Value::Text(text) => Json::from(text.as_str()),
        Value::Int(number) => Json::from(*number),
        Value::Num(number) => Json::from(*number),
        Value::Bool(flag) => Json::from(*flag),
        Value::Time(at) => Json::from(time::to_iso(*at)),
        Value::Null | Value::Texts(_) | Value::Ids(_) | Value::Json(_) => Json::Null,
    }
}

/// Equal, also where one is a day and the other a point in time.
fn equal(one: &Json, other: &Json) -> bool {
    let at = |value: &Json| value.as_str().and_then(time::parse);
    one == other || at(one).is_some_and(|time| at(other) == Some(time))
}

fn requested(member: &str, number: &str) -> Issue {
    let message = format!(
        "The book keeps its value for now: it is verified, and request {number} asks the Association for this one."
    );
    Issue::warning(format!("/{member}"), "correction-requested", message)
}

/// The reasons of a refused request, at the members that it was made for.
fn at_members<'m>(error: Error, mut members: impl Iterator<Item = &'m str>) -> Error {
    let first = members.next().map(|name| format!("/{name}"));
    let forbidden = matches!(error, Error::Forbidden(_));
    let issues = refusal(error).into_iter().map(|issue| Issue { path: first.clone().unwrap_or_default(), ..issue });
    if forbidden { Error::Forbidden(issues.collect()) } else { Error::Invalid(issues.collect()) }
}

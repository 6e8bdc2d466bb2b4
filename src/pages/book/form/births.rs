//! Calves of a calving: the ways to forms of animals that begin with what the calving and its service tell of them. A
//! calf that is in the book is named in place of a way.

use super::form_values::{record_label, resolved};
use crate::book::query::{populate_names, written};
use crate::book::rights::Rights;
use crate::components::reply::NEXT;
use crate::components::shell::Shell;
use crate::components::value::cell_of;
use crate::words::Form;
use maud::{Markup, html};
use model::display::at;
use model::messages::{self, labels};
use model::record::time;
use model::registry::births::{
    ALIVE, CALVING, COUNTS, EACH, EXPECTED, GESTATION, KIND, LISTED, MEMBERS, NUMBERS, PARENTS, RESULT, SERVICE,
    TRANSFER, calf,
};
use model::registry::{Collection, Feature, Field, mating};
use serde_json::Value;
use std::collections::BTreeSet;

/// Calves that a calving has at most.
const MOST: usize = 8;
/// Days between the birth of a calf and the calving that it was born at.
const APART: i64 = 1;
const DAY: i64 = 86_400_000;
/// Days after which a service has led to a calving or to none.
const CARRIED: i64 = 320;

/// A calf that may be entered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Calf {
    sex: Option<String>,
    tag: String,
    name: String,
}

/// The calves that a calving bore alive and does not name as records of the book.
fn born(doc: &Value) -> Vec<Calf> {
    let [sex, status, tag, name, animal] = MEMBERS;
    let text = |row: &Value, path: &str| at(row, path).as_str().unwrap_or_default().to_owned();
    let each = at(doc, EACH).as_array().map_or(&[][..], Vec::as_slice);
    if !each.is_empty() {
        let open = |row: &&Value| at(row, animal).is_null() && [ALIVE, ""].contains(&text(row, status).as_str());
        let calf = |row: &Value| {
            let known = [mating::FEMALE, mating::MALE].into_iter().find(|known| text(row, sex) == *known);
            Calf { sex: known.map(str::to_owned), tag: text(row, tag), name: text(row, name) }
        };
        return each.iter().filter(open).map(calf).take(MOST).collect();
    }
    let count = |path: &str| at(doc, path).as_u64().and_then(|count| usize::try_from(count).ok());
    if COUNTS.iter().any(|(_, path)| count(path).is_some()) {
        let of_sex = |(sex, path): &(&str, &str)| {
            let calf = Calf { sex: Some((*sex).to_owned()), ..Calf::default() };
            vec![calf; count(path).unwrap_or_default().min(MOST)]
        };
        return COUNTS.iter().flat_map(of_sex).take(MOST).collect();
    }
    let number = NUMBERS.iter().find(|(word, _)| at(doc, RESULT).as_str() == Some(word));
    vec![Calf::default(); number.map_or(1, |(_, number)| *number)]
}

/// Without those that are records of the book already, one for each.
fn without(mut calves: Vec<Calf>, there: &[Value]) -> Vec<Calf> {
    for animal in there {
        let (sex, tag) = (at(animal, mating::SEX).as_str(), at(animal, calf::TAG).as_str());
        let own = calves.iter().position(|calf| tag == Some(calf.tag.as_str()));
        let same = || calves.iter().position(|calf| calf.sex.as_deref() == sex);
        let place = own.or_else(same).or_else(|| calves.iter().position(|calf| calf.sex.is_none()));
        if let Some(place) = place {
            calves.remove(place);
        }
    }
    calves
}

/// The calves of a calving, and the ways to enter those that are not in the book; nothing for other records.
pub(in crate::book) async fn markup(shell: &Shell<'_>, c: &'static Collection, doc: &Value, rights: &Rights) -> Markup {
    let calving = c.is(Feature::Births) && [CALVING, ""].contains(&at(doc, KIND).as_str().unwrap_or_default());
    if !calving || !rights.may("update") {
        return html! {};
    }
    let own = async {
        let animals = shell.pages.site.registry.get(c.field(c.animal?)?.target()?)?;
        let service = service_of(shell, c, animals, doc).await;
        let (there, given) =
            futures_util::join!(there(shell, c, animals, (doc, &service)), known(shell, c, animals, (doc, &service)));
        Some((animals, there, given?))
    };
    let Some((animals, there, given)) = own.await else {
        return html! {};
    };
    // Those that rows name are no more among those that were born.
    let named: Vec<Value> =
        at(doc, EACH).as_array().into_iter().flatten().map(|row| at(row, MEMBERS[4]).clone()).collect();
    let is_named = |animal: &Value| named.iter().any(|one| one.get("id").unwrap_or(one) == at(animal, "id"));
    let others: Vec<Value> = there.iter().filter(|animal| !is_named(animal)).cloned().collect();
    let open = without(born(doc), &others);
    let way = |calf: &Calf| {
        let mut query = given.clone();
        let own = [(mating::SEX, calf.sex.as_deref()), (calf::TAG, Some(&calf.tag)), (calf::NAME, Some(&calf.name))];
        let own = own.into_iter().filter_map(|(path, text)| Some((path, text.filter(|text| !text.is_empty())?)));
        query.extend(own.map(|(path, text)| (path.to_owned(), text.to_owned())));
        format!("/book/{}/new?{}", animals.slug, written(&query))
    };
    let label = |(place, calf): (usize, &Calf)| {
        let sex = calf.sex.as_deref().map(|sex| labels::option(shell.language(), animals.slug, mating::SEX, sex));
        let number = (open.len() > 1).then(|| format!("{}", place.saturating_add(1)));
        let facts = [number, sex, Some(calf.tag.clone()), Some(calf.name.clone())];
        let facts: Vec<String> = facts.into_iter().flatten().filter(|text| !text.is_empty()).collect();
        match facts.is_empty() {
            true => shell.text("page-births-enter"),
            false => format!("{}: {}", shell.text("page-births-enter"), facts.join(", ")),
        }
    };
    html! {
        @if !(there.is_empty() && open.is_empty()) {
            section {
                h2 { (shell.text("page-births")) }
                ul class="ways" {
                    @for animal in &there {
                        li { a href=[shell.record(animals, at(animal, "id"))] { (shell.title(animals, animal)) } }
                    }
                    @for (place, calf) in open.iter().enumerate() {
                        li { a class="button second" href=(way(calf)) { (label((place, calf))) } }
                    }
                }
            }
        }
    }
}

fn id_of(value: &Value) -> Option<i64> {
    value.get("id").unwrap_or(value).as_i64()
}

/// The service that a calving followed, with the names and breeds of animals; null where there is none.
async fn service_of(shell: &Shell<'_>, c: &Collection, animals: &Collection, doc: &Value) -> Value {
    let services = c.field(SERVICE).and_then(Field::target);
    let (Some(slug), Some(id), Some([_, mother])) = (services, id_of(at(doc, SERVICE)), animals.lineage) else {
        return Value::Null;
    };
    let names = populate_names(shell.pages.site.registry, animals.fields.iter().filter(|field| field.path == mother));
    let breed = format!("&populate[{}][{}]=true", animals.slug, calf::BREED);
    shell.get(&format!("/api/{slug}/{id}?depth=1&joins=false{names}{breed}")).await.body
}

/// The animals that are its calves: those that it lists, and those that its cow bore on that day. Calves of an embryo
/// have its donor as mother; where others bore such calves on that day, too, the tag decides.
async fn there(
    shell: &Shell<'_>,
    c: &Collection,
    animals: &Collection,
    (doc, service): (&Value, &Value),
) -> Vec<Value> {
    let day = c.happens.and_then(|path| Some((path, time::parse(at(doc, path).as_str()?)?)));
    let (Some(cow), Some((happens, day)), Some([father, mother])) =
        (c.animal.and_then(|path| id_of(at(doc, path))), day, animals.lineage)
    else {
        return Vec::new();
    };
    let near = |key: &str, path: &str| {
        let iso = |days: i64| time::to_iso(day.saturating_add(days.saturating_mul(DAY)));
        [("greater_than_equal", -APART), ("less_than_equal", APART)]
            .map(|(operator, days)| (format!("{key}[{path}][{operator}]"), iso(days)))
    };
    let transferred = at(doc, TRANSFER).as_bool() == Some(true);
    let [sire, donor] = PARENTS.map(|path| id_of(at(service, path)));
    let parents = if transferred { [sire, donor] } else { [None, Some(cow)] };
    let mut query = Vec::new();
    for (path, id) in [father, mother].into_iter().zip(parents) {
        query.extend(id.map(|id| (format!("where[or][0][{path}][equals]"), id.to_string())));
    }
    // Nothing tells the calves of an embryo of unknown parents from others of that day.
    if !query.is_empty() {
        query.extend(near("where[or][0]", calf::BORN));
        let alone = match donor.filter(|_| transferred) {
            Some(donor) => {
                let mut others = Vec::from(near("where", happens));
                others.push((format!("where[{SERVICE}.{}][equals]", PARENTS[1]), donor.to_string()));
                shell.get(&format!("/api/{}/count?{}", c.slug, written(&others))).await.number("totalDocs") <= 1
            }
            None => !transferred,
        };
        if !alone {
            let tags: Vec<String> = born(doc).into_iter().map(|calf| calf.tag).filter(|tag| !tag.is_empty()).collect();
            query.push((format!("where[or][0][{}][in]", calf::TAG), tags.join(",")));
        }
        // One calf of two records is one.
        query.extend(animals.merged.map(|into| (format!("where[or][0][{into}][exists]"), "false".to_owned())));
    }
    let listed = at(doc, LISTED).as_array().into_iter().flatten().filter_map(id_of);
    let listed: Vec<String> = listed.map(|id| id.to_string()).collect();
    if !listed.is_empty() {
        query.push(("where[or][1][id][in]".to_owned(), listed.join(",")));
    }
    if query.is_empty() {
        return Vec::new();
    }
    let shown = animals.title_paths().into_iter().chain([mating::SEX, calf::TAG]);
    query.extend(shown.map(|path| (format!("select[{}]", path.replace('.', "][")), "true".to_owned())));
    let most = MOST.to_string();
    let rest = [("depth", "0"), ("joins", "false"), ("limit", most.as_str()), ("pagination", "false")];
    query.extend(rest.map(|(name, value)| (name.to_owned(), value.to_owned())));
    shell.get(&format!("/api/{}?{}", animals.slug, written(&query))).await.docs().to_vec()
}

/// What the calving and its service tell of a calf, as parameters of its form: the parents, the day, the farm, the herd of
/// the cow, the breed where both parents are of it. A bull that is not in the book is named by its text.
async fn known(
    shell: &Shell<'_>,
    c: &'static Collection,
    animals: &'static Collection,
    (doc, service): (&Value, &Value),
) -> Option<Vec<(String, String)>> {
    let [father, mother] = animals.lineage?;
    let cow = id_of(at(doc, c.animal?))?;
    let services = shell.pages.site.registry.get(c.field(SERVICE)?.target()?)?;
    let cow = shell.get(&format!("/api/{}/{cow}?depth=0&joins=false", animals.slug)).await;
    let cow = &cow.body;
    let text = services.naming.texts.first()?;
    let (sire, dam) = match at(doc, TRANSFER).as_bool() {
        // The cow bears a calf of others.
        Some(true) => (at(service, PARENTS[0]), at(service, PARENTS[1])),
        _ => (at(service, text.relation), cow),
    };
    let mut query = Vec::new();
    let mut put = |path: &str, text: String| query.push((path.to_owned(), text));
    for (path, parent) in [(father, sire), (mother, dam)] {
        match (parent.is_object(), parent.as_i64()) {
            (true, _) => put(path, record_label(shell, animals, parent)),
            (false, Some(id)) => put(path, format!("[{id}]")),
            _ => {}
        }
    }
    let outside = animals.naming.texts.iter().find(|one| one.relation == father);
    if let (true, Some(outside), Some(name)) = (sire.is_null(), outside, at(service, text.text).as_str()) {
        put(outside.text, name.to_owned());
    }
    put(calf::BORN, at(doc, c.happens?).as_str()?.get(..10)?.to_owned());
    let farm = c.access.subjects.first().and_then(|path| id_of(at(doc, path)));
    for path in [Some(calf::FARM), animals.access.subjects.first().copied()].into_iter().flatten() {
        farm.into_iter().for_each(|id| put(path, format!("[{id}]")));
    }
    let place = animals.ui.roster.map(|roster| roster.place);
    if let Some((path, id)) = place.and_then(|path| Some((path, id_of(at(cow, path))?))) {
        put(path, format!("[{id}]"));
    }
    let breed = id_of(at(dam, calf::BREED)).filter(|breed| id_of(at(sire, calf::BREED)) == Some(*breed));
    breed.into_iter().for_each(|id| put(calf::BREED, format!("[{id}]")));
    put(NEXT, format!("/book/{}/{}", c.slug, at(doc, "id")));
    Some(query)
}

/// What is told above the form of a calving, or of a calf.
pub(super) async fn note(shell: &Shell<'_>, c: &'static Collection, form: &Form) -> Markup {
    match c.is(Feature::Births) {
        true => last_service(shell, c, c.animal.and_then(|path| form.get(path))).await,
        false => unserved(shell, c, form.get(NEXT)).await,
    }
}

/// That no service led to the calving from whose page a calf is entered, so that its form has no sire.
async fn unserved(shell: &Shell<'_>, c: &Collection, next: Option<&str>) -> Markup {
    let found = async {
        let (slug, id) = next?.strip_prefix("/book/")?.split_once('/')?;
        let births = shell.pages.site.registry.with_feature(Feature::Births).filter(|births| births.slug == slug)?;
        let of_calf = births.field(births.animal?)?.target()? == c.slug;
        let id = id.parse::<i64>().ok().filter(|_| of_calf)?;
        let answer = shell.get(&format!("/api/{slug}/{id}?depth=0&joins=false&select[{SERVICE}]=true")).await;
        Some(answer.is_good() && at(&answer.body, SERVICE).is_null())
    };
    let unserved = found.await.unwrap_or_default();
    let days = [("least", *GESTATION.start()), ("most", *GESTATION.end())];
    let days = days.map(|(key, days)| (key.to_owned(), days.to_string())).into();
    html! {
        @if unserved {
            p class="note" { (messages::text(shell.language(), "page-births-unserved", &days)) }
        }
    }
}

/// The last service of a cow, above the form of her calving: when it was, by which bull, and when she is expected to
/// calve. Nothing where it is longer ago than she can carry.
async fn last_service(shell: &Shell<'_>, c: &'static Collection, animal: Option<&str>) -> Markup {
    let found = async {
        let text = animal.map(str::trim).filter(|text| c.is(Feature::Births) && !text.is_empty())?;
        let animals = c.field(c.animal?)?.target()?;
        let cow = resolved(shell, animals, BTreeSet::from([text.to_owned()])).await.remove(text)?.ok()?;
        let services = shell.pages.site.registry.get(c.field(SERVICE)?.target()?)?;
        let (about, day) = (services.animal?, services.happens?);
        let since = shell.pages.site.clock.now().saturating_sub(CARRIED.saturating_mul(DAY));
        let mut query = vec![
            (format!("where[{about}][equals]"), cow.to_string()),
            (format!("where[{day}][greater_than_equal]"), time::to_iso(since)),
        ];
        let sort = format!("-{day}");
        let rest = [("sort", sort.as_str()), ("limit", "1"), ("depth", "1"), ("joins", "false")];
        query.extend(rest.map(|(name, value)| (name.to_owned(), value.to_owned())));
        let text = services.naming.texts.first()?;
        let shown = [day, text.relation, text.text, EXPECTED].into_iter().filter_map(|path| services.field(path));
        let shown: Vec<&Field> = shown.collect();
        let names = populate_names(shell.pages.site.registry, shown.iter().copied());
        let answer = shell.get(&format!("/api/{}?{}{names}", services.slug, written(&query))).await;
        Some((services, shown, answer.docs().first()?.clone()))
    };
    let Some((services, shown, service)) = found.await else {
        return html! {};
    };
    let language = shell.language();
    html! {
        p class="note" {
            (shell.text("page-births-service")) ": "
            @for field in shown.iter().filter(|field| !at(&service, &field.path).is_null()) {
                span class="fact" {
                    (labels::field(language, services.slug, &field.path)) ": " (cell_of(shell, services, field, &service))
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn sexes(doc: &Value, there: &Value) -> Vec<String> {
        let open = without(born(doc), there.as_array().unwrap());
        open.into_iter().map(|calf| calf.sex.unwrap_or_default() + &calf.tag).collect()
    }

    #[test]
    fn each_living_calf_is_entered_once() {
        let nobody = json!([]);
        let rows = json!({"progeny": [
            {"sex": "female", "tag": "7", "birthStatus": "alive"}, {"sex": "male", "birthStatus": "stillborn"},
            {"sex": "male", "animal": {"id": 5}}, {"sex": "unknown"},
        ], "liveHeifers": 9});
        assert_eq!(sexes(&rows, &nobody), ["female7", ""]);
        assert_eq!(sexes(&rows, &json!([{"id": 8, "sex": "male"}])), ["female7"]);
        let own = json!([{"sex": "male", "altIds": {"earTag": "7"}}]);
        assert_eq!(sexes(&rows, &own), [""], "a tag says more than the sex");
        let counts = json!({"liveHeifers": 1, "liveBulls": 1, "stillborn": 1});
        assert_eq!(sexes(&counts, &nobody), ["female", "male"]);
        assert_eq!(sexes(&counts, &json!([{"sex": "male"}])), ["female"]);
        assert_eq!(sexes(&json!({"stillborn": 1, "liveHeifers": 0}), &nobody), Vec::<String>::new());
        assert_eq!(sexes(&json!({"result": "twins"}), &nobody), ["", ""]);
        assert_eq!(sexes(&json!({"result": "twins"}), &json!([{"sex": "female"}])), [""]);
        assert_eq!(sexes(&json!({}), &json!([{"sex": "female"}, {"sex": "male"}])), Vec::<String>::new());
    }
}

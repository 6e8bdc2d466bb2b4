//! Addresses of the exchange beside those of the data sets, from the catalogue of the standard:
//! second names and older spellings, and addresses without a data set.

use super::exchange_parts::{
    DOCUMENTS, LIST, PLACES, ROOT, batch, collection, format, in_all_forms, in_xml, named,
    operation, page_of, paging, place, query, replies, tag,
};
use super::replies::ok;
use super::to_schema;
use ade::catalog::{Catalog, CollectionEntry, Verb};
use mapping::{Mapping, Mappings};
use serde_json::{Map, Value, json};

/// The addresses that lead to the data sets under other names.
pub(super) fn second_names(
    mappings: &Mappings,
    sends: &dyn Fn(&Mapping) -> bool,
) -> Map<String, Value> {
    let mut out = Map::new();
    let entries = Catalog::get().collections().iter().filter(|e| e.scoped);
    for entry in entries {
        let own = entry.same_as.as_ref().unwrap_or(&entry.name);
        let Some(mapping) = mappings.all().find(|m| m.dataset() == own) else {
            continue;
        };
        let writes = sends(mapping);
        let second = entry.same_as.is_some().then_some(&entry.name);
        // Some are names of batches only.
        let read = second.filter(|_| entry.allows(Verb::Get));
        for name in read.into_iter().chain(&entry.aliases) {
            let posts = writes && entry.allows(Verb::Post);
            let mut item = collection(mapping, name, posts);
            note(&mut item, own, entry, Some(name) != second);
            out.insert(format!("{ROOT}{}/{name}", ade::catalog::LOCATION), item);
        }
        let batches = second.into_iter().chain(&entry.aliases).map(String::as_str);
        let named = entry.batch_name().filter(|name| name != own);
        for name in batches.chain(named) {
            if writes && mapping.can_batch() && entry.allows(Verb::Batch) {
                let mut item = batch(mapping, name);
                note(
                    &mut item,
                    own,
                    entry,
                    entry.aliases.iter().any(|a| a == name),
                );
                out.insert(
                    format!("{ROOT}/batches{}/{name}", ade::catalog::LOCATION),
                    item,
                );
            }
        }
    }
    out
}

/// Says of which collection it is another name, and whether it is better not used.
fn note(item: &mut Value, own: &str, entry: &CollectionEntry, older: bool) {
    for operation in item.as_object_mut().into_iter().flat_map(Map::values_mut) {
        let Some(operation) = operation
            .as_object_mut()
            .filter(|o| o.contains_key("responses"))
        else {
            continue;
        };
        let text = format!("Another name of `{own}`: the same data.");
        operation.insert("description".to_owned(), text.into());
        if older || entry.deprecated.is_some() {
            operation.insert("deprecated".to_owned(), true.into());
        }
    }
}

/// The addresses at locations without a data set: values that are computed on request, lists of
/// words, the command for one animal.
pub(super) fn beside(mappings: &Mappings, writes: bool) -> Map<String, Value> {
    let mut out = Map::new();
    let entries = Catalog::get().collections().iter();
    let entries = entries.filter(|e| e.scoped && e.same_as.is_none());
    for entry in entries {
        if mappings.all().any(|m| m.dataset() == entry.name) {
            continue;
        }
        let path = format!("{ROOT}{}", entry.path());
        out.insert(path, plain(mappings, entry, writes));
    }
    out
}

fn plain(mappings: &Mappings, entry: &CollectionEntry, writes: bool) -> Value {
    let whose: Option<&Mapping> = mappings.all().find(|m| m.resource() == entry.resource);
    let tag = whose.map_or_else(|| PLACES.to_owned(), tag);
    // `schemata/{scheme-type}` is `schemata-scheme-type` in names of operations.
    let plain: String = (entry.name.chars())
        .map(|c| if c == '/' { '-' } else { c })
        .filter(|c| !matches!(c, '{' | '}'))
        .collect();
    let within: Vec<&str> = (entry.name.split('/'))
        .filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
        .collect();
    let mut parameters = place();
    parameters.extend(within.iter().map(|name| {
        json!({
            "name": name, "in": "path", "required": true, "schema": {"type": "string"},
            "description": "As in an identifier.",
        })
    }));
    let mut out = Map::from_iter([("parameters".to_owned(), Value::from(parameters))]);
    let name = entry.name.as_str();
    if entry.allows(Verb::Get) {
        let (parts, verb, summary) = if entry.single {
            let good = in_xml(ok("The resource.", &to_schema(&entry.resource)));
            let parts = json!({
                "parameters": [format(&DOCUMENTS)], "responses": replies(("200", good), &[]),
            });
            (parts, "Get", format!("Read {name}"))
        } else {
            let filters = (entry.parameters()).map(|name| query(name, json!({"type": "string"})));
            let mut asked: Vec<Value> = filters.chain(paging()).collect();
            asked.push(format(&LIST));
            let good = in_all_forms(ok("A page.", &page_of(&entry.resource)));
            let parts = json!({"parameters": asked, "responses": replies(("200", good), &[])});
            (parts, "List", format!("List {name}"))
        };
        let get = operation(named(verb, &plain, ""), &tag, summary, parts);
        out.insert("get".to_owned(), get);
    }
    if writes && entry.allows(Verb::Delete) {
        let good = json!({"description": "Taken back."});
        let parts = json!({"responses": replies(("200", good), &[])});
        let summary = format!("Retract {name}");
        let delete = operation(named("Delete", &plain, ""), &tag, summary, parts);
        out.insert("delete".to_owned(), delete);
    }
    Value::Object(out)
}

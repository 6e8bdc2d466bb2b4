//! A file of documents of the exchange: resources of ICAR ADE as JSON (one, an array, a page, lines) or XML, one after
//! another (docs/packages.md, *Documents of the exchange*).

use crate::files::file_fault::FileFault;
use crate::files::sheet::{FileRow, IDENT};
use crate::meanings::file_column::BESIDE;
use crate::packages::queue::FileSummary;
use crate::packages::rows::RowFault;
use exchange::Exchange;
use mapping::Mapping;
use model::record::json_in;
use model::registry::{Collection, Registry};
use model::said;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value as Json, json};
use sheets::Source;
use std::collections::BTreeMap;

/// Bytes of a file at most. It is in memory while it is read.
const FILE: u64 = 32 << 20;
/// Documents of a file at most.
const DOCUMENTS: usize = 300_000;
/// Bytes of a file by which its form is seen.
const BEGIN: u64 = 64 << 10;
/// Bytes of a document at most, since rows of packages store them.
pub(crate) const DOCUMENT: usize = 60_000;
/// The member that names the type of a document.
const TYPE: &str = "resourceType";

/// The type of a document, without the rest of it.
#[derive(Deserialize)]
struct Head {
    #[serde(rename = "resourceType", default)]
    resource: Option<Json>,
}

#[derive(Deserialize)]
struct Page<'t> {
    #[serde(borrow)]
    member: Vec<&'t RawValue>,
}

/// A document as text, or why it is none.
type Text = Result<Box<str>, Box<RowFault>>;

#[derive(Debug)]
pub(crate) struct DocumentFile {
    form: &'static str,
    texts: Vec<Text>,
    datasets: Vec<DatasetDocuments>,
}

/// Documents of one data set.
#[derive(Debug)]
struct DatasetDocuments {
    dataset: String,
    resource: String,
    collection: &'static Collection,
    count: usize,
}

impl DocumentFile {
    /// Opens a file; none when it is none of documents.
    pub(crate) fn open(
        source: &Source,
        exchange: &Exchange,
        registry: &'static Registry,
    ) -> Result<Option<Self>, FileFault> {
        let begin = source.begin(BEGIN)?;
        let Some(form) = form(&begin) else { return Ok(None) };
        if source.bytes()? > FILE {
            let message =
                said!("The file is larger than {limit} MB: divide it into several files.", limit = FILE >> 20);
            return Err(FileFault::new("file-too-large", message));
        }
        let bytes = source.begin(FILE)?;
        let texts = match form {
            "xml" => of_xml(&bytes)?,
            _ => of_json(&bytes)?,
        };
        drop(bytes);
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for text in texts.iter().flatten() {
            *counts.entry(resource(text)).or_default() += 1;
        }
        let sets = counts.into_iter().filter_map(|(resource, count)| {
            let mapping = taking(exchange, &resource)?;
            let collection = registry.get(mapping.collection())?;
            Some(DatasetDocuments { dataset: mapping.dataset().to_owned(), resource, collection, count })
        });
        let datasets: Vec<DatasetDocuments> = sets.collect();
        match (texts.is_empty(), datasets.is_empty()) {
            (true, _) => {
                let message = "The file has no documents: choose the file that has them.";
                Err(FileFault::new("no-rows", message))
            }
            (_, true) => {
                let message = "The file has no document of a type that this service takes (resourceType).";
                Err(FileFault::new("no-set", message))
            }
            _ => Ok(Some(Self { form, texts, datasets })),
        }
    }

    /// What is known of the file before its documents are taken in.
    pub(crate) fn summary(&self) -> FileSummary {
        let sheets = self.datasets.iter().map(|one| {
            json!({
                "name": one.dataset, "set": null, "exchange": one.dataset, "resourceType": one.resource,
                "collection": one.collection.slug, "documents": one.count, "columns": [],
            })
        });
        let sets = || self.datasets.iter().filter_map(|one| one.collection.package_sets.first());
        let one = sets().next().filter(|first| sets().all(|set| set.kind == first.kind));
        FileSummary {
            form: self.form,
            sheets: Json::Array(sheets.collect()),
            set: one.map(|set| (set.name, set.kind)),
            ..FileSummary::default()
        }
    }

    /// The document at a place, as a row.
    pub(crate) fn row(&self, at: usize) -> Option<FileRow> {
        let number = i64::try_from(at).ok()?.checked_add(1)?;
        let (cells, broken) = match self.texts.get(at)? {
            Ok(text) if text.len() > DOCUMENT => (vec![String::new()], Some(too_large())),
            Ok(text) => (vec![text.to_string()], None),
            Err(fault) => (vec![String::new()], Some(RowFault::clone(fault))),
        };
        Some(FileRow { position: number, sheet: 0, line: number, cells, broken })
    }
}

fn too_large() -> RowFault {
    RowFault::new("too-large", format!("A document has at most {DOCUMENT} bytes."))
}

/// How a file of documents is written; none: it is another file.
fn form(begin: &[u8]) -> Option<&'static str> {
    let text = begin.strip_prefix(b"\xef\xbb\xbf").unwrap_or(begin).trim_ascii_start();
    let has = |word: &str| begin.windows(word.len()).any(|window| window == word.as_bytes());
    // In other encodings each letter has a byte of zero beside it.
    let wide = begin.starts_with(b"\xff\xfe<\0") || begin.starts_with(b"\xfe\xff\0<");
    match text.first()? {
        b'<' => {
            (text.starts_with(b"<?xml") || text.starts_with(b"<icar") || text.starts_with(b"<batch")).then_some("xml")
        }
        b'[' | b'{' if has(&format!("\"{TYPE}\"")) => Some("json"),
        _ => wide.then_some("xml"),
    }
}

fn too_many() -> FileFault {
    let message = said!("The file has more than {limit} documents: divide it into several files.", limit = DOCUMENTS);
    FileFault::new("too-many-rows", message)
}

fn of_xml(bytes: &[u8]) -> Result<Vec<Text>, FileFault> {
    let parts = ade::xml::documents(bytes, DOCUMENTS).map_err(|fault| {
        tracing::debug!(why = %fault.message, "a file is no XML");
        let message = "The file is no XML that can be read, or not the whole of it: make it anew and send that.";
        match fault.code {
            "too-many" => too_many(),
            _ => FileFault::new("body-not-xml", message),
        }
    })?;
    let text = |document: ade::xml::Document| match document {
        Ok(text) => Ok(text.into_boxed_str()),
        Err(faults) => {
            let first = faults.into_iter().next();
            Err(Box::new(first.map_or_else(RowFault::default, |fault| RowFault {
                path: fault.pointer,
                ..RowFault::new(fault.code, fault.message)
            })))
        }
    };
    Ok(parts.into_iter().map(text).collect())
}

/// An array, a page, or documents one behind another.
fn of_json(bytes: &[u8]) -> Result<Vec<Text>, FileFault> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let broken = |why: serde_json::Error| {
        tracing::debug!(%why, "a file is no JSON");
        let message = said!(
            "From line {number} on, the file is no JSON that can be read, or not the whole of it: make it anew and send that.",
            number = why.line()
        );
        FileFault::new("body-not-json", message)
    };
    let text = std::str::from_utf8(bytes).map_err(|_| {
        let message = "The text is not UTF-8: save the file in UTF-8.";
        FileFault::new("body-not-json", message)
    })?;
    let mut texts: Vec<Text> = Vec::new();
    let own = |raw: &RawValue| -> Text { Ok(raw.get().into()) };
    for value in serde_json::Deserializer::from_str(text).into_iter::<&RawValue>() {
        let value = value.map_err(broken)?;
        let page = |raw: &str| !has_type(raw) && raw.starts_with('{');
        if value.get().starts_with('[') {
            let all: Vec<&RawValue> = serde_json::from_str(value.get()).map_err(broken)?;
            texts.extend(all.into_iter().map(own));
        } else if let (true, Ok(page)) = (page(value.get()), serde_json::from_str::<Page<'_>>(value.get())) {
            texts.extend(page.member.into_iter().map(own));
        } else {
            texts.push(own(value));
        }
        if texts.len() > DOCUMENTS {
            return Err(too_many());
        }
    }
    Ok(texts)
}

fn has_type(text: &str) -> bool {
    !resource(text).is_empty()
}

/// The type that a document names; empty: none.
fn resource(text: &str) -> String {
    match serde_json::from_str::<Head>(text).ok().and_then(|head| head.resource) {
        Some(Json::String(name)) => name,
        _ => String::new(),
    }
}

/// The data set that takes documents of a type.
pub(crate) fn taking<'e>(exchange: &'e Exchange, resource: &str) -> Option<&'e Mapping> {
    let all = exchange.rules().mappings().iter();
    all.into_iter().find(|m| m.resource() == resource && m.can_post() && !m.is_passthrough())
}

/// A document that was read, without what tables of rows have beside it.
pub(crate) fn document(text: &str) -> Result<Json, Box<RowFault>> {
    let fault = |code: &str, path: String, message: String| {
        Box::new(RowFault { path, value: text.chars().take(250).collect(), ..RowFault::new(code, message) })
    };
    let mut doc = json_in::parse(text.as_bytes()).map_err(|faults| {
        fault("field-value", String::new(), faults.first().map(ToString::to_string).unwrap_or_default())
    })?;
    let Some(members) = doc.as_object_mut() else {
        return Err(fault("body-shape", String::new(), "A document is an object.".to_owned()));
    };
    for sibling in BESIDE {
        members.shift_remove(sibling);
    }
    Ok(doc)
}

/// The animal that a document names.
pub(crate) fn ident(doc: &Json) -> Option<String> {
    let number = doc.pointer("/animal/id").or_else(|| doc.pointer("/identifier/id"))?;
    let number: String = number.as_str()?.chars().take(IDENT).collect();
    Some(number).filter(|number| !number.is_empty())
}

#[cfg(test)]
mod tests {
    use super::{form, of_json, of_xml};
    use test_support::table;

    fn texts(bytes: &[u8]) -> Vec<String> {
        of_json(bytes).unwrap().into_iter().map(|text| text.unwrap().into_string()).collect()
    }

    #[test]
    fn forms_are_seen_in_the_content() {
        for (text, expected) in table![
            "\u{feff} [{\"resourceType\": \"icarX\"}]", Some("json");
            "{\"view\": {}, \"member\": [{\"resourceType\": \"icarX\"}]}", Some("json");
            "<?xml version=\"1.0\"?><icarX/>", Some("xml");
            "<batch/>", Some("xml");
            "<html/>", None;
            "{\"identNumber\": \"1\"}\n{}", None;
            "[1, 2]", None;
            "a;b\n", None;
            "", None;
        ] {
            assert_eq!(form(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn arrays_pages_and_lines_are_documents_one_after_another() {
        let one = r#"{"resourceType":"icarX","n":1.0}"#;
        for file in [
            one.to_owned(),
            format!("\u{feff}[{one}]"),
            format!("{{\"view\": {{}}, \"member\": [ {one} ]}}"),
            format!("{one}\n"),
        ] {
            assert_eq!(texts(file.as_bytes()), [one], "{file}");
        }
        assert_eq!(texts(format!("{one}\n\n{one}{one}").as_bytes()).len(), 3);
        assert!(of_json(b"[1,").is_err());
        assert!(of_json(b"{\"resourceType\": \xff}").is_err());
    }

    #[test]
    fn a_page_in_xml_is_its_members_and_each_is_judged_alone() {
        let page = "<icarResourceCollection><view><totalItems>2</totalItems></view>\
                    <member><resourceType>icarWeightEventResource</resourceType><weight><measurement>600</measurement></weight></member>\
                    <member a='1'><resourceType>icarWeightEventResource</resourceType></member></icarResourceCollection>";
        let documents = of_xml(page.as_bytes()).unwrap();
        assert_eq!(documents.len(), 2);
        assert_eq!(
            documents[0].as_deref(),
            Ok(r#"{"resourceType":"icarWeightEventResource","weight":{"measurement":600}}"#)
        );
        assert_eq!(documents[1].as_ref().unwrap_err().code, "attribute");
        assert!(of_xml(b"<!DOCTYPE a><batch/>").is_err());
        assert_eq!(of_xml(b"<icarX><n>1</n></icarX>").unwrap().len(), 1);
        assert_eq!(of_xml(b"<batch><icarX/><icarY/></batch>").unwrap().len(), 2);
    }
}

//! The type of a file: detected from its content, and compared with what its sender stated. A type
//! that only the sender states is not believed.

use super::{Fault, ReceivedFile};
use model::registry::Upload;
use std::io::Read as _;
use std::path::Path;

const XLS: &str = "application/vnd.ms-excel";
const XLSX: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
const CSV: &str = "text/csv";
const TSV: &str = "text/tab-separated-values";
const LINES: &str = "application/x-ndjson";
const ODS: &str = "application/vnd.oasis.opendocument.spreadsheet";
const JSON: &str = "application/json";
const XML: &str = "application/xml";
const XML_TEXT: &str = "text/xml";
const SVG: &str = "image/svg+xml";
const UNKNOWN: &str = "application/octet-stream";

/// Magic of compound files, in which old spreadsheets live.
const COMPOUND: &[u8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";
const ZIP: &[u8] = b"PK\x03\x04";

/// Largest file that is looked through as a whole, bytes.
const LOOKED_THROUGH: u64 = 64 << 20;

/// The media type, when it is taken and nothing about it is a lie.
pub(super) fn decide(received: &ReceivedFile, upload: &Upload) -> Result<String, Fault> {
    if received.bytes() == 0 {
        return Err(Fault::Broken);
    }
    let declared = received.declared().filter(|kind| *kind != UNKNOWN);
    if let Some(declared) = declared.filter(|kind| upload.group(kind).is_none()) {
        return Err(Fault::NotTaken(declared.to_owned()));
    }
    let content_type = content(received)?;
    match declared {
        Some(declared) if !agree(declared, content_type) => Err(Fault::Broken),
        _ if upload.group(content_type).is_none() => Err(Fault::NotTaken(content_type.to_owned())),
        _ => Ok(content_type.to_owned()),
    }
}

/// Whether a sender may call this so. Programs often name a picture after another format,
/// and some systems call every table by the name of one program.
fn agree(declared: &str, content_type: &str) -> bool {
    let picture = |kind: &str| kind.starts_with("image/") && kind != SVG;
    declared == content_type
        || (picture(declared) && picture(content_type))
        || (declared == XLS && (content_type == CSV || content_type == XLSX))
        || (declared == TSV && content_type == CSV)
        || (declared == XML_TEXT && content_type == XML)
        || (declared == JSON && content_type == LINES)
}

fn content(received: &ReceivedFile) -> Result<&'static str, Fault> {
    let head = received.head();
    if head.starts_with(COMPOUND) {
        let book = has(received, &[&wide("Workbook")])? || has(received, &[&wide("Book")])?;
        // A workbook with a password; that it cannot be read its reader says.
        if !book && has(received, &[&wide("EncryptedPackage")])? {
            return Ok(XLSX);
        }
        return Ok(if book { XLS } else { "application/x-ole-storage" });
    }
    // The first part of such a file is its type, which is not packed.
    let typed = head.get(30..).and_then(|rest| rest.strip_prefix(b"mimetype"));
    if head.starts_with(ZIP) && typed.is_some_and(|rest| rest.starts_with(ODS.as_bytes())) {
        return Ok(ODS);
    }
    if head.starts_with(ZIP) && has(received, &[b"xl/workbook", b"[Content_Types].xml"])? {
        return Ok(XLSX);
    }
    if received.is_text() {
        if is_svg(head) {
            return Ok(SVG);
        }
        // Many magic numbers are letters, with which a table may begin as well.
        let marked = head.starts_with(b"%PDF") || trimmed(head).starts_with(b"<");
        let begin = trimmed(head);
        let extension = is_called(received, &[XML, XML_TEXT], &["xml"]);
        if begin.starts_with(b"<?xml") || (extension && begin.starts_with(b"<")) {
            return Ok(XML);
        }
        if !marked && is_called(received, &[LINES], &["ndjson", "jsonl"]) {
            return Ok(LINES);
        }
        if !marked && is_called(received, &[JSON], &["json"]) {
            return Ok(JSON);
        }
        if !marked && is_called(received, &[CSV, TSV, XLS], &["csv", "tsv"]) {
            return Ok(CSV);
        }
    }
    let kind = infer::get(head).map_or(UNKNOWN, |kind| kind.mime_type());
    Ok(match kind {
        "video/x-m4v" => "video/mp4",
        kind => kind,
    })
}

/// Text that its sender calls so, by its type or by its name.
fn is_called(received: &ReceivedFile, types: &[&str], ends: &[&str]) -> bool {
    let declared = received.declared();
    declared.is_some_and(|kind| types.contains(&kind)) || is_named(received, ends)
}

/// Whether the name of a file ends so.
fn is_named(received: &ReceivedFile, ends: &[&str]) -> bool {
    let extension = Path::new(received.name()).extension();
    extension.is_some_and(|end| ends.iter().any(|one| end.eq_ignore_ascii_case(one)))
}

/// Whether all of these occur in the file.
fn has(received: &ReceivedFile, all: &[&[u8]]) -> Result<bool, Fault> {
    if received.bytes() > LOOKED_THROUGH {
        return Ok(false);
    }
    let mut bytes = Vec::new();
    let file = std::fs::File::open(received.path())?;
    file.take(LOOKED_THROUGH).read_to_end(&mut bytes)?;
    let contains = |part: &&[u8]| bytes.windows(part.len()).any(|window| window == *part);
    Ok(all.iter().all(contains))
}

/// As names in compound files are written.
fn wide(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

fn trimmed(head: &[u8]) -> &[u8] {
    head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start()
}

/// Whether the root element is `svg`, after declaration, comments and a document type without definitions of its own.
fn is_svg(head: &[u8]) -> bool {
    let mut rest = trimmed(head);
    loop {
        let end: &[u8] = if rest.starts_with(b"<?") {
            b"?>"
        } else if rest.starts_with(b"<!--") {
            b"-->"
        } else if rest.starts_with(b"<!DOCTYPE") {
            b">"
        } else {
            break;
        };
        let Some(at) = rest.windows(end.len()).position(|window| window == end) else {
            return false;
        };
        let (passed, next) = rest.split_at(at + end.len());
        if passed.starts_with(b"<!D") && passed.contains(&b'[') {
            return false;
        }
        rest = next.trim_ascii_start();
    }
    let after = rest.strip_prefix(b"<svg").and_then(|rest| rest.first());
    after.is_some_and(|b| b.is_ascii_whitespace() || matches!(b, b'>' | b'/'))
}

#[cfg(test)]
mod tests {
    use super::{agree, is_svg};

    #[test]
    fn a_drawing_is_known_by_its_root() {
        let yes: [&[u8]; 4] = [
            b"<svg xmlns='x'/>",
            b"\xef\xbb\xbf <?xml version='1.0'?>\n<!-- a > b --><svg>",
            b"<!DOCTYPE svg PUBLIC '-//W3C' 'x'><svg\n",
            b"<?xml?><svg/>",
        ];
        for text in yes {
            assert!(is_svg(text), "{}", String::from_utf8_lossy(text));
        }
        let no: [&[u8]; 5] =
            [b"<html><svg>", b"<svgx>", b"<!DOCTYPE svg [<!ENTITY a 'b'>]><svg>", b"<!-- <svg>", b"<svg"];
        for text in no {
            assert!(!is_svg(text), "{}", String::from_utf8_lossy(text));
        }
    }

    #[test]
    fn senders_may_be_wrong_about_the_format_but_not_about_the_family() {
        assert!(agree("image/png", "image/jpeg"));
        assert!(agree("application/vnd.ms-excel", "text/csv"));
        assert!(!agree("image/png", "image/svg+xml"));
        assert!(!agree("image/png", "application/pdf"));
        assert!(!agree("text/csv", "application/vnd.ms-excel"));
        assert!(!agree("video/mp4", "video/webm"));
    }
}

//! Files that are made to harm, or broken on the way: a clear fault within the limits.

use super::pack;
use super::{open, read};
use crate::{Book, Fault, Limits, Options, Source};

const XLSX: &[u8] = include_bytes!("files/tests.xlsx");
const XLS: &[u8] = include_bytes!("files/tests.xls");
const ODS: &[u8] = include_bytes!("files/tests.ods");

fn limited(bytes: &[u8], change: impl FnOnce(&mut Limits)) -> Result<Vec<String>, Fault> {
    let mut options = Options::default();
    change(&mut options.limits);
    let book = Book::open(Source::from(bytes.to_vec()), &options)?;
    super::rows(&book, 0)
}

#[test]
fn a_bomb_is_refused_before_it_is_unpacked() {
    let blanks = format!("<worksheet>{}", " ".repeat(20 << 20));
    let fault = read(&pack::xlsx(&blanks, "<sst/>")).unwrap_err();
    assert_eq!(fault, Fault::Ratio { limit: 200 });
    let large = limited(&pack::rows(""), |limits| limits.unpacked_bytes = 100);
    assert_eq!(large.unwrap_err(), Fault::UnpacksTooLarge { limit: 100 });
    // A directory that says less than there is.
    let lie = |name: &str, size: u32| {
        if name.ends_with("sheet1.xml") { 5_000 } else { size }
    };
    let fault = read(&pack::xlsx_of(&blanks, "<sst/>", lie)).unwrap_err();
    let more = "a part unpacks to more than the directory says";
    assert_eq!(fault, Fault::Broken(more.to_owned()));
    // One that says more.
    let lie = |_: &str, size: u32| size + 10;
    assert_eq!(read(&pack::xlsx_of("<worksheet/>", "<sst/>", lie)).unwrap_err(), Fault::Truncated);
}

#[test]
fn entities_are_refused() {
    let bomb = r#"<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><worksheet><sheetData><row><c t="inlineStr"><is><t>&b;</t></is></c></row></sheetData></worksheet>"#;
    assert_eq!(read(&pack::xlsx(bomb, "<sst/>")).unwrap_err(), Fault::Entities);
    // A document type is refused before anything uses it.
    let unused = "<!DOCTYPE x SYSTEM \"http://herdbook.example/x\"><worksheet/>";
    assert_eq!(read(&pack::xlsx(unused, "<sst/>")).unwrap_err(), Fault::Entities);
    let unknown = r#"<row><c t="inlineStr"><is><t>&b;</t></is></c></row>"#;
    assert_eq!(read(&pack::rows(unknown)).unwrap_err(), Fault::Entities);
    let fault = read(&pack::xlsx("<worksheet/>", bomb)).unwrap_err();
    assert_eq!(fault, Fault::Entities);
    let tables = r#"<table:table table:name="1"><table:table-row><table:table-cell><text:p>&b;</text:p></table:table-cell></table:table-row></table:table>"#;
    assert_eq!(read(&pack::ods(tables)).unwrap_err(), Fault::Entities);
}

#[test]
fn a_protected_file_says_so() {
    // The directory entry of the workbook gets the name under which protected files have theirs.
    let mut bytes = XLS.to_vec();
    let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let (old, new) = (utf16("Workbook"), utf16("EncryptedPackage"));
    let at = bytes.windows(old.len()).position(|w| w == old).unwrap();
    bytes[at..at + new.len()].copy_from_slice(&new);
    bytes[at + 64] = new.len() as u8 + 2;
    assert_eq!(read(&bytes).unwrap_err(), Fault::Encrypted);
    // A password of the old form: the record FILEPASS.
    let mut bytes = XLS.to_vec();
    let at = bytes.windows(4).position(|w| w == [0x22, 0, 2, 0]).unwrap();
    bytes[at] = 0x2f;
    assert_eq!(read(&bytes).unwrap_err(), Fault::Encrypted);
    let manifest = br#"<manifest:manifest><manifest:file-entry><manifest:encryption-data/></manifest:file-entry></manifest:manifest>"#;
    let parts: [(&str, &[u8]); 2] = [("META-INF/manifest.xml", manifest), ("content.xml", b"\x01\x02")];
    assert_eq!(read(&pack::zip(&parts, |_, size| size)).unwrap_err(), Fault::Encrypted);
}

#[test]
fn a_sheet_that_lies_about_its_size_costs_nothing() {
    let sheet = r#"<worksheet><dimension ref="A1:XFD1048576"/><sheetData><row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="B1048576"><v>2</v></c></row></sheetData></worksheet>"#;
    let rows = read(&pack::xlsx(sheet, "<sst count=\"4000000000\" uniqueCount=\"4000000000\"/>"));
    assert_eq!(rows.unwrap(), ["1: n 1", "1048576: |n 2"]);
    let far = read(&pack::rows(r#"<row r="1"><c r="XFD1"><v>1</v></c></row>"#)).unwrap_err();
    assert_eq!(far, Fault::TooManyColumns { row: 1, limit: 512 });
    let empty = read(&pack::rows(r#"<row r="1"><c r="A1"><v>1</v></c><c r="XFD1" s="1"/></row>"#));
    assert_eq!(empty.unwrap(), ["1: n 1"]);
    for rows in [
        r#"<row r="2"><c><v>1</v></c></row><row r="1"><c><v>1</v></c></row>"#,
        r#"<row r="2"><c r="B2"><v>1</v></c><c r="A2"><v>1</v></c></row>"#,
        r#"<row r="9999999"><c><v>1</v></c></row>"#,
        r#"<row r="1"><row r="2"></row></row>"#,
    ] {
        assert_eq!(read(&pack::rows(rows)).unwrap_err().code(), "rows-out-of-order", "{rows}");
    }
    for rows in ["<table:table-cell><text:p>a</text:p></table:table-cell>", "<table:table-row><table:table-row/>"] {
        let table = format!("<table:table table:name=\"1\">{rows}</table:table>");
        assert_eq!(read(&pack::ods(&table)).unwrap_err().code(), "rows-out-of-order", "{rows}");
    }
    let tables = r#"<table:table table:name="1"><table:table-row table:number-rows-repeated="1000000000"><table:table-cell table:number-columns-repeated="1000000000"><text:p>a</text:p></table:table-cell></table:table-row></table:table>"#;
    assert_eq!(read(&pack::ods(tables)).unwrap_err().code(), "too-many-columns");
    let tables = tables.replace("table:number-columns-repeated=\"1000000000\"", "");
    assert_eq!(read(&pack::ods(&tables)).unwrap_err().code(), "too-many-rows");
}

#[test]
fn every_limit_is_a_fault() {
    let text = "a;b\n1;2\n3;4\n";
    let columns = limited(text.as_bytes(), |limits| limits.columns = 1).unwrap_err();
    assert_eq!(columns, Fault::TooManyColumns { row: 1, limit: 1 });
    let rows = limited(text.as_bytes(), |limits| limits.rows = 2).unwrap_err();
    assert_eq!(rows, Fault::TooManyRows { limit: 2 });
    let file = limited(text.as_bytes(), |limits| limits.file_bytes = 5).unwrap_err();
    assert_eq!(file, Fault::FileTooLarge { limit: 5 });
    let long = format!("a;b\n1;{}\n", "x".repeat(101));
    let cell = limited(long.as_bytes(), |limits| limits.cell_bytes = 100).unwrap_err();
    assert_eq!(cell, Fault::CellTooLong { row: 2, limit: 100 });
    let row = limited(&vec![b'"'; 1 << 20], |_| {}).unwrap_err();
    assert_eq!(row.code(), "cell-too-long");
    let line = limited(format!("{{\"a\":\"{}\"}}", "x".repeat(101)).as_bytes(), |l| l.cell_bytes = 100);
    assert_eq!(line.unwrap_err().code(), "cell-too-long");
    // A row may have sixteen times as many, in every form.
    let wide = vec!["x".repeat(90); 18];
    let cells: String = (wide.iter()).map(|text| format!("<c t=\"inlineStr\"><is><t>{text}</t></is></c>")).collect();
    let tables: String =
        (wide.iter()).map(|text| format!("<table:table-cell><text:p>{text}</text:p></table:table-cell>")).collect();
    let tables = format!("<table:table table:name=\"1\"><table:table-row>{tables}</table:table-row></table:table>");
    for bytes in [wide.join(";").into_bytes(), pack::rows(&format!("<row>{cells}</row>")), pack::ods(&tables)] {
        let row = limited(&bytes, |limits| limits.cell_bytes = 100).unwrap_err();
        let whole = Fault::CellTooLong { row: 1, limit: 1_600 };
        assert_eq!(row, whole);
    }
    // So are names of members, and texts in attributes.
    let name = format!("{{\"{}\":{{\"b\":1}}}}", "x".repeat(100));
    let name = limited(name.as_bytes(), |limits| limits.cell_bytes = 100).unwrap_err();
    assert_eq!(name, Fault::CellTooLong { row: 1, limit: 100 });
    let attribute = format!(
        r#"<table:table table:name="1"><table:table-row><table:table-cell office:value-type="string" office:string-value="{}"/></table:table-row></table:table>"#,
        "x".repeat(101)
    );
    let attribute = limited(&pack::ods(&attribute), |limits| limits.cell_bytes = 100);
    assert_eq!(attribute.unwrap_err(), Fault::CellTooLong { row: 1, limit: 100 });
}

#[test]
fn every_limit_of_workbooks_is_a_fault() {
    for bytes in [XLSX, XLS, ODS] {
        let sheets = limited(bytes, |limits| limits.sheets = 1).unwrap_err();
        assert_eq!(sheets, Fault::TooManySheets { limit: 1 });
        let columns = limited(bytes, |limits| limits.columns = 4).unwrap_err();
        assert_eq!(columns, Fault::TooManyColumns { row: 3, limit: 4 });
        let cell = limited(bytes, |limits| limits.cell_bytes = 20).unwrap_err();
        assert_eq!(cell.code(), "cell-too-long");
    }
    let shared = format!("<sst>{}</sst>", "<si><t>Удой за день, кг</t></si>".repeat(4));
    for bytes in [&pack::xlsx("<worksheet/>", &shared), XLS] {
        let texts = limited(bytes, |limits| limits.shared_texts = 3).unwrap_err();
        assert_eq!(texts, Fault::SharedTexts { limit: 3, unit: "texts" });
        let texts = limited(bytes, |limits| limits.shared_bytes = 60).unwrap_err();
        assert_eq!(texts, Fault::SharedTexts { limit: 60, unit: "bytes" });
    }
    let parts = limited(XLSX, |limits| limits.parts = 3).unwrap_err();
    assert_eq!(parts.code(), "broken");
}

#[test]
fn a_piece_of_xml_without_end_is_not_collected() {
    let long = "x".repeat(2 << 20);
    for piece in [format!("<a b=\"{long}"), format!("<!--{long}"), format!("<row><c><v>{long}")] {
        // Not packed well, so that the ratio does not refuse it.
        let fault = limited(&pack::rows(&piece), |limits| limits.ratio = 100_000).unwrap_err();
        assert_eq!(fault.code(), "cell-too-long");
    }
    for open in ["<a>".repeat(100), format!("<{}>", "a".repeat(300))] {
        assert_eq!(read(&pack::rows(&open)).unwrap_err().code(), "broken");
    }
}

#[test]
fn files_of_other_forms_are_refused() {
    let code = |bytes: &[u8]| open(bytes).unwrap_err().code();
    assert_eq!(code(b"%PDF-1.7"), "no-table");
    assert_eq!(code(b"\x89PNG\r\n\x1a\n\0\0"), "no-table");
    assert_eq!(code(b"a;b\n1;\0\n"), "no-table");
    assert_eq!(code(b"<html><table>"), "unsupported-form");
    assert_eq!(code(b"\xef\xbb\xbf<?xml version=\"1.0\"?>"), "unsupported-form");
    assert_eq!(code(b"\x1f\x8b\x08"), "unsupported-form");
    let zip = |name| pack::zip(&[(name, b"x")], |_, size| size);
    assert_eq!(code(&zip("word/document.xml")), "unsupported-form");
    assert_eq!(code(&zip("xl/workbook.bin")), "unsupported-form");
    assert_eq!(code(&zip("photo.jpg")), "unsupported-form");
    assert_eq!(read(b"").unwrap(), Vec::<String>::new());
}

/// Cut at any place, and with any byte changed: a fault or rows, and no end of the program.
#[test]
fn broken_files_are_faults() {
    for (bytes, form) in [(XLSX, "xlsx"), (ODS, "ods"), (XLS, "xls")] {
        for cut in (4..bytes.len()).step_by(bytes.len() / 100) {
            let fault = read(&bytes[..cut]);
            // The end of an XLS file is not looked at.
            assert!(fault.is_err() || form == "xls", "{form} cut at {cut}");
        }
        for at in (0..bytes.len()).step_by(bytes.len() / 300) {
            let mut changed = bytes.to_vec();
            changed[at] ^= 0x55;
            if let Err(fault) = read(&changed) {
                assert!(!fault.to_string().is_empty());
            }
        }
    }
    // A part that unpacks to other bytes of the same number.
    let mut damaged = pack::rows(r#"<row r="1"><c r="A1"><v>1</v></c></row>"#);
    let directory = damaged.windows(4).rposition(|w| w == b"PK\x01\x02").unwrap();
    damaged[directory + 16] ^= 1;
    let fault = read(&damaged).unwrap_err();
    assert_eq!(fault, Fault::Broken("a part was damaged on the way".to_owned()));
}

//! Files of farms: rows or a fault with words, the same each time, within the limits. Packed files are made anew
//! around changed parts, since a changed byte of a packed one is found by its check sum.

use crate::draw::Draw;
use sheets::{Book, Fault, Limits, Options, Row, Source, Value};

#[path = "../../../src/sheets/tests/pack.rs"]
mod pack;

const FILES: [&[u8]; 5] = [
    include_bytes!("../../../src/sheets/tests/files/tests.xls"),
    include_bytes!("../../../src/sheets/tests/files/tests-1904.xls"),
    include_bytes!("../../../src/sheets/tests/files/tests.xlsx"),
    include_bytes!("../../../src/sheets/tests/files/tests.ods"),
    "sep=;\r\nИнд.№;\"Удой, кг\"\r\n1;\"31,5\"\n\n2;=1+1\r\n".as_bytes(),
];
const TEXTS: &[&str] = &[
    "Инд.№;\"Удой, кг\"\n1;31,5\n",
    "{\"a\":1,\"b\":{\"c\":\"x\"}}\n{\"a\":null,\"d\":[1]}\n",
    "\u{feff}a\tb\r\n1\t2",
];
const SHEETS: &[&str] = &[
    r#"<worksheet><dimension ref="A1:B9"/><sheetData><row r="2"><c r="A2" t="s"><v>0</v></c><c r="B2" s="1"><f>A1</f><v>45000.25</v></c></row><row r="5"><c r="C5" t="inlineStr"><is><t>x</t></is></c></row></sheetData><mergeCells><mergeCell ref="A2:A5"/></mergeCells></worksheet>"#,
];
const ROWS: &[&str] =
    &[r#"<row r="3"><c r="A3"><v>1</v></c></row><row><c t="b"><v>1</v></c><c t="e"><v>#N/A</v></c></row>"#];
const SHARED: &[&str] = &["<sst><si><t>a</t></si><si><r><t>b</t></r><rPh><t>c</t></rPh></si></sst>"];
const TABLES: &[&str] = &[
    r#"<table:table table:name="A"><table:table-row table:number-rows-repeated="2"><table:table-cell office:value-type="float" office:value="1.5" table:number-columns-repeated="2"/><table:table-cell table:number-rows-spanned="3"><text:p>x<text:s text:c="2"/></text:p></table:table-cell></table:table-row></table:table>"#,
];
const WORDS: &[&str] = &[
    "<row>",
    "</row>",
    "<c>",
    "</c>",
    "<v>",
    "</v>",
    "<c r=\"",
    "r=\"XFD1048576\"",
    " t=\"s\"",
    " t=\"e\"",
    " t=\"d\"",
    " s=\"1\"",
    "<is>",
    "<t>",
    "</t>",
    "<f>",
    "&amp;",
    "&#0;",
    "&#x110000;",
    "&a;",
    "<!DOCTYPE x [",
    "]>",
    "<!--",
    "-->",
    "<![CDATA[",
    "<mergeCell ref=\"A1:A9999999\"/>",
    "1e308",
    "-1",
    "99999999999999999999",
    "NaN",
    "2958466",
    "0.99999999",
    "\"",
    "\n",
    "\r",
    ";",
    ",",
    "\t",
    "{",
    "}",
    "null",
    "<table:table/>",
    "<table:table-row>",
    "<office:annotation>",
    "<text:p>",
    "<text:line-break/>",
    "office:value-type=\"date\" office:date-value=\"",
    "table:number-rows-repeated=\"1000000000\"",
    "table:number-columns-repeated=\"16384\"",
    "2025-02-30",
    "é",
    "\u{0}",
];

fn limits() -> Limits {
    Limits {
        file_bytes: 1 << 20,
        unpacked_bytes: 4 << 20,
        columns: 40,
        rows: 200,
        cell_bytes: 500,
        shared_bytes: 10_000,
        shared_texts: 1_000,
        sheets: 4,
        ..Limits::default()
    }
}

pub(crate) fn check(draw: &mut Draw<'_>) {
    let bytes = match draw.below(6) {
        0 => draw.bytes(&FILES, WORDS),
        1 => draw.text(TEXTS, WORDS).into_bytes(),
        2 => {
            let tables = draw.text(TABLES, WORDS);
            pack::ods(&tables)
        }
        3 => pack::xlsx(SHEETS[0], &draw.text(SHARED, WORDS)),
        4 => pack::rows(&draw.text(ROWS, WORDS)),
        _ => pack::xlsx(&draw.text(SHEETS, WORDS), SHARED[0]),
    };
    let first = read(&bytes);
    assert_eq!(first, read(&bytes));
    if let Err(fault) = first {
        assert!(!fault.code().is_empty() && fault.to_string().ends_with('.'), "{fault:?}");
    }
}

/// All rows of all sheets.
fn read(bytes: &[u8]) -> Result<Vec<Row>, Fault> {
    let options = Options { limits: limits(), ..Options::default() };
    let book = Book::open(Source::from(bytes.to_vec()), &options)?;
    let mut all = Vec::new();
    for sheet in 0..book.sheets().len() {
        let mut rows = book.rows(sheet)?;
        let mut last = None;
        while let Some(row) = rows.next()? {
            assert!(last.is_none_or(|last| last < row.number), "{row:?} behind {last:?}");
            assert!(!row.is_empty() && row.cells.len() <= options.limits.columns, "{row:?}");
            for cell in &row.cells {
                assert!(cell.text.len() <= options.limits.cell_bytes, "{cell:?}");
                assert!(!matches!(cell.value, Value::Number(number) if !number.is_finite()), "{cell:?}");
            }
            last = Some(row.number);
            all.push(row);
        }
    }
    Ok(all)
}

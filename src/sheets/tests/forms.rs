//! What each form of file gives.

use super::pack;
use super::{open, read, rows};
use crate::{Book, Encoding, Fault, Form, Options, Source, Table};

const XLSX: &[u8] = include_bytes!("files/tests.xlsx");
const XLSX_1904: &[u8] = include_bytes!("files/tests-1904.xlsx");
const XLS: &[u8] = include_bytes!("files/tests.xls");
const XLS_1904: &[u8] = include_bytes!("files/tests-1904.xls");
const ODS: &[u8] = include_bytes!("files/tests.ods");
const XLS_FORMATS: &[u8] = include_bytes!("files/formats.xls");

#[test]
fn spreadsheets_of_three_forms_give_the_same_rows() {
    let expected = [
        "1: Ферма «Заря», & сыновья",
        "3: Инд.№|Дата контроля|Удой, кг|Чип|Да|Жир, %",
        "4: RU1001|d 2025-03-01|n 31.5|n 643000000000123|b true|n 4.1",
        "5: RU1001|d 2025-04-01|n 28|n 643000000000123|b false",
        "6: =RU1002|d 2025-04-01 06:30:00|n 0.3|||н/д",
        "8: e #N/A",
    ];
    let files =
        [(XLSX, Form::Xlsx), (XLSX_1904, Form::Xlsx), (XLS, Form::Xls), (XLS_1904, Form::Xls), (ODS, Form::Ods)];
    for (bytes, form) in files {
        let book = open(bytes).unwrap();
        assert_eq!(book.form(), form);
        assert_eq!(book.sheets(), ["Контроль", "Пусто"]);
        assert_eq!(rows(&book, 0).unwrap(), expected, "{form:?}");
        assert_eq!(rows(&book, 1).unwrap(), ["7: ||один"], "{form:?}");
        assert_eq!(rows(&book, 2).unwrap_err(), Fault::NoSheet);
    }
}

#[test]
fn the_header_is_the_first_row_with_two_hits() {
    for bytes in [XLSX, XLS, ODS] {
        let book = open(bytes).unwrap();
        let means = |head: &str| head.starts_with("Инд") || head.starts_with("Удой");
        let mut table = Table::find(book.rows(0).unwrap(), &means).unwrap();
        assert_eq!(table.header.as_ref().map(|head| head.number), Some(3));
        assert_eq!(table.next().unwrap().map(|row| row.number), Some(4));
        // Where no row is a header, all rows follow.
        let mut table = Table::find(book.rows(0).unwrap(), &|_: &str| false).unwrap();
        assert_eq!(table.header, None);
        let mut numbers = Vec::new();
        while let Some(row) = table.next().unwrap() {
            numbers.push(row.number);
        }
        assert_eq!(numbers, [1, 3, 4, 5, 6, 8]);
    }
}

#[test]
fn a_header_behind_the_first_twenty_rows_is_none_and_a_repeated_one_is_no_row() {
    let text = format!("{}a;b\n1;2\n a ;b\n3;4\n", "title\n".repeat(19));
    let find = |text: &str| {
        let book = open(text.as_bytes()).unwrap();
        Table::find(book.rows(0).unwrap(), &|head: &str| head == "a" || head == "b").unwrap()
    };
    let mut table = find(&text);
    assert_eq!(table.header.as_ref().map(|head| head.number), Some(20));
    assert_eq!(table.next().unwrap().map(|row| row.number), Some(21));
    assert_eq!(table.next().unwrap().map(|row| row.number), Some(23));
    assert_eq!(table.next().unwrap(), None);
    assert_eq!(find(&format!("title\n{text}")).header, None);
}

#[test]
fn a_header_of_two_rows_is_one_and_numbers_of_columns_are_no_row() {
    let text = "cow;milk;;note\n;am;pm;kg\n1;2;3;4\n7;5;6;x\ncow;milk;;note\n;am;pm;kg\n8;1;2;\n";
    let means = |head: &str| ["cow", "milk", "am", "pm"].contains(&head);
    let book = open(text.as_bytes()).unwrap();
    let mut table = Table::find(book.rows(0).unwrap(), &means).unwrap();
    let header = table.header.clone().unwrap();
    let titles: Vec<&str> = header.cells.iter().map(|cell| cell.text.as_str()).collect();
    assert_eq!((header.number, titles), (2, vec!["cow", "am", "pm", "note"]));
    let mut numbers = Vec::new();
    while let Some(row) = table.next().unwrap() {
        numbers.push(row.number);
    }
    assert_eq!(numbers, [4, 7]);
    // Words of a row are no headings beside its numbers.
    let book = open("cow;milk;n\nam;pm;1\n".as_bytes()).unwrap();
    let table = Table::find(book.rows(0).unwrap(), &means).unwrap();
    assert_eq!(table.header.map(|header| header.number), Some(1));
}

#[test]
fn text_files_are_read_in_their_encodings() {
    let text = "Инд.№;Удой, кг\n\n1;31,5\n\"2;\nx\";=1+1\n;;;\n";
    let windows: Vec<u8> = encoding_rs::WINDOWS_1251.encode(text).0.into_owned();
    let wide: Vec<u8> = std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let marked = [b"\xef\xbb\xbf", text.as_bytes()].concat();
    let files = [
        (text.as_bytes().to_vec(), Encoding::Utf8),
        (marked, Encoding::Utf8),
        (windows.clone(), Encoding::Windows1251),
        (wide, Encoding::Utf16Le),
    ];
    for (bytes, encoding) in files {
        let book = open(&bytes).unwrap();
        assert_eq!(book.form(), Form::Csv { delimiter: b';' });
        let guess = book.encoding().unwrap();
        assert_eq!(guess.encoding, encoding);
        assert!(guess.score > 0.9, "{guess:?}");
        assert_eq!(book.sheets(), [""]);
        assert_eq!(rows(&book, 0).unwrap(), ["1: Инд.№|Удой, кг", "3: 1|31,5", "4: 2;\nx|=1+1"]);
    }
    // What the farm says goes before the guess.
    let options = Options { encoding: Some(Encoding::Utf8), ..Options::default() };
    let fault = Book::open(Source::from(windows), &options).and_then(|book| rows(&book, 0));
    assert_eq!(fault.unwrap_err().code(), "wrong-encoding");
}

#[test]
fn bytes_that_are_no_letters_are_replaced_on_request() {
    let options = Options { encoding: Some(Encoding::Utf8), replaces: true, ..Options::default() };
    let book = Book::open(Source::from(b"a;b\n\xca\0;1\n".to_vec()), &options).unwrap();
    assert_eq!(rows(&book, 0).unwrap(), ["1: a|b", "2: \u{fffd}\0|1"]);
}

#[test]
fn a_file_can_tell_its_delimiter() {
    let lines = read("sep=|\r\na|b;c\r\n".as_bytes()).unwrap();
    assert_eq!(lines, ["2: a|b;c"]);
}

#[test]
fn an_open_quote_is_a_fault_with_its_line() {
    let fault = read(b"a;b\n1;\"2\n3;4\n").unwrap_err();
    assert_eq!(fault, Fault::QuoteNotClosed { line: 2 });
    // Quotes that begin names in two lines: the line between them is no part of a name.
    let fault = read("a;b\n1;\"Заря\n2;\"Ночь\n3;4\n".as_bytes()).unwrap_err();
    assert_eq!(fault, Fault::QuoteNotClosed { line: 2 });
    assert_eq!(read(b"a;b\n1;\"2\n3\"\n4;\"5\"6\n").unwrap(), ["1: a|b", "2: 1|2\n3", "4: 4|56"]);
}

#[test]
fn lines_of_json_have_a_row_of_names() {
    let text = "{\"a\":1.50,\"g\":{\"x\":\"y\"}}\n\n{\"b\":true,\"a\":null,\"l\":[1,2]}\n";
    let book = open(text.as_bytes()).unwrap();
    assert_eq!(book.form(), Form::Lines);
    let expected = ["0: a|g.x|b|l", "1: n 1.50|y", "3: ||b true|[1,2]"];
    assert_eq!(rows(&book, 0).unwrap(), expected);
    // Its names are the header, whatever they mean.
    let table = Table::find(book.rows(0).unwrap(), &|_: &str| false).unwrap();
    assert_eq!(table.header.map(|head| head.number), Some(0));
    let fault = read(b"{\"a\":1}\n[1]\n").unwrap_err();
    assert_eq!((fault.code(), fault.to_string().contains("Line 2")), ("not-json", true));
}

#[test]
fn a_name_that_comes_again_in_a_line_of_json_has_its_own_column() {
    let text = r#"{"a":1,"g":{"x":2}}
{"a":1,"b":7,"a":null,"g":{"x":2,"x":3},"a":"y","g.x":4}
"#;
    let expected = ["0: a|g.x|b|a|g.x|a|g.x", "1: n 1|n 2", "2: n 1|n 2|n 7||n 3|y|n 4"];
    assert_eq!(read(text.as_bytes()).unwrap(), expected);
}

#[test]
fn formulas_give_the_stored_value_and_are_never_run() {
    let cells = r#"<row r="2"><c r="A2"><f>1+1</f><v>2</v></c><c r="B2" t="str"><f>"a"&amp;"b"</f><v>ab</v></c><c r="C2" t="e"><f>1/0</f><v>#DIV/0!</v></c><c r="D2"><f>NOW()</f></c><c r="E2" t="inlineStr"><is><t>=1+1</t></is></c><c r="F2" t="b"><v>1</v></c><c r="G2" s="1"><v>45000</v></c><c r="H2" t="d"><v>2025-03-01</v></c></row>"#;
    let read = read(&pack::rows(cells)).unwrap();
    assert_eq!(read, ["2: n 2|ab|e #DIV/0!|e #NO-VALUE!|=1+1|b true|d 2023-03-15|d 2025-03-01"]);
}

#[test]
fn times_with_an_offset_stay_texts_in_workbooks() {
    let times = ["2026-03-12T21:30:00Z", "2026-03-12T21:30:00+03:00", "2026-03-12T21:30:00", "2026-03-12"];
    let cells = times.map(|time| format!(r#"<c t="d"><v>{time}</v></c>"#));
    let xlsx = pack::rows(&format!("<row>{}</row>", cells.concat()));
    let cells = times.map(|time| {
        format!(
            r#"<table:table-cell office:value-type="date" office:date-value="{time}"><text:p>12.03.2026</text:p></table:table-cell>"#
        )
    });
    let ods = pack::ods(&format!(
        r#"<table:table table:name="A"><table:table-row>{}</table:table-row></table:table>"#,
        cells.concat()
    ));
    let expected = ["1: 2026-03-12T21:30:00Z|2026-03-12T21:30:00+03:00|d 2026-03-12 21:30:00|d 2026-03-12"];
    for (form, bytes) in [("xlsx", xlsx), ("ods", ods)] {
        assert_eq!(read(&bytes).unwrap(), expected, "{form}");
    }
}

#[test]
fn formulas_without_a_stored_value_are_errors_and_empty_texts_are_none() {
    let cells = r#"<row r="1"><c><f>25+3</f><v></v></c><c><f t="shared" si="0"/></c><c t="b"><f>A1</f></c><c t="str"><f>""</f><v></v></c><c s="1"/><c><v>1</v></c></row>"#;
    assert_eq!(read(&pack::rows(cells)).unwrap(), ["1: e #NO-VALUE!|e #NO-VALUE!|e #NO-VALUE!|||n 1"]);
    let cells = r#"<table:table-cell table:formula="of:=25+3"/><table:table-cell table:formula="of:=25+3" office:value-type="float"/><table:table-cell table:formula="of:=&quot;&quot;" office:value-type="string"/><table:table-cell table:formula="of:=1" office:value-type="float" office:value="1"><text:p>1</text:p></table:table-cell>"#;
    let table = format!(r#"<table:table table:name="A"><table:table-row>{cells}</table:table-row></table:table>"#);
    assert_eq!(read(&pack::ods(&table)).unwrap(), ["1: e #NO-VALUE!|e #NO-VALUE!||n 1"]);
}

#[test]
fn numbers_are_shown_as_people_see_them_in_three_forms() {
    let cells = [(2, "800"), (3, "0.041"), (4, "96000200077"), (5, "800"), (6, "612"), (2, "31.5")];
    let cells = cells.map(|(style, number)| format!(r#"<c s="{style}"><v>{number}</v></c>"#));
    let xlsx = pack::rows(&format!("<row>{}</row>", cells.concat()));
    let cells = [
        ("float", "800", "0800"),
        ("percentage", "0.041", "4,10 %"),
        ("float", "96000200077", "096 000 200 077"),
        ("float", "800", "RU0800"),
        ("float", "612", "612 кг"),
        ("float", "31.5", "0032"),
    ];
    let cells = cells.map(|(kind, number, display)| {
        format!(
            r#"<table:table-cell office:value-type="{kind}" office:value="{number}"><text:p>{display}</text:p></table:table-cell>"#
        )
    });
    let ods = pack::ods(&format!(
        r#"<table:table table:name="A"><table:table-row>{}</table:table-row></table:table>"#,
        cells.concat()
    ));
    let expected = ["1: n 0800|n 4.1%|n 096000200077|n RU0800|n 612|n 31.5"];
    for (form, bytes) in [("xlsx", xlsx), ("xls", XLS_FORMATS.to_vec()), ("ods", ods)] {
        assert_eq!(read(&bytes).unwrap(), expected, "{form}");
        let row = open(&bytes).unwrap().rows(0).unwrap().next().unwrap().unwrap();
        let suffix: Vec<Option<&str>> = row.cells.iter().map(|cell| cell.suffix.as_deref()).collect();
        assert_eq!(suffix, [None, None, None, None, Some(" кг"), None], "{form}");
    }
}

#[test]
fn texts_of_several_parts_are_one_and_their_pronunciation_is_left_out() {
    let shared = "<sst><si><r><t>Зорь</t></r><r><t xml:space=\"preserve\">ка </t></r><rPh><t>zor</t></rPh></si><si/><si><t>&#x410;&lt;</t></si></sst>";
    let sheet = r#"<worksheet><sheetData><row><c t="s"><v>0</v></c><c t="s"><v>1</v></c><c t="s"><v>2</v></c></row></sheetData></worksheet>"#;
    assert_eq!(read(&pack::xlsx(sheet, shared)).unwrap(), ["1: Зорька ||А<"]);
}

#[test]
fn remarks_and_repeated_cells_of_ods() {
    let tables = r#"<table:table table:name="&lt;1&gt;"><table:table-row table:number-rows-repeated="2"><table:table-cell office:value-type="string" table:number-columns-repeated="2"><office:annotation><text:p>remark</text:p></office:annotation><text:p>a<text:s text:c="2"/>b</text:p><text:p>c</text:p></table:table-cell></table:table-row><table:table-row table:number-rows-repeated="5"/><table:table-row><table:table-cell office:value-type="time" office:time-value="PT6H"><text:p>06:00</text:p></table:table-cell></table:table-row></table:table><table:table table:name="2"/>"#;
    let book = open(&pack::ods(tables)).unwrap();
    assert_eq!(book.sheets(), ["<1>", "2"]);
    let expected = ["1: a  b\nc|a  b\nc", "2: a  b\nc|a  b\nc", "8: 06:00"];
    assert_eq!(rows(&book, 0).unwrap(), expected);
    assert_eq!(rows(&book, 1).unwrap(), Vec::<String>::new());
}

//! Packed files made of parts, for tests.

use flate2::Compression;
use flate2::Crc;
use flate2::write::DeflateEncoder;
use std::io::Write as _;

/// Styles: 0 any number, 1 date, 2 `0000`, 3 `0.00%`, 4 digits in groups, 5 `RU` before digits, 6 and 7 a
/// unit behind them.
const STYLES: &str = r#"<styleSheet><numFmts count="6"><numFmt numFmtId="164" formatCode="dd.mm.yyyy"/><numFmt numFmtId="165" formatCode="0000"/><numFmt numFmtId="166" formatCode="000\ 000\ 000\ 000"/><numFmt numFmtId="167" formatCode="&quot;RU&quot;0000"/><numFmt numFmtId="168" formatCode="0&quot; кг&quot;"/><numFmt numFmtId="169" formatCode="0.0&quot; lb&quot;"/></numFmts><cellXfs count="8"><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="10"/><xf numFmtId="166"/><xf numFmtId="167"/><xf numFmtId="168"/><xf numFmtId="169"/></cellXfs></styleSheet>"#;

/// A packed file; sizes in the directory can be changed.
pub(crate) fn zip(parts: &[(&str, &[u8])], lie: impl Fn(&str, u32) -> u32) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for (name, bytes) in parts {
        let mut packer = DeflateEncoder::new(Vec::new(), Compression::default());
        packer.write_all(bytes).unwrap();
        // A member that is not packed says the kind of a spreadsheet.
        let (method, packed) = match *name {
            "mimetype" => (0_u16, bytes.to_vec()),
            _ => (8, packer.finish().unwrap()),
        };
        let mut crc = Crc::new();
        crc.update(bytes);
        let at = out.len() as u32;
        let mut head = Vec::new();
        head.extend(20_u16.to_le_bytes());
        head.extend(0_u16.to_le_bytes());
        head.extend(method.to_le_bytes());
        head.extend(0_u32.to_le_bytes());
        head.extend(crc.sum().to_le_bytes());
        head.extend((packed.len() as u32).to_le_bytes());
        head.extend(lie(name, bytes.len() as u32).to_le_bytes());
        head.extend((name.len() as u16).to_le_bytes());
        head.extend(0_u16.to_le_bytes());
        out.extend(b"PK\x03\x04");
        out.extend(&head);
        out.extend(name.as_bytes());
        out.extend(packed);
        directory.extend(b"PK\x01\x02\x14\0");
        directory.extend(&head);
        directory.extend([0; 10]);
        directory.extend(at.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let at = out.len() as u32;
    let count = parts.len() as u16;
    out.extend(&directory);
    out.extend(b"PK\x05\x06\0\0\0\0");
    out.extend(count.to_le_bytes());
    out.extend(count.to_le_bytes());
    out.extend((directory.len() as u32).to_le_bytes());
    out.extend(at.to_le_bytes());
    out.extend(0_u16.to_le_bytes());
    out
}

/// A workbook with one sheet.
pub(crate) fn xlsx(sheet: &str, shared: &str) -> Vec<u8> {
    xlsx_of(sheet, shared, |_, size| size)
}

pub(crate) fn xlsx_of(sheet: &str, shared: &str, lie: impl Fn(&str, u32) -> u32) -> Vec<u8> {
    let workbook = r#"<workbook xmlns:r="r"><sheets><sheet name="A" sheetId="1" r:id="rId1"/></sheets></workbook>"#;
    let rels = r#"<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/></Relationships>"#;
    zip(
        &[
            ("xl/workbook.xml", workbook.as_bytes()),
            ("xl/_rels/workbook.xml.rels", rels.as_bytes()),
            ("xl/styles.xml", STYLES.as_bytes()),
            ("xl/sharedStrings.xml", shared.as_bytes()),
            ("xl/worksheets/sheet1.xml", sheet.as_bytes()),
        ],
        lie,
    )
}

/// A workbook with these rows.
pub(crate) fn rows(rows: &str) -> Vec<u8> {
    xlsx(&format!("<worksheet><sheetData>{rows}</sheetData></worksheet>"), "<sst/>")
}

/// A spreadsheet with these tables.
pub(crate) fn ods(tables: &str) -> Vec<u8> {
    let content = format!(
        "<office:document-content><office:body><office:spreadsheet>{tables}</office:spreadsheet></office:body></office:document-content>"
    );
    let kind = b"application/vnd.oasis.opendocument.spreadsheet".as_slice();
    let parts = [("mimetype", kind), ("content.xml", content.as_bytes())];
    zip(&parts, |_, size| size)
}

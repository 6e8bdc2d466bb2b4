//! Files as rows, one after another: tables and lines of JSON, zipped or not, of either encoding.

use super::fault;
use super::folder::{Form, RowFile};
use super::row::{FileRow, read_id};
use super::workbook::Workbook;
use super::{Encoding, RowOptions};
use csv::{ByteRecord, ReaderBuilder};
use flate2::read::MultiGzDecoder;
use ingest::{Column, Meaning, Notation, Profiles, meaning};
use model::error::{Issue, Result};
use model::registry::{Collection, Registry};
use ops::ImportRow;
use serde_json::{Map, Value as Json};
use std::collections::{BTreeMap, VecDeque};
use std::fs::File;
use std::io::{BufRead, BufReader, Read};

/// The longest row of a file, bytes: what is longer has a quote that was never closed.
const LONGEST: u64 = 4 << 20;
/// Bytes in which the first line is looked for.
const AHEAD: usize = 64 << 10;
/// Marks at the beginning of files.
const UTF8_MARK: &[u8] = b"\xef\xbb\xbf";
const UTF16_MARKS: [&[u8]; 2] = [b"\xff\xfe", b"\xfe\xff"];

/// A file that is being read.
pub(super) struct Rows {
    file: RowFile,
    source: Source,
}

enum Source {
    Table(Box<Table>),
    Workbook(Box<Workbook>),
    Lines(Lines),
}

type Bytes = BufReader<Box<dyn Read + Send>>;

struct Table {
    reader: csv::Reader<Guarded>,
    /// The record after the one that is answered.
    ahead: Option<ByteRecord>,
    heads: [Vec<String>; 1],
    columns: Vec<Option<Column>>,
    notations: Vec<Notation>,
    ids: bool,
}

struct Lines {
    reader: Bytes,
    line: u64,
    registry: &'static Registry,
    /// What keys mean that were met.
    known: BTreeMap<String, Option<Column>>,
}

impl Rows {
    /// Opens a file and reads its header, if its form has one.
    pub(super) fn open(
        registry: &'static Registry,
        file: &RowFile,
        options: &RowOptions,
    ) -> Result<Self> {
        let reader = || opened(file, options.encoding);
        let source = match file.form {
            Form::Table { tabs } => {
                Source::Table(Box::new(Table::open(registry, file, reader()?, tabs)?))
            }
            Form::Workbook => {
                let workbook = Workbook::open(registry, file, options.skip_unknown)?;
                Source::Workbook(Box::new(workbook))
            }
            Form::Lines => Source::Lines(Lines {
                reader: reader()?,
                line: 0,
                registry,
                known: BTreeMap::new(),
            }),
        };
        Ok(Self {
            file: file.clone(),
            source,
        })
    }

    /// The headings of each of the tables.
    pub(super) fn heads(&self) -> &[Vec<String>] {
        match &self.source {
            Source::Table(table) => &table.heads,
            Source::Workbook(workbook) => workbook.heads(),
            Source::Lines(_) => &[],
        }
    }

    /// Keys of lines that mean no field, met so far.
    pub(super) fn unknown_keys(&self) -> impl Iterator<Item = &str> {
        let known = match &self.source {
            Source::Table(_) | Source::Workbook(_) => None,
            Source::Lines(lines) => Some(&lines.known),
        };
        let known = known.into_iter().flatten();
        known
            .filter(|(_, column)| column.is_none())
            .map(|(key, _)| key.as_str())
    }

    /// How each column of the tables is written, by all rows.
    pub(super) fn notations(&mut self, now: i64) -> Result<Vec<Vec<Notation>>> {
        match &mut self.source {
            Source::Table(table) => Ok(vec![table.decided(&self.file, now)?]),
            Source::Workbook(workbook) => workbook.notations(&self.file, now),
            Source::Lines(_) => Ok(Vec::new()),
        }
    }

    /// The next row; rows without any value are passed over.
    pub(super) fn next(&mut self) -> Result<Option<FileRow>> {
        match &mut self.source {
            Source::Table(table) => table.next(&self.file),
            Source::Workbook(workbook) => workbook.next(&self.file),
            Source::Lines(lines) => lines.next(&self.file),
        }
    }
}

/// The text of a file, as UTF-8 without a mark.
fn opened(file: &RowFile, encoding: Encoding) -> Result<Bytes> {
    let raw = File::open(&file.path).map_err(|why| fault(&file.path, why))?;
    let raw: Box<dyn Read + Send> = match file.zipped {
        true => Box::new(MultiGzDecoder::new(BufReader::new(raw))),
        false => Box::new(raw),
    };
    let mut raw: Bytes = BufReader::with_capacity(AHEAD, raw);
    let begin = raw.fill_buf().map_err(|why| fault(&file.path, why))?;
    if UTF16_MARKS.iter().any(|mark| begin.starts_with(mark)) {
        return Err(fault(&file.path, "is UTF-16: save it as CSV UTF-8"));
    }
    if begin.starts_with(UTF8_MARK) {
        raw.consume(UTF8_MARK.len());
        return Ok(raw);
    }
    match encoding {
        Encoding::Utf8 => Ok(raw),
        Encoding::Windows1251 => {
            let decoded = Box::new(Cyrillic {
                raw,
                rest: Vec::new(),
            });
            Ok(BufReader::with_capacity(AHEAD, decoded))
        }
    }
}

/// Windows-1251 as UTF-8.
struct Cyrillic {
    raw: Bytes,
    rest: Vec<u8>,
}

/// The characters 0x80 to 0xBF; from 0xC0 on the alphabet follows.
const UPPER: &str =
    "ЂЃ‚ѓ„…†‡€‰Љ‹ЊЌЋЏђ‘’“”•–—\u{98}™љ›њќћџ\u{a0}ЎўЈ¤Ґ¦§Ё©Є«¬\u{ad}®Ї°±Ііґµ¶·ё№є»јЅѕї";

fn cyrillic(byte: u8) -> char {
    match byte {
        0..0x80 => char::from(byte),
        0x80..0xc0 => UPPER
            .chars()
            .nth(usize::from(byte - 0x80))
            .unwrap_or('\u{fffd}'),
        0xc0.. => char::from_u32(0x410 + u32::from(byte - 0xc0)).unwrap_or('\u{fffd}'),
    }
}

impl Read for Cyrillic {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        if self.rest.is_empty() {
            let raw = self.raw.fill_buf()?;
            let text: String = raw.iter().map(|byte| cyrillic(*byte)).collect();
            let read = raw.len();
            self.raw.consume(read);
            self.rest = text.into_bytes();
        }
        let count = out.len().min(self.rest.len());
        for (to, from) in out.iter_mut().zip(self.rest.drain(..count)) {
            *to = from;
        }
        Ok(count)
    }
}

/// Bytes of a table: a record must end in time, and quotes come in pairs.
struct Guarded {
    bytes: Bytes,
    left: u64,
    quotes: u64,
    ends: LineEnds,
}

/// Where lines end, as far as records did not pass it.
#[derive(Default)]
struct LineEnds {
    /// Bytes that were read.
    seen: u64,
    /// Places of CR and LF, and which it is.
    marks: VecDeque<(u64, u8)>,
    /// Lines that ended before them.
    passed: u64,
}

impl LineEnds {
    fn read(&mut self, bytes: &[u8]) {
        let marks = (self.seen..).zip(bytes.iter().copied());
        (self.marks).extend(marks.filter(|(_, byte)| matches!(byte, b'\r' | b'\n')));
        self.seen += bytes.len() as u64;
    }

    /// The line, from 1, of the record behind a place: empty lines between are none of it.
    fn line(&mut self, place: u64) -> u64 {
        let mut begin = place;
        while let Some((at, byte)) = self.marks.front().copied().filter(|(at, _)| *at <= begin) {
            self.marks.pop_front();
            begin = begin.max(at + 1);
            // CR and LF are one end.
            let half = byte == b'\r' && self.marks.front() == Some(&(at + 1, b'\n'));
            self.passed += u64::from(!half);
        }
        self.passed + 1
    }
}

impl Read for Guarded {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let count = self.bytes.read(out)?;
        let read = out.get(..count).unwrap_or_default();
        self.ends.read(read);
        self.quotes += read.iter().filter(|byte| **byte == b'"').count() as u64;
        self.left = self.left.checked_sub(count as u64).ok_or_else(|| {
            std::io::Error::other(format!(
                "a row is longer than {} MiB: is a quote not closed?",
                LONGEST >> 20
            ))
        })?;
        Ok(count)
    }
}

impl Table {
    fn open(
        registry: &'static Registry,
        file: &RowFile,
        mut bytes: Bytes,
        tabs: bool,
    ) -> Result<Self> {
        let begin = bytes.fill_buf().map_err(|why| fault(&file.path, why))?;
        let delimiter = if tabs { b'\t' } else { delimiter(begin) };
        let guarded = Guarded {
            bytes,
            left: LONGEST,
            quotes: 0,
            ends: LineEnds::default(),
        };
        let reader = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(delimiter)
            .from_reader(guarded);
        let mut table = Self {
            reader,
            ahead: None,
            heads: [Vec::new()],
            columns: Vec::new(),
            notations: Vec::new(),
            ids: false,
        };
        table.ahead = table.record(file)?;
        let Some(head) = table.after(file)? else {
            return Err(fault(&file.path, "has no header"));
        };
        let mut heads = Vec::new();
        for cell in &head {
            let text = std::str::from_utf8(cell).map_err(|_| {
                fault(
                    &file.path,
                    "the header is not UTF-8 (--encoding windows-1251?)",
                )
            })?;
            heads.push(text.trim().to_owned());
        }
        let c = file.collection;
        for head in &heads {
            let column = match meaning(registry, c, head) {
                Meaning::Takes(column) => Some(column),
                Meaning::Ignored | Meaning::Unknown(_) => None,
            };
            table.columns.push(column);
        }
        table.notations = file.notations_of(0, table.columns.len());
        table.heads = [heads];
        table.ids = table.columns.iter().flatten().any(Column::is_id);
        Ok(table)
    }

    fn record(&mut self, file: &RowFile) -> Result<Option<ByteRecord>> {
        let mut record = ByteRecord::new();
        self.reader.get_mut().left = LONGEST;
        let line = self.reader.position().line();
        let read = self.reader.read_byte_record(&mut record);
        let more = read.map_err(|why| fault(&file.path, format!("line {line}: {why}")))?;
        if let Some(mut begin) = record.position().cloned() {
            begin.set_line(self.reader.get_mut().ends.line(begin.byte()));
            record.set_position(Some(begin));
        }
        Ok(more.then_some(record))
    }

    /// The next record, when it is known whether it is the last one.
    fn after(&mut self, file: &RowFile) -> Result<Option<ByteRecord>> {
        let Some(record) = self.ahead.take() else {
            return Ok(None);
        };
        self.ahead = self.record(file)?;
        let odd = self.reader.get_ref().quotes % 2 == 1;
        let long = record.iter().any(|cell| cell.contains(&b'\n'));
        if self.ahead.is_none() && odd && long {
            let line = line_of(&record);
            return Err(fault(
                &file.path,
                format!("line {line}: a quote is not closed"),
            ));
        }
        Ok(Some(record))
    }

    fn decided(&mut self, file: &RowFile, now: i64) -> Result<Vec<Notation>> {
        let columns = self.columns.iter().map(Option::as_ref);
        let mut profiles = Profiles::new(file.collection, columns, now);
        while let Some(record) = self.after(file)? {
            for (place, cell) in record.iter().enumerate() {
                if let Ok(text) = std::str::from_utf8(cell) {
                    profiles.see_text(place, text);
                }
            }
        }
        Ok(profiles.decided())
    }

    fn next(&mut self, file: &RowFile) -> Result<Option<FileRow>> {
        loop {
            let Some(record) = self.after(file)? else {
                return Ok(None);
            };
            if record.iter().all(|cell| cell.trim_ascii().is_empty()) {
                continue;
            }
            let line = line_of(&record);
            let row = self.row(file.collection, &record);
            let place = None;
            return Ok(Some(FileRow { line, place, row }));
        }
    }

    fn row(&self, c: &Collection, record: &ByteRecord) -> ImportRow {
        let mut row = ImportRow::default();
        let [heads] = &self.heads;
        let (has, wants) = (record.len(), heads.len());
        let beyond = record
            .iter()
            .skip(wants)
            .any(|cell| !cell.trim_ascii().is_empty());
        if has < wants || beyond {
            let message = format!("The row has {has} columns, and the header {wants}.");
            row.issues.push(Issue::error("", "columns", message));
            return row;
        }
        let columns = self.columns.iter().zip(&self.notations);
        for (((column, notation), head), cell) in columns.zip(heads).zip(record) {
            let Some(column) = column else { continue };
            let Ok(cell) = std::str::from_utf8(cell) else {
                let message = format!("{head} is not UTF-8 (--encoding windows-1251?).");
                let path = column.field(c).map_or(head.as_str(), |f| &f.path);
                row.issues.push(Issue::error(path, "not-utf8", message));
                continue;
            };
            let path = column.field(c).map_or("", |field| &field.path);
            if let Some(fault) = notation.fault(c, column, path, cell) {
                row.issues.push(fault);
                continue;
            }
            let Some(value) = ingest::value(c, column, notation, cell, self.ids) else {
                continue;
            };
            match column.is_id() {
                true => read_id(&mut row, &value),
                false => column.put(c, &mut row.body, value),
            }
        }
        row
    }
}

fn line_of(record: &ByteRecord) -> u64 {
    record.position().map_or(0, csv::Position::line)
}

/// The sign that separates the columns of the first line: a tab or a semicolon if there is one, since
/// headings have commas (`Удой, кг`).
fn delimiter(begin: &[u8]) -> u8 {
    let mut lines = begin.split(|byte| *byte == b'\n');
    let line = lines.next().unwrap_or_default();
    let mut quoted = false;
    let mut has = [false, false];
    for byte in line {
        quoted ^= *byte == b'"';
        for (sign, has) in [b'\t', b';'].iter().zip(&mut has) {
            *has |= !quoted && sign == byte;
        }
    }
    match has {
        [true, _] => b'\t',
        [_, true] => b';',
        _ => b',',
    }
}

impl Lines {
    fn next(&mut self, file: &RowFile) -> Result<Option<FileRow>> {
        loop {
            let mut bytes = Vec::new();
            let mut reader = (&mut self.reader).take(LONGEST + 1);
            let read = reader.read_until(b'\n', &mut bytes);
            let at = self.line + 1;
            let read = read.map_err(|why| fault(&file.path, format!("line {at}: {why}")))?;
            if read == 0 {
                return Ok(None);
            }
            if read as u64 > LONGEST {
                let why = format!("line {at}: is longer than {} MiB", LONGEST >> 20);
                return Err(fault(&file.path, why));
            }
            self.line = at;
            if bytes.trim_ascii().is_empty() {
                continue;
            }
            let row = self.row(file.collection, bytes.trim_ascii());
            let (line, place) = (at, None);
            return Ok(Some(FileRow { line, place, row }));
        }
    }

    fn row(&mut self, c: &Collection, bytes: &[u8]) -> ImportRow {
        let mut row = ImportRow::default();
        let mut refuse = |code, message: String| {
            row.issues.push(Issue::error("", code, message));
        };
        let Ok(text) = std::str::from_utf8(bytes) else {
            refuse("not-utf8", "The line is not UTF-8.".to_owned());
            return row;
        };
        let object: Map<String, Json> = match serde_json::from_str(text) {
            Ok(Json::Object(object)) => object,
            Ok(_) => {
                refuse("not-an-object", "The line is no JSON object.".to_owned());
                return row;
            }
            Err(why) => {
                refuse("not-json", format!("The line is no JSON: {why}."));
                return row;
            }
        };
        for (key, value) in object {
            if key == "id" {
                read_id(&mut row, &value);
            } else if is_member(c, &key) {
                row.body.insert(key, value);
            } else if let Some(column) = self.column(c, &key) {
                column.put(c, &mut row.body, value);
            }
        }
        row
    }

    /// What a key means that is no field or group.
    fn column(&mut self, c: &Collection, key: &str) -> Option<Column> {
        if let Some(known) = self.known.get(key) {
            return known.clone();
        }
        let column = match meaning(self.registry, c, key) {
            Meaning::Takes(column) => Some(column),
            Meaning::Ignored | Meaning::Unknown(_) => None,
        };
        // A file with ever new keys is no reason to remember them all.
        if self.known.len() < 1_000 {
            self.known.insert(key.to_owned(), column.clone());
        }
        column
    }
}

/// Whether a body has a field or a group of that name.
pub(super) fn is_member(c: &Collection, key: &str) -> bool {
    use model::registry::Node;
    c.layout.iter().any(|node| match node {
        Node::Leaf(slot) => c.fields.get(*slot).is_some_and(|f| f.name() == key),
        Node::Group(name, _) => name == key,
    })
}

#[cfg(test)]
mod tests {
    use super::{cyrillic, delimiter};

    #[test]
    fn the_delimiter_is_seen_in_the_header() {
        assert_eq!(delimiter("Инд.№;Удой, кг;Жир, %\n1;2,3".as_bytes()), b';');
        assert_eq!(delimiter(b"a,b,c\n"), b',');
        assert_eq!(delimiter(b"a\tb"), b'\t');
        assert_eq!(delimiter(b"\"a;b;c\",d"), b',');
        assert_eq!(delimiter(b"alone"), b',');
    }

    #[test]
    fn every_byte_of_windows_1251_is_a_character() {
        let text = |bytes: &[u8]| bytes.iter().map(|b| cyrillic(*b)).collect::<String>();
        assert_eq!(
            text(b"\xca\xee\xf0\xee\xe2\xe0 \xb9 1\xa8\xb8"),
            "Корова № 1Ёё"
        );
        assert_eq!(super::UPPER.chars().count(), 64);
        assert_eq!(text(b"\x80\xbf\xc0\xff"), "ЂїАя");
    }
}

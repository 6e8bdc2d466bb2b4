//! Tables in text files: cells between `;`, `,` or tabs, with quotes as in RFC 4180. Every cell is a
//! text; one that begins with `=` is no formula. Own reading, since people must find the line of a
//! fault: the crate `csv` does not count empty lines, nor those that end with CR LF, where they are.

use crate::cell::{Cell, Row};
use crate::fault::Fault;
use crate::limits::Limits;
use crate::texts::encoding::Decoded;
use std::io::{BufRead, BufReader, Read};

/// Bytes in which the delimiter is looked for.
const SAMPLE: u64 = 64 << 10;
/// What separates cells, the surest first: numbers and headings have commas.
const DELIMITERS: [u8; 3] = [b'\t', b';', b','];
/// The line that says the delimiter to spreadsheets.
const DECLARATION: &str = "sep=";

/// What separates the cells of a file.
pub(crate) fn delimiter(decoded: Decoded) -> Result<u8, Fault> {
    let mut sample = Vec::new();
    decoded.take(SAMPLE).read_to_end(&mut sample)?;
    Ok(delimiter_of(&sample))
}

fn delimiter_of(sample: &[u8]) -> u8 {
    if let Some([declared, ..]) = sample.strip_prefix(DECLARATION.as_bytes())
        && !declared.is_ascii_whitespace()
        && *declared != b'"'
    {
        return *declared;
    }
    let lines = DELIMITERS.map(|delimiter| lines_with(sample, delimiter));
    let most = lines.into_iter().max().unwrap_or_default();
    // Half of the lines: below a long title there may be few others.
    let usual = |(_, lines): &(u8, usize)| *lines > 0 && *lines * 2 >= most;
    DELIMITERS.into_iter().zip(lines).find(usual).map_or(b',', |(delimiter, _)| delimiter)
}

/// Number of lines that have a delimiter outside of quotes.
fn lines_with(sample: &[u8], delimiter: u8) -> usize {
    let (mut quoted, mut has, mut lines) = (false, false, 0);
    for byte in sample.iter().chain(b"\n") {
        match *byte {
            b'"' => quoted = !quoted,
            b'\n' if !quoted => lines += usize::from(std::mem::take(&mut has)),
            b if b == delimiter => has |= !quoted,
            _ => {}
        }
    }
    lines + usize::from(has)
}

pub(crate) struct Rows {
    bytes: BufReader<Decoded>,
    delimiter: u8,
    limits: Limits,
    line: u64,
    /// The last line ended with CR; an LF belongs to it.
    returned: bool,
}

/// Where in a record the next byte is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Begin,
    Plain,
    Quoted,
    /// Behind a quote within quotes.
    Quote,
}

struct Record {
    row: Row,
    cell: Vec<u8>,
    count: usize,
    state: State,
}

impl Rows {
    pub(crate) fn new(decoded: Decoded, delimiter: u8, limits: &Limits) -> Self {
        Self {
            bytes: BufReader::with_capacity(32 << 10, decoded),
            delimiter,
            limits: limits.clone(),
            line: 1,
            returned: false,
        }
    }

    pub(crate) fn next(&mut self) -> Result<Option<Row>, Fault> {
        while let Some(row) = self.record()? {
            let first = row.cells.first().map_or("", |cell| &cell.text);
            let declares = row.number == 1 && row.cells.len() <= 2 && first.starts_with(DECLARATION);
            if !declares && !row.is_empty() {
                return Ok(Some(row));
            }
        }
        Ok(None)
    }

    fn record(&mut self) -> Result<Option<Row>, Fault> {
        let mut record = Record { row: Row::new(self.line), cell: Vec::new(), count: 0, state: State::Begin };
        loop {
            let piece = self.bytes.fill_buf()?;
            if piece.is_empty() {
                if record.state == State::Quoted {
                    return Err(Fault::QuoteNotClosed { line: record.row.number });
                }
                let any = record.count > 0 || record.state != State::Begin;
                record.end(&self.limits)?;
                return Ok(any.then_some(record.row));
            }
            let mut used = 0;
            let mut ended = false;
            while let Some(byte) = piece.get(used).copied() {
                used += 1;
                if std::mem::take(&mut self.returned) && byte == b'\n' {
                    continue;
                }
                match (record.state, byte) {
                    (State::Quoted, b'"') => record.state = State::Quote,
                    (State::Quoted, _) => {
                        let rest = piece.get(used - 1..).unwrap_or_default();
                        let end = rest.iter().position(|b| *b == b'"');
                        let part = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
                        self.line += lines_in(part, record.cell.last().copied());
                        record.push(part, &self.limits)?;
                        used += part.len() - 1;
                    }
                    (State::Begin, b'"') => record.state = State::Quoted,
                    (State::Quote, b'"') => {
                        record.push(b"\"", &self.limits)?;
                        record.state = State::Quoted;
                    }
                    (_, b'\n' | b'\r') => {
                        self.returned = byte == b'\r';
                        self.line += 1;
                        ended = true;
                        break;
                    }
                    (_, b) if b == self.delimiter => record.end(&self.limits)?,
                    // A quote that begins a word in one line, and one that begins a word in another.
                    (State::Quote, _) if lines_in(&record.cell, None) > 0 => {
                        return Err(Fault::QuoteNotClosed { line: record.row.number });
                    }
                    _ => {
                        let rest = piece.get(used - 1..).unwrap_or_default();
                        let end = rest.iter().position(|b: &u8| *b == self.delimiter || matches!(b, b'\n' | b'\r'));
                        let part = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
                        record.push(part, &self.limits)?;
                        record.state = State::Plain;
                        used += part.len().saturating_sub(1);
                    }
                }
            }
            self.bytes.consume(used);
            if ended {
                record.end(&self.limits)?;
                return Ok(Some(record.row));
            }
        }
    }
}

/// Ends of lines within a cell, behind the byte before; CR and LF are one.
fn lines_in(part: &[u8], before: Option<u8>) -> u64 {
    let mut before = before.unwrap_or_default();
    let mut lines = 0;
    for byte in part {
        lines += u64::from(*byte == b'\r' || (*byte == b'\n' && before != b'\r'));
        before = *byte;
    }
    lines
}

impl Record {
    fn push(&mut self, part: &[u8], limits: &Limits) -> Result<(), Fault> {
        self.cell.extend_from_slice(part);
        let (row, limit) = (self.row.number, limits.cell_bytes);
        match self.cell.len() > limit {
            // Over many lines: its end was forgotten.
            true if self.state == State::Quoted && lines_in(&self.cell, None) > 0 => {
                Err(Fault::QuoteNotClosed { line: row })
            }
            true => Err(Fault::CellTooLong { row, limit }),
            false => Ok(()),
        }
    }

    fn end(&mut self, limits: &Limits) -> Result<(), Fault> {
        let text = String::from_utf8(std::mem::take(&mut self.cell));
        let text = text.unwrap_or_else(|why| String::from_utf8_lossy(why.as_bytes()).into_owned());
        self.state = State::Begin;
        self.count += 1;
        self.row.width = self.count;
        self.row.put(self.count - 1, Cell::text(text), limits)
    }
}

#[cfg(test)]
mod tests {
    use super::delimiter_of;
    use crate::tests::read;

    #[test]
    fn the_delimiter_is_seen_in_the_first_lines() {
        let of = |text: &str| char::from(delimiter_of(text.as_bytes()));
        assert_eq!(of("Инд.№;Удой, кг;Жир, %\n1;2,3;4,1\n"), ';');
        assert_eq!(of("Ферма «Заря», 2025\n\nИнд.№;Удой, кг\n1;2,3\n2;3,4\n"), ';');
        assert_eq!(of("1;31,5;4,1;3,2\n"), ';');
        assert_eq!(of("a,b,c\n1,2,3\n3,4,5;\n"), ',');
        assert_eq!(of("a\tb\n1,5\t2,5\n"), '\t');
        assert_eq!(of("\"a;b;c\",d\n"), ',');
        assert_eq!(of("sep=|\na|b"), '|');
        assert_eq!(of("alone"), ',');
        assert_eq!(of(""), ',');
    }

    #[test]
    fn quotes_are_those_of_rfc_4180_and_lines_are_counted_as_people_do() {
        let text = "a,\"b\"\"c\"\r\n\r\n\"d\ne\",f\"g\"\rh,\"i\"j\n,\n\n\"\"\"\",k";
        let expected = ["1: a|b\"c", "3: d\ne|f\"g\"", "5: h|ij", "8: \"|k"];
        assert_eq!(read(text.as_bytes()).unwrap(), expected);
        let old = "a,\"b\rc\r\nd\"\re";
        assert_eq!(read(old.as_bytes()).unwrap(), ["1: a|b\rc\r\nd", "4: e"]);
    }
}

//! Tables as workbooks (XLSX). A workbook is written to an unnamed file while its rows are read, so that it takes as
//! little memory whatever its length is, and sent when it is whole: what goes wrong before that is an error as usual.

use super::download;
use super::form::WORKBOOK;
use super::table_rows::Line;
use crate::Refusal;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use model::error::{Error, Result};
use model::record::time;
use model::said;
use ops::Cell;
use rust_xlsxwriter::{Color, Format, FormatBorder, Workbook, XlsxError};
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{Seek, SeekFrom};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// Rows of a sheet at most, the header among them.
const ROWS: u32 = 1 << 20;
/// Cells of a workbook at most: a file of some 300 MB.
const CELLS: usize = 20_000_000;
/// UTF-16 units of a text at most; what is longer is cut, and ends in [`CUT`].
const TEXT: usize = 32_767;
/// The end of a text that was cut.
const CUT: char = '…';
/// Lines that wait for the writer.
const AHEAD: usize = 512;
/// A day, milliseconds.
const DAY: i64 = 86_400_000;
/// Days from that on which spreadsheets count to the epoch.
const EPOCH: f64 = 25_569.0;
/// The first day that all of them count alike: 1 March 1900.
const FIRST: f64 = 61.0;
/// Whole numbers up to which a spreadsheet has all.
const EXACT: i64 = 1 << 53;
/// Widths of columns, characters.
const WIDTHS: (usize, usize) = (9, 40);
/// Characters of the name of a sheet.
const NAME: usize = 31;

/// A workbook that is being written.
pub(in crate::rest) struct Writing {
    lines: mpsc::Sender<Line>,
    task: JoinHandle<Result<File>>,
}

impl Writing {
    pub(in crate::rest) fn begin() -> Self {
        let (lines, coming) = mpsc::channel(AHEAD);
        let task = tokio::task::spawn_blocking(move || written(coming, (ROWS, CELLS)));
        Self { lines, task }
    }

    /// Adds a line; whether the writer still takes lines.
    pub(in crate::rest) async fn add(&self, line: Line) -> bool {
        self.lines.send(line).await.is_ok()
    }

    /// Waits for the file, and answers it under a name.
    pub(in crate::rest) async fn answer(self, name: &str) -> std::result::Result<Response, Refusal> {
        drop(self.lines);
        let file = self.task.await.map_err(Error::internal)??;
        let length = file.metadata().map_err(Error::internal)?.len();
        let body = download::body(tokio::fs::File::from_std(file), 0, length).await?;
        let disposition = format!("attachment; filename=\"{name}.xlsx\"");
        let disposition = HeaderValue::from_str(&disposition).map_err(Error::internal)?;
        let headers = [
            (header::CONTENT_TYPE, HeaderValue::from_static(WORKBOOK)),
            (header::CONTENT_LENGTH, HeaderValue::from(length)),
            (header::CONTENT_DISPOSITION, disposition),
        ];
        Ok((headers, body).into_response())
    }
}

struct Formats {
    head: Format,
    day: Format,
    instant: Format,
}

/// Writes the lines that come, up to these rows of a sheet and cells in all.
fn written(mut coming: mpsc::Receiver<Line>, most: (u32, usize)) -> Result<File> {
    let formats = Formats {
        head: Format::new()
            .set_bold()
            .set_background_color(Color::RGB(0x00EE_EEEE))
            .set_border_bottom(FormatBorder::Thin),
        day: Format::new().set_num_format("yyyy-mm-dd"),
        instant: Format::new().set_num_format("yyyy-mm-dd hh:mm:ss"),
    };
    let mut book = Workbook::new();
    let mut taken = BTreeSet::new();
    let (mut sheets, mut row, mut cells) = (0, 0, 0);
    while let Some(line) = coming.blocking_recv() {
        match line {
            Line::Sheet(name, titles) => {
                head(&mut book, &formats, &mut taken, &name, &titles).map_err(Error::internal)?;
                (sheets, row) = (sheets + 1, 1);
            }
            Line::Row(_) if row >= most.0 || cells >= most.1 => {
                let message = said!(
                    "A workbook has at most {rows} rows and {cells} cells: ask for fewer, or for format=csv.",
                    rows = ROWS - 1,
                    cells = CELLS,
                );
                return Err(Error::Malformed(message));
            }
            Line::Row(values) => {
                cells += values.len();
                let sheet = book.worksheet_from_index(sheets - 1).map_err(Error::internal)?;
                for (column, cell) in (0..).zip(values) {
                    put(sheet, &formats, (row, column), cell).map_err(Error::internal)?;
                }
                row += 1;
            }
        }
    }
    if sheets == 0 {
        book.add_worksheet();
    }
    let mut file = tempfile::tempfile().map_err(Error::internal)?;
    book.save_to_writer(&mut file).map_err(Error::internal)?;
    file.seek(SeekFrom::Start(0)).map_err(Error::internal)?;
    Ok(file)
}

/// Begins a sheet. One whose name another one has gets that of its number.
fn head(
    book: &mut Workbook,
    formats: &Formats,
    taken: &mut BTreeSet<String>,
    name: &str,
    titles: &[String],
) -> std::result::Result<(), XlsxError> {
    let allowed = |c: &char| !c.is_control() && !"[]:*?/\\".contains(*c);
    let name: String = name.chars().filter(allowed).take(NAME).collect();
    let sheet = book.add_worksheet_with_constant_memory()?;
    let name = name.trim_matches('\'').trim();
    if !name.is_empty() && taken.insert(name.to_lowercase()) {
        sheet.set_name(name)?;
    }
    sheet.set_freeze_panes(1, 0)?;
    for (column, title) in (0..).zip(titles) {
        let width = title.chars().count().saturating_add(2).clamp(WIDTHS.0, WIDTHS.1);
        sheet.set_column_width(column, f64::from(u32::try_from(width).unwrap_or(40)))?;
        sheet.write_string_with_format(0, column, cut(title.clone()), &formats.head)?;
    }
    Ok(())
}

fn put(
    sheet: &mut rust_xlsxwriter::Worksheet,
    formats: &Formats,
    (row, column): (u32, u16),
    cell: Cell,
) -> std::result::Result<(), XlsxError> {
    let done = match cell {
        Cell::Empty => return Ok(()),
        Cell::Bool(value) => sheet.write_boolean(row, column, value),
        #[expect(clippy::cast_precision_loss, reason = "spreadsheets have no other numbers; larger ones are texts")]
        Cell::Int(value) if value.abs() <= EXACT => sheet.write_number(row, column, value as f64),
        Cell::Int(value) => sheet.write_string(row, column, value.to_string()),
        Cell::Num(value) if value.is_finite() => sheet.write_number(row, column, value),
        Cell::Num(value) => sheet.write_string(row, column, value.to_string()),
        Cell::Text(text) | Cell::Json { json: text } => sheet.write_string(row, column, cut(text)),
        Cell::Day { day } => match serial(day) {
            Some(serial) => sheet.write_number_with_format(row, column, serial.floor(), &formats.day),
            None => sheet.write_string(row, column, time::to_iso(day)),
        },
        Cell::Instant { at } => match serial(at) {
            Some(serial) => sheet.write_number_with_format(row, column, serial, &formats.instant),
            None => sheet.write_string(row, column, time::to_iso(at)),
        },
    };
    done.map(drop)
}

/// The number of a time in a spreadsheet; none for one before all of them agree.
fn serial(at: i64) -> Option<f64> {
    #[expect(clippy::cast_precision_loss, reason = "milliseconds of some millennia")]
    let days = at as f64 / DAY as f64 + EPOCH;
    (days >= FIRST).then_some(days)
}

fn cut(text: String) -> String {
    if text.len() <= TEXT || text.encode_utf16().count() <= TEXT {
        return text;
    }
    let mut units = 0;
    let fits = |c: &char| {
        units += c.len_utf16();
        units < TEXT
    };
    let mut cut: String = text.chars().take_while(fits).collect();
    cut.push(CUT);
    cut
}

#[cfg(test)]
mod tests {
    use super::{Cell, Line, TEXT, cut, serial, written};
    use model::error::Error;
    use tokio::sync::mpsc;

    #[test]
    fn more_rows_or_cells_than_a_workbook_has_are_refused() {
        let made = |count: usize, most| {
            let (sender, coming) = mpsc::channel(16);
            let titles = ["a", "b"].map(str::to_owned).to_vec();
            sender.try_send(Line::Sheet(String::new(), titles)).unwrap();
            for _ in 0..count {
                let row = Line::Row(vec![Cell::Int(1), Cell::Empty]);
                sender.try_send(row).unwrap();
            }
            drop(sender);
            written(coming, most).map(|file| file.metadata().unwrap().len() > 0)
        };
        assert!(made(3, (4, 6)).unwrap());
        for most in [(3, 100), (100, 4)] {
            assert!(matches!(made(3, most), Err(Error::Malformed(_))), "{most:?}");
        }
    }

    #[test]
    fn times_are_the_numbers_of_spreadsheets() {
        // 2026-02-05 is day 46058, as the tables of packages have it.
        assert_eq!(serial(1_770_249_600_000), Some(46_058.0));
        assert_eq!(serial(1_770_249_600_000 + 43_200_000), Some(46_058.5));
        assert_eq!(serial(-2_208_988_800_000), None, "1900-01-01, which programs count differently");
    }

    #[test]
    fn texts_are_cut_where_a_cell_ends() {
        assert_eq!(cut("ё".repeat(TEXT)), "ё".repeat(TEXT));
        let long = cut("🐄".repeat(TEXT));
        assert!(long.encode_utf16().count() <= TEXT && long.ends_with("🐄…"));
    }
}

//! Merged areas: each row of an area has the value of its first row, in the first column. A title over
//! several columns is one cell.

use crate::cell::{Cell, Row};
use crate::fault::Fault;
use crate::limits::Limits;

/// Areas that reach over one row.
const OPEN: usize = 256;

/// Areas that reach over several rows, in the order of their first rows.
#[derive(Debug, Default)]
pub(crate) struct Merges {
    areas: Vec<Area>,
    next: usize,
    open: Vec<(Area, Cell)>,
}

/// First and last row, column.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Area {
    pub(crate) first: u64,
    pub(crate) last: u64,
    pub(crate) column: usize,
}

impl Merges {
    pub(crate) fn new(mut areas: Vec<Area>) -> Self {
        areas.retain(|area| area.last > area.first);
        areas.sort_by_key(|area| (area.first, area.column));
        Self { areas, ..Self::default() }
    }

    /// An area begins in the row that was filled last.
    pub(crate) fn begin(&mut self, area: Area, cell: Cell) {
        if area.last > area.first && self.open.len() < OPEN {
            self.open.push((area, cell));
        }
    }

    /// Fills a row. Rows come in ascending order.
    pub(crate) fn fill(&mut self, row: &mut Row, limits: &Limits) -> Result<(), Fault> {
        self.open.retain(|(area, _)| area.last >= row.number);
        for (area, cell) in &self.open {
            if row.cells.get(area.column).is_none_or(Cell::is_empty) {
                row.put(area.column, cell.clone(), limits)?;
            }
        }
        while let Some(area) = self.areas.get(self.next).filter(|a| a.first <= row.number) {
            self.next += 1;
            let cell = row.cells.get(area.column).filter(|cell| !cell.is_empty());
            if let Some(cell) = cell
                && area.first == row.number
                && self.open.len() < OPEN
            {
                self.open.push((*area, cell.clone()));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_an_area_have_its_value() {
        let area = |first, last, column| Area { first, last, column };
        let mut merges = Merges::new(vec![area(2, 4, 0), area(1, 1, 1), area(5, 6, 1)]);
        let (mut texts, limits) = (Vec::new(), Limits::default());
        for (number, cells) in [(2, vec!["a", "1"]), (3, vec!["", "2"]), (4, vec!["", "", "x"]), (6, vec!["b"])] {
            let mut row = Row::new(number);
            for (column, text) in cells.into_iter().enumerate() {
                row.put(column, Cell::text(text), &limits).unwrap();
            }
            merges.fill(&mut row, &limits).unwrap();
            texts.push(row.cells.iter().map(Cell::display_text).collect::<Vec<_>>().join("|"));
        }
        assert_eq!(texts, ["a|1", "a|2", "a||x", "b"]);
    }
}

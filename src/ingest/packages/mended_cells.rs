//! Cells that a user mended: they stay when the file is read again.

use crate::files::sheet::FileRow;
use crate::packages::rows;
use model::error::Result;
use model::registry::BookReader;

/// Sets a cell of a row, which may be shorter.
pub(crate) fn put_cell(cells: &mut Vec<String>, place: usize, text: String) {
    if cells.len() <= place {
        cells.resize(place.saturating_add(1), String::new());
    }
    if let Some(cell) = cells.get_mut(place) {
        *cell = text;
    }
}

/// Puts mended cells in the place of those of a file that is read again.
pub(crate) async fn restore_mended_cells(
    context: &mut dyn BookReader,
    package: i64,
    file_rows: &mut [FileRow],
) -> Result<()> {
    let (Some(first), Some(last)) = (file_rows.first(), file_rows.last()) else { return Ok(()) };
    let mended = rows::mended_cells(context, package, (first.position, last.position)).await?;
    for row in file_rows {
        for (place, text) in mended.get(&row.position).into_iter().flatten() {
            put_cell(&mut row.cells, *place, text.clone());
        }
    }
    Ok(())
}

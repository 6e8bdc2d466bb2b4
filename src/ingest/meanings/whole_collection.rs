//! Tables of a whole collection, which files of an imported folder are: their columns mean any of its fields, and ids.

use crate::files::sheet::{self, PackageSheet};
use crate::meanings::columns::{Meaning, meaning};
use crate::meanings::file_column::{BESIDE, FileColumn, Means};
use crate::values::notation::Notation;
use model::registry::{Collection, PackageSet, Registry};
use std::collections::BTreeMap;

/// The set of all fields: no column is required.
static ALL_FIELDS: PackageSet = PackageSet::new("", "", &[]);

pub(crate) fn means(registry: &'static Registry, c: &'static Collection, heading: &str) -> Means {
    if heading.is_empty() || BESIDE.contains(&heading) {
        return Means::LeftOut;
    }
    match meaning(registry, c, heading) {
        Meaning::Takes(column) => {
            let path = column.path(c).into_owned();
            Means::Takes(column, path)
        }
        Meaning::Ignored => Means::NotTaken,
        // A number by which farms name an animal beside the usual one.
        Meaning::Unknown(near) => match sheet::means(registry, c, &ALL_FIELDS, heading) {
            Means::Unknown(_) => Means::Unknown(near.into_iter().collect()),
            known => known,
        },
    }
}

/// Whether a heading means a field.
pub(crate) fn is_known(registry: &'static Registry, c: &'static Collection, heading: &str) -> bool {
    matches!(means(registry, c, heading), Means::Takes(..))
}

pub(crate) fn table(
    registry: &'static Registry,
    c: &'static Collection,
    (sheet, name, header): (usize, String, u64),
    titles: &[String],
) -> PackageSheet {
    let mut columns: Vec<FileColumn> = titles
        .iter()
        .map(|title| FileColumn {
            title: title.clone(),
            means: means(registry, c, title),
            words: BTreeMap::new(),
            notation: Notation::default(),
        })
        .collect();
    // Another number of an animal counts where no column before it, and none of the usual number, names the animal.
    let slots: Vec<(Option<usize>, bool)> = columns.iter().map(|column| slot(c, column)).collect();
    for (place, column) in columns.iter_mut().enumerate() {
        let also = slot(c, column);
        let is_used = slots
            .iter()
            .enumerate()
            .any(|(other, (slot, other_also))| other != place && *slot == also.0 && (other < place || !other_also));
        if also.1 && is_used {
            column.means = Means::NotTaken;
        }
    }
    let mut table = PackageSheet {
        sheet,
        name,
        collection: c,
        set: &ALL_FIELDS,
        header,
        score: 0,
        sure: true,
        ids: false,
        columns,
        dialect: None,
    };
    table.ids = table.id_column().is_some();
    table
}

/// The field of a column, and whether it names the row of a relation by another number than the usual one.
fn slot(c: &Collection, column: &FileColumn) -> (Option<usize>, bool) {
    let slot = column.means.taken().map(|(known, _)| known.slot);
    (slot, slot.is_some() && ALL_FIELDS.also(c, &column.title).is_some())
}

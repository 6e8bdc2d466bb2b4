//! The input of an evaluation as files of the BLUPF90 programs.

use super::inputs::Inputs;
use super::{BookPedigree, create, traits, unwritable};
use breeding::Blupf90;
use model::error::{Error, Result};
use std::io::{BufWriter, Write as _};
use std::path::Path;

/// Writes a folder: for each trait with records `TRAIT.dat`, `TRAIT.ped` and `TRAIT.par`; and `ids.txt`, a line for each
/// animal with its number in these files and its id. Numbers behind those of the animals are genetic groups.
///
/// # Errors
/// If the folder cannot be written to.
pub(super) fn write(folder: &Path, inputs: &Inputs, book: &BookPedigree) -> Result<()> {
    std::fs::create_dir_all(folder).map_err(unwritable)?;
    let mut ids = BufWriter::new(create(&folder.join("ids.txt"))?);
    for (place, id) in inputs.ids.iter().enumerate() {
        writeln!(ids, "{} {id}", place + 1).map_err(unwritable)?;
    }
    ids.flush().map_err(unwritable)?;
    let id = |place: usize| inputs.ids.get(place).map(ToString::to_string).unwrap_or_default();
    for one in traits::all() {
        let records = one.records(inputs);
        if records.values.is_empty() {
            continue;
        }
        let files = Blupf90 { animals: &book.animals, pedigree: &book.pedigree, records: &records };
        let [data, pedigree, parameters] = ["dat", "ped", "par"].map(|kind| format!("{}.{kind}", one.key));
        // Where no two records can be compared any variance does: solutions depend on its parts.
        let variance = records.variance_within().filter(|variance| *variance > 0.0).unwrap_or(1.0);
        let text = files.parameters(&data, &pedigree, one.parameters, variance);
        let text = text.map_err(|fault| Error::internal(fault.to_string()))?;
        std::fs::write(folder.join(parameters), text).map_err(unwritable)?;
        let mut out = BufWriter::new(create(&folder.join(data))?);
        files.write_data(&mut out).and_then(|()| out.flush()).map_err(unwritable)?;
        let mut out = BufWriter::new(create(&folder.join(pedigree))?);
        files.write_pedigree(&mut out, &id).and_then(|()| out.flush()).map_err(unwritable)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::write;
    use crate::evaluation_runs::BookPedigree;
    use crate::evaluation_runs::inputs::{Inputs, LactationRecord};
    use breeding::{Animal, Parent};

    fn lactation(animal: u32, herd: i64, milk: f64) -> LactationRecord {
        let season = (2024, 1);
        let (fat, protein, score) = (None, None, None);
        LactationRecord { animal, number: 1, herd, season, age: Some(25), milk, fat, protein, score }
    }

    #[test]
    fn each_trait_with_records_has_three_files_whose_numbers_the_ids_explain() {
        let mut inputs = Inputs::default();
        inputs.ids = vec![11, 12, 15, 19];
        inputs.animals = vec![Animal::default(); 4];
        inputs.animals[2].sire = Parent::Animal(0);
        inputs.animals[3].sire = Parent::Animal(0);
        inputs.animals[3].dam = Parent::Animal(1);
        inputs.lactations = vec![lactation(2, 7, 8_000.0), lactation(3, 7, 9_000.0), lactation(1, 8, 7_500.0)];
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("new");
        write(&folder, &inputs, &BookPedigree::new(&inputs).unwrap()).unwrap();
        let text = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
        let mut names: Vec<_> = std::fs::read_dir(&folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        assert_eq!(names, ["ids.txt", "milk.dat", "milk.par", "milk.ped"]);
        assert_eq!(text("ids.txt"), "1 11\n2 12\n3 15\n4 19\n");
        assert_eq!(text("milk.dat"), "8000 1 1 3\n9000 1 1 4\n7500 2 1 2\n");
        let pedigree = text("milk.ped");
        let last: Vec<&str> = pedigree.lines().last().unwrap().split(' ').collect();
        assert_eq!((last[0], last[1], last[2], last[9]), ("4", "1", "2", "19"));
        // 500² twice, one degree of freedom: the variance within herds, with h² 0.30 and a repeatability of 0.55.
        let parameters = text("milk.par");
        assert!(parameters.starts_with("DATAFILE\nmilk.dat\n") && parameters.contains("FILE\nmilk.ped\n"));
        assert!(parameters.contains("(CO)VARIANCES\n150000\n"), "{parameters}");
    }
}

//! Records and pedigree as files of the BLUPF90 programs, which estimate variances and compute what is computed here
//! (Misztal and others, Manual for BLUPF90 family of programs; Masuda, Introduction to BLUPF90 suite programs: columns
//! of `renf90.dat` and of a renumbered pedigree).

use crate::evaluation::Parameters;
use crate::fault::Fault;
use crate::pedigree::{Animal, Parent, Pedigree};
use crate::records::Records;
use std::fmt::Write as _;
use std::io::{self, Write};

/// What a data set has to say to BLUPF90. Animals are numbered from 1 in the order of the caller, groups after them,
/// and levels from 1.
#[derive(Clone, Copy, Debug)]
pub struct Blupf90<'a> {
    pub animals: &'a [Animal],
    pub pedigree: &'a Pedigree,
    pub records: &'a Records,
}

impl Blupf90<'_> {
    /// The file of parameters. `variance` is the phenotypic variance in the unit of the records, squared; solutions
    /// depend on the parts of it only.
    ///
    /// # Errors If the parameters are no variances.
    pub fn parameters(
        &self,
        data: &str,
        pedigree: &str,
        parameters: Parameters,
        variance: f64,
    ) -> Result<String, Fault> {
        parameters.check()?;
        let Parameters { heritability, repeatability } = parameters;
        let effects = &self.records.effects;
        let has_permanent = repeatability > heritability;
        let number = effects.len() + 1 + usize::from(has_permanent);
        let mut text = format!(
            "DATAFILE\n{data}\nNUMBER_OF_TRAITS\n1\nNUMBER_OF_EFFECTS\n{number}\nOBSERVATION(S)\n1\n\
             WEIGHT(S)\n\nEFFECTS:\n"
        );
        for (at, effect) in effects.iter().enumerate() {
            let levels = effect.levels.iter().max().map_or(0, |last| *last + 1);
            let _ = writeln!(text, "{} {levels} cross # {}", at + 2, effect.name);
        }
        let column = effects.len() + 2;
        let with_groups = self.animals.len() + self.pedigree.groups();
        let _ = writeln!(text, "{column} {with_groups} cross # animal");
        if has_permanent {
            let _ = writeln!(text, "{column} {} cross # permanent environment", self.animals.len());
        }
        let error = (1.0 - repeatability) * variance;
        let additive = heritability * variance;
        let _ = write!(
            text,
            "RANDOM_RESIDUAL VALUES\n{error}\nRANDOM_GROUP\n{}\nRANDOM_TYPE\nadd_an_upginb\n\
             FILE\n{pedigree}\n(CO)VARIANCES\n{additive}\n",
            effects.len() + 1
        );
        if has_permanent {
            let permanent = (repeatability - heritability) * variance;
            let _ = write!(text, "RANDOM_GROUP\n{number}\nRANDOM_TYPE\ndiagonal\nFILE\n\n(CO)VARIANCES\n{permanent}\n");
        }
        let _ = writeln!(text, "OPTION missing {}", self.missing());
        Ok(text)
    }

    /// An integer that is the value of no record: the programs take 0 for a missing one if they are not given another.
    fn missing(&self) -> i64 {
        let occurs = |number: &i64| self.records.values.contains(&(*number as f64));
        (1..).map(|times| -999 * times).find(|number| !occurs(number)).unwrap_or(0)
    }

    /// The records: value, level of each effect, animal.
    ///
    /// # Errors
    /// If `out` cannot be written to.
    pub fn write_data(&self, out: &mut dyn Write) -> io::Result<()> {
        let Records { animals, effects, values } = self.records;
        for (record, (animal, value)) in animals.iter().zip(values).enumerate() {
            write!(out, "{value}")?;
            for effect in effects {
                write!(out, " {}", effect.levels[record] + 1)?;
            }
            writeln!(out, " {}", animal + 1)?;
        }
        Ok(())
    }

    /// The pedigree: animal, sire, dam, 1,000 by the variance within (the code of `add_an_upginb`, which brings
    /// inbreeding), year of birth or 0, number of known parents, of records, of progeny as sire and as dam, and the
    /// `id` of the place.
    ///
    /// # Errors If `out` cannot be written to.
    pub fn write_pedigree(&self, out: &mut dyn Write, id: &dyn Fn(usize) -> String) -> io::Result<()> {
        let count = self.animals.len();
        let mut records = vec![0_u32; count];
        for animal in &self.records.animals {
            records[*animal as usize] += 1;
        }
        let mut progeny = vec![[0_u32; 2]; count];
        for animal in self.animals {
            for (side, parent) in [animal.sire, animal.dam].into_iter().enumerate() {
                if let Parent::Animal(parent) = parent {
                    progeny[parent as usize][side] += 1;
                }
            }
        }
        let number = |parent| match parent {
            Parent::Unknown => 0,
            Parent::Animal(parent) => u64::from(parent) + 1,
            Parent::Group(group) => count as u64 + u64::from(group) + 1,
        };
        for (place, animal) in self.animals.iter().enumerate() {
            let parents = [animal.sire, animal.dam];
            let known = parents.iter().filter(|parent| matches!(parent, Parent::Animal(_)));
            let position = self.pedigree.positions[place] as usize;
            let code = (1_000.0 / self.pedigree.variance_within(position)).round();
            let [sire, dam] = parents.map(number);
            let year = animal.birth_year.unwrap_or(0);
            let [as_sire, as_dam] = progeny[place];
            writeln!(
                out,
                "{} {sire} {dam} {code} {year} {} {} {as_sire} {as_dam} {}",
                place + 1,
                known.count(),
                records[place],
                id(place)
            )?;
        }
        Ok(())
    }
}

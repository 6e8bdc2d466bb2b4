//! Rows of a package at random, for comparison with what is on paper (docs/packages.md).

use super::rows::{self, RowCursor};
use model::error::Result;
use model::registry::{BookReader, ID};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeSet;

/// Draws rows of a package. Each row has a rank, the SHA-256 of seed, collection and id, and those of
/// the lowest rank are drawn: the same seed draws the same rows of the same package, and anybody
/// can check it.
#[derive(Debug)]
pub struct Sample {
    package: i64,
    seed: String,
    wanted: usize,
    cursor: RowCursor,
    rows: u64,
    drawn: BTreeSet<([u8; 32], &'static str, i64)>,
}

impl Sample {
    /// Of so many rows of a package.
    pub fn of(package: i64, wanted: usize, seed: &str) -> Self {
        Self { package, seed: seed.to_owned(), wanted, cursor: RowCursor::default(), rows: 0, drawn: BTreeSet::new() }
    }

    /// Looks at some more rows; false at the end.
    ///
    /// # Errors
    /// Those of the book.
    pub async fn step(&mut self, reader: &mut dyn BookReader) -> Result<bool> {
        let next = rows::next(reader, self.package, &mut self.cursor, &["id"]).await?;
        let Some((c, rows)) = next else {
            return Ok(false);
        };
        for id in rows.iter().filter_map(|row| row.get(ID).int()) {
            self.rows += 1;
            self.drawn.insert((rank(&self.seed, c.slug, id), c.slug, id));
            if self.drawn.len() > self.wanted {
                self.drawn.pop_last();
            }
        }
        Ok(true)
    }

    /// How many rows the package has, and those that were drawn, in the order of their ranks.
    pub fn drawn(self) -> (u64, Vec<(&'static str, i64)>) {
        let drawn = self.drawn.into_iter().map(|(_, slug, id)| (slug, id));
        (self.rows, drawn.collect())
    }
}

fn rank(seed: &str, slug: &str, id: i64) -> [u8; 32] {
    Sha256::digest(format!("{seed}\n{slug}\n{id}")).into()
}

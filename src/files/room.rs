//! How much space is free where files are stored, and where the book is.

use super::Fault;
use std::path::{Path, PathBuf};

/// How many bytes are written between two looks.
pub(super) const STEP: u64 = 4 << 20;

#[derive(Debug, Clone, Default)]
pub(super) struct Room {
    floor: u64,
    /// Besides the folder itself.
    database: Option<PathBuf>,
}

impl Room {
    pub(super) fn new(floor: u64, database: Option<PathBuf>) -> Self {
        Self { floor, database }
    }

    /// Refuses when there is less. If the free space cannot be determined, it is taken as enough:
    /// the write will fail if it is not.
    pub(super) fn look(&self, folder: &Path) -> Result<(), Fault> {
        let places = [Some(folder), self.database.as_deref()];
        let short = |place: &Path| free(place).is_some_and(|free| free < self.floor);
        match self.floor > 0 && places.into_iter().flatten().any(short) {
            true => Err(Fault::Full),
            false => Ok(()),
        }
    }
}

/// Bytes that this process may still fill.
fn free(place: &Path) -> Option<u64> {
    #[cfg(unix)]
    {
        // A folder that is yet to be made lies where its parent does.
        let place = place.ancestors().find(|place| place.exists())?;
        let about = rustix::fs::statvfs(place).ok()?;
        Some(about.f_bavail.saturating_mul(about.f_frsize))
    }
    #[cfg(not(unix))]
    {
        let _ = place;
        None
    }
}

#[cfg(test)]
mod tests {
    use super::Room;
    use crate::Fault;
    use std::path::Path;

    #[test]
    fn what_lies_below_the_floor_is_full() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let missing = here.join("no/such/folder");
        let floor = |bytes, database| Room::new(bytes, database).look(&missing);
        assert!(floor(0, None).is_ok() && floor(1, None).is_ok());
        assert!(matches!(floor(u64::MAX, None), Err(Fault::Full)));
        let full = floor(u64::MAX, Some(here.to_owned()));
        assert!(matches!(full, Err(Fault::Full)));
    }
}

//! Where the bytes of a file are: they are opened as often as parts of it are read.

use crate::fault::Fault;
use std::fs::File;
use std::io::{Cursor, Read, Seek};
use std::path::PathBuf;
use std::sync::Arc;

/// Bytes that can be read from any place.
pub(crate) trait Stream: Read + Seek + Send {}

impl<T: Read + Seek + Send> Stream for T {}

/// A file that is read.
#[derive(Debug, Clone)]
pub enum Source {
    /// A file of the system; it must not change meanwhile.
    Path(PathBuf),
    /// Bytes in memory.
    Bytes(Arc<[u8]>),
}

impl Source {
    pub(crate) fn open(&self) -> Result<Box<dyn Stream>, Fault> {
        match self {
            Self::Path(path) => {
                let file = File::open(path);
                let file = file.map_err(|why| Fault::Unreadable(why.to_string()))?;
                Ok(Box::new(file))
            }
            Self::Bytes(bytes) => Ok(Box::new(Cursor::new(Arc::clone(bytes)))),
        }
    }

    /// Number of bytes.
    ///
    /// # Errors
    /// [`Fault::Unreadable`].
    pub fn bytes(&self) -> Result<u64, Fault> {
        match self {
            Self::Path(path) => {
                let about = path.metadata();
                let about = about.map_err(|why| Fault::Unreadable(why.to_string()))?;
                Ok(about.len())
            }
            Self::Bytes(bytes) => Ok(bytes.len() as u64),
        }
    }

    /// The first bytes, at most so many.
    ///
    /// # Errors
    /// [`Fault::Unreadable`].
    pub fn begin(&self, most: u64) -> Result<Vec<u8>, Fault> {
        let mut bytes = Vec::new();
        self.open()?.take(most).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

impl From<Vec<u8>> for Source {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Bytes(bytes.into())
    }
}

impl From<PathBuf> for Source {
    fn from(path: PathBuf) -> Self {
        Self::Path(path)
    }
}

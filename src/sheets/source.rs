//! Where the bytes of a file are: they are opened as often as parts of it are read.

use crate::fault::Fault;
use flate2::read::MultiGzDecoder;
use std::fs::File;
use std::io::{BufReader, Cursor, ErrorKind, Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::sync::Arc;

/// Bytes that can be read from any place.
pub(crate) trait Stream: Read + Seek + Send {}

impl<T: Read + Seek + Send> Stream for T {}

/// What GZIP packed, from its first byte on: texts are read from no other place.
struct Unpacked(MultiGzDecoder<BufReader<File>>);

impl Read for Unpacked {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        self.0.read(out)
    }
}

impl Seek for Unpacked {
    fn seek(&mut self, _: SeekFrom) -> std::io::Result<u64> {
        Err(ErrorKind::Unsupported.into())
    }
}

#[derive(Debug, Clone)]
pub enum Source {
    /// A file of the system; it must not change meanwhile.
    Path(PathBuf),
    /// A text file of the system that is packed by GZIP, which is unpacked while it is read.
    Gzip(PathBuf),
    /// Bytes in memory.
    Bytes(Arc<[u8]>),
}

impl Source {
    pub(crate) fn open(&self) -> Result<Box<dyn Stream>, Fault> {
        let file = |path: &PathBuf| File::open(path).map_err(|why| Fault::Unreadable(why.to_string()));
        match self {
            Self::Path(path) => Ok(Box::new(file(path)?)),
            Self::Gzip(path) => {
                let packed = BufReader::new(file(path)?);
                Ok(Box::new(Unpacked(MultiGzDecoder::new(packed))))
            }
            Self::Bytes(bytes) => Ok(Box::new(Cursor::new(Arc::clone(bytes)))),
        }
    }

    /// Number of bytes, as they are stored.
    pub fn bytes(&self) -> Result<u64, Fault> {
        match self {
            Self::Path(path) | Self::Gzip(path) => {
                let about = path.metadata().map_err(|why| Fault::Unreadable(why.to_string()))?;
                Ok(about.len())
            }
            Self::Bytes(bytes) => Ok(bytes.len() as u64),
        }
    }

    /// The first bytes, at most so many.
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

//! The content of uploaded files: a folder beside the database, shared by all processes of a book.
//! Content is stored under random keys, never under names from outside; a changed file gets a new
//! key, so that a key stands for the same bytes for ever. Must not know rows, access, nor HTTP.

mod draft;
mod kind;
pub mod name;
#[cfg_attr(not(feature = "pictures"), path = "picture_absent.rs")]
mod picture;
mod room;
mod sweep;

pub use draft::{Draft, ReceivedFile};

use self::room::Room;
use model::error::Error;
use model::registry::Upload;
use std::fmt;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;
use tokio::fs::File;
use tokio::sync::Semaphore;

/// Pictures that are worked on at a time; each may take [`picture::MEMORY`] and a core.
const PICTURES: usize = 2;

/// Why a file was not taken.
#[derive(Debug)]
pub enum Fault {
    /// Larger than its type may be.
    TooLarge,
    /// A media type that is not taken.
    NotTaken(String),
    /// The content is not what it was said to be, or is broken.
    Broken,
    /// Less is free than has to stay so, or nothing at all.
    Full,
    /// A fault of the service; the text is for the log only.
    Folder(String),
}

impl From<io::Error> for Fault {
    fn from(fault: io::Error) -> Self {
        match fault.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
                tracing::error!(%fault, "no space for files");
                Self::Full
            }
            _ => Self::Folder(fault.to_string()),
        }
    }
}

/// The folder in which content is stored. Cheap to clone.
#[derive(Clone)]
pub struct Folder {
    root: PathBuf,
    pictures: Arc<Semaphore>,
    room: Room,
}

impl fmt::Debug for Folder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Folder({})", self.root.display())
    }
}

/// Content that has its place, but no row yet: either a row names it by the end of the write, or it is to be removed.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredFile {
    /// Key under which it is stored.
    pub key: String,
    /// Name that the sender gave it, without path parts.
    pub name: String,
    /// Media type, by the content.
    pub mime: String,
    pub bytes: u64,
    /// SHA-256, hexadecimal.
    pub sha256: String,
    /// Of pictures that can be read.
    pub picture: Option<Picture>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    /// As shown, pixels.
    pub width: u32,
    /// As shown, pixels.
    pub height: u32,
    /// Smaller ones that were made; those that would be no smaller are left out.
    pub sizes: Vec<SmallerPicture>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct SmallerPicture {
    pub size: &'static str,
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    pub mime: &'static str,
    pub bytes: u64,
}

/// What smaller pictures are cut around, in percent from the left and the top.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Focus {
    /// From the left, %.
    pub x: f64,
    /// From the top, %.
    pub y: f64,
}

impl Default for Focus {
    fn default() -> Self {
        Self { x: 50.0, y: 50.0 }
    }
}

#[derive(Debug)]
pub struct Content {
    pub file: File,
    pub length: u64,
    pub written: Option<SystemTime>,
}

impl Folder {
    /// The part of a folder that belongs to a book; several books may share a folder.
    pub fn new(dir: &Path, book: &str) -> Self {
        Self { root: dir.join(book), pictures: Arc::new(Semaphore::new(PICTURES)), room: Room::default() }
    }

    /// With the number of bytes that must stay free here and in another place.
    #[must_use]
    pub fn with_floor(mut self, floor: u64, database: Option<PathBuf>) -> Self {
        self.room = Room::new(floor, database);
        self
    }

    /// Begins to take a file of at most this number of bytes.
    ///
    /// # Errors
    /// When the folder cannot be written, or too little is free.
    pub async fn draft(&self, most: u64) -> Result<Draft, Fault> {
        Draft::begin(&self.arriving(), most, self.room.clone()).await
    }

    /// Examines the file that arrived, makes the smaller pictures, and gives everything its place.
    ///
    /// # Errors
    /// The errors of [`Fault`]; nothing is left then.
    pub async fn keep(
        &self,
        received: ReceivedFile,
        upload: &'static Upload,
        focus: Focus,
    ) -> Result<StoredFile, Fault> {
        let permit = Arc::clone(&self.pictures).acquire_owned().await;
        let _permit = permit.map_err(|_| Fault::Folder("the folder is closed".to_owned()))?;
        let folder = self.clone();
        let stored = blocking(move || folder.place(&received, upload, focus)).await;
        stored?
    }

    /// The content under a new key, with smaller pictures around another point; none
    /// when it is no picture that can be read, or gone.
    pub async fn refocus(&self, key: &str, upload: &'static Upload, focus: Focus) -> Result<Option<StoredFile>, Fault> {
        let (Some(from), folder) = (self.path(key, None), self.clone()) else {
            return Ok(None);
        };
        let permit = Arc::clone(&self.pictures).acquire_owned().await;
        let _permit = permit.map_err(|_| Fault::Folder("the folder is closed".to_owned()))?;
        let made = blocking(move || {
            if !from.exists() {
                return Ok(None);
            }
            let copy = draft::copy(&folder.arriving(), &from)?;
            match folder.place(&copy, upload, focus) {
                Ok(stored) => Ok(Some(stored).filter(|stored| stored.picture.is_some())),
                Err(fault) => Err(fault),
            }
        });
        made.await?
    }

    /// Opens content; none when it is not there.
    pub async fn open(&self, key: &str, size: Option<&str>) -> Result<Option<Content>, Error> {
        let Some(path) = self.path(key, size) else {
            return Ok(None);
        };
        let file = match File::open(&path).await {
            Ok(file) => file,
            Err(fault) if fault.kind() == ErrorKind::NotFound => return Ok(None),
            Err(fault) => return Err(Error::internal(fault)),
        };
        let about = file.metadata().await.map_err(Error::internal)?;
        Ok(Some(Content { file, length: about.len(), written: about.modified().ok() }))
    }

    /// The file of a key, for readers that need the whole of it; none where the key is none.
    pub fn place_of(&self, key: &str) -> Option<PathBuf> {
        self.path(key, None)
    }

    /// Removes content with everything made of it. What cannot be removed now is swept later.
    pub async fn remove(&self, keys: Vec<String>) {
        let folder = self.clone();
        let removed = blocking(move || {
            for key in &keys {
                if let Err(fault) = folder.forget(key) {
                    tracing::warn!(%key, %fault, "a file was not removed");
                }
            }
        });
        // The runtime reports a panic; the sweep will remove the files.
        let _ = removed.await;
    }

    fn forget(&self, key: &str) -> io::Result<()> {
        let Some(original) = self.path(key, None) else {
            return Ok(());
        };
        let Some(shelf) = original.parent() else {
            return Ok(());
        };
        for entry in std::fs::read_dir(shelf)? {
            let entry = entry?;
            if sweep::key_of(&entry.file_name()).as_deref() == Some(key) {
                gone(std::fs::remove_file(entry.path()))?;
            }
        }
        Ok(())
    }

    fn place(&self, received: &ReceivedFile, upload: &'static Upload, focus: Focus) -> Result<StoredFile, Fault> {
        let mime = kind::decide(received, upload)?;
        let group = upload.group(&mime);
        if received.bytes() > group.map_or(0, |g| g.max_bytes) {
            return Err(Fault::TooLarge);
        }
        let drawn = picture::draw(received.path(), &mime, upload.sizes, focus)?;
        let key = uuid::Uuid::new_v4().simple().to_string();
        let placed = self.settle(&key, received, drawn.as_ref());
        if let Err(fault) = placed {
            // What is left of it is swept in any case.
            let _ = self.forget(&key);
            return Err(fault.into());
        }
        Ok(StoredFile {
            key,
            name: received.name().to_owned(),
            mime,
            bytes: received.bytes(),
            sha256: received.sha256().to_owned(),
            picture: drawn.map(|drawn| drawn.about),
        })
    }

    /// Everything gets its name at once, and stays after a loss of power: the contents are
    /// on the disk before their names, and the names before this returns.
    fn settle(&self, key: &str, received: &ReceivedFile, drawn: Option<&picture::PictureSet>) -> io::Result<()> {
        let missing = || io::Error::other("a key without a place");
        let original = self.path(key, None).ok_or_else(missing)?;
        let shelf = original.parent().ok_or_else(missing)?;
        if !shelf.exists() {
            std::fs::create_dir_all(shelf)?;
            synced(&self.root)?;
        }
        for (size, bytes) in drawn.iter().flat_map(|drawn| &drawn.files) {
            let place = self.path(key, Some(size)).ok_or_else(missing)?;
            let part = draft::write(&self.arriving(), bytes)?;
            std::fs::rename(part.path(), place)?;
        }
        std::fs::rename(received.path(), &original)?;
        synced(shelf)
    }

    fn arriving(&self) -> PathBuf {
        self.root.join("arriving")
    }

    /// The path of content; none for a text that is no key or size of this folder.
    fn path(&self, key: &str, size: Option<&str>) -> Option<PathBuf> {
        let plain = |text: &str| text.bytes().all(|b| b.is_ascii_alphanumeric());
        let shelf = key.get(..2)?;
        if key.len() != 32 || !plain(key) || !size.is_none_or(plain) {
            return None;
        }
        let name = match size {
            Some(size) => format!("{key}-{size}"),
            None => key.to_owned(),
        };
        Some(self.root.join(shelf).join(name))
    }
}

/// Work that would hold up the others. Readers of foreign formats may panic, which is the fault of what they read.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Fault> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|fault| match fault.is_panic() {
        true => Fault::Broken,
        false => Fault::Folder(fault.to_string()),
    })
}

/// Names in a folder are durable only when the folder itself was written.
fn synced(folder: &Path) -> io::Result<()> {
    std::fs::File::open(folder)?.sync_all()
}

/// A missing file needs no removing.
fn gone(removed: io::Result<()>) -> io::Result<()> {
    match removed {
        Err(fault) if fault.kind() == ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::Fault;
    use std::io::Write;

    #[test]
    fn a_disk_without_space_is_full() {
        let disk = std::fs::File::options().write(true).open("/dev/full");
        let refused = disk.unwrap().write_all(b"content").unwrap_err();
        assert!(matches!(Fault::from(refused), Fault::Full));
        let missing = std::fs::File::open("/no/such/file").unwrap_err();
        assert!(matches!(Fault::from(missing), Fault::Folder(_)));
    }
}

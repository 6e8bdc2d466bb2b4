//! A file that arrives: written to the disk as it comes, digested on the way. If its sender fails
//! for any reason, nothing of it remains unless it is given a place.

use super::room::{Room, STEP};
use super::{Fault, gone, name};
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use tokio::fs::File;
use tokio::io::AsyncWriteExt;

/// Bytes of the beginning that are held in memory, for detecting the type.
pub(super) const HEAD: usize = 8 * 1024;

/// A file of our own that is removed unless it moved on.
#[derive(Debug)]
pub(super) struct Part(PathBuf);

impl Part {
    fn new(folder: &Path) -> Self {
        let name = format!("{}.part", uuid::Uuid::new_v4().simple());
        Self(folder.join(name))
    }
    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        // A renamed file is not there any more; what cannot be removed is swept.
        let _ = gone(std::fs::remove_file(&self.0));
    }
}

/// What is learned of content while it passes.
struct Digester {
    sha256: Sha256,
    head: Vec<u8>,
    bytes: u64,
    /// Whether it is a text in bytes; in UTF-16, the lower byte first; the upper byte first.
    is_text: bool,
    is_lower_first: bool,
    is_upper_first: bool,
    last: u8,
}

/// Text of any alphabet has no control characters but those of its layout.
fn is_control(byte: u8) -> bool {
    (byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x0c | 0x1a)) || byte == 0x7f
}

/// Whether every second byte from the one at a place, in the first KB, is the upper one of Latin or Cyrillic letters, or
/// of signs that texts have, in UTF-16.
fn are_upper(head: &[u8], at: usize) -> bool {
    let mut bytes = head.iter().take(1 << 10).skip(at).step_by(2);
    bytes.all(|byte| matches!(byte, 0x00 | 0x04 | 0x20 | 0x21))
}

impl Digester {
    fn new() -> Self {
        Self {
            sha256: Sha256::new(),
            head: Vec::new(),
            bytes: 0,
            is_text: true,
            is_lower_first: true,
            is_upper_first: true,
            last: 0,
        }
    }

    fn read(&mut self, chunk: &[u8]) {
        self.sha256.update(chunk);
        let room = HEAD.saturating_sub(self.head.len());
        self.head.extend(chunk.iter().take(room));
        let is_character = |unit: u16| !u8::try_from(unit).is_ok_and(is_control);
        for byte in chunk {
            self.is_text &= !is_control(*byte);
            // Of UTF-16, a character ends at every second byte.
            if self.bytes % 2 == 1 {
                let pair = [self.last, *byte];
                self.is_lower_first &= is_character(u16::from_le_bytes(pair));
                self.is_upper_first &= is_character(u16::from_be_bytes(pair));
            }
            self.last = *byte;
            self.bytes = self.bytes.saturating_add(1);
        }
    }

    fn done(self, part: Part, name: String, declared: Option<String>) -> ReceivedFile {
        let text = match self.head.get(..2) {
            Some(b"\xff\xfe") => self.is_lower_first,
            Some(b"\xfe\xff") => self.is_upper_first,
            // UTF-16 without its mark, of the alphabets of the region.
            _ if self.head.contains(&0) => {
                (self.is_lower_first && are_upper(&self.head, 1)) || (self.is_upper_first && are_upper(&self.head, 0))
            }
            _ => self.is_text,
        };
        let digest = self.sha256.finalize();
        let mut sha256 = String::with_capacity(64);
        for byte in digest {
            // Writing into a String cannot fail.
            let _ = write!(sha256, "{byte:02x}");
        }
        ReceivedFile { part, name, declared, head: self.head, bytes: self.bytes, sha256, text }
    }
}

/// A file under way.
pub struct Draft {
    part: Part,
    file: File,
    digester: Digester,
    most: u64,
    room: Room,
    /// Bytes at which is looked for room again.
    look: u64,
}

impl std::fmt::Debug for Draft {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Draft({} bytes)", self.digester.bytes)
    }
}

impl Draft {
    pub(super) async fn begin(folder: &Path, most: u64, room: Room) -> Result<Self, Fault> {
        room.look(folder)?;
        let part = Part::new(folder);
        let make = || {
            let mut options = File::options();
            options.write(true).create_new(true);
            options
        };
        let file = match make().open(part.path()).await {
            // The first file of a book, or the folder was deleted.
            Err(fault) if fault.kind() == std::io::ErrorKind::NotFound => {
                tokio::fs::create_dir_all(folder).await?;
                make().open(part.path()).await?
            }
            opened => opened?,
        };
        Ok(Self { part, file, digester: Digester::new(), most, room, look: STEP })
    }

    /// The next bytes.
    ///
    /// # Errors
    /// [`Fault::TooLarge`], or when they cannot be written.
    pub async fn write(&mut self, chunk: &[u8]) -> Result<(), Fault> {
        let after = self.digester.bytes.saturating_add(chunk.len() as u64);
        if after > self.most {
            return Err(Fault::TooLarge);
        }
        if after >= self.look {
            self.look = after.saturating_add(STEP);
            self.room.look(self.part.path())?;
        }
        self.digester.read(chunk);
        Ok(self.file.write_all(chunk).await?)
    }

    /// All is here: name and media type as the sender said them.
    ///
    /// # Errors
    /// When the bytes cannot be brought to the disk.
    pub async fn done(mut self, name: &str, declared: Option<&str>) -> Result<ReceivedFile, Fault> {
        self.file.flush().await?;
        self.file.sync_all().await?;
        let declared = declared.map(str::to_ascii_lowercase);
        Ok(self.digester.done(self.part, name::clean(name), declared))
    }
}

/// A file that arrived as a whole.
#[derive(Debug)]
pub struct ReceivedFile {
    part: Part,
    name: String,
    declared: Option<String>,
    head: Vec<u8>,
    bytes: u64,
    sha256: String,
    text: bool,
}

impl ReceivedFile {
    /// Where it is until it gets its place; it is gone with this value.
    pub fn path(&self) -> &Path {
        self.part.path()
    }
    /// Name without path parts.
    pub fn name(&self) -> &str {
        &self.name
    }
    pub(super) fn declared(&self) -> Option<&str> {
        self.declared.as_deref()
    }
    pub(super) fn head(&self) -> &[u8] {
        &self.head
    }
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
    /// SHA-256, hexadecimal.
    pub fn sha256(&self) -> &str {
        &self.sha256
    }
    /// Whether there is nothing in it but text.
    pub(super) fn is_text(&self) -> bool {
        self.text
    }
}

/// A copy of content that is already stored, as if it arrived anew. It is a separate file, so that
/// its age is that of the copy and the sweep does not delete it.
pub(super) fn copy(folder: &Path, from: &Path) -> Result<ReceivedFile, Fault> {
    std::fs::create_dir_all(folder)?;
    let part = Part::new(folder);
    let mut digester = Digester::new();
    let mut input = std::fs::File::open(from)?;
    let mut output = std::fs::File::create_new(part.path())?;
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let n = input.read(&mut buffer)?;
        let Some(chunk) = buffer.get(..n).filter(|chunk| !chunk.is_empty()) else {
            break;
        };
        digester.read(chunk);
        output.write_all(chunk)?;
    }
    output.sync_all()?;
    Ok(digester.done(part, name::clean(""), None))
}

/// A small file, on the disk.
pub(super) fn write(folder: &Path, bytes: &[u8]) -> std::io::Result<Part> {
    let part = Part::new(folder);
    let mut output = std::fs::File::create_new(part.path())?;
    output.write_all(bytes)?;
    output.sync_all()?;
    Ok(part)
}

//! Packed files (APPNOTE.TXT 6.3): the directory at the end, and parts that are unpacked as they are read. Sizes that
//! the directory states are checked against the limits before, and against what is unpacked while reading.

use crate::fault::Fault;
use crate::limits::Limits;
use crate::source::{Source, Stream};
use flate2::Crc;
use flate2::read::DeflateDecoder;
use std::io::{BufReader, Read, Seek, SeekFrom};

/// The longest end of the directory: 22 bytes and a comment.
const END: u64 = 22 + 0xffff;
/// Bytes of directory for each part, at most.
const ENTRY: u64 = 4 << 10;
/// Smaller parts may be packed at any ratio.
const SMALL: u64 = 1 << 20;

/// The longest tag that [`Unpacked::tags`] finds for certain, bytes.
const TAG: usize = 2 << 10;

#[derive(Debug, Clone)]
struct Part {
    name: String,
    method: u16,
    encrypted: bool,
    crc: u32,
    packed: u64,
    unpacked: u64,
    at: u64,
}

/// The directory of a packed file.
#[derive(Debug, Clone)]
pub(crate) struct Zip {
    source: Source,
    parts: Vec<Part>,
    length: u64,
    limits: Limits,
}

/// Numbers of the lowest byte first.
pub(crate) struct Fields<'b>(pub(crate) &'b [u8]);

impl<'b> Fields<'b> {
    pub(crate) fn bytes(&mut self, count: usize) -> Result<&'b [u8], Fault> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(Fault::Truncated)?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Fault> {
        let bytes = self.bytes(N)?;
        bytes.try_into().map_err(|_| Fault::Truncated)
    }

    pub(crate) fn u8(&mut self) -> Result<u8, Fault> {
        self.array().map(u8::from_le_bytes)
    }

    pub(crate) fn u16(&mut self) -> Result<u16, Fault> {
        self.array().map(u16::from_le_bytes)
    }

    pub(crate) fn u32(&mut self) -> Result<u32, Fault> {
        self.array().map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self) -> Result<u64, Fault> {
        self.array().map(u64::from_le_bytes)
    }

    pub(crate) fn f64(&mut self) -> Result<f64, Fault> {
        self.array().map(f64::from_le_bytes)
    }
}

impl Zip {
    pub(crate) fn open(source: &Source, limits: &Limits) -> Result<Self, Fault> {
        let length = source.bytes()?;
        let mut stream = source.open()?;
        let (count, size, at) = directory(stream.as_mut(), length)?;
        if count > limits.parts as u64 || size > ENTRY * limits.parts as u64 {
            return Err(Fault::broken(format!("it has more than {} parts", limits.parts)));
        }
        if at.checked_add(size).is_none_or(|end| end > length) {
            return Err(Fault::Truncated);
        }
        let mut bytes = Vec::new();
        stream.seek(SeekFrom::Start(at))?;
        stream.take(size).read_to_end(&mut bytes)?;
        let mut fields = Fields(&bytes);
        let mut parts = Vec::new();
        for _ in 0..count {
            parts.push(part(&mut fields)?);
        }
        let whole = (parts.iter()).try_fold(0_u64, |sum, part| sum.checked_add(part.unpacked));
        if whole.is_none_or(|whole| whole > limits.unpacked_bytes) {
            return Err(Fault::UnpacksTooLarge { limit: limits.unpacked_bytes });
        }
        Ok(Self { source: source.clone(), parts, length, limits: limits.clone() })
    }

    fn find(&self, name: &str) -> Option<&Part> {
        // Some programs write `\` and other capitals.
        let same = |part: &&Part| {
            let mut letters = part.name.bytes().map(|b| if b == b'\\' { b'/' } else { b });
            let mut wanted = name.bytes();
            loop {
                match (letters.next(), wanted.next()) {
                    (None, None) => return true,
                    (Some(a), Some(b)) if a.eq_ignore_ascii_case(&b) => {}
                    _ => return false,
                }
            }
        };
        self.parts.iter().find(same)
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// A part, unpacked while it is read.
    pub(crate) fn part(&self, name: &str) -> Result<Unpacked, Fault> {
        let part = self.find(name);
        let part = part.ok_or_else(|| Fault::broken(format!("it has no part {name}")))?;
        if part.encrypted {
            return Err(Fault::Encrypted);
        }
        let ratio = self.limits.ratio;
        if part.unpacked > SMALL && part.unpacked / ratio > part.packed {
            return Err(Fault::Ratio { limit: ratio });
        }
        let mut stream = self.source.open()?;
        stream.seek(SeekFrom::Start(part.at))?;
        let mut head = [0; 30];
        stream.read_exact(&mut head)?;
        let mut fields = Fields(&head);
        if fields.u32()? != 0x0403_4b50 {
            return Err(Fault::broken("a part is not where the directory says"));
        }
        fields.bytes(22)?;
        let skip = u64::from(fields.u16()?) + u64::from(fields.u16()?);
        let begin = part.at + 30 + skip;
        if begin.checked_add(part.packed).is_none_or(|end| end > self.length) {
            return Err(Fault::Truncated);
        }
        stream.seek(SeekFrom::Start(begin))?;
        let packed = BufReader::with_capacity(32 << 10, stream.take(part.packed));
        let inner: Box<dyn Read + Send> = match part.method {
            0 => Box::new(packed),
            8 => Box::new(DeflateDecoder::new(packed)),
            _ => return Err(Fault::Unsupported("This way of packing")),
        };
        Ok(Unpacked { inner, left: part.unpacked, crc: Crc::new(), expected: part.crc })
    }
}

/// The bytes of a part: exactly as many as the directory says.
pub(crate) struct Unpacked {
    inner: Box<dyn Read + Send>,
    left: u64,
    crc: Crc,
    expected: u32,
}

impl Read for Unpacked {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let count = self.inner.read(out)?;
        self.left = (self.left.checked_sub(count as u64))
            .ok_or_else(|| Fault::broken("a part unpacks to more than the directory says"))?;
        if count == 0 && self.left > 0 && !out.is_empty() {
            return Err(Fault::Truncated.into());
        }
        self.crc.update(out.get(..count).unwrap_or_default());
        if self.left == 0 && self.crc.sum() != self.expected {
            return Err(Fault::broken("a part was damaged on the way").into());
        }
        Ok(count)
    }
}

impl Unpacked {
    /// Looks for tags without reading XML: those that begin with a mark, up to their `>`.
    pub(crate) fn tags(mut self, mark: &[u8], mut each: impl FnMut(&str) -> Result<(), Fault>) -> Result<(), Fault> {
        let mut window = vec![0; 64 << 10];
        let mut carry = 0;
        loop {
            let count = self.read(window.get_mut(carry..).unwrap_or_default())?;
            let filled = window.get(..carry + count).unwrap_or_default();
            let mut from = 0;
            while let Some(at) = find(filled.get(from..).unwrap_or_default(), mark) {
                let begin = from + at;
                let tail = filled.get(begin..).unwrap_or_default();
                let Some(end) = tail.iter().position(|b| *b == b'>') else { break };
                each(&String::from_utf8_lossy(tail.get(..end).unwrap_or_default()))?;
                from = begin + end;
            }
            if count == 0 {
                return Ok(());
            }
            // A tag may go on in the next piece.
            let rest = filled.len().saturating_sub(TAG).max(from);
            let end = filled.len();
            window.copy_within(rest..end, 0);
            carry = end - rest;
        }
    }
}

/// Where a part of bytes begins.
fn find(bytes: &[u8], part: &[u8]) -> Option<usize> {
    let (first, last) = (*part.first()?, part.len() - 1);
    let mut from = 0;
    loop {
        let at = from + bytes.get(from..)?.iter().position(|b| *b == first)?;
        let whole = bytes.get(at..)?;
        if whole.get(last) == part.last() && whole.starts_with(part) {
            return Some(at);
        }
        from = at + 1;
    }
}

/// Number of parts, size and place of the directory.
fn directory(stream: &mut dyn Stream, length: u64) -> Result<(u64, u64, u64), Fault> {
    let start = length.saturating_sub(END);
    let mut tail = Vec::new();
    stream.seek(SeekFrom::Start(start))?;
    (&mut *stream).take(END).read_to_end(&mut tail)?;
    let at = tail.windows(4).rposition(|four| four == b"PK\x05\x06").ok_or(Fault::Truncated)?;
    let mut fields = Fields(tail.get(at + 4..).unwrap_or_default());
    fields.bytes(6)?;
    let ends = (fields.u16()?, fields.u32()?, fields.u32()?);
    // The comment may be cut off, its length not.
    fields.u16()?;
    if ends.0 != u16::MAX && ends.1 != u32::MAX && ends.2 != u32::MAX {
        return Ok((ends.0.into(), ends.1.into(), ends.2.into()));
    }
    // The wide form, to which 20 bytes before the end point.
    let mut fields = Fields(at.checked_sub(20).and_then(|from| tail.get(from..at)).ok_or(Fault::Truncated)?);
    if fields.u32()? != 0x0706_4b50 {
        return Ok((ends.0.into(), ends.1.into(), ends.2.into()));
    }
    fields.bytes(4)?;
    let mut wide = [0; 56];
    stream.seek(SeekFrom::Start(fields.u64()?))?;
    stream.read_exact(&mut wide)?;
    let mut fields = Fields(&wide);
    if fields.u32()? != 0x0606_4b50 {
        return Err(Fault::broken("its directory has no end"));
    }
    fields.bytes(28)?;
    Ok((fields.u64()?, fields.u64()?, fields.u64()?))
}

fn part(fields: &mut Fields<'_>) -> Result<Part, Fault> {
    if fields.u32()? != 0x0201_4b50 {
        return Err(Fault::broken("its directory is damaged"));
    }
    fields.bytes(4)?;
    let flags = fields.u16()?;
    let method = fields.u16()?;
    fields.bytes(4)?;
    let crc = fields.u32()?;
    let (packed, unpacked) = (fields.u32()?, fields.u32()?);
    let (name, extra, comment) = (fields.u16()?, fields.u16()?, fields.u16()?);
    fields.bytes(8)?;
    let at = fields.u32()?;
    let name = String::from_utf8_lossy(fields.bytes(name.into())?).into_owned();
    let mut extra = Fields(fields.bytes(extra.into())?);
    fields.bytes(comment.into())?;
    let mut part = Part {
        name,
        method,
        encrypted: flags & 1 != 0,
        crc,
        packed: packed.into(),
        unpacked: unpacked.into(),
        at: at.into(),
    };
    while extra.0.len() >= 4 {
        let (id, size) = (extra.u16()?, extra.u16()?);
        let mut wide = Fields(extra.bytes(size.into())?);
        if id != 1 {
            continue;
        }
        for (narrow, value) in [(unpacked, &mut part.unpacked), (packed, &mut part.packed), (at, &mut part.at)] {
            if narrow == u32::MAX {
                *value = wide.u64()?;
            }
        }
    }
    Ok(part)
}

//! Compound files ([MS-CFB]): streams in chains of sectors, as XLS and protected files have them.

use crate::fault::Fault;
use crate::source::{Source, Stream};
use crate::workbooks::zip::Fields;
use std::io::{Read, Seek, SeekFrom};

/// How these files begin.
pub(crate) const MARK: &[u8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";
/// Larger numbers of sectors are no sectors.
const LAST: u32 = 0xffff_fffa;
/// Bytes of an entry of the directory, and entries that are looked at.
const ENTRY: usize = 128;
const ENTRIES: usize = 4_096;

#[derive(Debug)]
pub(crate) struct Compound {
    source: Source,
    length: u64,
    shift: u32,
    fat: Vec<u32>,
    entries: Vec<Entry>,
    small: SmallStreams,
}

/// Where streams are that are smaller than a sector or a few.
#[derive(Debug, Default)]
struct SmallStreams {
    cutoff: u64,
    shift: u32,
    fat: u32,
}

#[derive(Debug)]
struct Entry {
    name: String,
    root: bool,
    start: u32,
    size: u64,
}

impl Compound {
    pub(crate) fn open(source: &Source) -> Result<Self, Fault> {
        let length = source.bytes()?;
        let mut stream = source.open()?;
        let mut head = [0; 512];
        stream.read_exact(&mut head)?;
        let mut fields = Fields(head.get(30..).unwrap_or_default());
        let (shift, small_shift) = (u32::from(fields.u16()?), u32::from(fields.u16()?));
        if !matches!(shift, 9 | 12) || !(4..=shift).contains(&small_shift) {
            return Err(Fault::broken("its sectors have no known size"));
        }
        fields.bytes(10)?;
        let tables = fields.u32()?;
        let directory = fields.u32()?;
        fields.bytes(4)?;
        let cutoff = u64::from(fields.u32()?);
        let small_fat = fields.u32()?;
        fields.bytes(4)?;
        let (mut more, _) = (fields.u32()?, fields.u32()?);
        let sectors = length >> shift;
        if u64::from(tables) > (sectors >> (shift - 2)) + 1 {
            return Err(Fault::Truncated);
        }
        let mut places = Vec::new();
        for _ in 0..109 {
            places.push(fields.u32()?);
        }
        let mut visited = 0;
        while more < LAST && places.len() < tables as usize {
            let sector = sector(stream.as_mut(), more, shift)?;
            let mut fields = Fields(&sector);
            while fields.0.len() > 4 {
                places.push(fields.u32()?);
            }
            more = fields.u32()?;
            visited += 1;
            if visited > sectors {
                return Err(Fault::broken("its tables form a circle"));
            }
        }
        places.truncate(tables as usize);
        let mut fat = Vec::new();
        for place in places.into_iter().filter(|place| *place < LAST) {
            let sector = sector(stream.as_mut(), place, shift)?;
            let mut fields = Fields(&sector);
            while !fields.0.is_empty() {
                fat.push(fields.u32()?);
            }
        }
        let mut compound = Self {
            source: source.clone(),
            length,
            shift,
            fat,
            entries: Vec::new(),
            small: SmallStreams { cutoff: cutoff.min(4_096), shift: small_shift, fat: small_fat },
        };
        let mut left = ENTRIES;
        for place in compound.chain(directory)? {
            let sector = sector(stream.as_mut(), place, shift)?;
            for entry in sector.chunks_exact(ENTRY) {
                compound.entries.extend(entry_of(entry)?);
            }
            left = left.saturating_sub(sector.len() / ENTRY);
            if left == 0 {
                break;
            }
        }
        Ok(compound)
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.entries.iter().any(|entry| entry.name == name)
    }

    pub(crate) fn stream(&self, name: &str) -> Result<Chain, Fault> {
        let entry = self.entries.iter().find(|entry| entry.name == name);
        let entry = entry.ok_or_else(|| Fault::broken(format!("it has no stream {name}")))?;
        if entry.size > self.length {
            return Err(Fault::Truncated);
        }
        if entry.size >= self.small.cutoff {
            return self.whole(entry.start, entry.size);
        }
        // Small streams stand in one large one.
        let root = self.entries.iter().find(|entry| entry.root);
        let root = root.ok_or_else(|| Fault::broken("it has no root"))?;
        let mut table = Vec::new();
        let tables = self.chain(self.small.fat)?;
        let mut stream = self.source.open()?;
        for place in tables {
            let sector = sector(stream.as_mut(), place, self.shift)?;
            let mut fields = Fields(&sector);
            while !fields.0.is_empty() {
                table.push(fields.u32()?);
            }
        }
        let mut container = self.whole(root.start, root.size.min(self.length))?;
        let mut bytes = Vec::new();
        let mut place = entry.start;
        while place < LAST && (bytes.len() as u64) < entry.size {
            container.seek(SeekFrom::Start(u64::from(place) << self.small.shift))?;
            let mut sector = vec![0; 1 << self.small.shift];
            container.read_exact(&mut sector)?;
            bytes.extend(sector);
            place = table.get(place as usize).copied().unwrap_or(u32::MAX);
        }
        bytes.truncate(usize::try_from(entry.size).unwrap_or_default());
        Ok(Chain { stream: Source::from(bytes).open()?, sectors: None, size: entry.size, at: 0 })
    }

    fn whole(&self, start: u32, size: u64) -> Result<Chain, Fault> {
        let sectors = self.chain(start)?;
        if size > (sectors.len() as u64) << self.shift {
            return Err(Fault::Truncated);
        }
        Ok(Chain { stream: self.source.open()?, sectors: Some((sectors, self.shift)), size, at: 0 })
    }

    fn chain(&self, start: u32) -> Result<Vec<u32>, Fault> {
        let mut sectors = Vec::new();
        let mut place = start;
        while place < LAST {
            sectors.push(place);
            if sectors.len() > self.fat.len() {
                return Err(Fault::broken("its sectors form a circle"));
            }
            place = self.fat.get(place as usize).copied().ok_or(Fault::Truncated)?;
        }
        Ok(sectors)
    }
}

fn sector(stream: &mut dyn Stream, place: u32, shift: u32) -> Result<Vec<u8>, Fault> {
    let mut bytes = vec![0; 1 << shift];
    stream.seek(SeekFrom::Start((u64::from(place) + 1) << shift))?;
    stream.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn entry_of(bytes: &[u8]) -> Result<Option<Entry>, Fault> {
    let mut fields = Fields(bytes);
    let name = fields.bytes(64)?;
    let length = usize::from(fields.u16()?).saturating_sub(2).min(62);
    let kind = fields.u8()?;
    if !matches!(kind, 2 | 5) {
        return Ok(None);
    }
    let units = name.get(..length).unwrap_or_default().chunks_exact(2);
    let units = units.map(|two| match two {
        [low, high] => u16::from_le_bytes([*low, *high]),
        _ => 0,
    });
    let name = char::decode_utf16(units).map(|c| c.unwrap_or('\u{fffd}')).collect();
    fields.bytes(116 - 67)?;
    let start = fields.u32()?;
    // Of sectors of 512 bytes the upper half may be anything.
    Ok(Some(Entry { name, root: kind == 5, start, size: u64::from(fields.u32()?) }))
}

/// The bytes of a stream.
pub(crate) struct Chain {
    stream: Box<dyn Stream>,
    /// The sectors of the file, unless the stream is in memory.
    sectors: Option<(Vec<u32>, u32)>,
    size: u64,
    at: u64,
}

impl Read for Chain {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let left = self.size.saturating_sub(self.at);
        let (begin, run) = match &self.sectors {
            None => (self.at, left),
            Some((sectors, shift)) => {
                let within = self.at & ((1 << shift) - 1);
                let place = usize::try_from(self.at >> shift).unwrap_or(usize::MAX);
                let Some(first) = sectors.get(place) else { return Ok(0) };
                // Sectors that follow each other are read at once.
                let mut run = 1;
                while run < 64 && sectors.get(place + run).copied() == first.checked_add(run as u32) {
                    run += 1;
                }
                let bytes = ((run as u64) << shift) - within;
                (((u64::from(*first) + 1) << shift) + within, bytes.min(left))
            }
        };
        let count = usize::try_from(run).unwrap_or(out.len()).min(out.len());
        self.stream.seek(SeekFrom::Start(begin))?;
        let count = self.stream.read(out.get_mut(..count).unwrap_or_default())?;
        self.at += count as u64;
        if count == 0 && left > 0 && !out.is_empty() {
            return Err(Fault::Truncated.into());
        }
        Ok(count)
    }
}

impl Seek for Chain {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        self.at = match to {
            SeekFrom::Start(at) => at,
            SeekFrom::Current(by) => self.at.saturating_add_signed(by),
            SeekFrom::End(by) => self.size.saturating_add_signed(by),
        };
        Ok(self.at)
    }
}

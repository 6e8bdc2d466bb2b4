//! How the installation shows itself: the keys `face.`, with the files that they name.

use super::read::Reader;
use model::face::{Color, Emblem, Face, LegalText};
use model::messages::Language;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Largest file of an emblem or a legal text, bytes.
const FILE: u64 = 256 << 10;
/// Longest side of an emblem in pixels: its file is small, but all of them are in memory whenever it is printed.
const SIDE: u32 = 2_000;
/// Least contrast of letters with their ground (WCAG 2.2, level AA).
const CONTRAST: f64 = 4.5;
/// Grounds of the style sheet of pages on which a colour stands, and the letters that stand on it: light, and dark.
const LIGHT: [Color; 2] = [Color(0xff, 0xff, 0xff), Color(0xf5, 0xf6, 0xf4)];
const DARK: [Color; 3] = [Color(0x16, 0x19, 0x16), Color(0x21, 0x26, 0x21), Color(0x10, 0x15, 0x0f)];

pub(super) fn read(r: &mut Reader<'_>, service: &str) -> Face {
    let name = line(r, "face.name").unwrap_or_else(|| service.to_owned());
    let mut foot = r.list("face.contacts");
    foot.extend(line(r, "face.footer"));
    Face {
        emblem: emblem(r),
        color: color(r, "face.color", &LIGHT),
        dark_color: color(r, "face.dark_color", &DARK),
        foot,
        texts: texts(r),
        issuer: line(r, "face.issuer").unwrap_or_else(|| name.clone()),
        signatory: line(r, "face.signatory").unwrap_or_default(),
        name,
    }
}

/// A text of one line, if there is one.
fn line(r: &mut Reader<'_>, key: &str) -> Option<String> {
    let text = r.text(key);
    if text.contains(char::is_control) {
        r.fault(key, "not-a-line", "must be one line");
    }
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

fn color(r: &mut Reader<'_>, key: &str, grounds: &[Color]) -> Option<Color> {
    let text = line(r, key)?;
    let color = Color::read(&text);
    match color {
        None => r.fault(key, "not-a-color", "must be six hexadecimal digits behind #: #1f6b3a"),
        Some(color) => {
            let contrasts = grounds.iter().map(|ground| color.contrast(*ground));
            let least = contrasts.fold(f64::INFINITY, f64::min);
            if least < CONTRAST {
                let message = format!("has a contrast of {least:.1} with its ground, and needs {CONTRAST}");
                r.fault(key, "too-faint", message);
            }
        }
    }
    color
}

fn file(path: &Path) -> Result<Vec<u8>, String> {
    let fault = |why: &dyn std::fmt::Display| format!("{}: {why}", path.display());
    let size = fs::metadata(path).map_err(|why| fault(&why))?.len();
    if size > FILE {
        return Err(fault(&format!("has {size} bytes, and may have {FILE}")));
    }
    fs::read(path).map_err(|why| fault(&why))
}

fn emblem(r: &mut Reader<'_>) -> Option<Emblem> {
    let key = "face.emblem";
    let path = line(r, key)?;
    let bytes = match file(Path::new(&path)) {
        Ok(bytes) => bytes,
        Err(why) => {
            r.fault(key, "no-file", why);
            return None;
        }
    };
    let is_svg = std::str::from_utf8(&bytes).is_ok_and(|text| text.contains("<svg"));
    let kind = match (bytes.starts_with(b"\x89PNG\r\n\x1a\n"), is_svg) {
        (true, _) => "image/png",
        (_, true) => "image/svg+xml",
        _ => {
            r.fault(key, "not-a-picture", "must be a file of SVG or PNG");
            return None;
        }
    };
    if kind == "image/png"
        && let Err(why) = readable(&bytes)
    {
        r.fault(key, "not-a-picture", why);
    }
    Some(Emblem { kind, bytes: bytes.into() })
}

/// Whether a PNG can be read to its end: paper has its pixels.
fn readable(bytes: &[u8]) -> Result<(), String> {
    let fault = |why: png::DecodingError| why.to_string();
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().map_err(fault)?;
    let (wide, high) = reader.info().size();
    let size = reader.output_buffer_size().filter(|_| wide.max(high) <= SIDE);
    let size = size.ok_or_else(|| format!("has {wide} × {high} pixels, and may have {SIDE} × {SIDE}"))?;
    reader.next_frame(&mut vec![0; size]).map(drop).map_err(fault)
}

/// The texts of a folder, each in all languages.
fn texts(r: &mut Reader<'_>) -> BTreeMap<String, [LegalText; 2]> {
    let key = "face.texts";
    let Some(folder) = line(r, key) else {
        return BTreeMap::new();
    };
    let names = match names(Path::new(&folder)) {
        Ok(names) => names,
        Err(why) => {
            r.fault(key, "no-folder", format!("{folder}: {why}"));
            return BTreeMap::new();
        }
    };
    let read = |name: String| {
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if !name.chars().all(plain) {
            r.fault(key, "not-a-name", format!("{name}: names have small letters, digits and -"));
        }
        let all = Language::ALL.map(|language| {
            let path = Path::new(&folder).join(format!("{name}.{}.txt", language.word()));
            let text = file(&path).and_then(|bytes| {
                let text = String::from_utf8(bytes).map_err(|_| format!("{}: is not UTF-8", path.display()))?;
                legal_text(&text).ok_or_else(|| format!("{}: has no title and text", path.display()))
            });
            text.unwrap_or_else(|why| {
                r.fault(key, "no-text", why);
                LegalText::default()
            })
        });
        (name, all)
    };
    names.into_iter().map(read).collect()
}

/// Names of the files of texts, without language and ending.
fn names(folder: &Path) -> std::io::Result<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        let mut endings = Language::ALL.iter().map(|language| format!(".{}.txt", language.word()));
        names.extend(endings.find_map(|ending| name.strip_suffix(&ending).map(str::to_owned)));
    }
    Ok(names)
}

/// A title in the first line, and paragraphs with empty lines between them.
fn legal_text(text: &str) -> Option<LegalText> {
    let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    let (title, rest) = text.trim().split_once('\n')?;
    let paragraphs = rest.split("\n\n").map(str::trim).filter(|paragraph| !paragraph.is_empty());
    let text = LegalText { title: title.trim().to_owned(), paragraphs: paragraphs.map(str::to_owned).collect() };
    (!text.paragraphs.is_empty()).then_some(text)
}

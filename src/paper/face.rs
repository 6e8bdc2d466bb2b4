//! The fonts (fonts/README.md): which character has which glyph, and how wide it is. Text is made plain before it is
//! measured, so that every character of it has a glyph.

use krilla::text::{Font, GlyphId, KrillaGlyph};
use skrifa::MetadataProvider;
use skrifa::instance::{LocationRef, Size};
use std::collections::BTreeMap;
use std::sync::OnceLock;
use unicode_normalization::UnicodeNormalization;

const REGULAR: &[u8] = include_bytes!("fonts/herdbook-sans.ttf");
const BOLD: &[u8] = include_bytes!("fonts/herdbook-sans-bold.ttf");
/// What the others lack: arrows, signs of the sexes, the sign for a character that no font has.
const SIGNS: &[u8] = include_bytes!("fonts/signs.ttf");

/// Stands for a character that no font has.
pub(crate) const UNKNOWN: char = '\u{fffd}';
/// A space at which no line ends.
pub(crate) const FIXED: char = '\u{a0}';

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Weight {
    Regular,
    Bold,
}

struct Face {
    font: Font,
    /// Glyph, and width in parts of the size.
    glyphs: BTreeMap<char, (u32, f32)>,
}

impl Face {
    fn read(bytes: &'static [u8]) -> Option<Self> {
        let read = skrifa::FontRef::new(bytes).ok()?;
        let metrics = read.glyph_metrics(Size::new(1.0), LocationRef::default());
        let mappings = read.charmap().mappings();
        let glyphs = mappings.filter_map(|(code, glyph)| {
            let width = metrics.advance_width(glyph)?;
            Some((char::from_u32(code)?, (glyph.to_u32(), width)))
        });
        Some(Self { glyphs: glyphs.collect(), font: Font::new(bytes.into(), 0)? })
    }
}

pub(crate) struct Faces {
    regular: Face,
    bold: Face,
    signs: Face,
}

/// A piece of text in one font.
pub(crate) struct Run {
    pub(crate) font: Font,
    pub(crate) text: String,
    pub(crate) glyphs: Vec<KrillaGlyph>,
    pub(crate) width: f32,
}

impl Faces {
    /// The fonts; none: a file of them is broken, which a test excludes.
    pub(crate) fn get() -> Option<&'static Self> {
        static FACES: OnceLock<Option<Faces>> = OnceLock::new();
        let read = || Some(Self { regular: Face::read(REGULAR)?, bold: Face::read(BOLD)?, signs: Face::read(SIGNS)? });
        FACES.get_or_init(read).as_ref()
    }

    fn face(&self, weight: Weight) -> &Face {
        match weight {
            Weight::Regular => &self.regular,
            Weight::Bold => &self.bold,
        }
    }

    /// The face, glyph and width of a character of a plain text.
    fn glyph(&self, weight: Weight, c: char) -> (&Face, u32, f32) {
        let c = if c == FIXED { ' ' } else { c };
        for face in [self.face(weight), &self.signs] {
            if let Some((glyph, width)) = face.glyphs.get(&c) {
                return (face, *glyph, *width);
            }
        }
        let sign = self.signs.glyphs.get(&UNKNOWN);
        let (glyph, width) = sign.copied().unwrap_or((0, 1.0));
        (&self.signs, glyph, width)
    }

    fn has(&self, c: char) -> bool {
        let faces = [&self.regular, &self.bold];
        faces.iter().all(|face| face.glyphs.contains_key(&c)) || self.signs.glyphs.contains_key(&c)
    }

    /// How wide a character is at size 1.
    pub(crate) fn width_of(&self, weight: Weight, c: char) -> f32 {
        self.glyph(weight, c).2
    }

    /// How wide a plain text is at size 1.
    pub(crate) fn width(&self, weight: Weight, text: &str) -> f32 {
        text.chars().map(|c| self.width_of(weight, c)).sum()
    }

    /// A text with characters that have glyphs only: letters and their marks as one character, white space as spaces
    /// and ends of lines, and [`UNKNOWN`] for each character that no font has, so that none is lost unseen.
    pub(crate) fn plain(&self, text: &str) -> String {
        let mut plain = String::with_capacity(text.len());
        let mut returned = false;
        for c in text.nfc() {
            let after_return = std::mem::replace(&mut returned, c == '\r');
            match c {
                '\n' if after_return => {}
                '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => {
                    plain.push('\n');
                }
                '\u{a0}' | '\u{202f}' | '\u{2007}' => plain.push(FIXED),
                _ if c == '\t' || (c.is_whitespace() && !c.is_control()) => plain.push(' '),
                _ if self.has(c) => plain.push(c),
                _ => plain.push(UNKNOWN),
            }
        }
        plain
    }

    /// A plain line as pieces of one font each.
    pub(crate) fn runs(&self, weight: Weight, line: &str) -> Vec<Run> {
        let mut runs: Vec<Run> = Vec::new();
        for c in line.chars() {
            let (face, glyph, width) = self.glyph(weight, c);
            let fresh = runs.last().is_none_or(|run| run.font != face.font);
            if fresh {
                runs.push(Run { font: face.font.clone(), text: String::new(), glyphs: Vec::new(), width: 0.0 });
            }
            let Some(run) = runs.last_mut() else { continue };
            let from = run.text.len();
            run.text.push(if c == FIXED { ' ' } else { c });
            let range = from..run.text.len();
            let glyph = GlyphId::new(glyph);
            run.glyphs.push(KrillaGlyph::new(glyph, width, 0.0, 0.0, 0.0, range, None));
            run.width += width;
        }
        runs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fonts_have_the_letters_and_signs_that_we_use() {
        let faces = Faces::get().unwrap();
        let needed = "AZazÀÿŁšЁёАЯаяҒғҚқӘәӨөҮүҢңҺһ0123456789№§«»„“”‘’–—…·•×±°µ→←↑↓♂♀₽€%−≤≥";
        for c in needed.chars() {
            assert!(faces.has(c), "{c}");
        }
        assert!(faces.has(UNKNOWN));
        assert!(faces.width(Weight::Bold, "Зорька") > faces.width(Weight::Regular, "Зорька"));
    }

    #[test]
    fn what_no_font_has_is_seen() {
        let faces = Faces::get().unwrap();
        let cases = [
            ("牛 Bella 🐄", "\u{fffd} Bella \u{fffd}"),
            ("a\u{0}b\u{200b}c\u{7f}", "a\u{fffd}b\u{fffd}c\u{fffd}"),
            ("и\u{306} е\u{308}", "й ё"),
            ("a\r\nb\rc\u{2028}d\te", "a\nb\nc\nd e"),
            ("1\u{202f}000\u{3000}kg", "1\u{a0}000 kg"),
            ("\u{e000}\u{feff}", "\u{fffd}\u{fffd}"),
        ];
        for (text, plain) in cases {
            assert_eq!(faces.plain(text), plain, "{text:?}");
        }
    }
}

//! How an installation shows itself to people: on pages, in emails, and on paper (docs/configuration.md, `face`).

use crate::messages::Language;
use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Face {
    /// Name of the installation.
    pub name: String,
    pub emblem: Option<Emblem>,
    /// Colour of links and buttons on light ground; none: that of the program.
    pub color: Option<Color>,
    /// The same on dark ground.
    pub dark_color: Option<Color>,
    /// Lines by which people reach the installation, and a line below them; at the foot of pages and emails.
    pub foot: Vec<String>,
    /// Legal texts by the name of their address.
    pub texts: BTreeMap<String, [LegalText; 2]>,
    /// Who issues certificates.
    pub issuer: String,
    /// Position and name of whoever signs them.
    pub signatory: String,
}

/// A picture file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Emblem {
    /// Its media type.
    pub kind: &'static str,
    pub bytes: Arc<[u8]>,
}

/// A text that the installation publishes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LegalText {
    pub title: String,
    pub paragraphs: Vec<String>,
}

/// Red, green, blue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Color(pub u8, pub u8, pub u8);

impl Face {
    /// The texts in a language: name of the address, and text.
    pub fn texts_in(&self, language: Language) -> impl Iterator<Item = (&str, &LegalText)> {
        let place = Language::ALL.iter().position(|one| *one == language).unwrap_or(0);
        self.texts.iter().filter_map(move |(name, all)| Some((name.as_str(), all.get(place)?)))
    }
}

impl Color {
    /// `#1f6b3a`.
    pub fn read(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6)?;
        let part = |from: usize| u8::from_str_radix(digits.get(from..from + 2)?, 16).ok();
        digits.bytes().all(|digit| digit.is_ascii_hexdigit()).then_some(())?;
        Some(Self(part(0)?, part(2)?, part(4)?))
    }

    pub fn css(self) -> String {
        format!("#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }

    /// The contrast of two colours, from 1 to 21 (WCAG 2.2, *contrast ratio*).
    pub fn contrast(self, other: Self) -> f64 {
        let (one, other) = (self.luminance(), other.luminance());
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    fn luminance(self) -> f64 {
        let part = |part: u8| {
            let share = f64::from(part) / 255.0;
            if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * part(self.0) + 0.7152 * part(self.1) + 0.0722 * part(self.2)
    }
}

#[cfg(test)]
mod tests {
    use super::Color;

    #[test]
    fn colours_are_read_and_compared() {
        for wrong in ["", "#fff", "1f6b3a", "#1f6b3", "#1f6b3ag", "#+f6b3a", "red"] {
            assert_eq!(Color::read(wrong), None, "{wrong}");
        }
        let [white, black, green] = ["#ffffff", "#000000", "#1F6b3a"].map(|text| Color::read(text).unwrap());
        assert_eq!(green.css(), "#1f6b3a");
        assert!((white.contrast(black) - 21.0).abs() < 1e-9 && (black.contrast(white) - 21.0).abs() < 1e-9);
        // Grey #777 on white is known to be just too light.
        let grey = Color(0x77, 0x77, 0x77).contrast(white);
        assert!((4.47..4.49).contains(&grey), "{grey}");
    }
}

//! Text in lines of a width.

use crate::face::{Faces, Weight};

/// A plain text in lines, none wider than `width` (in sizes of the letters) unless one character is. Lines end at
/// spaces; a word that is longer than a line is broken anywhere. There is at least one line.
pub(crate) fn lines(faces: &Faces, weight: Weight, text: &str, width: f32) -> Vec<String> {
    let mut lines = Vec::new();
    for paragraph in text.split('\n') {
        let mut line = String::new();
        let mut used = 0.0;
        let space = faces.width_of(weight, ' ');
        for word in paragraph.split(' ').filter(|word| !word.is_empty()) {
            let wide = faces.width(weight, word);
            let before = if line.is_empty() { 0.0 } else { space };
            if used + before + wide <= width {
                if !line.is_empty() {
                    line.push(' ');
                }
                line.push_str(word);
                used += before + wide;
                continue;
            }
            if !line.is_empty() {
                lines.push(std::mem::take(&mut line));
                used = 0.0;
            }
            // Addresses are broken after a slash where that helps, other words anywhere.
            for piece in word.split_inclusive('/') {
                let wide = faces.width(weight, piece);
                if !line.is_empty() && used + wide > width {
                    lines.push(std::mem::take(&mut line));
                    used = 0.0;
                }
                for c in piece.chars() {
                    let wide = faces.width_of(weight, c);
                    if !line.is_empty() && used + wide > width {
                        lines.push(std::mem::take(&mut line));
                        used = 0.0;
                    }
                    line.push(c);
                    used += wide;
                }
            }
        }
        lines.push(line);
    }
    lines
}

/// The widest word of a plain text, in sizes of the letters.
pub(crate) fn widest_word(faces: &Faces, weight: Weight, text: &str) -> f32 {
    let words = text.split([' ', '\n']);
    words.map(|word| faces.width(weight, word)).fold(0.0, f32::max)
}

/// The widest line of a plain text that is not broken.
pub(crate) fn widest_line(faces: &Faces, weight: Weight, text: &str) -> f32 {
    let all = text.split('\n');
    all.map(|line| faces.width(weight, line)).fold(0.0, f32::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_at_spaces_and_long_words_are_broken() {
        let faces = Faces::get().unwrap();
        let of = |text: &str, width| lines(faces, Weight::Regular, text, width);
        assert_eq!(of("", 5.0), [""]);
        assert_eq!(of("one  two\nthree", 100.0), ["one two", "three"]);
        assert_eq!(of("one two three", 4.2), ["one two", "three"]);
        let broken = of("x abcdefghijklmnop y", 2.0);
        assert!(broken.len() > 4, "{broken:?}");
        assert_eq!(broken.concat().replace(' ', ""), "xabcdefghijklmnopy");
        assert_eq!(of("ab", 0.0), ["a", "b"], "a character is never broken");
        let address = of("https://a.example/certificate/RU-1", 8.0);
        assert_eq!(address, ["https://a.example/", "certificate/RU-1"]);
    }

    #[test]
    fn no_line_is_too_wide() {
        let faces = Faces::get().unwrap();
        let text = "Свидетельство о происхождении племенного животного 643000000000001 «Зорька»";
        for width in [3.0, 5.0, 9.0, 20.0] {
            for line in lines(faces, Weight::Bold, text, width) {
                assert!(faces.width(Weight::Bold, &line) <= width + 0.001, "{line}");
            }
        }
    }
}

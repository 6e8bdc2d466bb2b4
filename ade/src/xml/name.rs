//! Names and characters that XML cannot carry. Both are written `_xHHHH_`, four to six hexadecimal
//! digits of the code point, as SQL/XML (ISO/IEC 9075-14) and .NET's `XmlConvert` do for names and
//! Office Open XML for texts. An underscore that would begin such a sequence is written so as well.

use std::borrow::Cow;

/// The member whose name is empty.
const NAMELESS: &str = "_x_";

/// Whether XML 1.0 can carry the character (production 2, `Char`).
pub(super) fn is_char(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{fffd}' | '\u{1_0000}'..)
}

/// Production 4, `NameStartChar`, without the colon, which separates prefixes.
fn starts_name(c: char) -> bool {
    matches!(c,
        'A'..='Z' | '_' | 'a'..='z' | '\u{c0}'..='\u{d6}' | '\u{d8}'..='\u{f6}'
        | '\u{f8}'..='\u{2ff}' | '\u{370}'..='\u{37d}' | '\u{37f}'..='\u{1fff}'
        | '\u{200c}'..='\u{200d}' | '\u{2070}'..='\u{218f}' | '\u{2c00}'..='\u{2fef}'
        | '\u{3001}'..='\u{d7ff}' | '\u{f900}'..='\u{fdcf}' | '\u{fdf0}'..='\u{fffd}'
        | '\u{1_0000}'..='\u{e_ffff}')
}

/// Production 4a, `NameChar`, without the colon.
fn continues_name(c: char) -> bool {
    starts_name(c)
        || matches!(c, '-' | '.' | '0'..='9' | '\u{b7}' | '\u{300}'..='\u{36f}'
            | '\u{203f}'..='\u{2040}')
}

/// Whether it is a name without a prefix.
pub(super) fn is_name(name: &str) -> bool {
    let mut letters = name.chars();
    letters.next().is_some_and(starts_name) && letters.all(continues_name)
}

/// The name of the element for a member. Names of members never begin with an underscore, which is
/// left to what this notation needs itself.
pub(super) fn of_member(name: &str) -> Cow<'_, str> {
    if name.is_empty() {
        return Cow::Borrowed(NAMELESS);
    }
    let reserved = (name.get(..3)).is_some_and(|start| start.eq_ignore_ascii_case("xml"));
    escaped(name, |at, c| if at == 0 { reserved || c == '_' || !starts_name(c) } else { !continues_name(c) })
}

/// The member that an element of that name represents.
pub(super) fn to_member(name: &str) -> Cow<'_, str> {
    if name == NAMELESS {
        return Cow::Borrowed("");
    }
    unescaped(name)
}

/// A text of characters that XML can carry.
pub(super) fn of_text(text: &str) -> Cow<'_, str> {
    escaped(text, |_, c| !is_char(c))
}

/// The text that the text of an element represents.
pub(super) fn to_text(text: Cow<'_, str>) -> Cow<'_, str> {
    match unescaped(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(read) => Cow::Owned(read),
    }
}

fn escaped(text: &str, must: impl Fn(usize, char) -> bool) -> Cow<'_, str> {
    let wanted = |at: usize, c: char| must(at, c) || (c == '_' && begins_code(text, at));
    if !text.char_indices().any(|(at, c)| wanted(at, c)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for (at, c) in text.char_indices() {
        if wanted(at, c) {
            out.push_str(&format!("_x{:04X}_", u32::from(c)));
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// Whether an underscore could be taken for the beginning of a code, even if the code has no end.
fn begins_code(text: &str, at: usize) -> bool {
    let rest = text.as_bytes().get(at + 1..at + 6);
    rest.is_some_and(|rest| rest.first() == Some(&b'x') && rest.iter().skip(1).all(u8::is_ascii_hexdigit))
}

fn unescaped(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("_x") {
        let (before, code) = rest.split_at(at);
        let digits = code.bytes().skip(2).take_while(u8::is_ascii_hexdigit).count();
        let end = 2 + digits;
        let letter = (4..=6)
            .contains(&digits)
            .then(|| code.get(2..end).filter(|_| code.get(end..=end) == Some("_")))
            .flatten()
            .and_then(|hex| u32::from_str_radix(hex, 16).ok())
            .and_then(char::from_u32);
        out.push_str(before);
        // What is no code stays as it is.
        let (taken, next) = match letter {
            Some(letter) => {
                out.push(letter);
                ("", end + 1)
            }
            None => ("_x", 2),
        };
        out.push_str(taken);
        rest = code.get(next..).unwrap_or_default();
    }
    if rest.len() == text.len() {
        return Cow::Borrowed(text);
    }
    out.push_str(rest);
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_xml_lacks_are_escaped() {
        for (member, element) in [
            ("weight", "weight"),
            ("@self", "_x0040_self"),
            ("recommendationDateTime ", "recommendationDateTime_x0020_"),
            ("", "_x_"),
            ("_x_", "_x005F_x_"),
            ("_null", "_x005F_null"),
            ("a_x0041_", "a_x005F_x0041_"),
            ("a_x004", "a_x004"),
            ("xmlns", "_x0078_mlns"),
            ("XML", "_x0058_ML"),
            ("xm", "xm"),
            ("1a", "_x0031_a"),
            ("a:b", "a_x003A_b"),
            ("a-b.c1", "a-b.c1"),
            ("кличка", "кличка"),
            ("🐄", "🐄"),
            ("a\u{f_ffff}", "a_xFFFFF_"),
        ] {
            assert_eq!(of_member(member), element);
            assert!(is_name(element), "{element}");
            assert_eq!(to_member(element), member);
        }
        for bad in ["", "1", "-a", "a b", "a:b", "a/b", "a\u{f_ffff}"] {
            assert!(!is_name(bad), "{bad}");
        }
    }

    #[test]
    fn texts_that_xml_lacks_are_escaped() {
        for (text, written) in [
            ("plain _x text_x12", "plain _x text_x12"),
            ("\u{1}", "_x0001_"),
            ("\u{ffff}", "_xFFFF_"),
            ("\u{7f}\u{85}\t\n", "\u{7f}\u{85}\t\n"),
            ("_x0041_", "_x005F_x0041_"),
            ("_x0041_x0042_", "_x005F_x0041_x005F_x0042_"),
            // The underscore of the code that follows must not end one of the text's own.
            ("_x005F\u{1}", "_x005F_x005F_x0001_"),
            ("_x00\u{1}", "_x00_x0001_"),
            ("_", "_"),
        ] {
            assert_eq!(of_text(text), written);
            assert_eq!(to_text(written.into()), text);
        }
        // No characters: surrogates, and beyond the last one.
        for same in ["_xD800_", "_x110000_", "_x0041", "_x0041x", "_x"] {
            assert_eq!(to_text(same.into()), same);
        }
    }
}

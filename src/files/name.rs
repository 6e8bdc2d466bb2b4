//! Names of files: what is left of the name that a sender gave, names of smaller pictures, and
//! addresses. Names never become paths on the disk.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// Longest name before its ending, bytes; addresses of such names fit their field.
const LONGEST: usize = 200;
/// Longest ending that is taken for one.
const ENDING: usize = 10;

/// As `encodeURIComponent` escapes.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'!')
    .remove(b'~')
    .remove(b'*')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')');

/// The last part of what may be a path of any system, without characters that some system
/// refuses or that make a name look like another one.
pub fn clean(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let cleaned: String = last.chars().filter(|c| !refused(*c)).collect();
    let cleaned = cleaned.trim_matches(|c: char| c.is_whitespace() || c == '.');
    let (stem, ending) = split(cleaned);
    let stem = shortened(stem).trim_end();
    match (stem.is_empty(), ending.is_empty()) {
        (true, true) => "file".to_owned(),
        (true, false) => format!("file.{ending}"),
        (false, true) => stem.to_owned(),
        (false, false) => format!("{stem}.{ending}"),
    }
}

fn refused(c: char) -> bool {
    let turning = matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}');
    c.is_control() || turning || "<>:\"|?*".contains(c)
}

fn shortened(text: &str) -> &str {
    let mut end = text.len().min(LONGEST);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

/// Name and ending, without the point between them.
fn split(name: &str) -> (&str, &str) {
    let ending = |end: &str| (1..=ENDING).contains(&end.len()) && end.bytes().all(|b| b.is_ascii_alphanumeric());
    match name.rsplit_once('.') {
        Some((stem, end)) if ending(end) => (stem, end),
        _ => (name, ""),
    }
}

/// The name when this number of files had it before: `cow.png`, `cow-1.png`.
pub fn numbered(name: &str, before: usize) -> String {
    if before == 0 {
        return name.to_owned();
    }
    match split(name) {
        (stem, "") => format!("{stem}-{before}"),
        (stem, ending) => format!("{stem}-{before}.{ending}"),
    }
}

/// The name of a smaller picture: `cow-320x320.png`.
pub fn sized(name: &str, width: i64, height: i64, mime: &str) -> String {
    let (stem, ending) = split(name);
    let same = match mime {
        "image/jpeg" => ending.eq_ignore_ascii_case("jpg") || ending.eq_ignore_ascii_case("jpeg"),
        "image/png" => ending.eq_ignore_ascii_case("png"),
        _ => false,
    };
    let ending = match mime {
        _ if same => ending,
        "image/jpeg" => "jpg",
        _ => "png",
    };
    format!("{stem}-{width}x{height}.{ending}")
}

/// Where the file of a row is read: `/api/media/file/cow%20one.png?id=7`. Two who do not see
/// each other's files may give them one name.
pub fn address(slug: &str, name: &str, id: i64) -> String {
    format!("/api/{slug}/file/{}?id={id}", escaped(name))
}

/// A name as part of an address, or of an extended header parameter.
pub fn escaped(name: &str) -> String {
    utf8_percent_encode(name, ESCAPED).to_string()
}

#[cfg(test)]
mod tests {
    use super::{address, clean, numbered, sized};

    #[test]
    fn names_lose_paths_and_tricks() {
        let cases = [
            ("cow one.png", "cow one.png"),
            ("../../etc/passwd", "passwd"),
            ("C:\\herd\\Ёлка 1.JPG", "Ёлка 1.JPG"),
            ("..", "file"),
            ("", "file"),
            (".htaccess", "htaccess"),
            ("a\0b\r\n.png", "ab.png"),
            ("cow\u{202e}gnp.exe", "cowgnp.exe"),
            ("<b>\"x\"?.csv", "bx.csv"),
            ("  spaced . ", "spaced"),
            ("...png", "png"),
            ("no ending.", "no ending"),
        ];
        for (original, name) in cases {
            assert_eq!(clean(original), name, "{original:?}");
        }
    }

    #[test]
    fn the_longest_name_has_an_address_that_fits() {
        for letter in ["x", "ы", "🐄"] {
            let name = clean(&format!("{}.png", letter.repeat(500)));
            assert!(name.ends_with(".png"));
            let longest = numbered(&sized(&name, 20_000, 20_000, "image/png"), 999_999);
            assert!(longest.chars().count() <= 255);
            assert!(address("animal-gallery", &longest, i64::MAX).len() <= 1024);
        }
    }

    #[test]
    fn numbers_and_sizes_stand_before_the_ending() {
        assert_eq!(numbered("cow.png", 0), "cow.png");
        assert_eq!(numbered("cow.png", 2), "cow-2.png");
        assert_eq!(numbered("cow", 1), "cow-1");
        assert_eq!(sized("cow.png", 320, 200, "image/png"), "cow-320x200.png");
        assert_eq!(sized("cow.JPEG", 9, 8, "image/jpeg"), "cow-9x8.JPEG");
        assert_eq!(sized("cow.webp", 9, 8, "image/png"), "cow-9x8.png");
        assert_eq!(address("media", "cow one.png", 7), "/api/media/file/cow%20one.png?id=7");
    }
}

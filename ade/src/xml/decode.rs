//! Bytes to text, in the order of RFC 7303: byte order mark, media type, XML declaration, UTF-8.

use super::{XmlFault, XmlFaultKind};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};
use quick_xml::Reader;
use quick_xml::events::Event;
use std::borrow::Cow;

/// Bytes that are looked at for a declaration.
const DECLARATION: usize = 200;

/// The text of these bytes.
pub(super) fn decode<'b>(bytes: &'b [u8], charset: Option<&str>) -> Result<Cow<'b, str>, XmlFault> {
    let (encoding, bytes) = match Encoding::for_bom(bytes) {
        Some((encoding, mark)) => (encoding, bytes.get(mark..).unwrap_or_default()),
        None => (named(bytes, charset)?, bytes),
    };
    if encoding == UTF_8 {
        return std::str::from_utf8(bytes).map(Cow::Borrowed).map_err(|fault| {
            let at = fault.valid_up_to();
            XmlFault::malformed("encoding", format!("Not UTF-8 from byte {at} on."))
        });
    }
    encoding.decode_without_bom_handling_and_without_replacement(bytes).ok_or_else(|| {
        let name = encoding.name();
        XmlFault::malformed("encoding", format!("The text is not in its encoding {name}."))
    })
}

fn named(bytes: &[u8], charset: Option<&str>) -> Result<&'static Encoding, XmlFault> {
    if let Some(label) = charset {
        return known(label);
    }
    // The first two characters of a declaration, `<?`, in units of 16 bits.
    match bytes.get(..4) {
        Some(b"<\0?\0") => return Ok(UTF_16LE),
        Some(b"\0<\0?") => return Ok(UTF_16BE),
        _ => {}
    }
    let Some(label) = declared(bytes) else {
        return Ok(UTF_8);
    };
    let encoding = known(&label)?;
    if encoding == UTF_16LE || encoding == UTF_16BE {
        // Else the declaration could not have been read.
        let message = "The declaration says UTF-16, but stands there in single bytes.";
        return Err(XmlFault::malformed("encoding", message));
    }
    Ok(encoding)
}

fn known(label: &str) -> Result<&'static Encoding, XmlFault> {
    Encoding::for_label(label.as_bytes()).ok_or_else(|| XmlFault {
        kind: XmlFaultKind::Charset,
        code: "charset-unknown",
        pointer: String::new(),
        message: format!("The encoding {label:?} is not known."),
    })
}

/// The encoding that the declaration names.
fn declared(bytes: &[u8]) -> Option<String> {
    let start = bytes.get(..DECLARATION.min(bytes.len()))?;
    if !start.starts_with(b"<?xml") {
        return None;
    }
    let text = String::from_utf8_lossy(start);
    match Reader::from_str(&text).read_event() {
        Ok(Event::Decl(decl)) => Some(decl.encoding()?.ok()?.into_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &[u8], charset: Option<&str>) -> Result<String, &'static str> {
        decode(bytes, charset).map(Cow::into_owned).map_err(|fault| fault.code)
    }

    fn wide(text: &str, mark: bool, little: bool) -> Vec<u8> {
        let mark = mark.then_some(0xfeff);
        let units = mark.into_iter().chain(text.encode_utf16());
        units.flat_map(|unit| if little { unit.to_le_bytes() } else { unit.to_be_bytes() }).collect()
    }

    #[test]
    fn the_mark_goes_before_the_media_type_before_the_declaration() {
        let cyrillic = b"<?xml version='1.0' encoding='windows-1251'?><a>\xca</a>";
        let read = "<?xml version='1.0' encoding='windows-1251'?><a>К</a>";
        assert_eq!(text(cyrillic, None).as_deref(), Ok(read));
        assert_eq!(text(b"<a>\xca</a>", Some("Windows-1251")).as_deref(), Ok("<a>К</a>"));
        let latin = read.replace('К', "Ê");
        assert_eq!(text(cyrillic, Some("iso-8859-1")), Ok(latin));
        assert_eq!(text(b"\xef\xbb\xbf<a>\xd0\x9a</a>", Some("latin1")).as_deref(), Ok("<a>К</a>"));
        for little in [true, false] {
            assert_eq!(text(&wide("<a>К</a>", true, little), None).as_deref(), Ok("<a>К</a>"));
            let declared = "<?xml version='1.0'?><a>К</a>";
            assert_eq!(text(&wide(declared, false, little), None).as_deref(), Ok(declared));
        }
    }

    #[test]
    fn what_is_not_in_its_encoding_is_refused() {
        for (bytes, charset, code) in [
            (&b"<a>\xff</a>"[..], None, "encoding"),
            (b"\xff\xfe<\0a\0>", None, "encoding"),
            (b"\xff\xfe\0\xd8<\0", None, "encoding"),
            (b"<?xml version='1.0' encoding='utf-16'?><a/>", None, "encoding"),
            (b"<?xml version='1.0' encoding='klingon'?><a/>", None, "charset-unknown"),
            (b"<a/>", Some("utf-7"), "charset-unknown"),
            (b"<a/>", Some("utf-32"), "charset-unknown"),
            (b"<a/>", Some("iso-2022-kr"), "encoding"),
            (b"<a>\x80</a>", Some("us-ascii,"), "charset-unknown"),
        ] {
            assert_eq!(text(bytes, charset), Err(code), "{}", String::from_utf8_lossy(bytes));
        }
        assert_eq!(text(b"", None).as_deref(), Ok(""));
    }
}

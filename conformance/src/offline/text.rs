//! Texts: their encoding, and lines and columns in them.

use super::{Fault, Finding};

/// The text without a byte order mark, and whether there was one.
pub(super) fn decode(bytes: &[u8]) -> Result<(&str, bool), Fault> {
    let wide = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
    let body = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let fault = |offset: usize, message: &str| {
        Fault::error(offset, "encoding", message).hint("Save or send the text as UTF-8.")
    };
    if wide {
        return Err(fault(0, "The text is UTF-16; it must be UTF-8."));
    }
    match std::str::from_utf8(body) {
        Ok(text) => Ok((text, body.len() < bytes.len())),
        Err(why) => {
            let offset = why.valid_up_to() + bytes.len() - body.len();
            Err(fault(offset, "Here is a byte that is not UTF-8."))
        }
    }
}

/// The findings with their lines and columns; the faults are in the order of the text.
pub(super) fn placed(file: &str, text: &str, faults: Vec<Fault>) -> Vec<Finding> {
    let (mut line, mut start, mut read) = (1, 0, 0);
    let mut findings = Vec::with_capacity(faults.len());
    for fault in faults {
        let offset = fault.offset.min(text.len());
        let between = text.as_bytes().get(read..offset).unwrap_or_default();
        for (at, byte) in between.iter().enumerate() {
            if *byte == b'\n' {
                line += 1;
                start = read + at + 1;
            }
        }
        read = offset.max(read);
        let before = text.as_bytes().get(start..offset).unwrap_or_default();
        findings.push(Finding {
            file: file.to_owned(),
            line,
            column: String::from_utf8_lossy(before).chars().count() + 1,
            pointer: fault.pointer,
            severity: fault.weight,
            code: fault.code,
            message: fault.message,
            hint: fault.hint,
        });
    }
    findings
}

//! Texts that are stored compressed ([`super::Ty::Compressed`]): each is a frame of Zstandard (RFC
//! 8878) of its own, made with a dictionary, since texts are short and much alike. A frame begins
//! with a comma before the text, so that frames one behind the other are the list of their texts.
//! What does not begin like a frame is plain text, as books had before migration 12.
//!
//! The dictionary was trained on the documents of the demonstration (`zstd --train --maxdict=16384
//! --dictID=1`, at most 60 of each data set, with times made random). Books need it to be read: it
//! is never changed. Another one gets another number, which stands in each frame.

use model::error::{Error, Result};
use std::cell::RefCell;
use std::io;
use std::sync::LazyLock;
use zstd::bulk::{Compressor, Decompressor};
use zstd::dict::{DecoderDictionary, EncoderDictionary};
use zstd::zstd_safe::{CParameter, WriteBuf, find_frame_compressed_size, get_frame_content_size};

static DICTIONARY: &[u8] = include_bytes!("compressed.dict");

/// Higher levels take four times as long for a tenth less.
const LEVEL: i32 = 3;

static ENCODER: LazyLock<EncoderDictionary<'static>> =
    LazyLock::new(|| EncoderDictionary::copy(DICTIONARY, LEVEL));
static DECODER: LazyLock<DecoderDictionary<'static>> =
    LazyLock::new(|| DecoderDictionary::copy(DICTIONARY));

/// Bytes of the longest text that is read: more than any that is taken in. A frame that states more is
/// broken.
const LONGEST: usize = 1 << 30;

/// The first bytes of a frame.
const MAGIC: &[u8] = b"\x28\xb5\x2f\xfd";

/// Head of a plain text among joined ones: this, and its length in bytes as [`DIGITS`] hexadecimal
/// digits. No frame begins with it.
pub(super) const PLAIN: &str = "{";
/// Digits of that length.
pub(super) const DIGITS: usize = 8;

thread_local! {
    static COMPRESSOR: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
    static DECOMPRESSOR: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

fn compressor() -> io::Result<Compressor<'static>> {
    let mut compressor = Compressor::with_prepared_dictionary(&ENCODER)?;
    // The database has its own.
    compressor.set_parameter(CParameter::ChecksumFlag(false))?;
    Ok(compressor)
}

/// A text as it is stored. If it cannot be compressed, it is stored as it is.
pub(super) fn stored(text: String) -> Vec<u8> {
    let listed = [b",", text.as_bytes()].concat();
    let frame = COMPRESSOR.with_borrow_mut(|kept| {
        let made = match kept.take() {
            Some(made) => made,
            None => compressor()?,
        };
        kept.insert(made).compress(&listed)
    });
    frame.unwrap_or_else(|_| text.into_bytes())
}

/// Writes what frames contain that stand one behind the other; how many bytes that is.
fn unpack(frames: &[u8], into: &mut (impl WriteBuf + ?Sized)) -> Result<usize> {
    let done = DECOMPRESSOR.with_borrow_mut(|kept| {
        let made = match kept.take() {
            Some(made) => made,
            None => Decompressor::with_prepared_dictionary(&DECODER)?,
        };
        kept.insert(made).decompress_to_buffer(frames, into)
    });
    done.map_err(Error::internal)
}

/// Frames one behind the other as the list of their texts, with a comma before each.
fn unpacked(frames: &[u8], length: usize) -> Result<Vec<u8>> {
    let mut list = Vec::with_capacity(length);
    match unpack(frames, &mut list)? == length && list.len() == length {
        true => Ok(list),
        false => Err(unreadable()),
    }
}

fn unreadable() -> Error {
    Error::internal("a compressed text of the database cannot be read")
}

/// Adds a stored text to a list, behind a comma.
pub(super) fn append(stored: &[u8], list: &mut Vec<u8>) -> Result<()> {
    if !stored.starts_with(MAGIC) {
        list.push(b',');
        list.extend_from_slice(stored);
        return Ok(());
    }
    let (_, length) = frame(stored)?;
    // Where it belongs: a page has hundreds.
    let before = list.len();
    list.resize(before + length, 0);
    let place = list.get_mut(before..).unwrap_or_default();
    match unpack(stored, place)? == length {
        true => Ok(()),
        false => Err(unreadable()),
    }
}

/// Whether a stored text is plain.
pub(super) fn is_plain(stored: &[u8]) -> bool {
    !stored.starts_with(MAGIC)
}

/// [`MAGIC`] as hexadecimal digits.
pub(super) fn magic() -> String {
    MAGIC.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A text as it was.
pub(super) fn text(stored: &[u8]) -> Result<String> {
    let mut list = Vec::new();
    append(stored, &mut list)?;
    list.remove(0);
    String::from_utf8(list).map_err(Error::internal)
}

/// The length of the frame at the beginning, and that of its content.
fn frame(stored: &[u8]) -> Result<(usize, usize)> {
    let length = find_frame_compressed_size(stored).map_err(|_| unreadable())?;
    let content = get_frame_content_size(stored).map_err(|_| unreadable())?;
    let content = content.and_then(|length| usize::try_from(length).ok());
    let content = content.filter(|length| *length <= LONGEST);
    Ok((length, content.ok_or_else(unreadable)?))
}

/// The list of the texts that the database joined, with a comma before each; none if the list
/// without its last text has that many bytes already.
pub(super) fn list(joined: &[u8], most: usize) -> Result<Option<Vec<u8>>> {
    let mut runs: Vec<(&[u8], usize)> = Vec::new();
    let (mut rest, mut length, mut before) = (joined, 0, 0);
    while !rest.is_empty() {
        before = length;
        if rest.starts_with(MAGIC) {
            let (stored, content) = frame(rest)?;
            let (frame, behind) = rest.split_at_checked(stored).ok_or_else(unreadable)?;
            length += content;
            match runs.last_mut() {
                // Frames in a row are unpacked at once.
                Some((run, total)) if run.starts_with(MAGIC) => {
                    let from = joined.len() - rest.len() - run.len();
                    let to = joined.len() - behind.len();
                    *run = joined.get(from..to).ok_or_else(unreadable)?;
                    *total += content;
                }
                _ => runs.push((frame, content)),
            }
            rest = behind;
        } else {
            let (plain, behind) = plain(rest)?;
            length += plain.len() + 1;
            runs.push((plain, 0));
            rest = behind;
        }
    }
    if before >= most.saturating_add(1) {
        return Ok(None);
    }
    let mut list = Vec::new();
    for (run, content) in runs {
        if run.starts_with(MAGIC) {
            let texts = unpacked(run, content)?;
            match list.is_empty() {
                true => list = texts,
                false => list.extend(texts),
            }
        } else {
            append(run, &mut list)?;
        }
    }
    Ok(Some(list))
}

/// A plain text at the beginning, and what is behind it.
fn plain(joined: &[u8]) -> Result<(&[u8], &[u8])> {
    let rest = joined
        .strip_prefix(PLAIN.as_bytes())
        .ok_or_else(unreadable)?;
    let (digits, rest) = rest.split_at_checked(DIGITS).ok_or_else(unreadable)?;
    let digits = std::str::from_utf8(digits).map_err(|_| unreadable())?;
    let length = usize::from_str_radix(digits, 16).map_err(|_| unreadable())?;
    rest.split_at_checked(length).ok_or_else(unreadable)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn plain_head(text: &str) -> Vec<u8> {
        format!("{PLAIN}{:08x}{text}", text.len()).into_bytes()
    }

    proptest! {
        #[test]
        fn what_is_stored_comes_back(text in ".{0,400}") {
            // Documents are objects: no text begins like a frame.
            let text_in = format!("{{{text}");
            prop_assert_eq!(super::text(&stored(text_in.clone())).unwrap(), text_in.clone());
            prop_assert_eq!(super::text(text_in.as_bytes()).unwrap(), text_in);
        }

        #[test]
        fn joined_texts_are_a_list(texts in prop::collection::vec(("[a-zé]{0,60}", any::<bool>()), 0..12), most in 0_usize..400) {
            let mut joined = Vec::new();
            let mut all = String::new();
            let mut before = 0;
            for (text, compressed) in &texts {
                before = all.len();
                joined.extend(if *compressed { stored(text.clone()) } else { plain_head(text) });
                all.push(',');
                all.push_str(text);
            }
            let listed = list(&joined, most).unwrap();
            // The first comma is none of the list.
            prop_assert_eq!(listed.is_none(), before > most, "{} {}", before, most);
            if let Some(listed) = listed {
                prop_assert_eq!(String::from_utf8(listed).unwrap(), all);
            }
        }

        #[test]
        fn what_is_broken_is_an_error_and_no_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), at in 0_usize..200) {
            let _ = list(&bytes, usize::MAX);
            let mut frame = stored("{\"resourceType\":\"icarWeightEventResource\"}".repeat(3));
            frame.truncate(at);
            let _ = text(&frame);
            let _ = list(&frame, usize::MAX);
        }
    }

    #[test]
    fn documents_take_a_third_at_most() {
        let text = "{\"resourceType\":\"icarWeightEventResource\",\"meta\":{\"source\":\"org.farm\",\"sourceId\":\"w-1\",\"modified\":\"2031-04-05T06:07:08.009Z\"},\"location\":{\"id\":\"17\",\"scheme\":\"org.herdbook.orgid\"},\"id\":\"34\",\"animal\":{\"id\":\"960001000517\",\"scheme\":\"org.herdbook.animal\"},\"eventDateTime\":\"2030-05-06T00:00:00.000Z\",\"weight\":{\"measurement\":612,\"units\":\"KGM\",\"method\":\"LoadCell\"}}";
        let stored = stored(text.to_owned());
        assert!(stored.starts_with(MAGIC));
        assert!(stored.len() * 3 < text.len(), "{}", stored.len());
    }

    /// Frames name their dictionary, so that others can follow.
    #[test]
    fn the_dictionary_has_the_number_one() {
        let frame = stored("{}".to_owned());
        assert_eq!(
            zstd::zstd_safe::get_dict_id_from_frame(&frame).map(u32::from),
            Some(1)
        );
    }
}

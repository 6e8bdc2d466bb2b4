//! Texts that are stored compressed ([`super::Ty::Compressed`]): each is a frame of Zstandard (RFC
//! 8878) of its own, made with a dictionary, since texts are short and much alike. A frame begins
//! with a comma before the text, so that frames one behind the other are the list of their texts.
//! What does not begin like a frame is a text that could not be compressed.
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

static ENCODER: LazyLock<EncoderDictionary<'static>> = LazyLock::new(|| EncoderDictionary::copy(DICTIONARY, LEVEL));
static DECODER: LazyLock<DecoderDictionary<'static>> = LazyLock::new(|| DecoderDictionary::copy(DICTIONARY));

/// Bytes of the longest text that is read: more than any that is taken in. A frame that states more is broken.
const LONGEST: usize = 1 << 30;

/// The first bytes of a frame.
const MAGIC: &[u8] = b"\x28\xb5\x2f\xfd";

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
    let frame = COMPRESSOR.with_borrow_mut(|reused| {
        let made = match reused.take() {
            Some(made) => made,
            None => compressor()?,
        };
        reused.insert(made).compress(&listed)
    });
    frame.unwrap_or_else(|_| text.into_bytes())
}

/// Writes what frames contain that stand one behind the other; how many bytes that is.
fn unpack(frames: &[u8], into: &mut (impl WriteBuf + ?Sized)) -> Result<usize> {
    let done = DECOMPRESSOR.with_borrow_mut(|reused| {
        let made = match reused.take() {
            Some(made) => made,
            None => Decompressor::with_prepared_dictionary(&DECODER)?,
        };
        reused.insert(made).decompress_to_buffer(frames, into)
    });
    done.map_err(Error::internal)
}

/// Frames one behind the other as the list of their texts, with a comma before each.
fn unpacked(frames: &[u8], length: usize) -> Result<Vec<u8>> {
    let mut list = Vec::with_capacity(length);
    if unpack(frames, &mut list)? == length && list.len() == length { Ok(list) } else { Err(unreadable()) }
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
    if unpack(stored, place)? == length { Ok(()) } else { Err(unreadable()) }
}

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
    let content = content.and_then(|length| usize::try_from(length).ok()).filter(|length| *length <= LONGEST);
    Ok((length, content.ok_or_else(unreadable)?))
}

/// The list of the texts that the database joined, with a comma before each; none if the list
/// without its last text has that many bytes already, or one of them is not compressed.
pub(super) fn list(joined: &[u8], most: usize) -> Result<Option<Vec<u8>>> {
    let (mut rest, mut length, mut before) = (joined, 0, 0);
    while !rest.is_empty() {
        if !rest.starts_with(MAGIC) {
            return Ok(None);
        }
        let (stored, content) = frame(rest)?;
        before = length;
        length += content;
        rest = rest.get(stored..).ok_or_else(unreadable)?;
    }
    if before > most { Ok(None) } else { unpacked(joined, length).map(Some) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_stored_comes_back(text in ".{0,400}") {
            // Documents are objects: no text begins like a frame.
            let text_in = format!("{{{text}");
            prop_assert_eq!(super::text(&stored(text_in.clone())).unwrap(), text_in.clone());
            prop_assert_eq!(super::text(text_in.as_bytes()).unwrap(), text_in);
        }

        #[test]
        fn joined_texts_are_a_list(texts in prop::collection::vec("[a-zé]{0,60}", 0..12), most in 0_usize..400) {
            let mut joined = Vec::new();
            let mut all = String::new();
            let mut before = 0;
            for text in &texts {
                before = all.len();
                joined.extend(stored(text.clone()));
                all.push(',');
                all.push_str(text);
            }
            let listed = list(&joined, most).unwrap();
            // The first comma is none of the list.
            prop_assert_eq!(listed.is_none(), before > most, "{} {}", before, most);
            if let Some(listed) = listed {
                prop_assert_eq!(String::from_utf8(listed).unwrap(), all);
            }
            joined.extend_from_slice(b"{}");
            prop_assert_eq!(list(&joined, usize::MAX).unwrap(), None);
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
        assert_eq!(zstd::zstd_safe::get_dict_id_from_frame(&frame).map(u32::from), Some(1));
    }
}

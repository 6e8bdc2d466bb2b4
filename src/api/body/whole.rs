//! All bytes of a body, in one place as they come.

use axum::body::{Body, Bytes};
use bytes::BytesMut;
use futures_util::StreamExt;
use http_body_util::LengthLimitError;

/// How much room a body gets of which no length was announced, and at first any: so many times what came.
const GROWTH: usize = 4;

/// Bytes after which a body gets the room that was announced. What it had before is a copy that is
/// freed, and may stay with the allocator for a while; room that nothing was written to costs none.
const BELIEVED: usize = 1 << 20;

/// Why a body was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BodyError {
    /// It has more bytes than the limit.
    TooLarge,
    /// Its sender or the connection ended it.
    BrokenOff,
}

/// All bytes of a body. They are gathered in one place as they come, of the length that was
/// announced: parts that are joined at the end would be there twice.
pub(crate) async fn whole(body: Body, limit: usize, announced: Option<usize>) -> Result<Bytes, BodyError> {
    let mut frames = body.into_data_stream();
    // Most bodies come at once, and stay where they are.
    let mut alone: Option<Bytes> = None;
    let mut all = BytesMut::new();
    while let Some(frame) = frames.next().await {
        let frame = frame.map_err(|fault| {
            let source = std::error::Error::source(&fault);
            match source.is_some_and(|source| source.is::<LengthLimitError>()) {
                true => BodyError::TooLarge,
                false => BodyError::BrokenOff,
            }
        })?;
        if all.is_empty() && alone.is_none() && frame.len() <= limit {
            alone = Some(frame);
            continue;
        }
        if let Some(first) = alone.take() {
            all.extend_from_slice(&first);
        }
        let length = all.len().saturating_add(frame.len());
        if length > limit {
            return Err(BodyError::TooLarge);
        }
        if length > all.capacity() {
            let room = room(length, announced);
            all.reserve(room.min(limit) - all.len());
        }
        all.extend_from_slice(&frame);
    }
    Ok(alone.unwrap_or_else(|| all.freeze()))
}

/// How much room a body gets of which so much came, and so much was announced. Who announces much
/// and sends little gets little.
fn room(came: usize, announced: Option<usize>) -> usize {
    let growth = came.saturating_mul(GROWTH);
    match announced.map(|announced| announced.max(came)) {
        Some(announced) if came >= BELIEVED => announced,
        Some(announced) => growth.min(announced),
        None => growth,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::stream;
    use std::io::Error;

    fn body(frames: &[&str]) -> Body {
        let frames: Vec<Result<String, Error>> = frames.iter().map(|frame| Ok((*frame).to_owned())).collect();
        Body::from_stream(stream::iter(frames))
    }

    #[tokio::test]
    async fn frames_come_together_whatever_was_announced() {
        for frames in [&[][..], &["abc"], &["", "abc"], &["a", "", "bc"], &["a", "b", "c", "defghijklmnop", "q"]] {
            let expected = frames.concat();
            for announced in [None, Some(0), Some(2), Some(expected.len()), Some(1 << 40)] {
                let read = whole(body(frames), 1_000, announced).await;
                assert_eq!(read.as_deref(), Ok(expected.as_bytes()), "{announced:?}");
            }
        }
    }

    #[test]
    fn an_announcement_is_believed_once_much_came() {
        let much = 50 * BELIEVED;
        assert_eq!(room(1_000, Some(much)), 4_000);
        assert_eq!(room(1_000, Some(2_000)), 2_000);
        assert_eq!(room(BELIEVED, Some(much)), much);
        assert_eq!(room(BELIEVED, None), 4 * BELIEVED);
        assert_eq!(room(BELIEVED, Some(1)), BELIEVED);
    }

    /// Beyond what is believed of an announcement at first.
    #[tokio::test]
    async fn large_bodies_come_together_whatever_was_announced() {
        let frames: Vec<String> = ["a", "b", "c", "d", "e"].iter().map(|letter| letter.repeat(BELIEVED / 3)).collect();
        let frames: Vec<&str> = frames.iter().map(String::as_str).collect();
        let expected = frames.concat();
        let lengths = [None, Some(2), Some(expected.len()), Some(1 << 40)];
        for (announced, limit) in lengths.into_iter().flat_map(|a| [(a, expected.len()), (a, 4 * expected.len())]) {
            let read = whole(body(&frames), limit, announced).await;
            assert!(read.as_deref() == Ok(expected.as_bytes()), "{announced:?}");
            let read = whole(body(&frames), expected.len() - 1, announced).await;
            assert_eq!(read, Err(BodyError::TooLarge));
        }
    }

    #[tokio::test]
    async fn more_than_the_limit_is_refused_and_as_much_is_not() {
        for (frames, length) in [(&["abc"][..], 3), (&["a", "bc", "d"], 4)] {
            let read = whole(body(frames), length, None).await;
            assert_eq!(read.as_deref(), Ok(frames.concat().as_bytes()));
            let read = whole(body(frames), length - 1, None).await;
            assert_eq!(read, Err(BodyError::TooLarge));
        }
    }

    #[tokio::test]
    async fn a_body_that_ends_in_an_error_is_no_body() {
        let frames = [Ok("abc"), Err(Error::other("gone"))];
        let read = whole(Body::from_stream(stream::iter(frames)), 1_000, Some(6)).await;
        assert_eq!(read, Err(BodyError::BrokenOff));
    }
}

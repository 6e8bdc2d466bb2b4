//! Replaces `picture.rs` in a program that was built without it: pictures are stored like any other
//! file, without width, height and smaller ones, and are not looked into.

use super::{Fault, Focus, Picture};
use model::registry::ImageSize;
use std::path::Path;

/// A picture with its smaller ones: there are none.
#[derive(Debug)]
pub(super) struct PictureSet {
    pub(super) about: Picture,
    pub(super) files: Vec<(&'static str, Vec<u8>)>,
}

/// Nothing is read, as with formats that no program of ours reads.
pub(super) fn draw(
    _path: &Path,
    _mime: &str,
    _sizes: &'static [ImageSize],
    _focus: Focus,
) -> Result<Option<PictureSet>, Fault> {
    Ok(None)
}

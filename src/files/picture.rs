//! Pictures: read within limits of memory, turned as their cameras say, and drawn smaller.
//! A picture that cannot be read to its end is broken.

use super::{Fault, Focus, Picture, SmallerPicture};
use image::codecs::jpeg::JpegEncoder;
use image::codecs::png::PngEncoder;
use image::imageops::FilterType;
use image::metadata::Orientation;
use image::{ColorType, DynamicImage, ExtendedColorType, ImageDecoder, ImageEncoder, ImageFormat, ImageReader, Limits};
use model::registry::ImageSize;
use std::path::Path;

/// Memory that reading one picture may take, bytes: about 50 million pixels of three bytes.
pub(super) const MEMORY: u64 = 160 << 20;
/// Longest side, pixels.
const LONGEST: u32 = 30_000;
/// Quality of smaller pictures, of 100.
const QUALITY: u8 = 82;

#[derive(Debug)]
pub(super) struct PictureSet {
    pub(super) about: Picture,
    pub(super) files: Vec<(&'static str, Vec<u8>)>,
}

/// A picture that was read; none for formats that are stored unread.
struct Read {
    /// Perhaps reduced already.
    image: DynamicImage,
    width: u32,
    height: u32,
    format: ImageFormat,
    profile: Option<Vec<u8>>,
}

/// Reads a picture and draws the smaller ones; none when it is of no format that we read.
pub(super) fn draw(
    path: &Path,
    mime: &str,
    sizes: &'static [ImageSize],
    focus: Focus,
) -> Result<Option<PictureSet>, Fault> {
    let format = match mime {
        "image/jpeg" => ImageFormat::Jpeg,
        "image/png" => ImageFormat::Png,
        "image/gif" => ImageFormat::Gif,
        "image/webp" => ImageFormat::WebP,
        _ => return Ok(None),
    };
    let read = read(path, format, sizes)?;
    let (mut files, mut made) = (Vec::new(), Vec::new());
    for size in sizes {
        let Some(cut) = Cut::of(&read, size, focus) else {
            continue;
        };
        let (mime, bytes) = cut.draw(&read)?;
        made.push(SmallerPicture {
            size: size.name,
            width: cut.width,
            height: cut.height,
            mime,
            bytes: bytes.len() as u64,
        });
        files.push((size.name, bytes));
    }
    let about = Picture { width: read.width, height: read.height, sizes: made };
    Ok(Some(PictureSet { about, files }))
}

fn read(path: &Path, format: ImageFormat, sizes: &[ImageSize]) -> Result<Read, Fault> {
    let mut limits = Limits::default();
    limits.max_image_width = Some(LONGEST);
    limits.max_image_height = Some(LONGEST);
    limits.max_alloc = Some(MEMORY);
    let broken = |_| Fault::Broken;
    let file = std::io::BufReader::new(std::fs::File::open(path)?);
    let mut reader = ImageReader::with_format(file, format);
    reader.limits(limits.clone());
    let mut decoder = reader.into_decoder().map_err(broken)?;
    limits.reserve(decoder.total_bytes()).map_err(broken)?;
    // A profile for other inks would turn the colours of what is drawn.
    let coloured =
        matches!(decoder.color_type(), ColorType::Rgb8 | ColorType::Rgba8 | ColorType::Rgb16 | ColorType::Rgba16)
            && decoder.original_color_type() != ExtendedColorType::Cmyk8;
    let profile = (coloured.then(|| decoder.icc_profile().ok().flatten())).flatten();
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let image = DynamicImage::from_decoder(decoder).map_err(broken)?;
    let (mut width, mut height) = (image.width(), image.height());
    let mut image = reduced(image, sizes);
    image.apply_orientation(orientation);
    let turned = matches!(
        orientation,
        Orientation::Rotate90 | Orientation::Rotate270 | Orientation::Rotate90FlipH | Orientation::Rotate270FlipH
    );
    if turned {
        std::mem::swap(&mut width, &mut height);
    }
    Ok(Read { image, width, height, format, profile })
}

/// Twice as large as any size needs at most, so that one large picture is in memory and everything else is small.
fn reduced(image: DynamicImage, sizes: &[ImageSize]) -> DynamicImage {
    let most = sizes.iter().map(|s| s.width.max(s.height)).max().unwrap_or(0);
    let (width, height) = (image.width(), image.height());
    let least = f64::from(width.min(height));
    let factor = 2.0 * f64::from(most) / least.max(1.0);
    if most == 0 || factor >= 1.0 {
        return image;
    }
    image.thumbnail_exact(scaled(width, factor), scaled(height, factor))
}

/// At least one pixel.
fn scaled(pixels: u32, factor: f64) -> u32 {
    let scaled = (f64::from(pixels) * factor).round();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "positive, and no larger than what it is made of"
    )]
    let scaled = scaled as u32;
    scaled.max(1)
}

/// A part of a picture and the size that it is drawn in.
struct Cut {
    x: u32,
    y: u32,
    part_width: u32,
    part_height: u32,
    width: u32,
    height: u32,
}

impl Cut {
    /// None when the picture is smaller than the size on both sides.
    fn of(read: &Read, size: &ImageSize, focus: Focus) -> Option<Self> {
        if read.width < size.width && read.height < size.height {
            return None;
        }
        let (whole_width, whole_height) = (f64::from(read.width), f64::from(read.height));
        let wide = f64::from(size.width) / whole_width;
        let high = f64::from(size.height) / whole_height;
        let factor = wide.max(high).min(1.0);
        let width = scaled(read.width, factor).min(size.width);
        let height = scaled(read.height, factor).min(size.height);
        // The same part in the picture that is at hand, which may be reduced.
        let (image_width, image_height) = (read.image.width(), read.image.height());
        let part = |drawn: u32, whole: f64, at_hand: u32| {
            let share = f64::from(drawn) / (whole * factor);
            scaled(at_hand, share.min(1.0)).min(at_hand)
        };
        let part_width = part(width, whole_width, image_width);
        let part_height = part(height, whole_height, image_height);
        Some(Self {
            x: begin(focus.x, image_width, part_width),
            y: begin(focus.y, image_height, part_height),
            part_width,
            part_height,
            width,
            height,
        })
    }

    fn draw(&self, read: &Read) -> Result<(&'static str, Vec<u8>), Fault> {
        let part = (read.image).crop_imm(self.x, self.y, self.part_width, self.part_height);
        let drawn = part.resize_exact(self.width, self.height, FilterType::CatmullRom);
        let mut bytes = Vec::new();
        let profile = read.profile.clone();
        let png = match read.format {
            ImageFormat::Png => true,
            ImageFormat::Jpeg => false,
            _ => drawn.color().has_alpha(),
        };
        let mime = if png {
            let drawn = if drawn.color().has_alpha() {
                DynamicImage::ImageRgba8(drawn.into_rgba8())
            } else {
                DynamicImage::ImageRgb8(drawn.into_rgb8())
            };
            encode(&drawn, PngEncoder::new(&mut bytes), profile)?;
            "image/png"
        } else {
            let drawn = DynamicImage::ImageRgb8(drawn.into_rgb8());
            encode(&drawn, JpegEncoder::new_with_quality(&mut bytes, QUALITY), profile)?;
            "image/jpeg"
        };
        Ok((mime, bytes))
    }
}

/// Where a part begins that lies around a point as well as it can.
fn begin(percent: f64, whole: u32, part: u32) -> u32 {
    let room = whole.saturating_sub(part);
    let middle = f64::from(whole) * percent.clamp(0.0, 100.0) / 100.0;
    let begin = (middle - f64::from(part) / 2.0).round();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and the room")]
    let begin = begin.clamp(0.0, f64::from(room)) as u32;
    begin
}

fn encode(image: &DynamicImage, mut encoder: impl ImageEncoder, profile: Option<Vec<u8>>) -> Result<(), Fault> {
    if let Some(profile) = profile {
        // Colours that cannot be determined are drawn as they are.
        let _ = encoder.set_icc_profile(profile);
    }
    let written = image.write_with_encoder(encoder);
    written.map_err(|fault| Fault::Folder(fault.to_string()))
}

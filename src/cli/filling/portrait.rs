//! A drawn head of a cow with her number, for the galleries of the demonstration: the same number gives the same picture.

use model::error::{Error, Result};
use png::{ColorType, Encoder};

/// Size of a picture, pixels.
const WIDTH: u32 = 480;
const HEIGHT: u32 = 360;

/// Colours by their places in [`PALETTE`].
const GROUND: u8 = 0;
const WHITE: u8 = 1;
const BLACK: u8 = 2;
const RED: u8 = 3;
const PINK: u8 = 4;
const PALETTE: [[u8; 3]; 5] = [[214, 228, 205], [250, 248, 242], [44, 40, 38], [150, 84, 52], [226, 176, 164]];

/// Middle and radii, across and down.
type Ellipse = [i64; 4];

const HEAD: Ellipse = [240, 170, 92, 130];
const EARS: [Ellipse; 2] = [[128, 110, 66, 28], [352, 110, 66, 28]];
const MUZZLE: Ellipse = [240, 262, 82, 48];
const EYES: [Ellipse; 2] = [[192, 150, 17, 18], [288, 150, 17, 18]];
/// Pupils and nostrils.
const HOLES: [Ellipse; 4] = [[192, 150, 10, 13], [288, 150, 10, 13], [212, 266, 8, 11], [268, 266, 8, 11]];
/// Colour of a coat, and its patches in another one.
static COATS: [(u8, u8, [Ellipse; 2]); 4] = [
    (WHITE, BLACK, [[176, 140, 56, 72], [306, 74, 44, 36]]),
    (BLACK, WHITE, [[240, 118, 22, 92], [240, 60, 34, 26]]),
    (RED, WHITE, [[240, 110, 26, 84], [240, 222, 64, 40]]),
    (WHITE, RED, [[304, 144, 58, 80], [186, 78, 46, 34]]),
];

/// The digits in rows of three points, a row in each octal place.
static DIGITS: [u16; 10] = [0o75557, 0o26227, 0o71747, 0o71717, 0o55711, 0o74717, 0o74757, 0o71222, 0o75757, 0o75717];
/// Pixels of a point of a digit, and of the number from above.
const POINT: i64 = 6;
const NUMBER_AT: i64 = 322;

/// The picture of a number, as PNG.
pub(super) fn png(number: &str) -> Result<Vec<u8>> {
    let line = |y: u32| (0..WIDTH).map(move |x| colour(number, i64::from(x), i64::from(y)));
    let pixels: Vec<u8> = (0..HEIGHT).flat_map(line).collect();
    let mut out = Vec::new();
    let mut encoder = Encoder::new(&mut out, WIDTH, HEIGHT);
    encoder.set_color(ColorType::Indexed);
    encoder.set_palette(PALETTE.concat());
    let mut writer = encoder.write_header().map_err(Error::internal)?;
    writer.write_image_data(&pixels).map_err(Error::internal)?;
    writer.finish().map_err(Error::internal)?;
    Ok(out)
}

/// The colour at a place: that of what stands in front.
fn colour(number: &str, x: i64, y: i64) -> u8 {
    let within = |[middle, height, across, down]: &Ellipse| {
        let (dx, dy) = ((x - middle) * down, (y - height) * across);
        dx * dx + dy * dy <= across * across * down * down
    };
    let [first, ..] = &COATS;
    let coat = number.bytes().next_back().and_then(|digit| COATS.get(usize::from(digit % 4)));
    let (coat, patch, patches) = coat.unwrap_or(first);
    if is_digit(number, x, y) || HOLES.iter().any(within) {
        BLACK
    } else if EYES.iter().any(within) {
        WHITE
    } else if within(&MUZZLE) {
        PINK
    } else if within(&HEAD) {
        if patches.iter().any(within) { *patch } else { *coat }
    } else if EARS.iter().any(within) {
        *coat
    } else {
        GROUND
    }
}

/// Whether a point of the number stands there.
fn is_digit(number: &str, x: i64, y: i64) -> bool {
    let left = (i64::from(WIDTH) - 4 * POINT * number.chars().count() as i64) / 2;
    let (column, row) = ((x - left).div_euclid(POINT), (y - NUMBER_AT).div_euclid(POINT));
    let (place, column) = (column.div_euclid(4), column.rem_euclid(4));
    let digit = usize::try_from(place).ok().and_then(|place| number.chars().nth(place)?.to_digit(10));
    let points = digit.and_then(|digit| DIGITS.get(digit as usize));
    (0..5).contains(&row) && column < 3 && points.is_some_and(|points| (points >> (14 - 3 * row - column)) & 1 == 1)
}

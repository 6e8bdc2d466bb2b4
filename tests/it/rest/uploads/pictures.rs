//! Smaller pictures: their sizes, the point that they are cut around, and the orientation of cameras.

use super::form::{Form, encoded, file_count, halves, jpeg, png, taken};
use crate::rest::world::World;
use image::{DynamicImage, ImageFormat, RgbaImage};
use serde_json::{Value, json};

fn sides(size: &Value) -> (Option<i64>, Option<i64>) {
    (size["width"].as_i64(), size["height"].as_i64())
}

/// Red and blue in the middle of a picture's left and right edge.
fn edges(bytes: &[u8]) -> [char; 2] {
    let picture = image::load_from_memory(bytes).unwrap().into_rgb8();
    let row = picture.height() / 2;
    [1, picture.width() - 2].map(|x| {
        let [red, _, blue] = picture.get_pixel(x, row).0;
        if red > blue { 'r' } else { 'b' }
    })
}

#[tokio::test]
async fn sizes_are_cut_and_never_enlarged() {
    let none = (None, None);
    let cases = [
        (1600, 1200, (Some(320), Some(320)), (Some(768), Some(512))),
        (320, 320, (Some(320), Some(320)), none),
        (319, 319, none, none),
        // Wide and low: as high as it is.
        (1000, 100, (Some(320), Some(100)), (Some(768), Some(100))),
        (100, 1000, (Some(100), Some(320)), (Some(100), Some(512))),
        (5000, 4, (Some(320), Some(4)), (Some(768), Some(4))),
        (400, 330, (Some(320), Some(320)), none),
        (1, 1, none, none),
    ];
    World::each(async |w| {
        for (width, height, thumbnail, card) in cases {
            let doc = taken(w, "alpha", "a.png", "image/png", &png(width, height)).await;
            let sizes = &doc["sizes"];
            assert_eq!(sides(&sizes["thumbnail"]), thumbnail, "{width}×{height}");
            assert_eq!(sides(&sizes["card"]), card, "{width}×{height}");
            assert_eq!(doc["thumbnailURL"].is_null(), thumbnail == none && card == none);
            for (size, sides) in [("thumbnail", thumbnail), ("card", card)] {
                let Some(url) = sizes[size]["url"].as_str() else {
                    continue;
                };
                let read = image::load_from_memory(&w.get("alpha", url).await.bytes).unwrap();
                let drawn = (Some(i64::from(read.width())), Some(i64::from(read.height())));
                assert_eq!(drawn, sides, "{width}×{height} {size}");
            }
        }
    })
    .await;
}

#[test_with(World::each)]
async fn pictures_are_cut_around_the_focal_point(w: &World<'_>) {
    let thumbnail = async |doc: &Value| {
        let url = doc["sizes"]["thumbnail"]["url"].as_str().unwrap().to_owned();
        edges(&w.get("alpha", &url).await.bytes)
    };
    let bytes = png(1000, 320);
    let doc = taken(w, "alpha", "a.png", "image/png", &bytes).await;
    assert_eq!(thumbnail(&doc).await, ['r', 'b'], "around the middle");
    let id = doc["id"].as_i64().unwrap();
    let tag = w.get("alpha", "/api/media/file/a-320x320.png").await.header("etag").to_owned();
    let moved = changed!(w, "alpha", "media", id, {"focalX": 0});
    holds!(moved, {"focalX": 0, "focalY": 50});
    assert_eq!(thumbnail(&moved).await, ['r', 'r']);
    holds!(moved, {"filename": "a.png", "sizes.thumbnail.filename": "a-320x320.png"});
    let read = w.get("alpha", "/api/media/file/a-320x320.png").await;
    assert_ne!(read.header("etag"), tag);
    assert_eq!(w.get("alpha", "/api/media/file/a.png").await.bytes, bytes);
    assert_eq!(file_count(w), 3, "nothing of the pictures before is left");
    // Refused moves change nothing, and no other caller moves it.
    let before = w.stage.content().await;
    assert_eq!(patch!(w, "alpha", "media", id, {"focalX": 500}).status, 400);
    assert_eq!(patch!(w, "beta", "media", id, {"focalX": 50}).status, 403);
    assert_eq!((w.stage.content().await, file_count(w)), (before, 3));
    assert_eq!(thumbnail(&moved).await, ['r', 'r']);
    let form = Form::new().payload(&json!({"focalX": 100})).file("b.png", "image/png", &bytes);
    let answer = form.send(w, "alpha", "POST", "/api/media").await;
    assert_eq!(thumbnail(&answer.json()["doc"]).await, ['b', 'b']);
}

/// A JPEG with the orientation that a camera writes.
fn held(picture: &[u8], orientation: u8) -> Vec<u8> {
    let mut exif = b"\xff\xe1\0\x22Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0".to_vec();
    exif.extend([orientation, 0, 0, 0, 0, 0, 0, 0]);
    [&picture[..2], &exif, &picture[2..]].concat()
}

#[test_with(World::each)]
async fn pictures_are_turned_as_they_were_held(w: &World<'_>) {
    // Red on the left; turned a quarter to the right, red is on top.
    let doc = taken(w, "alpha", "a.jpg", "image/jpeg", &held(&jpeg(800, 400), 6)).await;
    assert_eq!((&doc["width"], &doc["height"]), (&json!(400), &json!(800)));
    let url = doc["sizes"]["thumbnail"]["url"].as_str().unwrap();
    let bytes = w.get("alpha", url).await.bytes;
    let drawn = image::load_from_memory(&bytes).unwrap().into_rgb8();
    let [top, bottom] = [1, drawn.height() - 2].map(|y| drawn.get_pixel(160, y).0);
    assert!(top[0] > top[2] && bottom[2] > bottom[0], "{top:?} {bottom:?}");
    let doc = taken(w, "alpha", "b.jpg", "image/jpeg", &held(&jpeg(800, 400), 3)).await;
    let url = doc["sizes"]["card"]["url"].as_str().unwrap();
    assert_eq!(edges(&w.get("alpha", url).await.bytes), ['b', 'r']);
}

#[tokio::test]
async fn every_format_that_is_read_gets_smaller_pictures() {
    let clear: DynamicImage = RgbaImage::from_pixel(500, 500, [1, 2, 3, 60].into()).into();
    let cases = table![
        "a.png", "image/png", encoded(&clear, ImageFormat::Png), "image/png", "a-320x320.png";
        "b.jpeg", "image/jpeg", jpeg(500, 500), "image/jpeg", "b-320x320.jpeg";
        "c.gif", "image/gif", encoded(&clear, ImageFormat::Gif), "image/png", "c-320x320.png";
        "d.webp", "image/webp", encoded(&clear, ImageFormat::WebP), "image/png", "d-320x320.png";
        "e.webp", "image/webp", encoded(&halves(500, 500), ImageFormat::WebP), "image/jpeg", "e-320x320.jpg";
    ];
    World::each(async |w| {
        for (name, mime, bytes, drawn, small) in &cases {
            let doc = taken(w, "alpha", name, mime, bytes).await;
            let size = &doc["sizes"]["thumbnail"];
            holds!(size, {"mimeType": drawn, "filename": small});
            let read = w.get("alpha", size["url"].as_str().unwrap()).await;
            assert_eq!(read.header("content-type"), *drawn);
            let picture = image::load_from_memory(&read.bytes).unwrap();
            assert_eq!(picture.color().has_alpha(), *drawn == "image/png", "{name}");
        }
    })
    .await;
}

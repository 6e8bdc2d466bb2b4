//! Bodies in parts, pictures to send, and a look at the folder.

use crate::rest::stage::Answer;
use crate::rest::world::World;
use image::{DynamicImage, ImageFormat, Rgb, RgbImage};
use serde_json::Value;
use std::io::Cursor;
use std::path::{Path, PathBuf};

pub(crate) const BOUNDARY: &str = "----cow7MA4YWxkTrZu0gW";

pub(crate) struct Form(pub(crate) Vec<u8>);

impl Form {
    pub(crate) fn new() -> Self {
        Self(Vec::new())
    }

    fn part(mut self, headers: &str, bytes: &[u8]) -> Self {
        let head = format!("--{BOUNDARY}\r\nContent-Disposition: form-data; {headers}\r\n\r\n");
        self.0.extend_from_slice(head.as_bytes());
        self.0.extend_from_slice(bytes);
        self.0.extend_from_slice(b"\r\n");
        self
    }

    pub(crate) fn field(self, name: &str, text: &str) -> Self {
        self.part(&format!("name=\"{name}\""), text.as_bytes())
    }

    pub(crate) fn payload(self, body: &Value) -> Self {
        self.field("_payload", &body.to_string())
    }

    pub(crate) fn file(self, name: &str, mime: &str, bytes: &[u8]) -> Self {
        let mime = match mime {
            "" => String::new(),
            mime => format!("\r\nContent-Type: {mime}"),
        };
        self.part(&format!("name=\"file\"; filename=\"{name}\"{mime}"), bytes)
    }

    /// With the end.
    pub(crate) fn ended(mut self) -> Self {
        self.0.extend_from_slice(format!("--{BOUNDARY}--\r\n").as_bytes());
        self
    }

    pub(crate) async fn send(self, w: &World<'_>, who: &str, method: &str, path: &str) -> Answer {
        self.ended().send_open(w, who, method, path).await
    }

    /// Without the end.
    pub(crate) async fn send_open(self, w: &World<'_>, who: &str, method: &str, path: &str) -> Answer {
        w.send(who, method, path, &[("content-type", &kind())], self.0).await
    }
}

/// The content type of a form.
pub(crate) fn kind() -> String {
    format!("multipart/form-data; boundary={BOUNDARY}")
}

/// A file alone.
pub(crate) async fn posted(w: &World<'_>, who: &str, name: &str, mime: &str, bytes: &[u8]) -> Answer {
    let form = Form::new().file(name, mime, bytes);
    form.send(w, who, "POST", "/api/media?depth=0").await
}

/// The document of a file that is taken.
pub(crate) async fn taken(w: &World<'_>, who: &str, name: &str, mime: &str, bytes: &[u8]) -> Value {
    let answer = posted(w, who, name, mime, bytes).await;
    assert_eq!(answer.status, 201, "{name}: {}", answer.text);
    answer.json()["doc"].clone()
}

/// Left half red, right half blue.
pub(crate) fn halves(width: u32, height: u32) -> DynamicImage {
    let image =
        RgbImage::from_fn(width, height, |x, _| if x < width / 2 { Rgb([250, 10, 10]) } else { Rgb([10, 10, 250]) });
    image.into()
}

pub(crate) fn encoded(image: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    image.write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

pub(crate) fn png(width: u32, height: u32) -> Vec<u8> {
    encoded(&halves(width, height), ImageFormat::Png)
}

pub(crate) fn jpeg(width: u32, height: u32) -> Vec<u8> {
    encoded(&halves(width, height), ImageFormat::Jpeg)
}

/// All files below a folder.
pub(crate) fn files(dir: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(dir) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// How many files the book stores.
pub(crate) fn file_count(w: &World<'_>) -> usize {
    files(&w.stage.media()).len()
}

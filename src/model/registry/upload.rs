//! Collections whose rows are files, as data: which files they take and which smaller pictures are
//! made of them (docs/dialect.md, *Documents of files*). Must not know where files are stored.

use crate::registry::Class;
use crate::registry::field::{Decl, Field, group, int, number, text, text_n};

/// Which files a collection takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Upload {
    /// Kinds of files; the first that fits decides.
    pub groups: &'static [FileGroup],
    /// Smaller pictures made of every picture that can be read.
    pub sizes: &'static [ImageSize],
}

/// Media types with a common limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileGroup {
    /// `application/pdf`, or `image/*` for a whole family.
    pub types: &'static [&'static str],
    /// Largest file, bytes.
    pub max_bytes: u64,
}

/// A smaller picture: cut to these proportions around the focal point, never enlarged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageSize {
    /// Name below `sizes`.
    pub name: &'static str,
    /// Widest, pixels.
    pub width: u32,
    /// Highest, pixels.
    pub height: u32,
}

impl FileGroup {
    /// Whether a media type belongs to it.
    pub fn takes(&self, mime: &str) -> bool {
        (self.types.iter()).any(|accepted| match accepted.strip_suffix('*') {
            Some(family) => mime.len() > family.len() && mime.starts_with(family),
            None => *accepted == mime,
        })
    }
}

impl Upload {
    /// The group of a media type; none: not taken.
    pub fn group(&self, mime: &str) -> Option<&'static FileGroup> {
        self.groups.iter().find(|group| group.takes(mime))
    }

    /// The largest file of any type, bytes.
    pub fn largest(&self) -> u64 {
        self.groups.iter().map(|g| g.max_bytes).max().unwrap_or(0)
    }

    /// The fields that a file adds to its row.
    pub(super) fn fields(&self) -> Vec<Decl> {
        let mut fields = vec![
            server(text_n("url", 1024).aside().doc("Where the file is read, from the root of the service.")),
            server(text_n("thumbnailURL", 1024).aside().doc("Where the smallest picture is read.")),
            server(
                text("filename")
                    .indexed()
                    .doc("Name of the file; if the sender already reads a file of that name, a number is added."),
            ),
            server(text_n("mimeType", 120).doc("Media type, by the content.")),
            server(int("filesize").doc("Size, bytes.")),
            server(int("width").doc("Width of a picture as it is shown, pixels.")),
            server(int("height").doc("Height of a picture as it is shown, pixels.")),
            focal("focalX").doc("Focal point of smaller pictures: distance from the left, %.").into(),
            focal("focalY").doc("Focal point of smaller pictures: distance from the top, %.").into(),
            hidden(text_n("fileKey", 64).unique().doc("Key under which the content is stored.")),
            hidden(text_n("sha256", 64).indexed().doc("SHA-256 of the content, hexadecimal.")),
        ];
        let sizes: Vec<Decl> = self.sizes.iter().map(|s| group(s.name, size())).collect();
        if !sizes.is_empty() {
            fields.push(group("sizes", sizes));
        }
        fields
    }
}

fn size() -> Vec<Decl> {
    vec![
        server(text_n("url", 1024).aside().doc("Where the smaller picture is read.")),
        server(int("width").doc("Width, pixels.")),
        server(int("height").doc("Height, pixels.")),
        server(text_n("mimeType", 120).doc("Media type.")),
        server(int("filesize").doc("Size, bytes.")),
        server(text("filename").indexed().doc("Name of the smaller picture.")),
    ]
}

fn focal(name: &str) -> Field {
    number(name).range(0.0, 100.0)
}

fn server(field: Field) -> Decl {
    field.server().into()
}

fn hidden(field: Field) -> Decl {
    server(field.class(Class::Hidden))
}

//! Media files: pictures, films and papers of an organisation.

use crate::collections::documents::pictures;
use crate::collections::hooks::hooks;
use model::registry::{
    Access, Capability, Collection, FileGroup, ImageSize, Rule, Upload, fields, relation, select, text,
};

/// Bytes of a mebibyte.
const MIB: u64 = 1 << 20;

/// What may be uploaded, and the smaller pictures made of it.
const FILES: Upload = Upload {
    groups: &[
        FileGroup {
            types: &[
                "image/*",
                "application/pdf",
                "text/csv",
                "application/vnd.ms-excel",
                "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
                "application/vnd.oasis.opendocument.spreadsheet",
                "application/x-ndjson",
                "text/tab-separated-values",
                "application/json",
                "application/xml",
                "text/xml",
            ],
            max_bytes: 20 * MIB,
        },
        FileGroup { types: &["video/mp4", "video/webm"], max_bytes: 200 * MIB },
    ],
    sizes: &[
        ImageSize { name: "thumbnail", width: 320, height: 320 },
        ImageSize { name: "card", width: 768, height: 512 },
    ],
};

pub(crate) fn media() -> Collection {
    let access = Access::read(Rule::Open("visibility=public")).write(Rule::Own(Capability::Data)).subjects(&["owner"]);
    let fields = fields![
        text("alt") => "What the file shows, in words.",
        relation("owner", "organizations").session() => "Organisation that owns the file.",
        select("visibility", "private|public").default("private").indexed()
            => "Whether everybody may read the file; for the photo and the gallery of an animal, this follows the animal.",
    ];
    Collection::uploads("media", access, fields, FILES)
        .label("filename")
        .stock("owner", "")
        .singular("Media File")
        .hooks(Behaviour)
        .doc("Files: pictures, films, papers and tables.")
}

hooks!(Behaviour {
    effects(context, changes) {
        pictures::media_changed(context, changes).await
    }
});

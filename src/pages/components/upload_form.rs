//! A form as it was sent, perhaps with a file. The file is the last part, so that it is passed on while it arrives.

use crate::calls::Answer;
use crate::components::shell::Shell;
use crate::words::Form;
use axum::body::{Body, Bytes, to_bytes};
use axum::http::{HeaderMap, HeaderValue, Method, header};
use futures_util::{StreamExt, TryStreamExt, stream};
use multer::{Constraints, Field, Multipart, SizeLimit};
use serde_json::{Map, Value};

/// Longest form without its file, bytes.
const FORM_MAX: usize = 1024 * 1024;

/// What was sent.
pub(crate) struct UploadForm {
    pub(crate) form: Form,
    pub(crate) file: Option<File>,
}

pub(crate) struct File {
    boundary: String,
    field: Field<'static>,
}

/// Reads a form. What cannot be read counts as not sent.
pub(crate) async fn read(headers: &HeaderMap, body: Body) -> UploadForm {
    let kind = headers.get(header::CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let Ok(boundary) = multer::parse_boundary(kind) else {
        let bytes = to_bytes(body, FORM_MAX).await.unwrap_or_default();
        return UploadForm { form: Form::read(&bytes), file: None };
    };
    parts(body, boundary).await
}

async fn parts(body: Body, boundary: String) -> UploadForm {
    let most = u64::try_from(FORM_MAX).unwrap_or(u64::MAX);
    // The file is bounded where it arrives.
    let limits = SizeLimit::new().per_field(most).for_field("file", u64::MAX);
    let limits = Constraints::new().size_limit(limits);
    let stream = body.into_data_stream();
    let mut parts = Multipart::with_constraints(stream, boundary.as_str(), limits);
    let mut form = Form::default();
    let mut read = 0_usize;
    while let Ok(Some(field)) = parts.next_field().await {
        let name = field.name().unwrap_or_default().to_owned();
        match field.file_name() {
            // Where none was chosen, browsers send a file without a name.
            Some("") => {}
            Some(_) => {
                return UploadForm { form, file: Some(File { boundary, field }) };
            }
            None => {
                let Ok(text) = field.text().await else { break };
                read = read.saturating_add(text.len());
                if read > FORM_MAX {
                    break;
                }
                form.0.push((name, text));
            }
        }
    }
    UploadForm { form, file: None }
}

impl File {
    /// Sends it to the REST face with the values of its record.
    pub(crate) async fn send(self, shell: &Shell<'_>, path: &str, values: &Map<String, Value>) -> Answer {
        let Self { boundary, field } = self;
        let plain = |text: &str| text.replace(['\r', '\n', '"'], "_");
        let name = plain(field.file_name().unwrap_or_default());
        let kind = field.content_type().map(ToString::to_string);
        let kind = plain(kind.as_deref().unwrap_or("application/octet-stream"));
        let values = Value::Object(values.clone());
        let head = format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"_payload\"\r\n\r\n{values}\r\n\
             --{boundary}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\
             Content-Type: {kind}\r\n\r\n"
        );
        let tail = format!("\r\n--{boundary}--\r\n");
        let once = |text: String| stream::iter([Ok::<Bytes, multer::Error>(Bytes::from(text))]);
        let body = once(head).chain(field.into_stream()).chain(once(tail));
        let kind = HeaderValue::try_from(format!("multipart/form-data; boundary={boundary}")).ok();
        let (calls, visitor) = (&shell.pages.calls, shell.visitor);
        calls.send(visitor, Method::POST, path, Body::from_stream(body), kind).await
    }
}

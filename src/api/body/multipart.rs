//! Bodies in parts: `_payload` with the fields as JSON, `file` with a file, which goes to the disk
//! as it comes. Other parts are ignored (docs/dialect.md, *Sending a file*).

use crate::body;
use crate::{AppState, Refusal};
use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, header};
use files::{Draft, Fault, ReceivedFile};
use futures_util::stream::{Stream, poll_fn};
use model::error::Error;
use model::registry::Upload;
use multer::{Constraints, Field, Multipart, SizeLimit};
use ops::file_fault;
use serde_json::{Map, Value};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::Poll;

/// What the parts may take beside file and fields, bytes.
const FRAME: u64 = 256 * 1024;
/// What is still read after a refusal, bytes: a sender that is cut off while it sends may never see the answer.
const PATIENCE: u64 = 8 << 20;

#[derive(Debug)]
pub(crate) struct MultipartBody {
    pub(crate) members: Map<String, Value>,
    pub(crate) file: Option<ReceivedFile>,
}

/// Whether a body comes in parts.
pub(crate) fn is_multipart(headers: &HeaderMap) -> bool {
    body::media_type(headers).is_some_and(|kind| kind == "multipart/form-data")
}

/// Reads a body in parts. A file is taken only where there is something to take it.
///
/// # Errors
/// What is wrong with the body; nothing of a file is left then.
pub(crate) async fn read(
    app: &AppState,
    collection: &'static str,
    headers: &HeaderMap,
    body: Body,
    upload: Option<&Upload>,
) -> Result<MultipartBody, Refusal> {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|v| v.to_str().ok());
    let boundary = multer::parse_boundary(kind.unwrap_or_default()).map_err(|_| broken())?;
    let fields = u64::try_from(app.settings.body_limit).unwrap_or(u64::MAX);
    let most = upload.map_or(0, Upload::largest);
    let whole = most.saturating_add(fields).saturating_add(FRAME);
    let announced = (headers.get(header::CONTENT_LENGTH)).and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if announced.is_some_and(|length| length > whole) {
        return Err(Error::TooLarge.into());
    }
    let limit = SizeLimit::new().whole_stream(whole).for_field("_payload", fields);
    let limits = Constraints::new().size_limit(limit);
    let (stream, frame) = paced(body);
    let mut parts = Multipart::with_constraints(stream, boundary, limits);
    let mut content = MultipartBody { members: Map::new(), file: None };
    let mut payload = None;
    loop {
        frame.begin();
        let next = parts.next_field().await;
        let fits = frame.end();
        let Some(mut part) = next.map_err(|fault| match fits {
            true => refused(fault),
            false => Error::TooLarge.into(),
        })?
        else {
            break;
        };
        match (part.name(), upload) {
            (Some("_payload"), _) if payload.is_none() => {
                payload = Some(part.bytes().await.map_err(refused)?);
            }
            // A form whose file was not chosen sends a part without a name.
            (Some("file"), Some(upload)) if is_named(&part) && content.file.is_none() => {
                content.file = Some(file(app, part, upload).await?);
            }
            _ => {
                let mut passed = 0;
                while let Some(chunk) = part.chunk().await.map_err(refused)? {
                    passed += chunk.len() as u64;
                    if passed > fields {
                        return Err(Error::TooLarge.into());
                    }
                }
            }
        }
    }
    if let Some(payload) = payload.filter(|bytes| !bytes.is_empty()) {
        content.members = body::members(collection, &payload)?;
    }
    Ok(content)
}

/// How much came between two parts: blanks, boundaries and the heads of parts, which the parser
/// holds in memory until it has all of them.
#[derive(Debug, Default)]
struct Frame {
    open: AtomicBool,
    bytes: AtomicU64,
}

impl Frame {
    /// The next part is looked for.
    fn begin(&self) {
        self.bytes.store(0, Ordering::Relaxed);
        self.open.store(true, Ordering::Relaxed);
    }

    /// It was found, or there is none. Whether no more came than may.
    fn end(&self) -> bool {
        self.open.store(false, Ordering::Relaxed);
        self.bytes.load(Ordering::Relaxed) <= FRAME
    }

    /// Counts arriving bytes. Bytes of the part behind the head do not count.
    fn comes(&self, bytes: usize) -> bool {
        if !self.open.load(Ordering::Relaxed) {
            return true;
        }
        let before = self.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
        if before >= FRAME {
            self.bytes.store(u64::MAX, Ordering::Relaxed);
            return false;
        }
        self.bytes.store((before + bytes as u64).min(FRAME), Ordering::Relaxed);
        true
    }
}

/// The pieces of a body, one for each time that the parser asks. It takes all that is ready into
/// memory, and a body that is unpacked is always ready.
fn paced(body: Body) -> (impl Stream<Item = Result<Bytes, axum::Error>>, Arc<Frame>) {
    let frame = Arc::new(Frame::default());
    let counts = Arc::clone(&frame);
    let mut body = body.into_data_stream();
    let mut rests = false;
    let pieces = poll_fn(move |context| {
        rests = !rests;
        if !rests {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        let piece = std::task::ready!(Pin::new(&mut body).poll_next(context));
        Poll::Ready(piece.map(|piece| match piece {
            Ok(bytes) if !counts.comes(bytes.len()) => Err(axum::Error::new(Error::TooLarge)),
            piece => piece,
        }))
    });
    (pieces, frame)
}

fn is_named(part: &Field<'_>) -> bool {
    part.file_name().is_some_and(|name| !name.is_empty())
}

async fn file(app: &AppState, mut part: Field<'_>, upload: &Upload) -> Result<ReceivedFile, Refusal> {
    let name = part.file_name().unwrap_or_default().to_owned();
    let declared = part.content_type().map(|mime| mime.essence_str().to_owned());
    let group = declared.as_deref().and_then(|mime| upload.group(mime));
    let most = group.map_or(upload.largest(), |group| group.max_bytes);
    let folder = app.book.files()?;
    let draft = folder.draft(most).await.map_err(file_fault)?;
    match taken(draft, &mut part, &name, declared.as_deref()).await {
        Ok(received) => Ok(received),
        Err(refusal) => {
            let mut more = 0;
            while let Ok(Some(chunk)) = part.chunk().await {
                more += chunk.len() as u64;
                if more > PATIENCE {
                    break;
                }
            }
            Err(refusal)
        }
    }
}

async fn taken(
    mut draft: Draft,
    part: &mut Field<'_>,
    name: &str,
    declared: Option<&str>,
) -> Result<ReceivedFile, Refusal> {
    let fault = |fault: Fault| Refusal::from(file_fault(fault));
    while let Some(chunk) = part.chunk().await.map_err(refused)? {
        draft.write(&chunk).await.map_err(fault)?;
    }
    draft.done(name, declared).await.map_err(fault)
}

#[expect(clippy::needless_pass_by_value, reason = "the signature of map_err")]
fn refused(fault: multer::Error) -> Refusal {
    match fault {
        multer::Error::StreamSizeExceeded { .. } => Error::TooLarge.into(),
        multer::Error::FieldSizeExceeded { limit, .. } => {
            Refusal::TooLarge(usize::try_from(limit).unwrap_or(usize::MAX))
        }
        _ => broken(),
    }
}

fn broken() -> Refusal {
    Error::Malformed("The body in parts is broken or broke off.".into()).into()
}

//! Pages that are PDF too: which of both a caller wants, and the answer of a sheet.

use super::super::reads::download::disposition;
use crate::Refusal;
use crate::layers::accept::weighted;
use axum::body::Bytes;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use model::error::{Error, Result};
use model::query::qs::Tree;
use paper::Sheet;

/// The content type of a PDF.
pub(in crate::rest) const PDF: &str = "application/pdf";

/// Whether the caller wants a PDF: by `format`, else by what is accepted best. Who accepts both alike, or neither, gets the
/// page.
///
/// # Errors
/// [`Error::Query`] for a format that there is not.
pub(in crate::rest) fn wants_pdf(headers: &HeaderMap, query: &Tree) -> Result<bool> {
    match query.get("format") {
        None => Ok(is_accepted(headers)),
        Some(word) => match word.as_text() {
            Some("html") => Ok(false),
            Some("pdf") => Ok(true),
            _ => Err(Error::Query(vec!["format".to_owned()])),
        },
    }
}

fn is_accepted(headers: &HeaderMap) -> bool {
    let (mut page, mut pdf) = (0_u16, 0_u16);
    for (kind, weight) in weighted(headers, header::ACCEPT) {
        match kind.to_ascii_lowercase().as_str() {
            PDF => pdf = pdf.max(weight),
            "text/html" | "text/*" | "*/*" => page = page.max(weight),
            _ => {}
        }
    }
    pdf > page
}

/// A sheet as PDF, whose bytes depend on nothing else. It is drawn beside the threads that answer, since a long one
/// takes its time.
pub(in crate::rest) async fn printed(sheet: Sheet, name: &str) -> Result<Response, Refusal> {
    let drawn = tokio::task::spawn_blocking(move || paper::pdf(&sheet)).await;
    let bytes = drawn.map_err(Error::internal)?.map_err(Error::internal)?;
    let disposition = disposition(PDF, &format!("{name}.pdf"));
    let disposition = HeaderValue::from_str(&disposition).map_err(Error::internal)?;
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(PDF)),
        (header::CONTENT_DISPOSITION, disposition),
        (header::VARY, HeaderValue::from_static("Accept, Accept-Language")),
        (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    ];
    Ok((StatusCode::OK, headers, Bytes::from(bytes)).into_response())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_pdf_comes_by_name_or_by_preference() {
        for (accept, pdf) in [
            ("application/pdf", true),
            ("Application/PDF, text/html;q=0.5", true),
            ("*/*", false),
            ("text/html, application/pdf", false),
            ("text/html,application/xhtml+xml,*/*;q=0.8", false),
            ("application/pdf, */*;q=0.1", true),
            ("application/pdf;q=0", false),
            ("application/json", false),
        ] {
            let headers = HeaderMap::from_iter([(header::ACCEPT, accept.parse().unwrap())]);
            assert_eq!(wants_pdf(&headers, &Tree::empty()).unwrap(), pdf, "{accept}");
        }
        let by_format = |format: &str| wants_pdf(&HeaderMap::new(), &Tree::from(json!({"format": format})));
        assert!(by_format("pdf").unwrap());
        assert!(!by_format("html").unwrap());
        assert!(by_format("csv").is_err());
    }
}

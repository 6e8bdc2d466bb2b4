//! The forms of a list: the envelope, or an export by lines or as a table, as `Accept` asks for it;
//! and links to neighbouring pages.

use crate::layers::accept::weighted;
use axum::http::{HeaderMap, HeaderValue, header};
use model::error::{Error, Result};
use model::messages::Language;
use model::query::qs::Tree;
use ops::Listing;

/// The media type of workbooks.
pub(in crate::rest) const WORKBOOK: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/// How a list is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::rest) enum Form {
    Envelope,
    Lines,
    /// A table of text (RFC 4180).
    Table,
    /// A table of text as programs with Russian settings read it.
    Russian,
    Workbook,
}

impl Form {
    /// What is read for it, for readers of a language.
    pub(in crate::rest) fn read(self, titles: Option<Language>) -> ops::Form {
        match self {
            Self::Envelope => ops::Form::Envelope,
            Self::Lines => ops::Form::Lines,
            Self::Table => ops::Form::Table,
            Self::Russian | Self::Workbook => ops::Form::Cells(titles),
        }
    }
}

/// What `format` asks for, else what a caller accepts best.
///
/// # Errors
/// [`Error::Query`] for a format that there is not.
pub(in crate::rest) fn wanted(headers: &HeaderMap, query: &Tree) -> Result<Form> {
    let Some(word) = query.get("format") else {
        return Ok(form(headers));
    };
    match word.as_text() {
        Some("json") => Ok(Form::Envelope),
        Some("ndjson") => Ok(Form::Lines),
        Some("csv") => Ok(Form::Table),
        Some("csv-ru") => Ok(Form::Russian),
        Some("xlsx") => Ok(Form::Workbook),
        _ => Err(Error::Query(vec!["format".to_owned()])),
    }
}

/// The form that a caller accepts best. Who accepts none of them gets the envelope, as the dialect has it.
fn form(headers: &HeaderMap) -> Form {
    let mut best: (Form, u16) = (Form::Envelope, 0);
    for (kind, weight) in weighted(headers, header::ACCEPT) {
        let form = match kind.to_ascii_lowercase().as_str() {
            "application/json" | "application/*" | "*/*" => Form::Envelope,
            "application/x-ndjson" | "application/ndjson" => Form::Lines,
            "text/csv" => Form::Table,
            WORKBOOK => Form::Workbook,
            _ => continue,
        };
        if weight > best.1 {
            best = (form, weight);
        }
    }
    best.0
}

pub(in crate::rest) fn media_type(form: Form) -> HeaderValue {
    HeaderValue::from_static(match form {
        Form::Envelope => "application/json",
        Form::Lines => "application/x-ndjson",
        Form::Table | Form::Russian => "text/csv; charset=utf-8; header=present",
        Form::Workbook => WORKBOOK,
    })
}

/// `Link`: the first page, the one before and the next one, as far as there are any. The
/// next one is named by the place where this one ends, so that it costs the same wherever
/// it lies, and rows that come or go meanwhile neither repeat nor hide others.
pub(in crate::rest) fn links(path: &str, query: Option<&str>, listing: &Listing) -> Option<HeaderValue> {
    let mut links = Vec::new();
    let address = |more: Option<String>| {
        let unchanged = query.unwrap_or_default().split('&').filter(|part| {
            let name = part.split('=').next().unwrap_or_default();
            !part.is_empty() && name != "page" && name != "after"
        });
        let parts: Vec<String> = unchanged.map(safe).chain(more).collect();
        let mark = if parts.is_empty() { "" } else { "?" };
        format!("{}{mark}{}", safe(path), parts.join("&"))
    };
    if let Some(next) = &listing.next {
        let next = address(Some(format!("after={next}")));
        links.push(format!("<{next}>; rel=\"next\""));
    }
    if let Some(totals) = listing.totals.filter(|totals| totals.has_prev) {
        let page = totals.page.saturating_sub(1);
        let prev = address(Some(format!("page={page}")));
        links.push(format!("<{prev}>; rel=\"prev\""));
        links.push(format!("<{}>; rel=\"first\"", address(None)));
    }
    if links.is_empty() {
        return None;
    }
    HeaderValue::try_from(links.join(", ")).ok()
}

/// What would end the address, encoded.
fn safe(part: &str) -> String {
    part.replace('<', "%3C").replace('>', "%3E")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn best(value: &'static str) -> Form {
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT, HeaderValue::from_static(value));
        form(&headers)
    }

    #[test]
    fn the_best_form_is_taken() {
        assert_eq!(form(&HeaderMap::new()), Form::Envelope);
        for (value, expected) in [
            ("*/*", Form::Envelope),
            ("text/html", Form::Envelope),
            ("text/csv", Form::Table),
            ("Application/X-NDJSON", Form::Lines),
            ("application/json, text/csv", Form::Envelope),
            ("application/json;q=0.5, text/csv", Form::Table),
            ("text/csv;q=0, */*;q=0.1", Form::Envelope),
            ("text/csv; header=present; q=0.9, application/x-ndjson", Form::Lines),
        ] {
            assert_eq!(best(value), expected, "{value}");
        }
    }
}

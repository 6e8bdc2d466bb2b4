//! Why a page is not shown as wanted.

use crate::calls::Answer;
use crate::components::reply::{page, see};
use crate::components::shell::Shell;
use crate::words::text;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use maud::html;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

/// The answer in place of the page.
#[derive(Debug)]
pub(crate) struct Stop(Box<Response>);

/// A page, or why it is not shown.
pub(crate) type Page = Result<Response, Stop>;

impl IntoResponse for Stop {
    fn into_response(self) -> Response {
        *self.0
    }
}

impl Stop {
    /// The visitor has to sign in, and comes back.
    pub(crate) fn sign_in(shell: &Shell<'_>) -> Self {
        let next = utf8_percent_encode(&shell.visitor.address, NON_ALPHANUMERIC);
        Self(Box::new(see(&format!("/sign-in?next={next}"))))
    }

    /// There is no such page, or none for this visitor.
    pub(crate) fn missing(shell: &Shell<'_>) -> Self {
        Self::error_page(shell, StatusCode::NOT_FOUND, &text(shell.language(), "page-missing"))
    }

    /// A view link opens nothing. The page does not say whether there was one.
    pub(crate) fn ended(shell: &Shell<'_>) -> Self {
        Self::error_page(shell, StatusCode::NOT_FOUND, &text(shell.language(), "page-share-ended"))
    }

    /// The REST face refused what the page is made of.
    pub(crate) fn refused(shell: &Shell<'_>, answer: &Answer) -> Self {
        let visitor = shell.visitor.user.is_some();
        match answer.status {
            StatusCode::FORBIDDEN | StatusCode::UNAUTHORIZED if shell.visitor.link.is_some() => Self::ended(shell),
            StatusCode::FORBIDDEN | StatusCode::UNAUTHORIZED if !visitor => Self::sign_in(shell),
            StatusCode::NOT_FOUND => Self::missing(shell),
            status => Self::error_page(shell, status, answer.message()),
        }
    }

    fn error_page(shell: &Shell<'_>, status: StatusCode, message: &str) -> Self {
        let title = text(shell.language(), "page-stopped");
        let body = html! { h1 { (title) } p { (message) } };
        Self(Box::new(page(status, shell.document(&title, &body))))
    }
}

//! How a sender wants his resources to be taken in: by parameters of the query, and by
//! preferences.

use super::super::Hub;
use super::error::Refusal;
use super::prefer::Prefer;
use super::query::{Ignored, Query};
use crate::error::{Issue, Severity};
use crate::exchange::{Answer, Manner};
use axum::http::HeaderMap;
use axum::response::Response;

/// What a sender wants.
#[derive(Debug)]
pub(super) struct Wish {
    /// How resources are taken in.
    pub manner: Manner,
    /// What he prefers.
    pub prefer: Prefer,
    /// Whether answers are those of the deployed service.
    pub deployed: bool,
    ignored: Ignored,
}

impl Wish {
    /// From query and headers. All faults are told at once.
    pub(super) fn read(hub: &Hub, raw: Option<&str>, headers: &HeaderMap) -> Result<Self, Refusal> {
        let prefer = Prefer::read(headers);
        let mut query = Query::read(raw);
        let validate = query.take("validate");
        if validate.as_deref().is_some_and(|word| word != "only") {
            query.fault("validate", "can only be: only");
        }
        let ignored = query.ignored(&prefer)?;
        let manner = Manner {
            dry: validate.is_some(),
            strict: prefer.strict,
            ..manner(hub)
        };
        Ok(Self {
            manner,
            prefer,
            deployed: prefer.deployed || hub.settings.exchange_deployed,
            ignored,
        })
    }

    /// Whether a batch of so many is answered later. The deployed service never did so by
    /// itself.
    pub(super) fn later(&self, hub: &Hub, items: usize) -> bool {
        let many = items > hub.settings.exchange_async_above;
        self.prefer.asynchronous || (many && !self.deployed)
    }

    /// Says of an answer that nothing was stored, where that was the wish.
    pub(super) fn remark(&self, answer: &mut Answer) {
        if self.manner.dry {
            answer.issues.push(Issue {
                severity: Severity::Information,
                ..Issue::warning("", "only-checked", "Only checked: nothing was stored.")
            });
        }
    }

    /// Tells which wishes were followed.
    pub(super) fn granted(&self, mut response: Response) -> Response {
        self.ignored.tell(&mut response);
        response
    }
}

/// How resources are taken in unless a sender wants it otherwise.
pub(super) fn manner(hub: &Hub) -> Manner {
    Manner {
        tolerance: hub.settings.exchange_clock_tolerance.saturating_mul(1_000),
        ..Manner::default()
    }
}

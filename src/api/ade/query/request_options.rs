//! Intake options of a request: parameters of the query and `Prefer`.

use super::super::error::{self, Fault, Refusal};
use super::{Ignored, Query};
use crate::AppState;
use crate::layers::prefer::Prefer;
use ade::FULL_SYNC_HEADER;
use axum::http::HeaderMap;
use axum::response::Response;
use exchange::{DocumentAnswer, IntakeOptions};
use model::error::{Issue, Severity};
use model::said;

/// The options of a request that sends resources.
#[derive(Debug)]
pub(in crate::ade) struct RequestOptions {
    pub intake: IntakeOptions,
    /// The preferences of `Prefer`.
    pub prefer: Prefer,
    /// Whether answers are those of the deployed service.
    pub deployed: bool,
    /// The full sync that a push is a part of.
    pub full_sync: Option<String>,
    ignored: Ignored,
}

impl RequestOptions {
    /// From query and headers. All faults are reported at once.
    pub(in crate::ade) fn read(app: &AppState, raw: Option<&str>, headers: &HeaderMap) -> Result<Self, Refusal> {
        Self::of(app, Query::read(raw), headers)
    }

    /// Reads the options of a push, which may be a part of a full sync.
    pub(in crate::ade) fn of_push(app: &AppState, raw: Option<&str>, headers: &HeaderMap) -> Result<Self, Refusal> {
        let mut query = Query::read(raw);
        let full_sync = query.take("full-sync");
        if headers.contains_key(FULL_SYNC_HEADER) {
            let detail = said!(
                "{header} belongs to answers; a push names its full sync in its query.",
                header = FULL_SYNC_HEADER
            );
            let fault = Fault::new(error::VALUE, detail).with("header", FULL_SYNC_HEADER);
            query.faulty(fault.fine("full-sync-header"));
        }
        let options = Self::of(app, query, headers)?;
        Ok(Self { full_sync, ..options })
    }

    fn of(app: &AppState, mut query: Query, headers: &HeaderMap) -> Result<Self, Refusal> {
        let prefer = Prefer::read(headers);
        let validate = query.take("validate");
        if validate.as_deref().is_some_and(|word| word != "only") {
            query.fault("validate", "can only be: only");
        }
        let ignored = query.ignored(&prefer)?;
        let intake = IntakeOptions { dry: validate.is_some(), strict: prefer.strict, ..default_intake(app) };
        Ok(Self {
            intake,
            prefer,
            deployed: prefer.deployed || app.settings.exchange_deployed,
            full_sync: None,
            ignored,
        })
    }

    /// Whether a batch of this size is answered later. The deployed service never did so by itself.
    pub(in crate::ade) fn later(&self, app: &AppState, items: usize) -> bool {
        let many = items > app.settings.exchange_async_above;
        self.prefer.asynchronous || (many && !self.deployed)
    }

    /// Adds to an answer of a dry run that nothing was stored.
    pub(in crate::ade) fn remark(&self, answer: &mut DocumentAnswer) {
        if self.intake.dry {
            answer.issues.push(Self::only_checked());
        }
    }

    /// The message of a dry run.
    pub(in crate::ade) fn only_checked() -> Issue {
        Issue {
            severity: Severity::Information,
            ..Issue::warning("", "only-checked", "Only checked: nothing was stored.")
        }
    }

    /// Adds the headers that list ignored parameters and applied preferences.
    pub(in crate::ade) fn granted(&self, mut response: Response) -> Response {
        self.ignored.tell(&mut response);
        response
    }
}

/// The options without any of a request.
pub fn default_intake(app: &AppState) -> IntakeOptions {
    IntakeOptions { tolerance: app.settings.exchange_clock_tolerance.saturating_mul(1_000), ..IntakeOptions::default() }
}

//! Replaces `otlp.rs` in a program that was built without it: a user who names a collector gets an
//! error that nothing would reach it.

use config::Settings;
use model::error::{Error, Result};
use tracing::Subscriber;
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Identity;

/// There are none.
#[derive(Debug)]
pub(super) enum Traces {}

impl Traces {
    /// Refuses a collector of our own settings. The variables of the standard are set for
    /// every program of a machine: there a line on standard error is enough.
    pub(super) fn begin(settings: &Settings) -> Result<Option<Self>> {
        const ABSENT: &str = "this program was built without traces (feature otlp)";
        if settings.telemetry_otlp.is_empty() {
            eprintln!("A collector of traces is named, and nothing is sent to it: {ABSENT}.");
            return Ok(None);
        }
        Err(Error::invalid("telemetry.otlp", "not-in-this-build", ABSENT))
    }

    pub(super) fn layer<S: Subscriber>(&self) -> impl Layer<S> + use<S> {
        Identity::new()
    }

    pub(super) fn end(self) {
        match self {}
    }
}

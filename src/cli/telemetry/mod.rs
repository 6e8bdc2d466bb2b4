//! Where log and traces go: lines of JSON on standard error, and spans to a collector of
//! OpenTelemetry when one is named.

#[cfg_attr(not(feature = "otlp"), path = "absent.rs")]
mod otlp;

use config::Settings;
use model::error::{Error, Result};
use otlp::Traces;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// Where others name a collector to every program.
const STANDARD: [&str; 2] = ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"];

/// What has to be sent before the program ends.
#[derive(Debug)]
pub(super) struct Telemetry(Option<Traces>);

impl Telemetry {
    pub(super) fn end(self) {
        if let Some(traces) = self.0 {
            traces.end();
        }
    }
}

/// Sets up log and traces for the whole process. Before the runtime, since traces are sent by
/// a thread of its own, which waits for the collector.
///
/// # Errors
/// [`Error::Invalid`] for a filter or an address that is none, and for an address in a
/// program built without traces.
pub(super) fn begin(settings: &Settings) -> Result<Telemetry> {
    let filter =
        EnvFilter::try_new(&settings.log).map_err(|fault| Error::invalid("log", "not-a-filter", fault.to_string()))?;
    let standard = |name: &&str| std::env::var(name).is_ok_and(|url| !url.trim().is_empty());
    let is_configured = !settings.telemetry_otlp.is_empty() || STANDARD.iter().any(standard);
    let traces = match is_configured {
        true => Traces::begin(settings)?,
        false => None,
    };
    let log = tracing_subscriber::fmt::layer()
        .json()
        // The innermost one, with all its fields, is there already.
        .with_span_list(false)
        .with_writer(std::io::stderr);
    tracing_subscriber::registry().with(filter).with(log).with(traces.as_ref().map(Traces::layer)).init();
    Ok(Telemetry(traces))
}

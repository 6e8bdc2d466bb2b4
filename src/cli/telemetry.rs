//! Where log and traces go: lines of JSON on standard error, and spans to a collector of
//! OpenTelemetry when one is named.

use crate::config::Settings;
use crate::error::{Error, Result};
use opentelemetry::trace::TracerProvider;
use opentelemetry_otlp::{SpanExporter, WithExportConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// Where a collector takes traces, below its address.
const TRACES: &str = "/v1/traces";
/// Where others name a collector to every program.
const STANDARD: [&str; 2] = [
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    "OTEL_EXPORTER_OTLP_ENDPOINT",
];

/// What has to be sent before the program ends.
#[derive(Debug)]
pub(super) struct Telemetry(Option<SdkTracerProvider>);

impl Telemetry {
    /// Sends what is left.
    pub(super) fn end(self) {
        if let Some(provider) = self.0
            && let Err(fault) = provider.shutdown()
        {
            eprintln!("The last traces were not sent: {fault}");
        }
    }
}

/// Sets up log and traces for the whole process. Before the runtime, since traces are sent by
/// a thread of its own, which waits for the collector.
///
/// # Errors
/// [`Error::Invalid`] for a filter or an address that is none.
pub(super) fn begin(settings: &Settings) -> Result<Telemetry> {
    let filter = EnvFilter::try_new(&settings.log)
        .map_err(|fault| Error::invalid("log", "not-a-filter", fault.to_string()))?;
    let provider = provider(settings)?;
    let traces = (provider.as_ref())
        .map(|p| tracing_opentelemetry::layer().with_tracer(p.tracer("herdbook")));
    let log = tracing_subscriber::fmt::layer()
        .json()
        .with_writer(std::io::stderr);
    tracing_subscriber::registry()
        .with(filter)
        .with(log)
        .with(traces)
        .init();
    Ok(Telemetry(provider))
}

/// None when no collector is named.
fn provider(settings: &Settings) -> Result<Option<SdkTracerProvider>> {
    let standard = |name: &&str| std::env::var(name).is_ok_and(|url| !url.trim().is_empty());
    let own = &settings.telemetry_otlp;
    if own.is_empty() && !STANDARD.iter().any(standard) {
        return Ok(None);
    }
    let mut builder = SpanExporter::builder().with_http();
    if !own.is_empty() {
        builder = builder.with_endpoint(format!("{own}{TRACES}"));
    }
    let exporter = builder
        .build()
        .map_err(|fault| Error::invalid("telemetry.otlp", "not-a-collector", fault.to_string()))?;
    let resource = Resource::builder()
        .with_service_name(settings.service.clone())
        .build();
    let provider = SdkTracerProvider::builder()
        .with_batch_exporter(exporter)
        .with_resource(resource)
        .build();
    Ok(Some(provider))
}

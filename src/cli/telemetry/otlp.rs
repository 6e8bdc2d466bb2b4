//! Spans to a collector of OpenTelemetry: OTLP over HTTP, by a thread of its own.

use config::Settings;
use model::error::{Error, Result};
use opentelemetry::trace::TracerProvider;
use opentelemetry_otlp::{SpanExporter, WithExportConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing::Subscriber;
use tracing_subscriber::Layer;
use tracing_subscriber::registry::LookupSpan;

/// Where a collector takes traces, below its address.
const TRACES: &str = "/v1/traces";

/// The exporter, as long as spans are made.
#[derive(Debug)]
pub(super) struct Traces(SdkTracerProvider);

impl Traces {
    /// To the collector of the settings, or else to that of the standard variables.
    pub(super) fn begin(settings: &Settings) -> Result<Option<Self>> {
        let own = &settings.telemetry_otlp;
        let mut builder = SpanExporter::builder().with_http();
        if !own.is_empty() {
            builder = builder.with_endpoint(format!("{own}{TRACES}"));
        }
        let exporter =
            builder.build().map_err(|fault| Error::invalid("telemetry.otlp", "not-a-collector", fault.to_string()))?;
        let resource = Resource::builder().with_service_name(settings.service.clone()).build();
        let provider = SdkTracerProvider::builder().with_batch_exporter(exporter).with_resource(resource).build();
        Ok(Some(Self(provider)))
    }

    /// What hands the spans of the log over.
    pub(super) fn layer<S>(&self) -> impl Layer<S> + use<S>
    where
        S: Subscriber + for<'span> LookupSpan<'span>,
    {
        tracing_opentelemetry::layer().with_tracer(self.0.tracer("herdbook"))
    }

    pub(super) fn end(self) {
        if let Err(fault) = self.0.shutdown() {
            eprintln!("The last traces were not sent: {fault}");
        }
    }
}

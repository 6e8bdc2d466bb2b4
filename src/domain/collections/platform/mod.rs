//! Measurements and self-tests of the service (docs/design/collections.md, *Platform*). Everybody
//! reads them, the service writes them.

pub(crate) mod api_keys;
pub(crate) mod check_runs;
pub(crate) mod clarifications;
pub(crate) mod quotas;
pub(crate) mod signing_keys;
pub(crate) mod webhooks;

use model::registry::{Access, Class, Collection, Feature, Rule, fields, instant, int, json, text};

/// The declarations of this section, in the order of the book.
pub(crate) fn declared() -> Vec<Collection> {
    vec![
        bench_runs(),
        check_runs::check_runs(),
        webhooks::webhooks(),
        webhooks::webhook_deliveries(),
        quotas::quotas(),
        api_keys::api_keys(),
        clarifications::clarifications(),
        signing_keys::signing_keys(),
    ]
}

/// Performance measurements.
pub(super) fn bench_runs() -> Collection {
    Collection::new(
        "bench-runs",
        Access::read(Rule::Any),
        fields![
            text("label").required() => "What was measured.",
            instant("measuredAt").server().indexed() => "When it was measured.",
            int("animals").required().class(Class::Private) => "Animals in the book that was measured.",
            int("runs").required() => "Repetitions of each case.",
            json("server") => "Machine, database and release.",
            json("rows").required().class(Class::Private) => "Cases with their times, ms.",
            json("notes") => "Further remarks.",
        ],
    )
    .singular("Performance Measurement")
    .feature(Feature::Measurements)
    .doc("Measurements of the service's performance.")
}

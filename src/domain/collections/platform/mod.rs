//! Measurements and self-tests of the service (docs/design/collections.md, *Platform*). Everybody
//! reads them, the service writes them.

pub(crate) mod api_keys;
pub(crate) mod clarifications;
pub(crate) mod quotas;
pub(crate) mod webhooks;

use model::registry::{Access, Collection, Rule, boolean, instant, int, json, number, text};

/// The declarations of this section, in the order of the book.
pub(crate) fn declared() -> Vec<Collection> {
    vec![
        bench_runs(),
        check_runs(),
        webhooks::webhooks(),
        webhooks::webhook_deliveries(),
        quotas::quotas(),
        api_keys::api_keys(),
        clarifications::clarifications(),
    ]
}

/// Performance measurements.
pub(super) fn bench_runs() -> Collection {
    Collection::new(
        "bench-runs",
        Access::read(Rule::Any),
        vec![
            text("label").required().doc("What was measured.").into(),
            instant("measuredAt")
                .server()
                .indexed()
                .doc("When it was measured.")
                .into(),
            int("animals")
                .required()
                .doc("Animals in the book that was measured.")
                .into(),
            int("runs")
                .required()
                .doc("Repetitions of each case.")
                .into(),
            json("server").doc("Machine, database and release.").into(),
            json("rows")
                .required()
                .doc("Cases with their times, ms.")
                .into(),
            json("notes").doc("Further remarks.").into(),
        ],
    )
    .singular("Performance Measurement")
    .doc("Measurements of the service's performance.")
}

/// Self-tests, the latest per label.
pub(super) fn check_runs() -> Collection {
    Collection::new(
        "check-runs",
        Access::read(Rule::Any),
        vec![
            text("label")
                .required()
                .unique()
                .doc("What was tested.")
                .into(),
            instant("ranAt").server().doc("When it ran.").into(),
            boolean("ok").doc("Whether all checks passed.").into(),
            int("failed").doc("Checks that failed.").into(),
            int("total").doc("Checks that ran.").into(),
            number("ms").doc("How long it took, ms.").into(),
            text("version").doc("Release that was tested.").into(),
            json("results")
                .required()
                .doc("Each check with its result.")
                .into(),
        ],
    )
    .doc("Self-tests of the service; a new run replaces the one with its label.")
}

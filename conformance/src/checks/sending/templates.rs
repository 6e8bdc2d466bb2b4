//! Documents that many servers take: events of one animal, valid by the standard.

use serde_json::{Value, json};

/// How a document of a type is invented, and the members that can be made invalid.
pub(in crate::checks) struct Template {
    pub(in crate::checks) collection: &'static str,
    /// Its own members.
    pub(in crate::checks) make: fn() -> Value,
    /// A member of its own for the time of the event.
    pub(in crate::checks) start: Option<&'static str>,
    /// Pointer to a number.
    pub(in crate::checks) number: &'static str,
    /// Pointer to a code.
    pub(in crate::checks) code: &'static str,
}

/// Pointer to a member that each of them requires.
pub(in crate::checks) const REQUIRED: &str = "/animal";

/// In the order they are tried.
pub(super) static TEMPLATES: &[Template] = &[
    Template {
        collection: "weights",
        make: || json!({"weight": {"measurement": 431, "units": "KGM", "method": "LoadCell"}, "remark": "ade-conformance"}),
        start: None,
        number: "/weight/measurement",
        code: "/weight/units",
    },
    Template {
        collection: "milking-visits",
        make: || {
            json!({
                "milkingMilkWeight": {"unitCode": "KGM", "value": 12.5},
                "milkingComplete": true,
                "milkingType": "Manual",
                "remark": "ade-conformance",
            })
        },
        start: Some("milkingStartingDateTime"),
        number: "/milkingMilkWeight/value",
        code: "/milkingMilkWeight/unitCode",
    },
    Template {
        collection: "attention-events",
        make: || {
            json!({
                "category": "Health",
                "causes": ["Lameness"],
                "priority": "Normal",
                "deviceAttentionScore": 3,
                "remark": "ade-conformance",
            })
        },
        start: None,
        number: "/deviceAttentionScore",
        code: "/category",
    },
    Template {
        collection: "heats",
        make: || {
            json!({
                "heatDetectionMethod": "Visual",
                "certainty": "Suspect",
                "deviceHeatProbability": 40,
                "remark": "ade-conformance",
            })
        },
        start: None,
        number: "/deviceHeatProbability",
        code: "/certainty",
    },
];

//! The messages to receivers, and the pauses between attempts.

use super::job::Job;
use model::record::time;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value, json};

/// Characters that are not percent-encoded in a segment of an address.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.');

/// The first pause after a failure, milliseconds.
const FIRST: i64 = 10_000;
/// The factor by which each pause is longer than the one before.
const TIMES: i64 = 3;
/// No pause is longer, milliseconds.
const LONGEST: i64 = 6 * 3_600_000;

/// How long to wait after this number of failures in a row, milliseconds: a fifth less to a fifth
/// more by `chance`, from 0 to 1, so that receivers that came back are not called by all at once.
pub fn pause(failures: i64, chance: f64) -> i64 {
    let mut pause = FIRST;
    for _ in 1..failures.clamp(1, 20) {
        pause = pause.saturating_mul(TIMES).min(LONGEST);
    }
    let fifth = pause / 5;
    #[expect(clippy::cast_possible_truncation, reason = "less than half a day")]
    #[expect(clippy::cast_precision_loss, reason = "less than half a day")]
    let part = (2.0 * fifth as f64 * chance.clamp(0.0, 1.0)) as i64;
    pause - fifth + part
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Message {
    pub(super) id: String,
    /// The event: `changed` or `ping`.
    pub(super) event: &'static str,
    /// The place in commit order that the message names.
    pub(super) sequence: i64,
    pub(super) body: String,
}

impl Message {
    pub(super) fn of(job: &Job, now: i64, datasets: &str, scheme: &str) -> Self {
        let (id, event, kind, sequence, at) = match job.ping {
            Some(number) => {
                let id = format!("ping_{}_{number}", job.id);
                (id, "ping", "ade.ping", job.delivered, now)
            }
            None => {
                let id = format!("msg_{}_{}", job.id, job.pending);
                (id, "changed", "ade.changed", job.pending, job.changed_at)
            }
        };
        let name = utf8_percent_encode(&job.dataset, SEGMENT);
        let mut data = Map::from_iter([("set".to_owned(), Value::from(job.dataset.as_str()))]);
        if let Some(location) = job.organization {
            let location = json!({"scheme": scheme, "id": location.to_string()});
            data.insert("location".to_owned(), location);
        }
        data.insert("sequence".to_owned(), sequence.to_string().into());
        let changes = format!("{datasets}/{name}/changes");
        data.insert("changes".to_owned(), changes.into());
        let body = json!({"type": kind, "timestamp": time::to_iso(at), "data": data});
        Self { id, event, sequence, body: body.to_string() }
    }
}

//! Query parameters of this face: each is honoured, refused with its name, or listed as
//! ignored in `X-ICAR-ADE-Ignored-Filters`.

pub(crate) mod filters;
pub(super) mod request_options;

use super::error::{self, Fault, Refusal};
use crate::layers::prefer::Prefer;
use ade::IGNORED_FILTERS_HEADER;
use axum::http::HeaderValue;
use axum::response::Response;
use model::messages::Sentence;
use model::said;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// Everything but what RFC 3986 calls unreserved.
const QUOTED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A day, milliseconds.
const DAY: i64 = 86_400_000;
/// Number of values of a parameter that may occur more than once.
const MANY: usize = 100;

pub(super) fn quoted(text: &str) -> String {
    utf8_percent_encode(text, QUOTED).to_string()
}

/// The parameters of a request. What is taken is known; the rest is ignored.
#[derive(Debug)]
pub(super) struct Query {
    rest: Vec<(String, String)>,
    taken: Vec<(&'static str, String)>,
    faults: Vec<Fault>,
}

impl Query {
    pub(super) fn read(raw: Option<&str>) -> Self {
        let mut faults = Vec::new();
        let mut rest = Vec::new();
        for pair in raw.unwrap_or_default().split('&').filter(|p| !p.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            match (decoded(name), decoded(value)) {
                (Some(name), Some(value)) => rest.push((name, value)),
                _ => faults.push(bad(name, "is not UTF-8, or has a zero character")),
            }
        }
        Self { rest, taken: Vec::new(), faults }
    }

    /// The value of a parameter; twice is a fault.
    pub(super) fn take(&mut self, name: &'static str) -> Option<String> {
        let (mine, rest): (Vec<_>, Vec<_>) = std::mem::take(&mut self.rest).into_iter().partition(|(n, _)| n == name);
        self.rest = rest;
        let mut values = mine.into_iter().map(|(_, value)| value);
        let first = values.next()?;
        if values.next().is_some() {
            self.fault(name, "stands there twice");
        }
        self.taken.push((name, first.clone()));
        Some(first)
    }

    /// All values of a parameter, in their order.
    pub(super) fn take_all(&mut self, name: &'static str) -> Vec<String> {
        let (mine, rest): (Vec<_>, Vec<_>) = std::mem::take(&mut self.rest).into_iter().partition(|(n, _)| n == name);
        self.rest = rest;
        let values: Vec<String> = mine.into_iter().map(|(_, value)| value).collect();
        if values.len() > MANY {
            self.fault(name, said!("stands there more than {limit} times", limit = MANY));
            return Vec::new();
        }
        if values.iter().any(String::is_empty) {
            self.fault(name, "is empty");
        }
        let pairs = values.iter().map(|value| (name, value.clone()));
        self.taken.extend(pairs);
        values
    }

    /// Identifiers: the first scheme belongs to the first number, the second to the second; a
    /// single scheme belongs to all numbers.
    pub(super) fn pairs(&mut self, scheme: &'static str, id: &'static str) -> Option<Vec<(String, String)>> {
        let (schemes, ids) = (self.take_all(scheme), self.take_all(id));
        match (schemes.as_slice(), ids.as_slice()) {
            ([], []) => None,
            ([_, ..], []) => {
                self.fault(id, said!("is needed together with {other}", other = scheme));
                None
            }
            ([], [_, ..]) => {
                self.fault(scheme, said!("is needed together with {other}", other = id));
                None
            }
            ([one], ids) => Some(ids.iter().map(|id| (one.clone(), id.clone())).collect()),
            (schemes, ids) if schemes.len() == ids.len() => {
                Some(schemes.iter().cloned().zip(ids.iter().cloned()).collect())
            }
            _ => {
                let what = said!("must stand there once, or as often as {other}", other = id);
                self.fault(scheme, what);
                None
            }
        }
    }

    pub(super) fn fault(&mut self, name: &str, what: impl Into<Sentence>) {
        self.faults.push(bad(name, what));
    }

    /// A fault that says more than that the value is bad.
    pub(super) fn faulty(&mut self, fault: Fault) {
        self.faults.push(fault);
    }

    pub(super) fn time(&mut self, name: &'static str) -> Option<i64> {
        self.when(name, 0)
    }

    /// The end of a window: a bare date counts as a whole day.
    pub(super) fn end(&mut self, name: &'static str) -> Option<i64> {
        self.when(name, DAY)
    }

    fn when(&mut self, name: &'static str, day: i64) -> Option<i64> {
        let text = self.take(name)?;
        // A plus sign that was not quoted arrives as a blank.
        let read = ade::time::parse(&text.replace(' ', "+"));
        match read {
            Some(at) if text.contains(['T', 't']) => Some(at),
            Some(at) => Some(at.saturating_add(day)),
            None => {
                self.fault(name, "must be an RFC 3339 date-time or a date that exists");
                None
            }
        }
    }

    /// A number from 1 on; larger ones than `most` are cut.
    pub(super) fn count(&mut self, name: &'static str, most: u64) -> Option<u64> {
        let text = self.take(name)?;
        let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let number = if digits { text.parse::<u64>().unwrap_or(u64::MAX) } else { 0 };
        if number == 0 {
            self.fault(name, "must be a whole number from 1 on");
            return None;
        }
        Some(number.min(most))
    }

    /// What was understood, in the order of taking.
    pub(super) fn taken(&self) -> &[(&'static str, String)] {
        &self.taken
    }

    /// Parameters that nothing read, once each; with strict handling they are refused. All faults are answered at once.
    pub(super) fn ignored(mut self, prefer: &Prefer) -> Result<Ignored, Refusal> {
        let mut names: Vec<String> = Vec::new();
        for (name, _) in self.rest {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        if prefer.strict {
            let unknown = names.iter().map(|name| {
                let fault = bad(name, "is not a parameter of this address");
                fault.fine("parameter-unknown")
            });
            self.faults.extend(unknown);
        }
        if !self.faults.is_empty() {
            return Err(self.faults.into());
        }
        Ok(Ignored { names: names.iter().map(|name| quoted(name)).collect(), strict: prefer.strict })
    }
}

/// Parameters that did not count.
#[derive(Debug)]
pub(super) struct Ignored {
    names: Vec<String>,
    /// None were allowed.
    strict: bool,
}

impl Ignored {
    /// Reports the ignored parameters to the caller.
    pub(super) fn tell(&self, response: &mut Response) {
        if let Ok(value) = HeaderValue::from_str(&self.names.join(","))
            && !self.names.is_empty()
        {
            response.headers_mut().insert(IGNORED_FILTERS_HEADER, value);
        }
        if self.strict {
            Prefer::applied(response, "handling=strict");
        }
    }
}

/// A parameter that is not accepted.
pub(super) fn bad(name: &str, what: impl Into<Sentence>) -> Fault {
    let what = what.into();
    Fault::new(error::VALUE, said!("{name} {what}.", name = name, what = what))
        .with("parameter", name)
        .with("field", name)
}

fn decoded(text: &str) -> Option<String> {
    let text = text.replace('+', " ");
    let decoded = percent_decode_str(&text).decode_utf8().ok()?;
    (!decoded.contains('\0')).then(|| decoded.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_date_is_a_whole_day_at_the_end_and_its_beginning_at_the_start() {
        let mut q = Query::read(Some("date-from=2026-01-02&date-to=2026-01-02"));
        let (from, to) = (q.time("date-from").unwrap(), q.end("date-to").unwrap());
        assert_eq!(to - from, DAY);
        let mut q = Query::read(Some("date-to=2026-01-02T00:00:00%2B00:00"));
        assert_eq!(q.end("date-to"), Some(from));
        let mut q = Query::read(Some("date-to=2026-01-02T02:00:00+02:00"));
        assert_eq!(q.end("date-to"), Some(from));
    }

    #[test]
    fn numbers_are_cut_above_and_refused_below() {
        let mut q = Query::read(Some("a=999&b=0&c=-1&d=12x&e=&f=99999999999999999999999"));
        assert_eq!(q.count("a", 200), Some(200));
        assert_eq!(q.count("f", 200), Some(200));
        for name in ["b", "c", "d", "e"] {
            assert_eq!(q.count(name, 200), None);
        }
        assert_eq!(q.faults.len(), 4);
    }

    #[test]
    fn what_nobody_took_is_reported_once() {
        let mut q = Query::read(Some("x=1&x=2&y%20z=&known=1"));
        assert!(q.take("known").is_some());
        let ignored = q.ignored(&Prefer::default()).unwrap();
        assert_eq!(ignored.names, ["x", "y%20z"]);
        let strict = Prefer { strict: true, ..Prefer::default() };
        let q = Query::read(Some("x=1&x=2&y="));
        assert!(q.ignored(&strict).is_err());
        let q = Query::read(None);
        assert!(q.ignored(&strict).is_ok());
    }

    #[test]
    fn numbers_go_with_their_scheme_by_place_or_all_with_one() {
        let pairs = |text: &str| {
            let mut q = Query::read(Some(text));
            let read = q.pairs("s", "i");
            (read.map(|all| all.len()), q.faults.len())
        };
        assert_eq!(pairs(""), (None, 0));
        assert_eq!(pairs("s=a&i=1&s=b&i=2"), (Some(2), 0));
        assert_eq!(pairs("s=a&i=1&i=2&i=3"), (Some(3), 0));
        assert_eq!(pairs("s=a&s=b&i=1"), (None, 1));
        assert_eq!(pairs("s=a"), (None, 1));
        assert_eq!(pairs("i=1&i=2"), (None, 1));
        assert_eq!(pairs("s=&i="), (Some(1), 2));
        let many = format!("s=a{}", "&i=1".repeat(MANY + 1));
        assert_eq!(pairs(&many).1, 2);
        let mut q = Query::read(Some("s=a&s=b&i=1&i=2"));
        let both = q.pairs("s", "i").unwrap();
        assert_eq!(both[1], ("b".to_owned(), "2".to_owned()));
    }
}

//! Query parameters of this face: each is honoured, refused with its name, or listed as
//! ignored in `X-ICAR-ADE-Ignored-Filters`.

use super::error::{self, Fault, Refusal};
use ade::IGNORED_FILTERS_HEADER;
use axum::http::HeaderValue;
use axum::response::Response;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// Everything but what RFC 3986 calls unreserved.
const QUOTED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// A day, milliseconds.
const DAY: i64 = 86_400_000;

/// A text as it stands in an address.
pub(super) fn quoted(text: &str) -> String {
    utf8_percent_encode(text, QUOTED).to_string()
}

/// The parameters of a request. What is taken is known; the rest is ignored.
#[derive(Debug)]
pub(super) struct Query {
    left: Vec<(String, String)>,
    taken: Vec<(&'static str, String)>,
    faults: Vec<Fault>,
}

impl Query {
    pub(super) fn read(raw: Option<&str>) -> Self {
        let mut faults = Vec::new();
        let mut left = Vec::new();
        for pair in raw.unwrap_or_default().split('&').filter(|p| !p.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            match (decoded(name), decoded(value)) {
                (Some(name), Some(value)) => left.push((name, value)),
                _ => faults.push(bad(name, "is not UTF-8, or has a zero character")),
            }
        }
        Self {
            left,
            taken: Vec::new(),
            faults,
        }
    }

    /// The value of a parameter; twice is a fault.
    pub(super) fn take(&mut self, name: &'static str) -> Option<String> {
        let (mine, left): (Vec<_>, Vec<_>) = std::mem::take(&mut self.left)
            .into_iter()
            .partition(|(n, _)| n == name);
        self.left = left;
        let mut values = mine.into_iter().map(|(_, value)| value);
        let first = values.next()?;
        if values.next().is_some() {
            self.fault(name, "stands there twice");
        }
        self.taken.push((name, first.clone()));
        Some(first)
    }

    pub(super) fn fault(&mut self, name: &str, what: &str) {
        self.faults.push(bad(name, what));
    }

    /// A point in time.
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
        let number = if digits {
            text.parse::<u64>().unwrap_or(u64::MAX)
        } else {
            0
        };
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

    /// Names that nobody took, once each.
    pub(super) fn ignored(self) -> Result<Ignored, Refusal> {
        if !self.faults.is_empty() {
            return Err(self.faults.into());
        }
        let mut names: Vec<String> = Vec::new();
        for (name, _) in self.left {
            let name = quoted(&name);
            if !names.contains(&name) {
                names.push(name);
            }
        }
        Ok(Ignored(names))
    }
}

/// Parameters that did not count.
#[derive(Debug)]
pub(super) struct Ignored(Vec<String>);

impl Ignored {
    /// Tells the caller.
    pub(super) fn tell(&self, response: &mut Response) {
        if let Ok(value) = HeaderValue::from_str(&self.0.join(","))
            && !self.0.is_empty()
        {
            response.headers_mut().insert(IGNORED_FILTERS_HEADER, value);
        }
    }
}

/// A parameter that is not accepted.
pub(super) fn bad(name: &str, what: &str) -> Fault {
    Fault::new(error::VALUE, format!("{name} {what}."))
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
    fn what_nobody_took_is_told_once() {
        let mut q = Query::read(Some("x=1&x=2&y%20z=&known=1"));
        assert!(q.take("known").is_some());
        assert_eq!(q.ignored().unwrap().0, ["x", "y%20z"]);
    }
}

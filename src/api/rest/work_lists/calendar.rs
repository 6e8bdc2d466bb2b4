//! Work lists as a calendar (RFC 5545): one event for each list and day, with the animals in its description.
//! What is overdue stands on the present day.

use super::files::Files;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use model::display::{at, name};
use model::record::time;
use serde_json::Value;
use std::collections::BTreeMap;

/// Records that the description of an event names.
const NAMED: usize = 50;
/// Octets of a line.
const LINE: usize = 75;

impl Files<'_> {
    pub(super) fn calendar(&self, now: i64) -> Response {
        let content = (header::CONTENT_TYPE, HeaderValue::from_static("text/calendar; charset=utf-8"));
        let disposition = HeaderValue::from_str(&format!("attachment; filename=\"{}.ics\"", self.name()));
        let disposition = disposition.unwrap_or(HeaderValue::from_static("attachment"));
        ([content, (header::CONTENT_DISPOSITION, disposition)], self.events(now)).into_response()
    }

    fn events(&self, now: i64) -> String {
        let mut out = String::new();
        let made = compact(&time::to_iso(now));
        let title = format!("{} · {}", self.text("work-title", &[]), self.places.organization());
        for line in ["BEGIN:VCALENDAR", "VERSION:2.0"] {
            put(&mut out, line);
        }
        put(&mut out, &format!("PRODID:-//{}//work-lists//{}", escaped(self.service), self.language.word()));
        put(&mut out, &format!("X-WR-CALNAME:{}", escaped(&title)));
        let today = self.places.day();
        for (list, page) in self.all {
            let mut days: BTreeMap<String, Vec<String>> = BTreeMap::new();
            for doc in page.get("docs").and_then(Value::as_array).into_iter().flatten() {
                let due = at(doc, "due").as_str().filter(|due| *due > today.as_str()).unwrap_or(&today);
                days.entry(due.to_owned()).or_default().push(name(self.c, doc).unwrap_or_default());
            }
            let total =
                at(page, "totalDocs").as_u64().and_then(|total| usize::try_from(total).ok()).unwrap_or_default();
            // What a file has no room for is due on the last of these days or later.
            let beyond = total.saturating_sub(days.values().map(Vec::len).sum());
            let last = days.keys().next_back().cloned();
            for (day, records) in days {
                let mut named = records.iter().take(NAMED).cloned().collect::<Vec<_>>();
                let beyond = if last.as_ref() == Some(&day) { beyond } else { 0 };
                let more = records.len().saturating_sub(NAMED).saturating_add(beyond);
                if more > 0 {
                    named.push(self.text("work-more", &[("count", &more.to_string())]));
                }
                let organization = self.places.id();
                put(&mut out, "BEGIN:VEVENT");
                put(&mut out, &format!("UID:{}-{day}-{organization}@work-lists", list.name));
                put(&mut out, &format!("DTSTAMP:{made}"));
                put(&mut out, &format!("DTSTART;VALUE=DATE:{}", day.replace('-', "")));
                put(&mut out, &format!("SUMMARY:{}: {}", escaped(&self.title(list)), records.len()));
                put(&mut out, &format!("DESCRIPTION:{}", escaped(&named.join("\n"))));
                if !self.url.is_empty() {
                    put(&mut out, &format!("URL:{}/work/{}/{}", self.url, self.c.slug, list.name));
                }
                put(&mut out, "END:VEVENT");
            }
        }
        put(&mut out, "END:VCALENDAR");
        out
    }
}

/// `2026-03-01T12:00:00.000Z` as `20260301T120000Z`.
fn compact(iso: &str) -> String {
    let seconds = iso.split('.').next().unwrap_or_default();
    format!("{}Z", seconds.replace(['-', ':'], ""))
}

/// A text value: backslashes, commas, semicolons and ends of lines are marked.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\n' => out.push_str("\\n"),
            '\\' | ',' | ';' => out.extend(['\\', letter]),
            other if other.is_control() => {}
            other => out.push(other),
        }
    }
    out
}

/// A line, folded so that none has more than 75 octets.
fn put(out: &mut String, line: &str) {
    let mut width = 0;
    for letter in line.chars() {
        if width + letter.len_utf8() > LINE {
            out.push_str("\r\n ");
            width = 1;
        }
        out.push(letter);
        width += letter.len_utf8();
    }
    out.push_str("\r\n");
}

#[cfg(test)]
mod tests {
    use super::{compact, escaped, put};

    #[test]
    fn lines_are_those_of_the_format() {
        assert_eq!(compact("2026-03-01T12:00:00.000Z"), "20260301T120000Z");
        assert_eq!(escaped("a,b;c\\d\ne\r"), "a\\,b\\;c\\\\d\\ne");
        let mut out = String::new();
        put(&mut out, &"ё".repeat(100));
        assert!(out.split("\r\n").all(|line| line.len() <= 75), "{out}");
        assert_eq!(out.replace("\r\n ", "").trim_end(), "ё".repeat(100));
    }
}

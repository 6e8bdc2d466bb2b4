//! A number over time, small: each measurement stands at its time, with a line between them.

use crate::components::small;
use maud::{Markup, html};
use model::display::day_of;
use model::messages::Language;
use model::record::time::to_iso;

/// The chart of measurements in the order of their times, epoch milliseconds; none of fewer than two.
pub(crate) fn chart(language: Language, title: &str, all: &[(i64, f64)]) -> Option<Markup> {
    let ((first, _), (last, latest)) = (*all.first()?, *all.last().filter(|_| all.len() > 1)?);
    let day = |at: i64| day_of(language, &to_iso(at));
    let up = small::up(all.iter().map(|(_, value)| *value));
    let span = last.saturating_sub(first).max(1);
    #[expect(clippy::cast_precision_loss, reason = "a picture is 240 wide")]
    let across = |at: i64| small::across(at.saturating_sub(first) as f64 / span as f64);
    let points: Vec<String> = all.iter().map(|(at, value)| format!("{},{}", across(*at), up.place(*value))).collect();
    let drawn = html! {
        polyline points=(points.join(" ")) {}
        @for (at, value) in all { (small::point(language, (across(*at), up.place(*value)), &day(*at), *value)) }
    };
    Some(small::chart(language, title, Some((day(last), latest)), Some((day(first), day(last))), &up, &drawn))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::record::time::parse;

    #[test]
    fn measurements_stand_at_their_time() {
        let at = |day: &str| parse(&format!("2026-{day}T00:00:00.000Z")).unwrap();
        let all = [(at("01-01"), 1_000.0), (at("01-02"), 500.0), (at("01-05"), 1_500.5)];
        let drawn = chart(Language::Russian, "Загрузка", &all).unwrap().into_string();
        for part in [
            "points=\"36,52 85,72 232,32\"",
            "<title>01.01.2026: 1000</title>",
            "<strong>1500,5</strong> (05.01.2026)",
            ">01.01.2026</text>",
            ">2000</text>",
        ] {
            assert!(drawn.contains(part), "{part} in {drawn}");
        }
        assert!(chart(Language::English, "Load", &all[..1]).is_none(), "a point is no line");
        let at_once = chart(Language::English, "Load", &[all[0], all[0]]).unwrap().into_string();
        assert!(at_once.contains("points=\"36,12 36,12\""), "{at_once}");
    }
}

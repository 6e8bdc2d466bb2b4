//! The part of a body that a finding is about.

/// Characters that are not shown.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct LeftOut {
    pub(super) before: usize,
    pub(super) behind: usize,
}

/// As much of a text as fits, around the rarest of the words in it; from the start, if that part shows the word as
/// well. Of a JSON pointer among the words, the member that it ends with is shown too.
pub(super) fn around(text: &str, words: &str, bound: usize) -> (String, LeftOut) {
    let count = text.chars().count();
    if count <= bound {
        return (text.to_owned(), LeftOut::default());
    }
    let at = place(text, words).map_or(0, |byte| text.get(..byte).unwrap_or_default().chars().count());
    let start = if at < bound * 3 / 4 { 0 } else { at - bound / 4 };
    let start = start.min(count - bound);
    let shown: String = text.chars().skip(start).take(bound).collect();
    let left_out = LeftOut { before: start, behind: count - bound - start };
    (shown, left_out)
}

/// The position of the rarest of the words.
fn place(text: &str, words: &str) -> Option<usize> {
    let plain = |c: char| !(c.is_alphanumeric() || "-_.:/+".contains(c));
    let mut best: Option<(usize, usize, usize)> = None;
    let mut tail = None;
    for word in words.split(plain) {
        let word = word.trim_matches(['.', ':', ',']);
        if let Some(name) = word.strip_prefix('/').and_then(|w| w.rsplit('/').next()) {
            tail = Some(format!("\"{name}\""));
        }
        if word.chars().count() < 4 {
            continue;
        }
        let Some(first) = text.find(word) else {
            continue;
        };
        let often = text.matches(word).take(1_000).count();
        let rank = (often, usize::MAX - word.len(), first);
        if best.is_none_or(|had| rank < had) {
            best = Some(rank);
        }
    }
    let at = best.map(|(_, _, at)| at);
    // As a rule, the member comes after the identifier of its document.
    let member = tail.and_then(|name| {
        let from = at.unwrap_or(0);
        Some(from + text.get(from..)?.find(&name)?)
    });
    match (at, member) {
        (Some(at), Some(member)) if member > at + 2_000 => Some(member),
        (Some(at), _) => Some(at),
        (None, member) => member,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_part_that_the_words_are_about_is_shown() {
        let documents: Vec<String> =
            (0..200).map(|n| format!("{{\"meta\":{{\"sourceId\":\"weights:N{n}é\"}},\"weight\":{n}}}")).collect();
        let text = documents.join(",");
        let (shown, left_out) = around(&text, "/weight of org.example weights:N150é is -1", 400);
        assert!(shown.contains("weights:N150é\"},\"weight\":150"), "{shown}");
        assert_eq!(shown.chars().count(), 400);
        assert_eq!(left_out.before + left_out.behind + 400, text.chars().count());
        // The end of a body, and the part at the start that is always shown.
        let (shown, left_out) = around(&text, "weights:N199é", 400);
        assert!(shown.ends_with("199}"), "{shown}");
        assert_eq!(left_out.behind, 0);
        let (shown, left_out) = around(&text, "weights:N2é", 400);
        assert!(shown.starts_with("{\"meta\""), "{shown}");
        assert_eq!(left_out.before, 0);
        // None of the words is there: the start is shown.
        assert_eq!(around(&text, "status 200", 400).1.before, 0);
        assert_eq!(around("short", "x", 400), ("short".to_owned(), LeftOut::default()));
    }
}

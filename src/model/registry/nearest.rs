//! The name that was meant by one that is not known.

/// The name that is most like another one, if any is.
pub fn nearest<'n>(wanted: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let wanted: Vec<char> = wanted.to_lowercase().chars().collect();
    let most = (wanted.len() / 3).max(1);
    names
        .map(|name| (distance(&wanted, &name.to_lowercase()), name))
        .filter(|(far, _)| *far <= most)
        .min()
        .map(|(_, name)| name)
}

/// Letters to be changed, added or taken away (Levenshtein).
fn distance(from: &[char], to: &str) -> usize {
    let mut row: Vec<usize> = (0..=from.len()).collect();
    for (line, letter) in to.chars().enumerate() {
        let mut next = Vec::with_capacity(row.len());
        next.push(line + 1);
        for ((other, pair), before) in from.iter().zip(row.windows(2)).zip(0..) {
            let [diagonal, above]: [usize; 2] = pair.try_into().unwrap_or_default();
            let left: usize = next.get(before).copied().unwrap_or_default();
            let changed = diagonal + usize::from(*other != letter);
            next.push(changed.min(above + 1).min(left + 1));
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn the_nearest_name_is_proposed_if_it_is_near() {
        let names = ["animals", "milk-tests", "weighings"];
        let near = |wanted| nearest(wanted, names.into_iter());
        assert_eq!(near("animal"), Some("animals"));
        assert_eq!(near("Milk_Tests"), Some("milk-tests"));
        assert_eq!(near("wieghings"), Some("weighings"));
        assert_eq!(near("cows"), None);
        assert_eq!(near(""), None);
    }
}

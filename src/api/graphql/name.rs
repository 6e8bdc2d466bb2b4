//! Names of the face, made of the names of the declarations (docs/graphql.md, *Names*).
//! Must not know what they are used for.

use indexmap::IndexSet;

/// Nouns whose plural is the singular.
const SAME: [&str; 6] = ["media", "data", "series", "species", "information", "equipment"];

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Names {
    /// One record: `MilkTest`.
    pub(super) one: String,
    /// A page of them: `MilkTests`; `allMedia` where both would be the same.
    pub(super) many: String,
}

impl Names {
    pub(super) fn of(slug: &str) -> Self {
        let (head, last) = slug.rsplit_once('-').unwrap_or(("", slug));
        let before = words(head);
        let one = format!("{before}{}", words(&singular(last)));
        let many = format!("{before}{}", words(&plural(last)));
        let many = if one == many { format!("all{many}") } else { many };
        Self { one, many }
    }
}

/// `milk-tests` and `milkTests` as `MilkTests`.
pub(super) fn words(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut begins = true;
    for c in text.chars() {
        if !c.is_alphanumeric() {
            begins = true;
        } else if begins {
            out.extend(c.to_uppercase());
            begins = false;
        } else {
            out.push(c);
        }
    }
    out
}

fn is_plural(word: &str) -> bool {
    SAME.contains(&word) || (word.ends_with('s') && !word.ends_with("ss"))
}

fn singular(word: &str) -> String {
    if SAME.contains(&word) || !is_plural(word) {
        return word.to_owned();
    }
    if let Some(stem) = word.strip_suffix("ies") {
        return format!("{stem}y");
    }
    let hissing = ["sses", "shes", "ches", "xes", "zzes"];
    if hissing.iter().any(|end| word.ends_with(end)) {
        return word.strip_suffix("es").unwrap_or(word).to_owned();
    }
    word.strip_suffix('s').unwrap_or(word).to_owned()
}

fn plural(word: &str) -> String {
    if is_plural(word) {
        return word.to_owned();
    }
    let vowel = |c: char| "aeiou".contains(c);
    match word.strip_suffix('y') {
        Some(stem) if !stem.ends_with(vowel) => format!("{stem}ies"),
        _ if ["ss", "sh", "ch", "x"].iter().any(|end| word.ends_with(end)) => {
            format!("{word}es")
        }
        _ => format!("{word}s"),
    }
}

/// A text as a name of GraphQL: what no name may have becomes `_`, spaces go.
pub(super) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 1);
    if text.starts_with(|c: char| c.is_ascii_digit()) {
        out.push('_');
    }
    for c in text.chars().filter(|c| !c.is_whitespace()) {
        out.push(if c.is_ascii_alphanumeric() { c } else { '_' });
    }
    if out.is_empty() {
        out.push('_');
    }
    out
}

/// Whether a value of a select is its own name.
fn is_name(option: &str) -> bool {
    plain(option) == option && !["true", "false", "null"].contains(&option)
}

/// The values of a select as names, in their order. Values that are valid names are used as they
/// are; each of the others gets a name that differs from all others.
pub(super) fn choices(options: &[String]) -> Vec<String> {
    let own = options.iter().filter(|option| is_name(option));
    let mut taken: IndexSet<String> = own.cloned().collect();
    let mut names = Vec::with_capacity(options.len());
    for option in options {
        if is_name(option) {
            names.push(option.clone());
            continue;
        }
        let name = match option.as_str() {
            "true" | "false" | "null" => format!("_{option}"),
            option => plain(option),
        };
        let mut free = name.clone();
        let mut number = 2;
        while !taken.insert(free.clone()) {
            free = format!("{name}_{number}");
            number += 1;
        }
        names.push(free);
    }
    names
}

pub(super) fn choice(options: &[String], value: &str) -> Option<String> {
    if is_name(value) {
        return Some(value.to_owned());
    }
    let place = options.iter().position(|option| option == value)?;
    choices(options).into_iter().nth(place)
}

/// The value of a name; what is none stays as it is.
pub(super) fn chosen(options: &[String], name: String) -> String {
    if options.contains(&name) {
        return name;
    }
    let place = choices(options).iter().position(|one| *one == name);
    let option = place.and_then(|place| options.get(place));
    option.cloned().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::{Names, choice, choices, chosen, plain, words};

    #[test]
    fn names_are_those_of_the_dialect() {
        for (slug, one, many) in [
            ("milk-tests", "MilkTest", "MilkTests"),
            ("daily-milkings", "DailyMilking", "DailyMilkings"),
            ("ade-tombstones", "AdeTombstone", "AdeTombstones"),
            ("media", "Media", "allMedia"),
            ("index-bases", "IndexBase", "IndexBases"),
            ("breeding-categories", "BreedingCategory", "BreedingCategories"),
            ("breeding-classes", "BreedingClass", "BreedingClasses"),
            ("saved-searches", "SavedSearch", "SavedSearches"),
            ("animal-gallery", "AnimalGallery", "AnimalGalleries"),
        ] {
            let names = Names::of(slug);
            assert_eq!((names.one.as_str(), names.many.as_str()), (one, many));
        }
        assert_eq!(words("altIds"), "AltIds");
    }

    #[test]
    fn values_become_names_that_differ() {
        assert_eq!(plain("305d"), "_305d");
        let options = ["a+", "a-", "true", "1/2", "a_"].map(str::to_owned);
        assert_eq!(choices(&options), ["a__2", "a__3", "_true", "_1_2", "a_"]);
        for (option, name) in options.iter().zip(choices(&options)) {
            assert_eq!(choice(&options, option).as_ref(), Some(&name));
            assert_eq!(chosen(&options, name), *option);
        }
    }
}

//! Cyrillic to Latin for `animals.nameLatin`.
//!
//! The table is that of ICAO Doc 9303, part 3, section 6 B (machine readable
//! travel documents), which Russian passports use: every letter has one
//! rendering, without diacritics. The soft sign is dropped.

/// The name in Latin letters. Letters outside the table and everything else
/// stay as they are; a capital that becomes several letters is written in
/// capitals throughout only inside a word of capitals.
#[must_use]
pub fn name_latin(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let mut before: Option<char> = None;
    let mut chars = name.chars().peekable();
    while let Some(c) = chars.next() {
        let lower = c.to_lowercase().next().unwrap_or(c);
        match latin(lower) {
            None => out.push(c),
            Some(text) if lower == c => out.push_str(text),
            Some(text) => {
                let neighbour = chars.peek().filter(|next| next.is_alphabetic()).copied().or(before);
                if neighbour.is_some_and(char::is_uppercase) {
                    out.extend(text.chars().map(|letter| letter.to_ascii_uppercase()));
                } else {
                    let mut letters = text.chars();
                    out.extend(letters.next().map(|first| first.to_ascii_uppercase()));
                    out.push_str(letters.as_str());
                }
            }
        }
        before = Some(c).filter(|c| c.is_alphabetic());
    }
    out
}

/// The rendering of a small Cyrillic letter.
const fn latin(letter: char) -> Option<&'static str> {
    Some(match letter {
        'а' => "a",
        'б' => "b",
        'в' => "v",
        'г' | 'ґ' => "g",
        'д' => "d",
        'е' | 'ё' | 'э' => "e",
        'ж' => "zh",
        'з' => "z",
        'и' | 'й' | 'і' | 'ї' => "i",
        'к' => "k",
        'л' => "l",
        'м' => "m",
        'н' => "n",
        'о' => "o",
        'п' => "p",
        'р' => "r",
        'с' => "s",
        'т' => "t",
        'у' | 'ў' => "u",
        'ф' => "f",
        'х' => "kh",
        'ц' => "ts",
        'ч' => "ch",
        'ш' => "sh",
        'щ' => "shch",
        'ъ' | 'є' => "ie",
        'ы' => "y",
        'ь' => "",
        'ю' => "iu",
        'я' => "ia",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::name_latin;

    #[test]
    fn names_in_both_alphabets() {
        for (name, expected) in [
            ("Зорька", "Zorka"),
            ("Щука", "Shchuka"),
            ("ЮЖНАЯ", "IUZHNAIA"),
            ("Южная", "Iuzhnaia"),
            ("Жар-Птица 12", "Zhar-Ptitsa 12"),
            ("Объём", "Obieem"),
            ("ХИТ", "KHIT"),
            ("Я", "Ia"),
            ("Vis Back Ideal", "Vis Back Ideal"),
            ("Ельфа Є", "Elfa Ie"),
            ("", ""),
        ] {
            assert_eq!(name_latin(name), expected);
        }
    }
}

//! All emails in all languages with values of an example, for review: a file of the repository that `herdbook print`
//! writes.

use model::letter::{AccountChange, EmailBranding, Letter, Links, Template};
use model::messages::Language;

/// Values of the example.
const VALUES: [(&str, &str); 35] = [
    ("animals", "2"),
    ("code", "no-header"),
    ("collection", "users"),
    ("count", "5"),
    ("created", "1200"),
    ("dataset", "milkTests"),
    ("date", "2026-03-01"),
    ("days", "7"),
    ("due", "2026-03-11"),
    ("from", "2026-02-01"),
    ("held", "3"),
    ("hours", "24"),
    ("inviter", "Anna Smith"),
    ("kind", "productivity"),
    ("minutes", "60"),
    ("name", "Ivanov Ivan"),
    ("numbered", "yes"),
    ("number", "000017"),
    ("organization", "Zarya & Sons"),
    ("remarked", "yes"),
    ("comment", "See <row 3>."),
    ("rows", "1234"),
    ("title", "Pedigree certificate"),
    ("to", "2026-02-28"),
    ("token", "T0K-en_"),
    ("updated", "21"),
    ("dryOff", "0"),
    ("calving", "1"),
    ("pregnancyCheck", "2"),
    ("open", "3"),
    ("repeat", "4"),
    ("cells", "5"),
    ("noTest", "6"),
    ("milkWithdrawal", "7"),
    ("meatWithdrawal", "8"),
];

pub(crate) fn all() -> String {
    let branding = EmailBranding {
        service: "herdbook".to_owned(),
        url: "https://book.example".to_owned(),
        links: Links { reset: "{url}/reset-password?token={token}".to_owned(), ..Links::default() },
        language: Language::English,
        color: None,
        foot: Vec::new(),
    };
    let change = AccountChange::NamedKeyNew("scales".to_owned());
    let link = "https://book.example/api/users/unsubscribe?token=…";
    let mut out = String::new();
    for template in Template::ALL {
        let letter = Letter::new("ivanov@farm.example", *template, 0).with_change(&change);
        let letter = match template.wish() {
            Some(_) => letter.about("data-submissions", Some(12)),
            None => letter,
        };
        let letter = VALUES.iter().fold(letter, |letter, (place, value)| letter.with(place, value));
        for language in Language::ALL {
            let link = template.wish().map(|_| link.to_owned());
            let message = letter.written(&branding, ("1", 0), language, link);
            let head = format!("== {} · {} ==", template.word(), language.word());
            out.push_str(&format!("{head}\n{}\n\n{}\n", message.subject, message.text));
        }
    }
    let first = Letter::new("ivanov@farm.example", Template::PackageRejected, 0);
    let first = VALUES.iter().fold(first, |letter, (place, value)| letter.with(place, value));
    let html = first.written(&branding, ("1", 0), Language::English, Some(link.to_owned()));
    out.push_str(&format!("== HTML of one ==\n{}", html.html));
    out
}

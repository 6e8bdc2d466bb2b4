//! The checks as a page of the data model.

use super::check::Check;
use super::limits::Key;
use super::list::groups;
use super::reporter::Grade;

const HEAD: &str = "# Checks\n\nThe checks of the book with their groups, printed from `src/checks` as [the other pages](README.md) are. \
A finding is to be fixed, or a note. [Check settings](check-settings.md) switch a check off or grade it otherwise. A *window* is how far a check looks: \
at a row and the animals that it names, at an animal with its rows, relatives and children, at a herd, a package, or the whole book. \
Days are UTC days; an age in months counts calendar months, and the days beyond them in parts of 31.\n\n\
| Group | Check | Finding | Window | Refuses a single write | Meaning |\n|---|---|---|---|---|---|\n";

#[must_use]
pub fn page() -> String {
    let mut out = String::from(HEAD);
    for (group, check) in groups() {
        let Check { code, window, meaning, .. } = check;
        let finding = match check.grade {
            Grade::Fix => "fix",
            Grade::Note => "note",
            Grade::Both => "note, fix beyond a second limit",
        };
        let refuses = if check.refuses { "yes" } else { "" };
        let (group, window) = (group.name(), window.name());
        out.push_str(&format!("| {group} | `{code}` | {finding} | {window} | {refuses} | {meaning} |\n"));
    }
    out.push_str(
        "\n## Thresholds\n\nThe limits of checks. [Check thresholds](check-thresholds.md) change them within their range.\n\n\
         | Threshold | Meaning | Unit | Built in | Lowest | Highest | Checks |\n|---|---|---|---|---|---|---|\n",
    );
    for key in Key::ALL {
        let t = key.fact();
        let users = groups().filter(|(_, check)| check.limits.contains(key));
        let users: Vec<String> = users.map(|(_, check)| format!("`{}`", check.code)).collect();
        let (name, meaning, unit, users) = (t.key, t.meaning, t.unit, users.join(", "));
        let (default, min, max) = (t.default, t.min, t.max);
        out.push_str(&format!("| `{name}` | {meaning} | {unit} | {default} | {min} | {max} | {users} |\n"));
    }
    out.push_str("\n## Sentences\n\nWhat a person reads, with values in braces, and words that follow their numbers.\n\n| Check | English | Russian |\n|---|---|---|\n");
    for (_, check) in groups() {
        let (code, sentence) = (check.code, check.sentence);
        out.push_str(&format!("| `{code}` | {} | {} |\n", sentence.english, sentence.russian));
    }
    out
}

//! Russian texts call each thing by the word of the glossary (docs/glossary.md, *Words for readers*).

use super::assert_none;
use crate::support::root;
use std::fs;

/// Beginnings of words, or of several, that texts do not use, with the word for it.
const OTHERS: [(&str, &str); 28] = [
    ("аккаунт", "учётная запись"),
    ("ассоциаци", "Ассоциация"),
    ("Верификац", "подтверждение"),
    ("верификац", "подтверждение"),
    ("Живой вес", "живая масса"),
    ("живого веса", "живая масса"),
    ("жирност", "МДЖ"),
    ("каренц", "ограничение по молоку"),
    ("Контрольные дойки", "контрольные доения"),
    ("контрольные дойки", "контрольные доения"),
    ("контрольных доек", "контрольные доения"),
    ("Кратность осеменения", "№ осеменения"),
    ("логин", "адрес электронной почты"),
    ("межотёльн", "межотельный"),
    ("надоев", "удой"),
    ("надой", "удой"),
    ("Непринят", "задержано"),
    ("Не принята", "задержана"),
    ("Отложен", "задержано"),
    ("отложен", "задержано"),
    ("поручени", "доверенность"),
    ("Поручени", "доверенность"),
    ("пересадк", "трансплантация эмбриона"),
    ("Семя", "сперма"),
    ("семя", "сперма"),
    ("семен", "сперма"),
    ("Уровень достоверности", "уровень доверия"),
    ("ферм", "хозяйство"),
];

#[test]
fn a_thing_has_one_word() {
    // The checks have their sentences beside them.
    let mut folders = vec![root().join("src/model/messages"), root().join("src/checks")];
    let mut faults = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a readable folder") {
            let path = entry.expect("a readable entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.to_string_lossy().ends_with("ru.ftl") || path.extension().is_some_and(|end| end == "rs") {
                let text = fs::read_to_string(&path).expect("a readable file");
                let lines = text.lines().filter(|line| !line.starts_with('#'));
                faults.extend(lines.flat_map(other_words).map(|fault| format!("{}: {fault}", path.display())));
            }
        }
    }
    assert_none(faults);
}

/// What a line has for which there is another word.
fn other_words(line: &str) -> Vec<String> {
    let begins = |(at, _): (usize, &str)| !line[..at].ends_with(char::is_alphabetic);
    let has = |other: &str| line.match_indices(other).any(begins);
    OTHERS.iter().filter(|(other, _)| has(other)).map(|(other, word)| format!("{other}, not {word}: {line}")).collect()
}

#[test]
fn a_word_is_found_at_its_beginning() {
    assert_eq!(other_words("a = Осеменение, Ассоциация, удой").len(), 0);
    assert_eq!(other_words("a = Партия семени").len(), 1);
}

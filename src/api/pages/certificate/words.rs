//! The words of the pages of certificates, in two languages: one table.

use model::messages::Language;

/// A language by the words that pages of certificates use.
pub(super) trait Words: Copy {
    /// The value of a member in words.
    fn valued<'v>(self, name: &str, value: &'v str) -> &'v str;
    /// The word for a name; what has none is shown as it is.
    fn named(self, name: &str) -> &str;
}

impl Words for Language {
    fn valued<'v>(self, name: &str, value: &'v str) -> &'v str {
        if WORDED.contains(&name) {
            self.named(value)
        } else {
            value
        }
    }

    fn named(self, name: &str) -> &str {
        let found = WORDS.iter().find(|(key, ..)| *key == name);
        match (self, found) {
            (Self::English, Some((_, english, _))) => english,
            (Self::Russian, Some((.., russian))) => russian,
            (_, None) => name,
        }
    }
}

/// Members whose values are words of the book; those of others are the words of people.
const WORDED: [&str; 6] = ["type", "sex", "method", "verdict", "father", "mother"];

/// Name, English, Russian. Names are those of members and values, or of sentences of the pages.
const WORDS: [(&str, &str, &str); 104] = [
    (
        "zootechnicalCertificate",
        "Zootechnical certificate",
        "Зоотехническое свидетельство",
    ),
    (
        "pedigreeCertificate",
        "Pedigree certificate",
        "Племенное свидетельство",
    ),
    ("number", "Number", "Номер"),
    ("issuedAt", "Issued", "Дата выдачи"),
    ("identNumber", "Animal number", "Номер животного"),
    ("name", "Name", "Кличка"),
    ("nameLatin", "Name in Latin letters", "Кличка латиницей"),
    (
        "registrationNumber",
        "Number in the herd book",
        "Номер в племенной книге",
    ),
    ("sex", "Sex", "Пол"),
    ("female", "female", "женский"),
    ("male", "male", "мужской"),
    ("birthDate", "Birth date", "Дата рождения"),
    ("birthYear", "Born", "Год рождения"),
    ("breed", "Breed", "Порода"),
    ("breedType", "Type within the breed", "Внутрипородный тип"),
    (
        "bloodPercent",
        "Holstein blood, %",
        "Кровность по голштинской породе, %",
    ),
    ("improvers", "Improving breeds", "Улучшающие породы"),
    ("coatColor", "Coat colour", "Масть"),
    ("trustLevel", "Trust level", "Уровень доверия"),
    ("owner", "Owner", "Владелец"),
    ("breeder", "Breeder", "Заводчик"),
    ("unsm", "Marking number", "Номер средства маркирования"),
    ("isoId", "ISO 11784 number", "Номер ISO 11784"),
    (
        "internationalId",
        "International number",
        "Международный номер",
    ),
    ("earTag", "Ear tag", "Ушная бирка"),
    ("inventoryNumber", "Inventory number", "Инвентарный номер"),
    ("chipNumber", "Electronic identifier", "Номер чипа"),
    ("gpkMark", "Mark of the State Herd Book", "Марка ГПК"),
    ("gpkNumber", "Number in the State Herd Book", "Номер ГПК"),
    (
        "originCountry",
        "Country of first registration",
        "Страна происхождения",
    ),
    (
        "originNumber",
        "Number in that country",
        "Номер в стране происхождения",
    ),
    ("animal", "Animal", "Животное"),
    ("pedigree", "Pedigree", "Родословная"),
    ("place", "Place", "Место"),
    ("lactation", "Best lactation", "Лучшая лактация"),
    ("lactations", "Lactations", "Лактации"),
    ("calvingDate", "Calving", "Отёл"),
    ("dd", "Days", "Дней"),
    ("milkYield", "Milk, kg", "Удой, кг"),
    ("fatKg", "Fat, kg", "Жир, кг"),
    ("proteinKg", "Protein, kg", "Белок, кг"),
    ("milk305", "Milk 305 days, kg", "Удой за 305 дней, кг"),
    ("fat305", "Fat 305 days, %", "Жир за 305 дней, %"),
    ("protein305", "Protein 305 days, %", "Белок за 305 дней, %"),
    (
        "index",
        "Index of breeding value",
        "Индекс племенной ценности",
    ),
    ("value", "Value", "Значение"),
    ("date", "Date", "Дата"),
    ("reliability", "Reliability, %", "Достоверность, %"),
    ("percentile", "Percentile", "Процентиль"),
    ("center", "Evaluation centre", "Центр оценки"),
    ("base", "Base", "База сравнения"),
    ("exterior", "Exterior", "Экстерьер"),
    ("assessedAt", "Assessed", "Дата оценки"),
    ("finalScore", "Final score", "Итоговая оценка"),
    ("finalClass", "Class", "Класс"),
    ("generalView", "General view", "Общий вид"),
    ("bodyVolume", "Body", "Объём туловища"),
    (
        "dairyCharacter",
        "Dairy character",
        "Выраженность молочного типа",
    ),
    ("legQuality", "Legs", "Качество ног"),
    ("udderQuality", "Udder", "Качество вымени"),
    ("rearBody", "Rear part of the body", "Задняя часть туловища"),
    (
        "parentage",
        "Parentage tests",
        "Подтверждение происхождения",
    ),
    (
        "parents",
        "Parents by genetic tests",
        "Родители по генетическим тестам",
    ),
    ("father", "Father", "Отец"),
    ("mother", "Mother", "Мать"),
    ("confirmed", "confirmed", "подтверждено"),
    ("declared", "declared", "заявлено"),
    ("excluded", "excluded", "исключено"),
    ("unknown", "unknown", "неизвестно"),
    ("type", "Kind", "Вид"),
    ("test", "Test", "Тест"),
    ("laboratory", "Laboratory", "Лаборатория"),
    ("method", "Compared with", "Сравнение"),
    ("byOM", "both parents", "оба родителя"),
    ("byO", "father", "отец"),
    ("byM", "mother", "мать"),
    ("verdict", "Verdict", "Вывод"),
    (
        "certificateNumber",
        "Genetic certificate",
        "Генетический сертификат",
    ),
    ("certificateDate", "of", "от"),
    ("check", "Check of a certificate", "Проверка свидетельства"),
    ("code", "Code", "Код"),
    ("submit", "Check", "Проверить"),
    (
        "ask-code",
        "Enter the code that stands on the certificate beside the number.",
        "Введите код, указанный в свидетельстве рядом с номером.",
    ),
    (
        "no-certificate",
        "There is no certificate with this number.",
        "Свидетельства с таким номером нет.",
    ),
    (
        "valid",
        "This certificate is valid.",
        "Свидетельство действительно.",
    ),
    (
        "revoked",
        "This certificate was revoked.",
        "Свидетельство отозвано.",
    ),
    ("revokedAt", "Revoked", "Отозвано"),
    ("reason", "Reason", "Причина"),
    ("paper", "On the certificate", "В свидетельстве"),
    ("book", "In the book now", "В книге сейчас"),
    ("certificate", "Certificate", "Свидетельство"),
    (
        "differences",
        "Differences from the book",
        "Расхождения с книгой",
    ),
    (
        "no-differences",
        "Nothing of this differs from the book today.",
        "Расхождений с книгой на сегодня нет.",
    ),
    (
        "not-in-book",
        "The animal is not in the book any more.",
        "Животного больше нет в книге.",
    ),
    (
        "not-kept",
        "The content of this certificate was not stored when it was issued, so it cannot be compared.",
        "Содержание этого свидетельства не сохранено при выдаче, сравнение невозможно.",
    ),
    ("nothing", "not stated", "не указано"),
    (
        "compare",
        "Compare the following with the paper before you.",
        "Сравните приведённое ниже с бумагой, которая у вас в руках.",
    ),
    ("ancestor-2", "Father", "Отец"),
    ("ancestor-3", "Mother", "Мать"),
    (
        "check-at",
        "Anybody can check this certificate at",
        "Проверить подлинность свидетельства можно по адресу",
    ),
    ("altIds", "Other numbers", "Другие номера"),
    ("share", "Share, %", "Доля, %"),
    ("code-is", "with the code", "с кодом"),
    ("row", "Row", "Ряд"),
];

/// The path from the animal to an ancestor by its number in Kekulé's list, one letter for each step:
/// father and mother (`FM`: the father's mother).
pub(super) fn path(number: u64, language: Language) -> String {
    let [father, mother] = match language {
        Language::English => ['F', 'M'],
        Language::Russian => ['О', 'М'],
    };
    let steps = number.checked_ilog2().unwrap_or(0);
    let steps = (0..steps).rev().map(|step| match number >> step & 1 {
        0 => father,
        _ => mother,
    });
    steps.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_stands_once_in_both_languages() {
        let names: std::collections::BTreeSet<_> = WORDS.iter().map(|(name, ..)| name).collect();
        assert_eq!(names.len(), WORDS.len());
        for (name, english, russian) in WORDS {
            assert!(english.is_ascii() && !russian.is_ascii(), "{name}");
        }
    }

    #[test]
    fn places_are_paths_from_the_animal() {
        let all = [2, 3, 5, 9, 15].map(|number| path(number, Language::English));
        assert_eq!(all, ["F", "M", "FM", "FFM", "MMM"]);
        assert_eq!(path(6, Language::Russian), "МО");
        assert_eq!(path(0, Language::English), "");
    }
}

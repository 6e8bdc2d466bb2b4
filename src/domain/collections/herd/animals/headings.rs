//! How files of other programs name the fields of animals (docs/import.md).

use crate::collections::events::ANIMAL_HEADINGS;

/// Field path and headings.
pub(super) const HEADINGS: &[(&str, &str)] = &[
    (
        "identNumber",
        "Инд.№|индивидуальный номер|номер|номер животного|идентификационный номер|идент номер|унж|унж уникальный номер животного|life number",
    ),
    ("name", "Кличка|имя"),
    ("sex", "Пол|gender"),
    ("birthDate", "Дата рождения|др|dob|birth date"),
    ("altIds.earTag", "Бирка|ушная бирка|номер бирки|ушной номер|ear tag|tag no"),
    ("fgias.unsm", "УНСМ|унсм уникальный номер средств маркирования|номер маркирования"),
    ("altIds.chipNumber", "Чип|транспондер|электронная бирка|rfid|eid"),
    ("altIds.internationalId", "Международный номер|interbull id"),
    ("uuid", "Идентификатор учётной системы"),
    ("fgias.baseUuid", "Базовый номер ФГИАС ПР|базовый номер"),
    ("fgias.registrationUuid", "Регистрационный номер ФГИАС ПР"),
    (
        "altIds.inventoryNumber",
        "Технологический номер|инвентарный номер|инв номер|ninv|рабочий номер|номер коровы|herd number",
    ),
    ("breed", "Порода"),
    ("line", "Линия|линия быка"),
    ("family", "Семейство"),
    ("coatColor", "Масть|окрас|масть и окрас"),
    ("purpose", "Назначение|направление продуктивности|направление использования"),
    ("category", "Категория|раздел книги"),
    ("breedType", "Тип породы|тип породы животного"),
    ("receiptMethod", "Способ получения|способ получения животного"),
    ("ageGroupDate", "Дата определения группы|дата определения возрастной группы"),
    ("breedDate", "Дата определения породы"),
    ("purposeDate", "Дата определения назначения"),
    ("birthPlace.country", "Страна рождения|страна"),
    ("birthPlace.region", "Регион рождения|регион"),
    ("birthPlace.district", "Район рождения|район"),
    ("birthPlace.farmName", "Хозяйство рождения|хозяйство|хозяйство при рождении|место рождения"),
    ("herd", "Стадо|группа|ферма|отделение"),
    ("bloodPercent", "Кровность, %|кровность по голштину|породность|доля крови"),
    ("ageGroup", "Возрастная группа|возраст|группа животного|половозрастная группа"),
    ("state", "Состояние"),
    ("arrivalDate", "Дата поступления"),
    ("disposalDate", "Дата выбытия|дата выбраковки|disposal date|exit date"),
    ("disposalReason", "Причина выбытия|причина|причина выбраковки|disposal reason|cull reason|exit reason"),
    ("notes", "Примечание|комментарий"),
    ("pedigreeText.fatherId", "Отец, инд.№|отец|инд номер отца|номер отца|sire"),
    ("pedigreeText.fatherName", "Отец, кличка|кличка отца"),
    ("pedigreeText.motherId", "Мать, инд.№|мать|инд номер матери|номер матери|dam"),
    ("pedigreeText.motherName", "Мать, кличка|кличка матери"),
    ("summary.milkYield", "Удой, кг|удой|milkyield"),
    ("summary.fatPercent", "Жир, %|жир"),
    ("summary.proteinPercent", "Белок, %|белок"),
    ("summary.fatKg", "Жир, кг"),
    ("summary.proteinKg", "Белок, кг"),
    ("semen.stock.code", "Код спермы|семенной код|код семени"),
    ("semen.stock.available", "Сперма в наличии|есть в наличии|статус наличия|наличие семени"),
    ("semen.stock.updatedAt", "Дата обновления наличия|дата обновления"),
];

/// Members of `shows` and headings.
pub(super) const SHOWS: &[(&str, &str)] = &[
    ("identNumber", ANIMAL_HEADINGS),
    ("shows.date", "Дата мероприятия|дата выставки|дата|date"),
    ("shows.title", "Название мероприятия|мероприятие|выставка"),
    ("shows.place", "Место проведения"),
    ("shows.awards", "Сведения о полученных наградах|награды|награда"),
    ("shows.prize", "Выигрыш|приз"),
];

/// Members of `dnaTests` and headings; loci have their names.
pub(super) const DNA_TESTS: &[(&str, &str)] = &[
    ("identNumber", ANIMAL_HEADINGS),
    ("dnaTests.date", "Дата исследования|дата проведения исследования|дата|date"),
    ("dnaTests.type", "Тип теста|метод исследований|метод"),
    ("dnaTests.laboratory", "Лаборатория"),
    ("dnaTests.verdict", "Вывод теста|результат подтверждения|вывод"),
    ("dnaTests.authMethod", "Способ подтверждения происхождения"),
    ("dnaTests.certificateNumber", "Номер генетического сертификата|номер сертификата|сертификат"),
    ("dnaTests.certificateDate", "Дата выдачи сертификата"),
    ("dnaTests.snpCount", "Количество SNP-маркеров|snp|число маркеров"),
    ("dnaTests.result", "Результат"),
    ("dnaTests.isagBm1818", "BM1818"),
    ("dnaTests.isagBm1824", "BM1824"),
    ("dnaTests.isagBm2113", "BM2113"),
    ("dnaTests.isagEth3", "ETH3"),
    ("dnaTests.isagEth10", "ETH10"),
    ("dnaTests.isagEth225", "ETH225"),
    ("dnaTests.isagInra023", "INRA023"),
    ("dnaTests.isagSps115", "SPS115"),
    ("dnaTests.isagTgla53", "TGLA53"),
    ("dnaTests.isagTgla122", "TGLA122"),
    ("dnaTests.isagTgla126", "TGLA126"),
    ("dnaTests.isagTgla227", "TGLA227"),
];

/// The numbers and texts by which people name an animal.
pub(super) const KNOWN_AS: &[&str] = &[
    "identNumber",
    "uuid",
    "altIds.isoId",
    "altIds.internationalId",
    "fgias.baseUuid",
    "fgias.unsm",
    "altIds.chipNumber",
    "altIds.earTag",
    "altIds.inventoryNumber",
    "altIds.originNumber",
    "semen.stock.code",
];

/// The numbers that name one animal wherever it stands; farms give all others as they like.
pub(crate) const EVERYWHERE: [&str; 3] = ["identNumber", "altIds.internationalId", "semen.stock.code"];

/// Words for the sexes.
pub(super) const SEXES: &[(&str, &str)] = &[
    ("female", "ж|жен|женский|т|телка|тёлочка|нетель|первотёлка|корова|cow|heifer|f|2"),
    ("male", "м|муж|мужской|б|бык|бычок|bull|m|1"),
];

/// Words for the states.
pub(super) const STATES: &[(&str, &str)] = &[
    ("alive", "жив|жива|живой|живая|в стаде|active"),
    ("sold", "продан|продана|продажа"),
    ("culled", "выбыл|выбыла|выбыло|выбыл из стада|выбыла из стада|выбракован|выбракована|забит|забита|убой"),
    ("dead", "пал|пала|падёж|гибель|died"),
];

/// Words for the verdicts of genetic tests.
pub(super) const VERDICTS: &[(&str, &str)] = &[
    ("confirmed", "подтвержден|подтверждена|достоверно"),
    ("excluded", "исключен|исключена|не подтверждено|не подтвержден|не подтверждена|недостоверно"),
    ("inconclusive", "не установлен|не установлена|не определено|сомнительно"),
];

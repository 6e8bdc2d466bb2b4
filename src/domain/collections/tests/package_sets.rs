//! Which set of packages the header of a table is.

use crate::collections::dictionaries::datasets::KINDS;
use crate::collections::registry;
use model::messages::{Language, labels};
use model::registry::{Kind, PackageSet, is_sure};
use test_support::table;

fn heads(header: &str) -> Vec<String> {
    header.split(';').map(|head| head.trim().to_owned()).collect()
}

/// The sets of a header with their scores, and whether the first is surely the one.
fn sets(header: &str) -> (Vec<(&'static str, usize)>, bool) {
    let sets = registry().unwrap().sets_of(&heads(header));
    let all = sets.iter().map(|one| (one.set.name, one.score)).collect();
    (all, is_sure(&sets))
}

fn set(name: &str) -> (&'static model::registry::Collection, &'static PackageSet) {
    let mut all = registry().unwrap().package_sets();
    all.find(|(_, set)| set.name == name).unwrap()
}

#[test]
fn the_sets_are_declared_once_and_their_kinds_are_kinds_of_packages() {
    let mut names: Vec<_> = registry().unwrap().package_sets().map(|(_, set)| set.name).collect();
    names.sort_unstable();
    let expected = [
        "abortions",
        "animals",
        "breedingValues",
        "calvings",
        "dailyMilkings",
        "dnaTests",
        "dryOffs",
        "events",
        "exteriors",
        "gradings",
        "healthEvents",
        "heats",
        "inseminations",
        "milkTests",
        "milkingVisits",
        "movements",
        "pregnancyChecks",
        "shows",
        "weighings",
    ];
    assert_eq!(names, expected);
    let kinds: Vec<&str> = KINDS.split('|').collect();
    for (_, set) in registry().unwrap().package_sets() {
        assert!(kinds.contains(&set.kind), "{}", set.name);
    }
}

#[test]
fn a_header_of_usual_headings_is_surely_its_set() {
    let headers = table![
        "animals", "Инд.№;Кличка;Пол;Дата рождения;Порода;Отец, инд.№;Мать, инд.№";
        "animals", "life number;tag no;gender;dob";
        "calvings", "Инд. № ;Дата отела;Номер отёла;Живых тёлочек;Лёгкость отёла";
        "inseminations", "Корова;Дата осеменения;Инд.№ быка;Доз семени;Техник";
        "milkTests", "Инд.№;Дата контрольной дойки;Удой, кг;Жир, %;Белок (%);СКС";
        // A laboratory that knows no yields.
        "milkTests", "Инд.№;Дата контрольной дойки;Жир, %;СКС";
        "weighings", "животное;дата взвешивания;Живая масса, lb";
        "gradings", "Инд.№;Дата бонитировки;Комплексный класс;Балл";
        "exteriors", "Инд.№;Дата осмотра;Рост;Ширина груди;Угол копыта";
        "shows", "Инд.№;Дата выставки;Выставка;Место проведения;Награды";
        "dnaTests", "Инд.№;Дата исследования;Тип теста;Лаборатория;BM1818;SPS115";
        "heats", "Инд.№;Дата охоты";
        "heats", "Cow;Heat date;Remark";
        "pregnancyChecks", "Инд.№;Дата проверки;Результат проверки";
        "pregnancyChecks", "Cow;Preg check;Result";
        "dryOffs", "Инд.№;Номер лактации;Дата запуска";
        "dryOffs", "Cow;Dry date";
        "abortions", "Инд.№;Дата аборта";
        "abortions", "Инд.№;Дата аборта;Номер отёла;Комментарий";
        // A day of any event, and a column that only rows of the set have.
        "heats", "Инд.№;Дата;Признак охоты";
        "heats", "Инд.№;Дата;Признак охоты;Комментарий";
        "pregnancyChecks", "Инд.№;Дата;Результат проверки;Комментарий";
        "healthEvents", "Инд.№;Дата;Диагноз;Комментарий";
        "healthEvents", "Инд.№;Дата;Диагноз;Лечение;Комментарий";
        "movements", "Инд.№;Дата;Вид движения;Причина;Комментарий";
        "calvings", "Инд.№;Дата;Лёгкость отёла;Комментарий";
        "inseminations", "Инд.№;Дата;Доз семени;Комментарий";
        "inseminations", "Корова;Дата осеменения;Дата проверки на стельность;Стельность";
        "animals", "Инд.№;Дата выбытия;Причина";
        "events", "Инд.№;Дата;Вид события";
        "events", "Инд.№;Дата;Вид события;Комментарий";
        "healthEvents", "Инд.№;Дата лечения;Диагноз;Препарат;Доза;Ограничение по молоку до";
        "milkingVisits", "Корова;Начало дойки;Удой, кг;Бокс";
        "movements", "Инд.№;Дата выбытия;Вид выбытия;Причина выбытия;Покупатель";
        "breedingValues", "Инд.№;Дата оценки;ИПЦ;ПЦ по удою, кг";
        // What a leaving is follows from its reason.
        "animals", "Инд.№;Дата выбытия;Причина выбытия";
        // Sets of one kind give way to those that know more of the columns.
        "inseminations", "Корова;Дата осеменения;Дата проверки;Результат";
        "calvings", "Инд.№;Дата отёла;Номер отёла;Дата запуска";
        "animals", "Инд.№;Пол;Дата рождения;Порода;Дата запуска";
    ];
    for (name, header) in headers {
        let (ranking, sure) = sets(header);
        assert_eq!(ranking.first().map(|(name, _)| *name), Some(name), "{header}: {ranking:?}");
        assert!(sure, "{header}: {ranking:?}");
    }
}

#[test]
fn a_set_counts_its_columns_and_twice_those_that_it_must_have() {
    // Six fields, three of them required; as animals: the number, and four that animals show.
    let (ranking, sure) = sets("Инд.№;Дата замера;Удой за день, кг;Жир;Белок;Соматика;Удой за день, кг");
    assert_eq!(ranking, [("milkTests", 12), ("animals", 5)]);
    assert!(sure);
    // What two sets have in nearly the same way is nobody's: the farm says which.
    let (ranking, sure) = sets("Инд.№;Дата;Удой");
    assert_eq!(ranking[..2], [("milkTests", 9), ("dailyMilkings", 9)]);
    assert!(!sure);
    let (ranking, sure) = sets("animal;date;milkYield;fatPercent");
    assert_eq!(ranking[..2], [("milkTests", 10), ("dailyMilkings", 9)]);
    assert!(!sure);
    // A day alone tells no kind of events.
    let (ranking, _) = sets("Инд.№;Дата;Комментарий");
    let one_kind = ["heats", "pregnancyChecks", "dryOffs"];
    assert!(ranking.iter().all(|(name, _)| !one_kind.contains(name)));
    // A calving and an abortion in one row are nobody's, and no calving.
    assert!(!sets("Инд.№;Дата отёла;Дата аборта").1);
    // One column is no table.
    assert_eq!(sets("Инд.№"), (vec![("animals", 3)], false));
    // Without a column that it must have it is no set, whatever else there is.
    assert_eq!(sets("Дата замера;Удой за день, кг;Жир;Белок"), (vec![], false));
    // Columns that the server fills are no hits.
    let (ranking, _) = sets("Инд.№;Дата замера;Удой за день, кг;createdAt;daysInMilk");
    assert_eq!(ranking.first(), Some(&("milkTests", 9)));
}

#[test]
fn columns_have_their_fields_units_and_the_nearest_headings() {
    let (c, weighings) = set("weighings");
    let columns = weighings.columns(c, &heads("Инд.№;Живая масса, lb;Дата взвешевания;Цвет"));
    let columns: Vec<_> = columns.iter().map(|one| (one.path.as_deref(), one.factor, one.near.join("|"))).collect();
    let expected = [
        (Some("animal"), 1.0, String::new()),
        (Some("weight"), 0.453_592_37, String::new()),
        (None, 1.0, "Дата взвешивания".to_owned()),
        (None, 1.0, String::new()),
    ];
    assert_eq!(columns, expected);
    assert!(c.is_unread("кличка") && !c.is_unread("Настроение"));
    let (c, shows) = set("shows");
    let columns = shows.columns(c, &heads("Инд.№;Дата;shows.title;prize;Кличка"));
    let columns: Vec<_> = columns.iter().map(|one| one.path.as_deref()).collect();
    let expected = [Some("identNumber"), Some("shows.date"), Some("shows.title"), Some("shows.prize"), None];
    assert_eq!(columns, expected);
}

#[test]
fn words_and_labels_mean_one_value() {
    for c in registry().unwrap().iter() {
        for (path, value, words) in &c.naming.words {
            let Some(Kind::Select(values)) = c.member(path).map(|f| &f.kind) else {
                continue;
            };
            let labels = Language::ALL.map(|language| labels::option(language, c.slug, path, value));
            for word in words.split('|').map(str::to_owned).chain(labels) {
                let means = c.worded(path, values, &word);
                assert_eq!(means, Some(*value), "{} {path}: {word}", c.slug);
            }
        }
    }
}

#[test]
fn headings_are_compared_without_signs_blanks_and_units() {
    let (c, tests) = set("milkTests");
    let cells = [
        ("Сом. клетки", 1.0),
        ("СК", 1.0),
        ("КСК", 1.0),
        ("Сом.кл.", 1.0),
        ("SCC", 1.0),
        ("Сом. клетки, тыс/мл", 1.0),
        ("Соматика, тыс. кл/мл", 1.0),
        ("Соматические клетки (тыс./см3)", 1.0),
        ("Кол-во сом. клеток", 1.0),
        ("Соматика, кл/мл", 0.001),
    ];
    for (heading, factor) in cells {
        let expected = Some(("somaticCells".to_owned(), factor));
        assert_eq!(tests.heading(c, heading), expected, "{heading}");
    }
    for (heading, path) in [
        ("М.Д.Ж., %", "fatPercent"),
        ("Удой за день [кг]", "milkYield"),
        ("ДатаЗамера", "date"),
        ("Дата.замера", "date"),
    ] {
        let expected = Some((path.to_owned(), 1.0));
        assert_eq!(tests.heading(c, heading), expected, "{heading}");
    }
    assert_eq!(tests.heading(c, "Удой (фунтов)"), None);
}

#[test]
fn a_sign_alone_counts_lines_and_names_no_animal() {
    for (name, path) in [("milkTests", "animal"), ("animals", "identNumber"), ("shows", "identNumber")] {
        let (c, set) = set(name);
        for heading in ["№", "#", " № ", "\u{feff}№.", "\"#\""] {
            assert_eq!(set.heading(c, heading), None, "{name} {heading}");
            assert!(set.also(c, heading).is_none() && c.is_unread(heading), "{name} {heading}");
        }
        for heading in ["Инд. №", "Номер", "№ животного"] {
            assert_eq!(set.heading(c, heading), Some((path.to_owned(), 1.0)), "{name} {heading}");
        }
    }
    let (c, tests) = set("milkTests");
    assert_eq!(tests.also(c, "№ коровы").and_then(|also| also.by), Some("altIds.inventoryNumber"));
}

#[test]
fn a_column_with_another_number_counts_as_the_animal_once() {
    let (ranking, sure) = sets("Бирка;Дата взвешивания;Живая масса");
    assert_eq!(ranking, [("weighings", 9)]);
    assert!(sure);
    let (ranking, _) = sets("Бирка;Инд.№;Чип;Дата взвешивания;Живая масса");
    assert_eq!(ranking.first(), Some(&("weighings", 9)));
    let registry = registry().unwrap();
    for (c, set) in registry.package_sets() {
        for also in &c.naming.also {
            let numbers = c.field(also.path).and_then(|field| registry.get(field.target()?));
            assert!(also.by.is_none_or(|by| numbers.unwrap().field(by).is_some()));
            let heading = also.headings.split('|').next().unwrap();
            if set.name != "animals" {
                let path = set.heading(c, heading).map(|(path, _)| path);
                assert_eq!(path.as_deref(), Some(also.path), "{} {heading}", set.name);
            }
        }
    }
}

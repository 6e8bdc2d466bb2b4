//! What stands above and below the headings of a table, and tables below it.

use super::{ReadFile, read};
use crate::files::file::PackageFile;
use crate::meanings::file_column::Means;
use crate::meanings::known_columns::KnownColumns;
use crate::packages::rows::RowFault;
use domain::collections::registry;
use serde_json::{Value as Json, json};
use sheets::Source;

/// The titles of the columns that nobody knows, and the rows as bodies.
fn table(text: &str, set: &str) -> (Vec<String>, Vec<Json>) {
    let ReadFile { sheets, rows } = read(text.as_bytes().to_vec(), Some(set)).unwrap();
    let unknown = sheets[0].columns.iter().filter(|column| matches!(column.means, Means::Unknown(_)));
    let titles = unknown.map(|column| column.title.clone()).collect();
    (titles, rows.into_iter().map(|(_, row)| Json::Object(row.row.body)).collect())
}

#[test]
fn what_stands_below_a_parent_is_the_parents() {
    let heads = "Инд.№;Пол;Дата рождения;Инд.№;Кличка;Удой;Жир";
    let row = "960001000101;ж;01.02.2024;960001000123;Зорька;9500;4,1";
    let parents = json!({"motherId": "960001000123", "motherName": "Зорька"});
    for groups in ["Животное;;;Мать;;;", ";;;Мать;;;", "Список тёлок;;;Мать;;;"] {
        let page = format!("{groups}\n{heads}\n{row}\n");
        for text in [page.clone(), format!("Ферма\n\n{page}{groups}\n{heads}\n")] {
            let (unknown, rows) = table(&text, "animals");
            assert_eq!(unknown, ["Мать, Удой", "Мать, Жир"], "{text}");
            let [animal] = rows.as_slice() else { panic!("{text}: {rows:?}") };
            assert_eq!(animal["identNumber"], "960001000101", "{text}");
            assert_eq!(animal["pedigreeText"], parents, "{text}");
            assert_eq!((animal.get("name"), animal.get("summary")), (None, None), "{text}");
        }
    }
    let (unknown, rows) = table(&format!("Животное;Мать;\nИнд.№;Мать, инд.№;Пол\n{row}\n"), "animals");
    assert_eq!((unknown, &rows[0]["identNumber"]), (vec!["Мать, Пол".to_owned()], &json!("960001000101")));
    // The set is found by such headings too.
    let text = format!("Животное;;;Мать;;;\n{heads}\n{row}\n");
    let ReadFile { sheets, rows } = read(text.into_bytes(), None).unwrap();
    assert_eq!((sheets[0].set.name, rows.len()), ("animals", 1));
    // Groups of values, and titles, leave headings as they are.
    for above in ["Корова;;Молоко;;", "Хозяйство;ООО «Заря»;;;", "№;Мать;Отчёт\n", "Бык;Омега", "Дочери быка;Омега"]
    {
        let text = format!("{above}\nИнд.№;Дата замера;Удой;Жир;Белок\n960001000101;01.03.2026;25;4,1;3,3\n");
        let (unknown, rows) = table(&text, "milkTests");
        assert!(unknown.is_empty(), "{above}: {unknown:?}");
        assert_eq!(rows.len(), 1, "{above}: {rows:?}");
        assert_eq!([&rows[0]["milkYield"], &rows[0]["fatPercent"]], [&json!(25), &json!(4.1)], "{above}");
    }
    // The number of a dam is never that of the animal, not even where no other one stands in the table.
    let text = ";;Мать\nПол;Дата рождения;Инд.№;Кличка\nж;01.02.2024;960001000123;Зорька\n";
    let why = read(text.as_bytes().to_vec(), Some("animals")).err();
    assert_eq!(why.map(|why| why.code).as_deref(), Some("missing-columns"));
}

#[test]
fn units_below_headings_are_their_units() {
    let heads = "Инд.№;Дата замера;Удой;Жир;Белок;Соматика";
    let row = "960001000101;01.03.2026;60;4,1;3,3;250";
    for units in ["дней;;lb;%;%;тыс/мл", "-;дд.мм.гггг;lb;-;;", ";;LB;;;\n1;2;3;4;5;6", "1;2;3;4;5;6\n;;lb;;;тыс."]
    {
        let (unknown, rows) = table(&format!("{heads}\n{units}\n{row}\n"), "milkTests");
        assert!(unknown.is_empty(), "{units}: {unknown:?}");
        assert_eq!(rows.len(), 1, "{units}: {rows:?}");
        assert_eq!([&rows[0]["milkYield"], &rows[0]["somaticCells"]], [&json!(27.215_542), &json!(250)], "{units}");
    }
    let (_, rows) = table(&format!("{heads}\n;;;;;кл/мл\n960001000101;01.03.2026;60;4,1;3,3;250000\n"), "milkTests");
    assert_eq!(rows[0]["somaticCells"], json!(250.0));
    // Below a group, too.
    let two = "Инд.№;Дата замера;Удой;Массовая доля;;Соматика\n;;lb;Жир;Белок;кл/мл\n";
    let (unknown, rows) = table(&format!("{two}960001000101;01.03.2026;60;4,1;3,3;250000\n"), "milkTests");
    assert!(unknown.is_empty(), "{unknown:?}");
    assert_eq!([&rows[0]["milkYield"], &rows[0]["somaticCells"]], [&json!(27.215_542), &json!(250.0)]);
    let (_, rows) = table("Инд.№;Дата взвешивания;Живая масса\n-;-;lb\n960001000101;01.03.2026;1300\n", "weighings");
    assert_eq!((rows.len(), &rows[0]["weight"]), (1, &json!(589.670_081)));
    // A unit that is none of the field, or another one than the heading has, makes a heading that nobody knows.
    let heads = "Инд.№;Дата замера;Удой;Жир, %;Соматика, тыс.";
    let (unknown, rows) = table(&format!("{heads}\n;;кг;кг;кл/мл\n960001000101;01.03.2026;25;1;250000\n"), "milkTests");
    assert_eq!(unknown, ["Жир, % ≠ кг", "Соматика, тыс. ≠ кл/мл"]);
    assert_eq!((rows.len(), rows[0].get("fatPercent")), (1, None));
    for units in [";;л", ";мм/дд/гггг;кг"] {
        let text = format!("Инд.№;Дата взвешивания;Живая масса\n{units}\n960001000101;01.03.2026;600\n");
        let why = read(text.into_bytes(), Some("weighings")).err();
        assert_eq!(why.map(|why| why.code).as_deref(), Some("missing-columns"), "{units}");
    }
    // Words of a row are no units, nor are units beside numbers.
    let (_, rows) = table("Инд.№;Пол\nRU0001;т\n960001000101;ж\n", "animals");
    assert_eq!(rows.len(), 2);
}

#[test]
fn numbers_of_lines_are_no_numbers_of_animals() {
    let row = "49;Майка;14.10.2025;31;4";
    for sign in ["№", "#"] {
        let heads = format!("{sign};Кличка;Дата замера;Удой;Жир");
        let why = read(format!("{heads}\n{row}\n").into_bytes(), Some("milkTests")).err();
        assert_eq!(why.map(|why| why.code).as_deref(), Some("missing-columns"), "{sign}");
        let (unknown, rows) = table(&format!("{heads};Инд.№\n{row};960001000101\n"), "milkTests");
        assert!(unknown.is_empty(), "{unknown:?}");
        let (_, alone) = table("Дата замера;Удой;Жир;Инд.№\n14.10.2025;31;4;960001000101\n", "milkTests");
        assert_eq!((rows.len(), &rows), (1, &alone), "{sign}");
    }
}

#[test]
fn milk_without_its_day_is_no_value_of_an_animal() {
    for heads in ["Инд.№;Удой;Жир;Белок", "Инд.№;Удой", "Инд.№;Кличка;Удой, кг;Жир, %", "Инд.№;Номер лактации;Удой"]
    {
        let cells = heads.replace(|c: char| c != ';', "");
        let why = read(format!("{heads}\n960001000101{cells}\n").into_bytes(), None).err();
        assert_eq!(why.map(|why| why.code).as_deref(), Some("missing-columns"), "{heads}");
    }
    for heads in ["Инд.№;Порода;Удой;Жир", "Инд.№;Пол;Дата рождения;Удой"] {
        let cells = heads.replace(|c: char| c != ';', "");
        let ReadFile { sheets, .. } = read(format!("{heads}\n960001000101{cells}\n").into_bytes(), None).unwrap();
        assert_eq!(sheets[0].set.name, "animals", "{heads}");
    }
}

/// The reasons why rows are not read, by the lines of a table.
fn broken(text: &str) -> Vec<(i64, Option<RowFault>)> {
    let known = KnownColumns::default();
    let source = Source::from(text.as_bytes().to_vec());
    let file = PackageFile::open(registry().unwrap(), source, known, Some("milkTests")).unwrap();
    let (mut all, mut rows) = (file.rows(), Vec::new());
    while let Some(row) = all.next().unwrap() {
        rows.push((row.line, row.broken));
    }
    rows
}

#[test]
fn rows_of_another_table_are_not_read_by_the_first_header() {
    let first = "Инд.№;Дата замера;Удой;Жир;Белок\n960001000101;05.03.2026;25;4,1;3,3\n";
    let row = "960001000102;06.03.2026;25;3,3;4,1";
    let why = "In row 4 another table begins, whose columns are not those of the first: send it as a file of its own.";
    for heads in ["Инд.№;Дата замера;Удой;Белок;Жир", "Инд.№;Дата взвешивания;Живая масса", "Корова;Что-то;Удой"]
    {
        let rows = broken(&format!("{first}\n{heads}\n{row}\n"));
        let [(2, None), (4, Some(begin)), (5, Some(after))] = rows.as_slice() else { panic!("{heads}: {rows:?}") };
        for fault in [begin, after] {
            assert_eq!((fault.code.as_str(), fault.message.as_str()), ("other-table", why), "{heads}");
        }
    }
    // The same header once more is none, nor are words of a row.
    for heads in ["Инд.№;Дата замера;Удой;Жир;Белок", "Ферма № 1", "RU0001;;Удой;Жир нет;да", "Итого;;Удой"]
    {
        let rows = broken(&format!("{first}\n{heads}\n{row}\n"));
        assert!(rows.iter().all(|(_, why)| why.is_none()), "{heads}: {rows:?}");
    }
}

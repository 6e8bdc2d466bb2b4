//! What a table says does not depend on the order of its rows and columns, nor on what stands around them: titles,
//! blank rows, the header once more, totals.

use super::{csv, read};
use proptest::collection::vec;
use proptest::prelude::{any, prop_assert_eq, proptest};
use proptest::sample::Index;
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// Tables: their set, header and rows. The cells of some columns decide together how one of them is read.
const TABLES: [(&str, &str, &[&str]); 3] = [
    (
        "milkTests",
        "Чип;Инд.№;Дата контроля;Удой, кг;Жир, %;Соматика, тыс./мл;Настроение",
        &[
            "1;960001000101;06/05/2025;31,5;4,1;120;",
            "2;960001000102;06/25/2025;24,5;4,0;1.034;добрая",
            "3;960001000103;07/06/2025;25;н/д;250,5;",
            "4;960001000104;07/07/2025;#N/A;3,9;-;",
            "5;960001000105;;27,25;3,95;99;",
        ],
    ),
    (
        "calvings",
        "Инд.№;Дата отёла;Номер отёла;Событие;Лёгкость отёла;Приплод;Масса телёнка, кг",
        &[
            "960001000101;20.10.25;3;Отёл;лёгкий;двойня;38,5",
            "960001000102;5.1.26;2;Аборт;;;",
            "960001000103;01.02.2025;;Запуск;7;;",
            "960001000104;02.02.2025;два;Абракадабра;1;один;1.034",
            "960001000105;20251231;4;;;тройня;41",
        ],
    ),
    (
        "animals",
        "Инд.№;Бирка;Кличка;Пол;Дата рождения;Отец;Кровность, %",
        &[
            "960001000101;0101;Зорька;ж;45930;0;93,75",
            "960001000102;=\"0102\";;Самка;45931;HODEU000099000013;87,5",
            "960001000103;;Пчёлка;тёлка;45932;нет;100",
            "960001000104;0104;Верный;б;45933;;1.034,5",
        ],
    ),
];

/// What stands among the rows.
const AMONG: u8 = 4;

fn cells(line: &str) -> Vec<String> {
    line.split(';').map(str::to_owned).collect()
}

/// The places in the order of drawn numbers.
fn order(count: usize, drawn: &[u8]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..count).collect();
    places.sort_by_key(|place| drawn.get(*place));
    places
}

/// What the rows of a table say, whatever their order: values by path, and faults.
type Said = Vec<(BTreeMap<String, String>, BTreeSet<String>)>;

fn said(set: &str, table: &str) -> Said {
    let read = read(table.as_bytes().to_vec(), Some(set)).unwrap();
    let records = read.rows.into_iter().map(|(_, row)| row).filter(|row| row.passed.is_none());
    let mut all: Said = records
        .map(|row| {
            let mut values = BTreeMap::new();
            flatten("", &Json::Object(row.row.body), &mut values);
            let issues = row.row.issues.into_iter();
            let issues: BTreeSet<String> = issues.map(|issue| format!("{} {}", issue.path, issue.code)).collect();
            (values, issues)
        })
        .collect();
    all.sort();
    all
}

/// What each table says as it stands.
static AS_IT_STANDS: LazyLock<[Said; TABLES.len()]> = LazyLock::new(|| {
    TABLES.map(|(set, header, lines)| {
        let rows: Vec<Vec<String>> = [&[header][..], lines].concat().into_iter().map(cells).collect();
        said(set, &csv(&rows, ";"))
    })
});

fn flatten(path: &str, json: &Json, values: &mut BTreeMap<String, String>) {
    match json {
        Json::Object(members) => {
            for (name, value) in members {
                flatten(&format!("{path}.{name}"), value, values);
            }
        }
        other => {
            values.insert(path.to_owned(), other.to_string());
        }
    }
}

proptest! {
    #![proptest_config(proptest::test_runner::Config::with_cases(test_support::at(48, 1_000)))]
    #[test]
    fn order_and_surroundings_of_rows_say_nothing(
        table in 0..TABLES.len(),
        rows in vec(any::<u8>(), 8),
        columns in vec(any::<u8>(), 8),
        titles in 0..4_usize,
        among in vec((any::<Index>(), 0..AMONG), 0..5),
    ) {
        let (set, header, lines) = TABLES[table];
        let header = cells(header);
        let places = order(header.len(), &columns);
        let placed = |row: &[String]| -> Vec<String> {
            places.iter().map(|place| row[*place].clone()).collect()
        };
        let plain: Vec<Vec<String>> = lines.iter().map(|line| cells(line)).collect();
        let mut changed: Vec<Vec<String>> =
            order(plain.len(), &rows).into_iter().map(|place| placed(&plain[place])).collect();
        for (at, kind) in among {
            let row = match kind {
                0 => Vec::new(),
                1 => vec![String::new(); header.len()],
                2 => placed(&header),
                _ => {
                    // A row with an animal is no total.
                    let number = |title: &String| if title == "Инд.№" { "" } else { "1.034,5" }.to_owned();
                    let mut total: Vec<String> = placed(&header).iter().map(number).collect();
                    total[0] = "Итого по ферме".to_owned();
                    total
                }
            };
            changed.insert(at.index(changed.len() + 1), row);
        }
        changed.insert(0, placed(&header));
        for title in ["Контрольная дойка", "", "Хозяйство: ООО «Заря», 2025 год"].into_iter().take(titles) {
            changed.insert(0, vec![title.to_owned()]);
        }
        let other = csv(&changed, ";");
        prop_assert_eq!(&AS_IT_STANDS[table], &said(set, &other), "{}", other);
    }
}

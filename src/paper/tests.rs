//! Sheets as they are read again: their text, their pages, and that no text breaks them.

use crate::{Block, Cell, Code, Day, Head, Look, Sheet, Table, Tree, pdf};
use proptest::prelude::*;

fn text(bytes: &[u8]) -> Vec<String> {
    let document = lopdf::Document::load_mem(bytes).unwrap();
    let pages = document.get_pages();
    pages.keys().map(|page| document.extract_text(&[*page]).unwrap()).collect()
}

fn sheet(blocks: Vec<Block>) -> Sheet {
    Sheet {
        title: "Лист 1".to_owned(),
        language: "ru",
        author: "Ассоциация".to_owned(),
        day: Day::read("2026-03-01").unwrap(),
        blocks,
        footer: "Племенная книга".to_owned(),
        numbering: ["Страница".to_owned(), "из".to_owned()],
        ..Sheet::default()
    }
}

fn table(rows: usize) -> Block {
    Block::Table(Table {
        heads: vec![("Номер".to_owned(), true), ("Кличка".to_owned(), false)],
        rows: (0..rows).map(|n| vec![n.to_string(), format!("Зорька {n}")]).collect(),
    })
}

#[test]
fn text_is_read_again_in_its_order() {
    let bytes = pdf(&sheet(vec![
        Block::Heading("Молоко".to_owned()),
        Block::Pairs { pairs: vec![("Удой, кг".to_owned(), "9 100".to_owned())], columns: 2 },
        Block::Note("Конец → «№ 7» 牛".to_owned()),
    ]));
    let text = text(&bytes.unwrap()).concat();
    let mut from = 0;
    for part in ["Молоко", "Удой, кг", "9 100", "Конец", "→", "«№ 7»", "\u{fffd}", "Племенная книга", "Страница 1 из 1"]
    {
        let part_at =
            |text: &str| text.find(part).or_else(|| text.find("Страница 1 из 1").filter(|_| part == "Племенная книга"));
        let at = part_at(&text[from..]);
        assert!(at.is_some(), "{part} is missing or too early: {text}");
        if part != "Племенная книга" {
            from += at.unwrap();
        }
    }
}

#[test]
fn the_same_sheet_gives_the_same_bytes_of_pdf_a() {
    let one = sheet(vec![table(3)]);
    let bytes = pdf(&one).unwrap();
    assert_eq!(bytes, pdf(&one).unwrap());
    let whole = String::from_utf8_lossy(&bytes);
    for part in [
        "<pdfaid:part>2</pdfaid:part>",
        "<pdfaid:conformance>A</pdfaid:conformance>",
        "Лист 1",
        "2026-03-01",
        "/StructTreeRoot",
        "/Lang",
    ] {
        assert!(whole.contains(part), "{part}");
    }
    let mut later = one;
    later.day = Day::read("2026-03-02T00:00:00.000Z").unwrap();
    assert_ne!(bytes, pdf(&later).unwrap());
}

#[test]
fn long_tables_have_heads_and_numbers_on_each_page() {
    let pages = text(&pdf(&sheet(vec![table(10_000)])).unwrap());
    assert!(pages.len() > 150, "{}", pages.len());
    for (at, page) in pages.iter().enumerate() {
        assert!(page.contains("Кличка"), "{at}");
        assert!(page.contains(&format!("Страница {} из {}", at + 1, pages.len())), "{at}");
    }
    let all = pages.concat().replace(" \n", "\n");
    for n in [0, 1, 47, 48, 5_000, 9_999] {
        assert_eq!(all.matches(&format!("Зорька {n}\n")).count(), 1, "{n}: {:?}", &pages[0]);
    }
}

/// A row that is higher than a page goes on on the next one, and nothing of it is lost.
#[test]
fn no_word_of_a_high_row_is_lost() {
    let words: Vec<String> = (0..3_000).map(|n| format!("слово{n}.")).collect();
    let rows = vec![vec!["до".to_owned()], vec![words.join(" "), "рядом".to_owned()], vec!["после".to_owned()]];
    let pages = text(
        &pdf(&sheet(vec![Block::Table(Table {
            heads: vec![("А".to_owned(), false), ("Б".to_owned(), false)], rows
        })]))
        .unwrap(),
    );
    let all = pages.concat();
    assert!(pages.len() > 2);
    for word in &words {
        assert_eq!(all.matches(word.as_str()).count(), 1, "{word}");
    }
    assert!(all.find("рядом") < all.find("после"));
}

/// All that a sheet can say, with one text everywhere.
fn full(text: &str, number: u32) -> Vec<Block> {
    let text = || text.to_owned();
    let cell = |place| Cell { place, label: text(), name: text(), lines: vec![text(), text()] };
    vec![
        Block::Head(Head {
            emblem: None,
            over: text(),
            title: text(),
            under: vec![text()],
            code: Code::of(&text()),
            caption: text(),
        }),
        Block::Subject(text(), text()),
        Block::Alarm(text()),
        Block::Heading(text()),
        Block::Pairs {
            pairs: vec![(text(), text()), (text(), String::new()), (String::new(), text())],
            columns: u8::try_from(number % 256).unwrap(),
        },
        Block::Table(Table { heads: vec![(text(), true)], rows: vec![vec![], vec![text(), text(), text()]] }),
        Block::Tree(Tree { generations: number, cells: (0..number.min(70)).map(cell).collect(), nobody: text() }),
        Block::Note(text()),
    ]
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "\\PC{0,400}",
        "[\\x00-\\x1f\\x7f-\\x9f]{0,40}",
        "[а-яё]{100,400}",
        "( |\n|\r|\u{a0}|\u{200b}|а){0,300}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn no_text_breaks_a_sheet(one in any_text(), number in 0_u32..9, framed: bool) {
        let mut all = sheet(full(&one, number));
        (all.title, all.author, all.footer) = (one.clone(), one.clone(), one.clone());
        all.numbering = [one.clone(), one];
        all.look = if framed { Look::Framed } else { Look::Plain };
        let bytes = pdf(&all).unwrap();
        prop_assert!(lopdf::Document::load_mem(&bytes).is_ok());
    }
}

#[test]
fn a_sheet_that_says_nothing_is_a_page() {
    let bytes = pdf(&Sheet { language: "en", ..Sheet::default() }).unwrap();
    assert_eq!(text(&bytes).len(), 1);
    let empty = Block::Table(Table::default());
    assert!(
        pdf(&sheet(vec![empty, Block::Tree(Tree::default()), Block::Pairs { pairs: Vec::new(), columns: 0 }])).is_ok()
    );
}

#[test]
fn a_framed_sheet_fills_one_page() {
    for lines in [0, 4, 24] {
        let mut one = sheet(vec![
            Block::Head(Head {
                title: "Племенное свидетельство".to_owned(),
                code: Code::of("https://herdbook.example/certificate/RU-2026-0001"),
                ..Head::default()
            }),
            Block::Subject("Зорька".to_owned(), "643000000000001".to_owned()),
            table(lines),
        ]);
        one.look = Look::Framed;
        assert_eq!(text(&pdf(&one).unwrap()).len(), 1, "{lines}");
    }
    let mut one = sheet(vec![table(400)]);
    one.look = Look::Framed;
    assert!(text(&pdf(&one).unwrap()).len() > 5, "what does not fit is on other pages");
}

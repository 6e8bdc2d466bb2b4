use super::*;
use test_support::table;

fn rendered() -> Json {
    json!({
        "resourceType": "t", "meta": {"source": "s", "sourceId": "1"},
        "location": {"id": "1", "scheme": "ours"},
        "animal": {"id": "main", "scheme": "ours"},
        "eventDateTime": "2026-01-01T06:00:00.000Z",
        "kind": "Sale", "supposed": "Moderate", "number": 2.5,
        "list": [{"a": 1, "b": 2}], "short": [1],
    })
}

fn received() -> Json {
    json!({
        "meta": {"source": "s", "sourceId": "1", "modified": "x", "creator": "me"},
        "animal": {"id": "other", "scheme": "theirs"},
        "eventDateTime": "2026-01-01T09:00:00+03:00",
        "kind": "Export", "number": 2.50,
        "list": [{"a": 1, "c/d": "~"}], "short": [1, 2], "more": {"x": 1},
    })
}

#[test]
fn a_document_reads_as_it_was_sent() {
    let wording = Wording::between(&rendered(), &received());
    let stored = Wording::read(&wording.text()).unwrap();
    let worded = stored.over(rendered());
    assert!(worded.whole);
    let differences = Wording::differences(&worded.document, &received());
    let at: Vec<&str> = differences.iter().map(|d| d.at.as_str()).collect();
    assert_eq!(at, ["/animal"], "{}", worded.document);
    assert_eq!(worded.document["animal"]["id"], "main");
    assert_eq!(worded.document["meta"]["creator"], "me");
    assert_eq!(worded.document["eventDateTime"], "2026-01-01T09:00:00+03:00");
}

#[test]
fn elements_in_another_order_are_not_mixed() {
    let urea = |value: &str| json!({"characteristic": "UREA", "value": value});
    let fat = json!({"characteristic": "FAT", "value": "4.1"});
    let rendered = |value: &str| json!({"milk": [fat, urea(value)]});
    let received = json!({"milk": [urea("252"), fat]});
    let wording = Wording::between(&rendered("252"), &received);
    assert_eq!(wording.over(rendered("252")).document, received);
    assert_eq!(wording.over(rendered("300")).document, rendered("300"));
}

#[test]
fn what_the_book_changes_since_is_the_books() {
    let wording = Wording::between(&rendered(), &received());
    let mut now = rendered();
    now["kind"] = "Death".into();
    now["eventDateTime"] = "2026-01-02T06:00:00.000Z".into();
    now["supposed"] = "Severe".into();
    now["list"] = json!([{"a": 1, "b": 3}]);
    let worded = wording.over(now);
    assert!(!worded.whole);
    let read = worded.document;
    assert_eq!(read["kind"], "Death");
    assert_eq!(read["eventDateTime"], "2026-01-02T06:00:00.000Z");
    assert_eq!(read["supposed"], "Severe");
    assert_eq!(read["list"], json!([{"a": 1, "b": 3, "c/d": "~"}]));
    assert_eq!(read["short"], json!([1, 2]));
}

#[test]
fn a_number_of_the_book_is_never_read_in_the_unit_of_a_sender() {
    for (one, other, now) in table![
        json!({"measurement": 4_500, "units": "KGM"}),
            json!({"measurement": 4.5, "units": "TNE", "resolution": 0.1}),
            json!({"measurement": 4_000, "units": "KGM"});
        json!({"id": "A1", "scheme": "ours"}), json!({"id": "A1", "scheme": "theirs"}),
            json!({"id": "B2", "scheme": "ours"});
    ] {
        let (mut book, mut sender, mut later) = (rendered(), received(), rendered());
        book["value"] = one;
        sender["value"] = other.clone();
        later["value"] = now.clone();
        let wording = Wording::between(&book, &sender);
        assert_eq!(wording.over(book).document["value"], other);
        assert_eq!(wording.over(later).document["value"], now);
    }
}

#[test]
fn what_is_sent_as_rendered_needs_no_words() {
    let mut same = rendered();
    same["number"] = serde_json::from_str("2.500").unwrap();
    let wording = Wording::between(&rendered(), &same);
    assert!(wording.is_empty(), "{}", wording.text());
    assert_eq!(wording.text(), "[]");
}

#[test]
fn a_correction_is_named_and_outlives_a_repetition() {
    let first = Wording::between(&rendered(), &received());
    let before = first.over(rendered()).document;
    let mut now = rendered();
    now["kind"] = "Death".into();
    let mut wording = Wording::read(&first.text()).unwrap();
    let read = wording.over(now.clone()).document;
    wording.correct(&before, &read);
    let wording = Wording::read(&wording.text()).unwrap();
    let mut marked = read.clone();
    wording.mark(&mut marked);
    assert_eq!(marked["meta"]["corrected"], json!(["/kind"]));
    // The sender repeats the value: the book keeps its own, and reports that.
    let news = wording.without_repeats(&received(), &read).unwrap();
    assert_eq!((&news["kind"], &news["number"]), (&json!("Death"), &json!(2.5)));
    let again = Wording::again(&now, &received(), &wording);
    assert_eq!(again.over(now.clone()).document["kind"], "Death");
    assert_eq!(again.over(rendered()).document, before);
    assert_eq!(again.corrected, wording.corrected);
    // The sender sends another value: that one holds.
    let mut other = received();
    other["kind"] = "Show".into();
    assert_eq!(wording.without_repeats(&other, &read), None);
    let again = Wording::again(&now, &other, &wording);
    assert_eq!(again.over(now).document["kind"], "Show");
    // The book takes its correction back.
    let mut wording = wording;
    wording.correct(&read, &before);
    assert_eq!(wording.text(), first.text());
}

#[test]
fn what_is_sent_as_it_is_read_is_a_repetition() {
    let wording = Wording::between(&rendered(), &received());
    let mut again = received();
    again["animal"] = rendered()["animal"].clone();
    again["meta"]["modified"] = "y".into();
    let mut read = wording.over(rendered()).document;
    read["meta"]["created"] = "z".into();
    read["id"] = "7".into();
    assert!(Wording::is_repeated(&read, &again));
    for (at, value) in [("/kind", json!("Show")), ("/meta/creator", json!("you"))] {
        let mut other = again.clone();
        *other.pointer_mut(at).unwrap() = value;
        assert!(!Wording::is_repeated(&read, &other), "{at}");
    }
    assert!(!Wording::is_repeated(&read, &received()), "another number");
    again.as_object_mut().unwrap().shift_remove("more");
    assert!(!Wording::is_repeated(&read, &again), "a member less");
}

#[test]
fn only_its_own_text_is_read() {
    for text in ["", "{}", "[1]", "[[1,2]]", "[[\"/a\"]]"] {
        assert_eq!(Wording::read(text), None, "{text}");
    }
}

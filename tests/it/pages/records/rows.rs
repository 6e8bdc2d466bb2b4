//! Lists of rows, lists of related records and free JSON in forms, without script.

use crate::pages::{assert_sound, doc, id_of, page, send};
use crate::rest::world::World;
use serde_json::json;

#[test_with(World::each)]
async fn rows_are_added_and_taken_out_and_nothing_is_written(w: &World<'_>) {
    let path = "/book/calvings/new";
    let blank = page(w, "alpha", path).await;
    assert_sound(&blank, "a new calving");
    blank.has(&["name=\"rows.add\" value=\"progeny\""]);
    blank.lacks(&["progeny.0."]);
    let typed = [("animal", "[2]"), ("date", "2024-02-01"), ("number", "x"), ("progeny", "")];
    let mut fields = typed.to_vec();
    fields.push(("rows.add", "progeny"));
    let one = send(w, "alpha", path, &fields).await;
    assert_eq!(one.status, 200);
    assert_sound(&one, "a row more");
    one.has(&["name=\"progeny.0.sex\"", "value=\"[2]\"", "value=\"x\"", "value=\"progeny.0\""]);
    // What declarations fill is filled, and the list is open.
    one.has(&["<option value=\"alive\" selected>"]);
    one.has(&["id=\"f-progeny\" open"]);
    let rows =
        [("progeny.0.sex", ""), ("progeny.0.weight", ""), ("progeny.1.sex", "male"), ("progeny.1.weight", "41,5")];
    let mut fields = [typed.as_slice(), &rows].concat();
    fields.push(("rows.remove", "progeny.0"));
    let remaining = send(w, "alpha", path, &fields).await;
    remaining.has(&["name=\"progeny.0.weight\" type=\"text\" value=\"41,5\""]);
    remaining.lacks(&["progeny.1."]);
    assert!(w.list("calvings", "").await.is_empty());
    // Who may not write gets no form.
    fields.push(("rows.add", "progeny"));
    for who in ["viewer", ""] {
        let refused = send(w, who, path, &fields).await;
        assert!([303, 404].contains(&refused.status), "{who}: {}", refused.status);
    }
    for (who, status) in [("viewer", 404), ("beta", 404), ("expert", 200)] {
        let fields = [("rows.add", "shows"), ("shows", "")];
        send(w, who, "/book/animals/2/edit", &fields).await.assert_is(status, who);
    }
}

#[test_with(World::each)]
async fn faults_stand_beside_the_member_of_their_row(w: &World<'_>) {
    let path = "/book/calvings/new";
    let first = [("animal", "[2]"), ("date", "2024-02-01"), ("number", "1"), ("progeny", "")];
    // The first row was added and left empty: it is not sent, and the others move up.
    let rows = [
        ("progeny.0.sex", ""),
        ("progeny.1.sex", "male"),
        ("progeny.1.weight", "41,5"),
        ("progeny.2.sex", ""),
        ("progeny.2.weight", "2000"),
    ];
    let bad = [first.as_slice(), &rows].concat();
    let refused = send(w, "alpha", path, &bad).await;
    assert_eq!(refused.status, 400);
    assert_sound(&refused, "refused rows");
    for id in ["f-progeny-1-sex-fault", "f-progeny-1-weight-fault"] {
        refused.has_in(&id, &[&format!("id=\"{id}\"")]);
    }
    refused.lacks(&["f-progeny-0-weight-fault", "progeny.2."]);
    refused.has(&["value=\"2000\""]);
    let rows =
        [("progeny.0.sex", "male"), ("progeny.0.weight", "41,5"), ("progeny.1.sex", "female"), ("progeny.1.tag", "7")];
    // She calves late, which needs a second confirmation.
    let sure = [first.as_slice(), &rows, &[("anyway", "yes")]].concat();
    let id = id_of(&send(w, "alpha", path, &sure).await);
    let stored = w.doc("calvings", id).await;
    holds!(stored["progeny"][0], {"sex": "male", "weight": 41.5});
    holds!(stored["progeny"][1], {"sex": "female", "tag": "7", "birthStatus": "alive"});
    // A row is the same one when it is changed, and what is not touched is not sent.
    let edit = format!("/book/calvings/{id}/edit");
    let answer = page(w, "alpha", &edit).await;
    let own = stored["progeny"][1]["id"].as_str().unwrap();
    answer.has(&[&format!("name=\"progeny.1.id\" value=\"{own}\"")]);
    let expected = [
        ("progeny", ""),
        ("progeny.0.id", own),
        ("progeny.0.sex", "female"),
        ("progeny.0.birthStatus", "alive"),
        ("progeny.0.tag", "8"),
    ];
    assert_eq!(id_of(&send(w, "alpha", &edit, &expected).await), id);
    let changed = w.doc("calvings", id).await;
    assert_eq!(changed["progeny"].as_array().unwrap().len(), 1);
    holds!(changed["progeny"][0], {"id": own, "tag": "8", "sex": "female"});
    let same = [
        ("progeny", ""),
        ("progeny.0.id", own),
        ("progeny.0.sex", "female"),
        ("progeny.0.birthStatus", "alive"),
        ("progeny.0.tag", "8"),
        ("number", "1"),
    ];
    send(w, "alpha", &edit, &same).await;
    assert_eq!(w.doc("calvings", id).await["updatedAt"], changed["updatedAt"]);
    send(w, "alpha", &edit, &[("progeny", "")]).await;
    assert_eq!(w.doc("calvings", id).await["progeny"], json!([]));
}

#[test_with(World::each)]
async fn related_records_are_named_one_in_each_line(w: &World<'_>) {
    let number = async |id: i64| w.doc("animals", id).await["identNumber"].as_str().unwrap().to_owned();
    let (two, four, foreign) = (number(2).await, number(4).await, number(3).await);
    let path = "/book/verification-requests/new";
    let text = async |other: &str| {
        let all = format!("{two}\r\n{other}\r\n");
        let refused = send(w, "alpha", path, &[("purpose", "trust"), ("animals", &all)]).await;
        assert_eq!(refused.status, 400);
        assert_sound(&refused, "unknown animals");
        refused.has(&["id=\"f-animals-fault\""]);
        refused.text.replace(other, "A")
    };
    // The other line is not at fault, and unknown and foreign animals are answered alike.
    let unknown = text("000000000000").await;
    assert!(unknown.contains("name “A” in the book") && !unknown.contains(&format!("name “{two}”")), "{unknown}");
    assert_eq!(unknown, text(&foreign).await);
    let all = format!("{two}\r\n\r\n {four} \r\n{two}");
    let id = id_of(&send(w, "alpha", path, &[("purpose", "trust"), ("animals", &all)]).await);
    holds!(w.doc("verification-requests", id).await, {"animals": [2, 4]});
    let card = page(w, "alpha", &format!("/book/verification-requests/{id}")).await;
    card.has(&["/book/animals/4\""]);
    // A list of few records is chosen from, and what is ticked comes back ticked.
    let fields = [("name", "Bulls"), ("place", "book"), ("query", ""), ("members", "[1] Any\r\n[4]")];
    let saved = id_of(&send(w, "alpha", "/book/saved-searches/new", &fields).await);
    let stored = doc(w, "alpha", &format!("/api/saved-searches/{saved}?depth=0")).await;
    holds!(stored, {"members": [1, 4], "query": ""});
    let edit = page(w, "alpha", &format!("/book/saved-searches/{saved}/edit")).await;
    edit.has(&["960000000001\n960000000004"]);
}

#[test_with(World::each)]
async fn json_is_checked_before_it_is_sent(w: &World<'_>) {
    let path = "/book/verification-requests/new";
    let correction = async |value: &str| {
        let fields = [
            ("purpose", "correction"),
            ("animals", "[2]"),
            ("proposed", ""),
            ("proposed.0.animal", "[2]"),
            ("proposed.0.path", "name"),
            ("proposed.0.value", value),
        ];
        send(w, "alpha", path, &fields).await
    };
    let bad = correction("{\n\"a\": Ночка}").await;
    assert_eq!(bad.status, 400);
    assert_sound(&bad, "no JSON");
    bad.has(&["id=\"f-proposed-0-value-fault\"", "line 2"]);
    assert!(w.list("verification-requests", "").await.is_empty());
    let id = id_of(&correction("\"Ночка\"").await);
    let stored = w.doc("verification-requests", id).await;
    holds!(stored["proposed"][0], {"animal": 2, "path": "name", "value": "Ночка"});
}

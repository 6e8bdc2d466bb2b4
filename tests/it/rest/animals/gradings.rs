//! Gradings (docs/design/collections.md, *Choices*): closed, unless the installation opens them.

use crate::rest::world::{FORBIDDEN, World, fill, paths};
use serde_json::{Value, json};

fn row(id: i64, day: &str, grade: &str) -> Value {
    json!({"id": id, "animal": 2, "date": day, "grade": grade, "score": 71.5})
}

#[test_with(World::each)]
async fn the_latest_grading_is_that_of_the_animal(w: &World<'_>) {
    let rows = vec![row(1, "2024-05-01", "first"), row(2, "2025-05-01", "elite"), row(3, "2023-05-01", "second")];
    fill(w.stage, "gradings", rows).await;
    let list = w.get("alpha", "/api/gradings?depth=0").await.json();
    let ids: Vec<_> = (list["docs"].as_array().unwrap().iter()).map(|d| d["id"].as_i64().unwrap()).collect();
    assert_eq!(ids, [2, 1, 3], "by date, the latest first");
    assert_eq!(list["docs"][0]["ownerOrg"], 1);
    holds!(w.doc("animals", 2).await, {"grade": "elite", "gradeDate": "2025-05-01T00:00:00.000Z"});
}

#[tokio::test]
async fn the_switch_lets_owners_write() {
    World::under(&[("gradings.write", "true")], async |w| {
        let body = json!({"animal": 2, "date": "2025-05-01", "grade": "first", "score": 65});
        let id = w.made("operator", "gradings", body.clone()).await;
        holds!(w.doc("gradings", id).await, {"ownerOrg": 1, "verification": "unverified"});
        assert_eq!(w.doc("animals", 2).await["grade"], "first");
        for (who, animal) in [("viewer", 2), ("beta", 2), ("alpha", 3), ("", 2)] {
            let mut body = body.clone();
            body["animal"] = animal.into();
            refused!(w, who, "POST /api/gradings", body => FORBIDDEN);
        }
        changed!(w, "alpha", "gradings", id, {"grade": "elite"});
        assert_eq!(w.doc("animals", 2).await["grade"], "elite");
        let late = json!({"animal": 2, "date": "2026-03-02", "grade": "best", "score": 101});
        let answer = refused!(w, "alpha", "POST /api/gradings", late);
        let mut fields = paths(&answer);
        fields.sort();
        assert_eq!((answer.status, fields), (400, ["date", "grade", "score"].map(String::from).into()));
        w.gone("alpha", "gradings", id).await;
        holds!(w.doc("animals", 2).await, {"grade": null, "gradeDate": null});
        // A row that the Association verified loses its signature by a correction.
        let mut verified = row(900, "2025-01-01", "first");
        verified["verification"] = "verified".into();
        fill(w.stage, "gradings", vec![verified]).await;
        refused!(w, "alpha", "DELETE /api/gradings/900" => 403 ["id"]);
        holds!(changed!(w, "alpha", "gradings", 900, {"score": 66}), {"verification": "unverified"});
    })
    .await;
}

//! What farm and Association write to each other on the page of a package and of a request.

use crate::packages::desk::sent;
use crate::pages::{assert_sound, goes, page, russian, send};
use crate::rest::requests::decisions::request;
use crate::rest::world::World;
use serde_json::json;

#[test_with(World::each)]
async fn farm_and_association_write_to_each_other(w: &World<'_>) {
    let file = "Инд.№;Дата замера;Удой за день, кг\r\n960000000002;01.02.2026;30,5\r\n";
    let package = sent(w, "alpha", "t.csv", file.as_bytes(), &json!({})).await["id"].as_i64().unwrap();
    let request = request(w, json!({"animals": [2]})).await;
    for (slug, id) in [("data-submissions", package), ("verification-requests", request)] {
        let path = format!("/book/{slug}/{id}");
        let write = async |who: &str, text: &str| send(w, who, &format!("{path}/comment"), &[("text", text)]).await;
        assert_eq!(goes(&write("alpha", "Which <day>?").await), format!("{path}#comments"), "{slug}");
        assert_eq!(goes(&write("expert", "The first.").await), format!("{path}#comments"), "{slug}");
        let stored = w.doc(slug, id).await["comments"].clone();
        holds!(stored[0], {"text": "Which <day>?", "role": "farm", "at": "2026-03-01T12:00:00.000Z"});
        holds!(stored[1], {"text": "The first.", "role": "association"});
        for who in ["alpha", "expert"] {
            let answer = page(w, who, &path).await;
            assert_sound(&answer, who);
            answer.has_in(&who, &["Which &lt;day&gt;?", "The first.", "Send the comment"]);
            // It is no list among the values, nor in the form.
            assert_eq!(answer.text.matches("Which &lt;day&gt;?").count(), 1, "{}", answer.text);
        }
        page(w, "expert", &format!("{path}/edit")).await.lacks(&["comments"]);
        russian(w, "alpha", &path).await.has(&["Комментарии", "Хозяйство, ", "Ассоциация, "]);
        // What was written stays: rows are only added, by the side that sends them.
        let api = format!("/api/{slug}/{id}");
        let own = json!({"id": stored[1]["id"], "text": "The second."});
        ask!(w, "expert", "PATCH {api}", {"comments": [own]} => 400);
        let forged = json!({"text": "Mine.", "role": "association", "at": "2020-01-01"});
        ask!(w, "alpha", "PATCH {api}", {"comments": [forged]} => 200);
        let after = w.doc(slug, id).await["comments"].clone();
        assert_eq!((&after[0], &after[1]), (&stored[0], &stored[1]));
        holds!(after[2], {"text": "Mine.", "role": "farm"});
        assert_eq!(w.list(slug, &format!("where[id][equals]={id}")).await[0]["comments"].as_array().unwrap().len(), 3);
        for who in ["beta", "viewer", ""] {
            let refused = write(who, "Me too").await;
            assert_ne!(refused.status, 200, "{who}");
            assert!(refused.status != 303 || goes(&refused).starts_with("/sign-in"), "{who}");
        }
        assert_eq!(w.doc(slug, id).await["comments"], after);
        assert_eq!(write("alpha", "").await.status, 400);
    }
}

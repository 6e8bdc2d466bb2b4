//! What a birth that is sent leaves as it is: its animal, records that are merged, and the rights of others.

use super::births::{birth, calf, calving, last_in_feed, listed, listed_calf, plain, post_birth, row};
use crate::ade::stage::{FARM, Stage, animal};
use serde_json::json;

#[test_each(Stage::each())]
async fn a_birth_is_no_correction_of_its_animal(s: Stage) {
    calf(&s, 31, Some(11), json!({"trustLevel": -1})).await;
    calving(&s, 1, 11, json!({})).await;
    let before = row(&s, "animals/31").await;
    assert_eq!(post_birth(&s, &birth("b1", 31)).await.0, 201);
    let mut after = row(&s, "animals/31").await;
    assert_eq!(after["trustLevel"], -1);
    after["updatedAt"] = before["updatedAt"].clone();
    assert_eq!(after, before);
    let path = "/api/animal-revisions?depth=0&where[animal][equals]=31";
    let (_, _, page) = s.f.get(path, &s.expert).await;
    assert_eq!(page["totalDocs"], 0, "{page}");
}

#[test_each(Stage::each())]
async fn a_record_that_is_merged_has_no_birth(s: Stage) {
    listed_calf(&s).await;
    calf(&s, 32, Some(11), json!({})).await;
    let document = birth("b1", 31);
    assert_eq!(post_birth(&s, &document).await.0, 201);
    let merger = json!({"mergedInto": 32});
    ask!(s.f, s.expert, "PATCH /api/animals/31", merger => 200);
    assert_eq!(last_in_feed(&s, "births", "b1").await["meta"]["isDeleted"], true);
    // Its number names the other record, which has the birth now.
    let (status, made, _) = post_birth(&s, &document).await;
    assert_eq!(status, 201, "{made}");
    assert_eq!(made["animal"], animal(32));
    assert_eq!(listed(&s, FARM, "births").await, [made]);
}

#[test_each(Stage::each())]
async fn births_are_sent_by_those_who_write_the_data_of_the_farm(s: Stage) {
    listed_calf(&s).await;
    let viewer = s.f.user(90, "farmer", Some(1), "viewer").await;
    let before = s.tally().await;
    let path = format!("{FARM}/births");
    for who in [&viewer, &s.other] {
        let (status, _, body) = s.f.post(&path, who, birth("b1", 31)).await;
        assert!(status == 403 || status == 404, "{status} {body}");
        assert_eq!(s.tally().await, before);
    }
    let mandate = json!({"receiver": 2, "datasets": ["births"]});
    let body = ask!(s.f, s.farm, "POST /api/mandates", mandate => 400);
    let sentence = "births cannot be sent for another organisation";
    assert!(body.to_string().contains(sentence), "{body}");
    // The Association sends for everybody.
    let (status, _, made) = s.f.post(&path, &s.expert, birth("b1", 31)).await;
    assert_eq!((status, plain(&made)), (201, plain(&birth("b1", 31))), "{made}");
}

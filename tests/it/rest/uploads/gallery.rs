//! The gallery and the photo of an animal, and who sees them.

use super::form::{Form, file_count, png, taken};
use crate::rest::stage::Answer;
use crate::rest::world::{FORBIDDEN, NOT_FOUND, World};
use serde_json::{Value, json};

async fn shown(w: &World<'_>, who: &str, body: Value, name: &str) -> Answer {
    let form = Form::new().payload(&body).file(name, "image/png", &png(400, 400));
    form.send(w, who, "POST", "/api/animal-gallery?depth=0").await
}

/// Shows a picture of animal 2 and gives the ids of item and file.
async fn item(w: &World<'_>, who: &str, name: &str) -> (i64, i64) {
    let answer = shown(w, who, json!({"animal": 2, "caption": "In May"}), name).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    let doc = &answer.json()["doc"];
    (doc["id"].as_i64().unwrap(), doc["media"].as_i64().unwrap())
}

async fn visibility(w: &World<'_>, file: i64) -> Value {
    w.doc("media", file).await["visibility"].clone()
}

async fn open(w: &World<'_>, card: bool) {
    changed!(w, "alpha", "animals", 2, {"publicVisible": true, "publicDetails": card});
}

#[test_with(World::each)]
async fn a_picture_and_its_place_in_the_gallery_come_together(w: &World<'_>) {
    let (id, file) = item(w, "alpha", "cow.png").await;
    let doc = w.doc("animal-gallery", id).await;
    let expected = json!({
        "kind": "photo", "view": "other", "sortOrder": 100, "isMain": false, "moderation": "pending",
        "caption": "In May",
    });
    for (name, value) in expected.as_object().unwrap() {
        assert_eq!(&doc[name], value, "{name}");
    }
    holds!(w.doc("media", file).await, {"owner": 1, "visibility": "private", "filename": "cow.png"});
    // A file that the Association adds belongs to the owner.
    let (_, file) = item(w, "expert", "cow.png").await;
    assert_eq!(w.doc("media", file).await["owner"], 1);
    assert_eq!(w.doc("media", file).await["filename"], "cow-1.png");
    assert_eq!(file_count(w), 4);

    let before = w.stage.content().await;
    for who in ["", "viewer", "beta"] {
        let answer = shown(w, who, json!({"animal": 2}), "x.png").await;
        assert_eq!(answer.parts(), FORBIDDEN, "{who}");
    }
    let bad = shown(w, "alpha", json!({"animal": 2, "view": "above", "takenOn": "x"}), "x.png").await;
    bad.assert_faulty(400, &["view", "takenOn"]);
    post!(w, "alpha", "animal-gallery", {"animal": 2}).assert_faulty(400, &["media"]);
    assert_eq!((w.stage.content().await, file_count(w)), (before, 4), "all or nothing");
}

#[test_with(World::each)]
async fn only_approved_items_of_open_cards_are_seen_by_others(w: &World<'_>) {
    let (id, file) = item(w, "alpha", "cow.png").await;
    let path = format!("/api/animal-gallery/{id}");
    let seen = async |who: &str| {
        let row = w.get(who, &path).await.status;
        let content = w.get(who, "/api/media/file/cow.png").await.status;
        let small = w.get(who, "/api/media/file/cow-320x320.png").await.status;
        assert_eq!(content, small);
        (row, content)
    };
    let strangers = async |status: (u16, u16), what: &str| {
        for who in ["", "beta"] {
            assert_eq!(seen(who).await, status, "{who}: {what}");
        }
        assert_eq!(seen("alpha").await, (200, 200), "{what}");
        assert_eq!(seen("expert").await, (200, 200), "{what}");
    };
    strangers((404, 404), "pending, closed").await;
    open(w, true).await;
    strangers((404, 404), "pending, open").await;
    for who in ["alpha", "viewer"] {
        let answer = patch!(w, who, "animal-gallery", id, {"moderation": "approved"});
        assert_eq!(answer.status, 403, "{who}");
    }
    changed!(w, "expert", "animal-gallery", id, {"moderation": "approved"});
    strangers((200, 200), "approved, open").await;
    open(w, false).await;
    strangers((404, 404), "approved, only the row is open").await;
    open(w, true).await;
    strangers((200, 200), "open again").await;

    // Another file in the same row must be moderated again.
    let form = Form::new().file("cow.png", "image/png", &png(500, 500));
    let answer = form.send(w, "alpha", "PATCH", &format!("/api/media/{file}")).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(w.doc("animal-gallery", id).await["moderation"], "pending");
    strangers((404, 404), "another file").await;
    // Rendering the same picture anew is not another file.
    changed!(w, "expert", "animal-gallery", id, {"moderation": "approved"});
    changed!(w, "alpha", "media", file, {"focalX": 10});
    strangers((200, 200), "another focal point").await;
    w.gone("alpha", "animal-gallery", id).await;
    assert_eq!(visibility(w, file).await, "private");
}

#[test_with(World::each)]
async fn moderation_goes_forward_and_starts_anew_with_another_file(w: &World<'_>) {
    let (id, first) = item(w, "alpha", "a.png").await;
    open(w, true).await;
    let moderated = async |to: &str| patch!(w, "expert", "animal-gallery", id, {"moderation": to});
    assert_eq!(moderated("approved").await.status, 200);
    assert_eq!(visibility(w, first).await, "public");
    let back = moderated("rejected").await;
    back.assert_faulty(400, &["moderation"]);
    // Sent with the item, as the first was.
    let form = Form::new().file("b.png", "image/png", &png(400, 400)).payload(&json!({"caption": "June"}));
    let answer = form.send(w, "alpha", "PATCH", &format!("/api/animal-gallery/{id}?depth=0")).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let doc = answer.json()["doc"].clone();
    holds!(doc, {"moderation": "pending", "caption": "June"});
    assert_ne!(doc["media"], first);
    assert_eq!(visibility(w, first).await, "private");
    assert_eq!(moderated("rejected").await.status, 200);
    // Or named.
    holds!(changed!(w, "alpha", "animal-gallery", id, {"media": first}), {"moderation": "pending"});
}

#[test_with(World::each)]
async fn animals_show_only_pictures_of_their_owner(w: &World<'_>) {
    let foreign = taken(w, "beta", "beta.png", "image/png", &png(20, 20)).await["id"].clone();
    let paper = taken(w, "alpha", "a.pdf", "application/pdf", b"%PDF-1.7").await["id"].clone();
    let absent = |field: &str, id: &Value| {
        let text = format!("This relationship field has the following invalid relationships: {id} 0");
        vec![(field.to_owned(), text)]
    };
    // The answer for a file of another owner is the same as for a missing one.
    for id in [&foreign, &json!(999)] {
        let answer = post!(w, "alpha", "animal-gallery", {"animal": 2, "media": id});
        assert_eq!(crate::rest::world::faults(&answer), absent("media", id));
        let answer = patch!(w, "alpha", "animals", 2, {"photo": id});
        assert_eq!(crate::rest::world::faults(&answer), absent("photo", id));
    }
    post!(w, "alpha", "animal-gallery", {"animal": 2, "media": paper}).assert_faulty(400, &["media"]);
    patch!(w, "alpha", "animals", 2, {"photo": paper}).assert_faulty(400, &["photo"]);
}

#[test_with(World::each)]
async fn the_photo_is_open_while_the_animal_is(w: &World<'_>) {
    let (id, file) = item(w, "alpha", "cow.png").await;
    let url = "/api/media/file/cow.png";
    changed!(w, "alpha", "animals", 2, {"photo": file});
    assert_eq!(w.doc("animal-gallery", id).await["isMain"], true);
    ask!(w, "", "GET {url}" => NOT_FOUND);
    open(w, false).await;
    ask!(w, "", "GET {url}" => 200);
    let page = w.get("", "/api/animals/2?depth=1").await.json();
    assert_eq!(page["photo"]["url"], format!("{url}?id={file}"));
    changed!(w, "alpha", "animals", 2, {"publicVisible": false});
    ask!(w, "", "GET {url}" => NOT_FOUND);
    open(w, false).await;
    let other = taken(w, "alpha", "other.png", "image/png", &png(20, 20)).await["id"].clone();
    changed!(w, "alpha", "animals", 2, {"photo": other});
    assert_eq!(visibility(w, file).await, "private");
    assert_eq!(visibility(w, other.as_i64().unwrap()).await, "public");
    assert_eq!(w.doc("animal-gallery", id).await["isMain"], false);
    // A needed file stays; one that is only the photo goes, and its content with it.
    ask!(w, "alpha", "DELETE /api/media/{file}?depth=0" => 400);
    w.gone("alpha", "media", other.as_i64().unwrap()).await;
    assert_eq!(w.doc("animals", 2).await["photo"], json!(null));
    assert_eq!(file_count(w), 2);
}

#[test_with(World::each)]
async fn the_gallery_goes_with_its_animal(w: &World<'_>) {
    let (id, file) = item(w, "alpha", "cow.png").await;
    open(w, true).await;
    changed!(w, "expert", "animal-gallery", id, {"moderation": "approved"});
    changed!(w, "alpha", "animals", 2, {"photo": file});
    assert_eq!(visibility(w, file).await, "public");
    w.gone("admin", "animals", 2).await;
    ask!(w, "admin", "GET /api/animal-gallery/{id}" => NOT_FOUND);
    assert_eq!(visibility(w, file).await, "private");
}

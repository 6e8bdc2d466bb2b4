//! The card of an animal: its pictures, and who else may see it.

use crate::pages::{assert_sound, page};
use crate::rest::uploads::form::{Form, png};
use crate::rest::world::World;
use serde_json::json;

#[tokio::test]
async fn pictures_are_shown_to_those_who_may_see_them() {
    World::each(async |w| {
        changed!(w, "alpha", "animals", 2, {"publicVisible": true, "publicDetails": true});
        page(w, "alpha", "/book/animals/2").await.lacks(&["class=\"pictures\""]);
        let item = Form::new().payload(&json!({"animal": 2})).file("cow.png", "image/png", &png(400, 400));
        let item = item.send(w, "alpha", "POST", "/api/animal-gallery?depth=1").await;
        assert_eq!(item.status, 201, "{}", item.text);
        let item = item.json()["doc"].clone();
        let (id, url) = (item["id"].as_i64().unwrap(), item["media"]["url"].as_str().unwrap());
        let shows = async |who: &str| {
            let card = page(w, who, "/book/animals/2").await;
            assert_sound(&card, who);
            assert_eq!(
                card.text.contains(&format!("/book/animal-gallery/{id}\"")),
                card.text.contains(url),
                "{}",
                card.text
            );
            card.text.contains(url) && card.text.contains("class=\"pictures\"")
        };
        // As the API says: others see what was approved.
        for approved in [false, true] {
            if approved {
                changed!(w, "expert", "animal-gallery", id, {"moderation": "approved"});
            }
            for who in ["", "alpha", "expert", "beta"] {
                let api = w.get(who, &format!("/api/animal-gallery/{id}?depth=0")).await.status == 200;
                assert_eq!(shows(who).await, api, "{who:?} {approved}");
            }
        }
        assert!(shows("alpha").await && shows("expert").await);
    })
    .await;
}

#[tokio::test]
async fn who_may_see_an_animal_is_told_to_its_owner() {
    World::each(async |w| {
        changed!(w, "alpha", "animals", 2, {"publicVisible": true});
        let path = "/book/animals/2";
        let nobody = page(w, "alpha", path).await;
        nobody.has(&["id=\"sight\"", "No grant"]);
        let one = made!(w, "alpha", "access-grants", {"grantee": 2, "animal": 2, "scopes": ["origin"]});
        let herd = made!(w, "alpha", "access-grants", {"grantee": 2, "scopes": ["production"]});
        let other = made!(w, "alpha", "access-grants", {"grantee": 2, "animal": 4, "scopes": ["origin"]});
        let link = json!({"animals": [2, 4], "scopes": ["origin"], "expiresAt": "2026-06-01"});
        let link = w.made("alpha", "share-links", link).await;
        let names = |collection: &str, id: i64| format!("/book/{collection}/{id}\"");
        for who in ["alpha", "expert"] {
            let text = page(w, who, path).await.text;
            for shown in [names("access-grants", one), names("access-grants", herd), names("share-links", link)] {
                assert!(text.contains(&shown), "{who} {shown}: {text}");
            }
            assert!(!text.contains(&names("access-grants", other)), "{who}: {text}");
            assert!(text.contains("with the whole herd"), "{who}: {text}");
        }
        // Not to those to whom it is open, and not for ever.
        for who in ["beta", ""] {
            page(w, who, path).await.lacks_in(&who, &["id=\"sight\""]);
        }
        changed!(w, "alpha", "access-grants", one, {"revokedAt": "2026-03-01"});
        page(w, "alpha", path).await.lacks(&[&names("access-grants", one)]);
    })
    .await;
}

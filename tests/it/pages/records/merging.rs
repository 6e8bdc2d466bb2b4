//! Two records of one animal become one by the form of a page, for the Association alone.

use crate::pages::filled::{Filled, link};
use crate::pages::russian;
use crate::pages::{assert_sound, goes, page, send};
use crate::rest::world::World;
use serde_json::json;

const MERGE: &str = "Merge it into another record";

#[test_with(World::each)]
async fn two_records_of_one_animal_become_one_on_a_page(w: &World<'_>) {
    let twin =
        json!({"identNumber": "960000000777", "sex": "female", "birthDate": "2020-01-10", "breed": 1, "herd": 1});
    let twin = w.made("alpha", "animals", twin).await;
    let path = format!("/book/animals/{twin}");
    let place = format!("{path}/move/mergedInto/merged");
    let calving = json!({"animal": twin, "number": 1, "date": "2022-03-01", "liveHeifers": 1});
    let calving = w.made("alpha", "calvings", calving).await;
    // A farm is not offered it, and what it sends changes nothing.
    for who in ["alpha", "operator", "viewer"] {
        let answer = page(w, who, &path).await;
        assert!(answer.status == 200 && !answer.text.contains(MERGE), "{who}: {}", answer.text);
        assert_eq!(page(w, who, &place).await.status, 404, "{who}");
    }
    send(w, "alpha", &path, &[("mergedInto", "960000000002"), ("_step", "mergedInto/merged")]).await;
    assert!(w.doc("animals", twin).await["mergedInto"].is_null());

    let answer = page(w, "expert", &path).await;
    let ask = page(w, "expert", &link(&answer, MERGE)).await;
    assert_sound(&ask, "ask");
    ask.has(&["move to the other record", "must be the same", "960000000777"]);
    assert_eq!(link(&ask, "Cancel"), path);
    // What is refused stands beside the field, and what was typed stays: a bull, itself, nothing that there is.
    let bull = w.doc("animals", 1).await["identNumber"].as_str().unwrap().to_owned();
    for (other, why) in [
        (bull.as_str(), "These are not one animal: their sexes differ"),
        ("960000000777", "itself"),
        ("000000000000", "no animal with the number or name “000000000000”"),
        ("", "required"),
    ] {
        let form = Filled::of(&ask, MERGE).with("mergedInto", other);
        let refused = send(w, "expert", &form.action, &form.pairs()).await;
        assert_eq!(refused.status, 400, "{other}");
        assert_sound(&refused, other);
        let (_, fault) =
            refused.text.split_once("-mergedInto-fault\"").unwrap_or_else(|| panic!("{other}: {}", refused.text));
        let fault = fault.split("</p>").next().unwrap();
        assert!(fault.contains(why), "{other}: {fault}");
        assert_eq!(Filled::of(&refused, MERGE).get("mergedInto"), Some(other));
    }
    let grid = "/book/weighings/grid";
    page(w, "alpha", grid).await.has(&["960000000777"]);
    let ask = russian(w, "expert", &place).await;
    ask.has(&["переходят к другой записи"]);
    let form = Filled::of(&ask, "Объединить с другой записью").with("mergedInto", "960000000002");
    assert_eq!(goes(&send(w, "expert", &form.action, &form.pairs()).await), path);
    assert_eq!(w.doc("animals", twin).await["mergedInto"], 2);
    assert_eq!(w.doc("calvings", calving).await["animal"], 2);
    // Nobody weighs it any more.
    page(w, "alpha", grid).await.lacks(&["960000000777"]);
    // The record says what it became, and is taken apart by a button.
    let merged = page(w, "expert", &path).await;
    merged.has(&["Merged into", "href=\"/book/animals/2\""]);
    merged.lacks(&[MERGE]);
    let form = Filled::of(&merged, "Undo the merger");
    assert_eq!(goes(&send(w, "expert", &form.action, &form.pairs()).await), path);
    assert!(w.doc("animals", twin).await["mergedInto"].is_null());
    assert_eq!(w.doc("calvings", calving).await["animal"], twin);
}

//! Keys: what a number, the name of a file or an address that is in use shows.

use super::{Scene, animal, calf, get, number, patch, post, with};
use serde_json::json;

/// What a number, the name of a file or an address that is in use reveals.
pub(super) fn scenes() -> Vec<Scene> {
    let uuid = "0e4f1c2a-1111-4222-8333-aabbccddeeff";
    let taken = json!({"uuid": uuid, "altIds": {"internationalId": "HOLRUSF000000000901",
        "chipNumber": "643000000000901"}, "fgias": {"baseUuid": "base-901"}});
    let user = |email: &str| {
        json!({"id": 901, "email": email, "lastName": "Smith", "firstName": "Ann", "role": "farmer",
            "orgRole": "head", "organization": 2})
    };
    let document = |number: &str| json!({"id": 901, "title": "x", "animal": 3, "organization": 2, "number": number});
    let mail = "secret@demo.herdbook";
    vec![
        Scene {
            name: "numbers of an animal",
            first: vec![("animals", vec![with(901, "female", "2019-03-01", taken)])],
            second: vec![("animals", vec![animal(902, "female", "2019-03-01")])],
            asks: vec![
                post("animals", calf(6, json!({"uuid": uuid}))),
                post("animals", calf(7, json!({"identNumber": number(901)}))),
                post("animals", calf(8, json!({"identNumber": number(902)}))),
                post(
                    "animals",
                    calf(
                        9,
                        json!({"altIds": {"internationalId": "HOLRUSF000000000901"}}),
                    ),
                ),
                post(
                    "animals",
                    calf(10, json!({"altIds": {"chipNumber": "643000000000901"}})),
                ),
                post(
                    "animals",
                    calf(11, json!({"fgias": {"baseUuid": "base-901"}})),
                ),
                patch("animals", "4", json!({"identNumber": number(901)})),
                patch(
                    "animals",
                    "4",
                    json!({"altIds": {"chipNumber": "643000000000901"}}),
                ),
                get("/api/animals/4?depth=1"),
            ],
            ..Scene::default()
        },
        Scene {
            name: "number of a document",
            first: vec![("documents", vec![document("D-901")])],
            second: vec![("documents", vec![document("D-902")])],
            asks: vec![
                post(
                    "documents",
                    json!({"title": "mine", "animal": 2, "number": "D-901"}),
                ),
                post(
                    "documents",
                    json!({"title": "mine", "animal": 2, "number": "D-902"}),
                ),
                post(
                    "documents",
                    json!({"title": "mine", "animal": 2, "number": "D-903"}),
                ),
                patch("documents", "{last}", json!({"number": "D-901"})),
            ],
            ..Scene::default()
        },
        Scene {
            name: "name of a file",
            files: ["secret.png", "other.png"],
            asks: vec![
                (
                    "UPLOAD",
                    "/api/media?depth=0".to_owned(),
                    json!("secret.png"),
                ),
                (
                    "UPLOAD",
                    "/api/media?depth=0".to_owned(),
                    json!("secret.png"),
                ),
                get("/api/media/file/secret.png"),
                get("/api/media/file/other.png"),
            ],
            ..Scene::default()
        },
        Scene {
            name: "address of a person",
            first: vec![("users", vec![user(mail)])],
            second: vec![("users", vec![user("other@demo.herdbook")])],
            asks: vec![
                post(
                    "invitations",
                    json!({"email": mail, "orgRole": "operator", "organization": 1}),
                ),
                patch("users", "11", json!({"email": mail})),
                (
                    "POST",
                    "/api/users/forgot-password".to_owned(),
                    json!({"email": mail}),
                ),
            ],
            ..Scene::default()
        },
    ]
}

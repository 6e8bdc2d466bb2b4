//! Keys: what a number, the name of a file or an address that is in use shows.

use super::{Scene, animal, animals, asks, with};
use serde_json::json;

/// What a number, the name of a file or an address that is in use reveals.
pub(super) fn scenes() -> Vec<Scene> {
    let taken = json!({"uuid": "0e4f1c2a-1111-4222-8333-aabbccddeeff",
        "altIds": {"internationalId": "HOLRUSF000000000901", "chipNumber": "643000000000901"},
        "fgias": {"baseUuid": "base-901"}});
    let user = |email: &str| {
        json!({"id": 901, "email": email, "lastName": "Smith", "firstName": "Ann", "role": "farmer",
            "orgRole": "head", "organization": 2})
    };
    let document = |number: &str| json!({"id": 901, "title": "x", "animal": 3, "organization": 2, "number": number});
    vec![
        Scene::of(
            "numbers of an animal",
            animals(vec![with(901, "female", "2019-03-01", taken)]),
            animals(vec![animal(902, "female", "2019-03-01")]),
            asks(
                r#"
                CALF 6 {"uuid": "0e4f1c2a-1111-4222-8333-aabbccddeeff"}
                CALF 7 {"identNumber": "960000000901"}
                CALF 8 {"identNumber": "960000000902"}
                CALF 9 {"altIds": {"internationalId": "HOLRUSF000000000901"}}
                CALF 10 {"altIds": {"chipNumber": "643000000000901"}}
                CALF 11 {"fgias": {"baseUuid": "base-901"}}
                PATCH animals/4 {"identNumber": "960000000901"}
                PATCH animals/4 {"altIds": {"chipNumber": "643000000000901"}}
                GET /api/animals/4?depth=1
                "#,
            ),
        ),
        Scene::of(
            "number of a document",
            vec![("documents", vec![document("D-901")])],
            vec![("documents", vec![document("D-902")])],
            asks(
                r#"
                POST documents {"title": "mine", "animal": 2, "number": "D-901"}
                POST documents {"title": "mine", "animal": 2, "number": "D-902"}
                POST documents {"title": "mine", "animal": 2, "number": "D-903"}
                PATCH documents/{last} {"number": "D-901"}
                "#,
            ),
        ),
        Scene {
            name: "name of a file",
            files: ["secret.png", "other.png"],
            asks: asks(
                r#"
                UPLOAD /api/media?depth=0 "secret.png"
                UPLOAD /api/media?depth=0 "secret.png"
                GET /api/media/file/secret.png
                GET /api/media/file/other.png
                "#,
            ),
            ..Scene::default()
        },
        Scene::of(
            "address of a person",
            vec![("users", vec![user("secret@demo.herdbook")])],
            vec![("users", vec![user("other@demo.herdbook")])],
            asks(
                r#"
                POST invitations {"email": "secret@demo.herdbook", "orgRole": "operator", "organization": 1}
                PATCH users/11 {"email": "secret@demo.herdbook"}
                POST /api/users/forgot-password {"email": "secret@demo.herdbook"}
                "#,
            ),
        ),
    ]
}

//! What people tried who thought about it: each scene is a pair of small books with the difference that it is after.
//! Alpha asks; Beta hides.

use super::generated::form;
use super::{Begin, Case, Law, exchange};
use crate::rest::stage::Stage;
use crate::rest::uploads::form::Form;
use crate::rest::uploads::form::{BOUNDARY, png};
use crate::rest::world::{Tokens, World};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Rows that only one of the books has, or has like that.
type Rows = Vec<(&'static str, Vec<Value>)>;

#[derive(Default)]
pub(super) struct Scene {
    pub(super) name: &'static str,
    pub(super) first: Rows,
    pub(super) second: Rows,
    /// Names of a file that the hiding farm has in either book; none if empty.
    pub(super) files: [&'static str; 2],
    /// Method, path, body; `{last}` is the row that was made last.
    asks: Vec<(&'static str, String, Value)>,
}

/// Plays all of them. Their names.
pub(super) async fn all(law: &mut Law) -> BTreeSet<&'static str> {
    let mut names = BTreeSet::from(["exchange"]);
    exchange::all(law).await;
    for scene in scenes() {
        names.insert(scene.name);
        play(law, scene).await;
    }
    names
}

/// A file of the hiding farm.
pub(super) async fn upload(stage: &Stage, tokens: Tokens, name: &str) {
    if name.is_empty() {
        return;
    }
    let world = World::of(stage, tokens);
    let form = Form::new().payload(&json!({"owner": 2, "visibility": "private"}));
    let form = form.file(name, "image/png", &png(400, 400));
    let answer = form
        .send(&world, "beta", "POST", "/api/media?depth=0")
        .await;
    assert_eq!(answer.status, 201, "{}", answer.text);
}

async fn play(law: &mut Law, mut scene: Scene) {
    let (name, asks) = (scene.name, std::mem::take(&mut scene.asks));
    law.begin = Begin::Scene(scene);
    law.fresh().await;
    let mut last: Option<i64> = None;
    law.parted = false;
    for (method, path, body) in asks {
        if std::mem::take(&mut law.parted) {
            last = None;
        }
        let names = path.contains("{last}") || body.to_string().contains("{last}");
        if names && last.is_none() {
            continue;
        }
        let path = path.replace("{last}", &last.unwrap_or_default().to_string());
        let upload = method == "UPLOAD";
        let case = Case {
            kind: format!(
                "{name}: {method} {}",
                path.split(['?', '/']).nth(2).unwrap_or_default()
            ),
            who: "alpha",
            method: if upload { "POST" } else { method },
            path,
            content: match upload {
                true => format!("multipart/form-data; boundary={BOUNDARY}"),
                false => "application/json".to_owned(),
            },
            body: match (&body, upload) {
                (Value::String(file), true) => form(&json!({"visibility": "private"}), file),
                (Value::Null, _) => Vec::new(),
                // The row that was made last may stand in it too.
                _ => {
                    let id = last.unwrap_or_default().to_string();
                    body.to_string().replace("\"{last}\"", &id).into_bytes()
                }
            },
        };
        let posts = case.method == "POST";
        let answer = law.ask(case).await;
        if let Some(answer) = answer.filter(|answer| posts && answer.status == 201) {
            last = answer.json()["doc"]["id"].as_i64().or(last);
        }
    }
    // What the caller has then, as the caller sees it.
    for path in [
        "/api/animals?limit=0&depth=1&select[calvingRoles]=true&select[semen]=true&select[inbreeding]=true\
         &select[pedigreeDepth]=true&select[updatedAt]=true&select[current]=true&select[state]=true",
        "/api/animals?limit=0&depth=0&joins[children][count]=true&joins[services][count]=true",
        "/api/operations?limit=0&depth=0",
        "/api/animal-revisions?limit=0&depth=0",
        "/api/movements?limit=0&depth=1",
        "/api/access-requests?limit=0&depth=1",
        "/api/clarifications?limit=0&depth=1",
        "/api/media?limit=0&depth=0",
        "/api/animals/4/pedigree?generations=5",
        "/ade/v1/datasets/everything/changes?limit=1000",
    ] {
        law.get(&format!("{name}: after it"), "alpha", path).await;
    }
}

fn number(id: i64) -> String {
    format!("96000000{id:04}")
}

fn animal(id: i64, sex: &str, birth: &str) -> Value {
    json!({"id": id, "identNumber": number(id), "sex": sex, "birthDate": birth, "owner": 2,
        "name": format!("Hidden {id}"), "breed": 1})
}

/// As [`animal`], with fields besides.
fn with(id: i64, sex: &str, birth: &str, more: Value) -> Value {
    let mut row = animal(id, sex, birth);
    for (name, value) in more.as_object().unwrap() {
        row[name] = value.clone();
    }
    row
}

/// A calf of Alpha.
fn calf(key: i64, more: Value) -> Value {
    let mut calf = json!({"identNumber": format!("97000000{key:04}"), "sex": "female",
        "birthDate": "2025-03-01", "owner": 1});
    for (name, value) in more.as_object().unwrap() {
        calf[name] = value.clone();
    }
    calf
}

fn post(slug: &str, body: Value) -> (&'static str, String, Value) {
    ("POST", format!("/api/{slug}?depth=1"), body)
}

fn patch(slug: &str, id: &str, body: Value) -> (&'static str, String, Value) {
    ("PATCH", format!("/api/{slug}/{id}?depth=1"), body)
}

fn get(path: &str) -> (&'static str, String, Value) {
    ("GET", path.to_owned(), Value::Null)
}

fn scenes() -> Vec<Scene> {
    let mut all = parents();
    all.extend(kin());
    all.extend(elsewhere());
    all.extend(keys());
    all
}

/// What a calf tells of the parents that it names.
fn parents() -> Vec<Scene> {
    let dates = [
        "2018-01-01",
        "2019-06-01",
        "2020-06-01",
        "2021-06-01",
        "2022-06-01",
        "2023-06-01",
    ];
    let names = |parent: &'static str, text: &'static str, id: i64| {
        vec![
            post("animals", calf(1, json!({parent: id}))),
            post(
                "animals",
                calf(2, json!({"pedigreeText": {text: number(id)}})),
            ),
            patch("animals", "{last}", json!({parent: id})),
            patch("animals", "{last}", json!({parent: 777_777})),
            patch("animals", "4", json!({"pedigreeText": {text: number(id)}})),
            patch("animals", "4", json!({parent: id})),
            get("/api/animals/4?depth=2"),
        ]
    };
    let bisect = |first: (&'static str, Value)| {
        let make = post("animals", calf(3, json!({first.0: first.1})));
        let each = dates
            .iter()
            .map(|day| patch("animals", "{last}", json!({"birthDate": day})));
        std::iter::once(make).chain(each).collect::<Vec<_>>()
    };
    // The card of the lower one is open, and tells no parents.
    let descent = |more: Value| {
        let mut lower = with(902, "female", "2023-03-01", json!({"mother": 901}));
        lower["publicVisible"] = true.into();
        let upper = with(901, "female", "2021-03-01", more);
        ("animals", vec![upper, lower])
    };
    vec![
        Scene {
            name: "existence of a mother",
            first: vec![("animals", vec![animal(901, "female", "2019-03-01")])],
            asks: names("mother", "motherId", 901),
            ..Scene::default()
        },
        Scene {
            name: "existence of a father",
            first: vec![("animals", vec![animal(902, "male", "2019-03-01")])],
            asks: names("father", "fatherId", 902),
            ..Scene::default()
        },
        Scene {
            name: "sex of a parent",
            first: vec![("animals", vec![animal(901, "female", "2019-03-01")])],
            second: vec![("animals", vec![animal(901, "male", "2019-03-01")])],
            asks: names("mother", "motherId", 901),
            ..Scene::default()
        },
        Scene {
            name: "birth date of a mother by id",
            first: vec![("animals", vec![animal(901, "female", "2019-03-01")])],
            second: vec![("animals", vec![animal(901, "female", "2022-09-01")])],
            asks: bisect(("mother", json!(901))),
            ..Scene::default()
        },
        Scene {
            name: "birth date of a mother by number",
            first: vec![("animals", vec![animal(901, "female", "2019-03-01")])],
            second: vec![("animals", vec![animal(901, "female", "2022-09-01")])],
            asks: bisect(("pedigreeText", json!({"motherId": number(901)}))),
            ..Scene::default()
        },
        Scene {
            name: "cycle through a hidden animal",
            first: vec![(
                "animals",
                vec![with(901, "female", "2021-03-01", json!({"mother": 2}))],
            )],
            second: vec![("animals", vec![animal(901, "female", "2021-03-01")])],
            asks: vec![
                patch("animals", "2", json!({"mother": 901})),
                patch(
                    "animals",
                    "2",
                    json!({"pedigreeText": {"motherId": number(901)}}),
                ),
            ],
            ..Scene::default()
        },
        Scene {
            name: "cycle through a hidden animal above a visible one",
            first: vec![descent(json!({"mother": 2}))],
            second: vec![descent(json!({}))],
            asks: vec![
                patch("animals", "2", json!({"mother": 902})),
                patch(
                    "animals",
                    "2",
                    json!({"birthDate": "2024-06-01", "mother": 902}),
                ),
                get("/api/animals/2?depth=1"),
            ],
            ..Scene::default()
        },
    ]
}

/// What derived values tell of who is related to whom.
fn kin() -> Vec<Scene> {
    let related = |sire: Value| {
        vec![
            animal(910, "male", "2012-01-01"),
            with(911, "male", "2017-01-01", json!({"father": 910})),
            with(912, "female", "2018-01-01", json!({"father": sire})),
        ]
    };
    let shown = |sire: Value| {
        vec![
            animal(910, "male", "2010-01-01"),
            with(
                913,
                "male",
                "2014-01-01",
                json!({"father": sire, "publicVisible": true}),
            ),
            with(
                914,
                "female",
                "2014-01-01",
                json!({"father": 910, "publicVisible": true}),
            ),
        ]
    };
    let calf_of = |father: i64, mother: i64| {
        vec![
            post(
                "animals",
                calf(4, json!({"father": father, "mother": mother})),
            ),
            get("/api/animals/{last}?depth=2"),
            get("/api/animals/{last}/pedigree?generations=6"),
            post(
                "animals",
                calf(
                    5,
                    json!({"pedigreeText": {"fatherId": number(father), "motherId": number(mother)}}),
                ),
            ),
            get("/api/animals/{last}?depth=2"),
            get("/api/animals/{last}/pedigree?generations=6"),
        ]
    };
    vec![
        Scene {
            name: "kinship of two hidden parents",
            first: vec![("animals", related(json!(910)))],
            second: vec![("animals", related(Value::Null))],
            asks: calf_of(911, 912),
            ..Scene::default()
        },
        Scene {
            name: "hidden kinship above visible parents",
            first: vec![("animals", shown(json!(910)))],
            second: vec![("animals", shown(Value::Null))],
            asks: calf_of(913, 914),
            ..Scene::default()
        },
        Scene {
            name: "kinship by the sale of a calf to who knows more",
            first: vec![("animals", shown(json!(910)))],
            second: vec![("animals", shown(Value::Null))],
            asks: vec![
                post("animals", calf(6, json!({"father": 913, "mother": 914}))),
                post(
                    "movements",
                    json!({"animal": "{last}", "date": "2025-06-01", "kind": "sale", "to": 2}),
                ),
                get("/api/animals?limit=0&depth=0&where[identNumber][equals]=970000000006"),
                ("DELETE", "/api/movements/{last}".to_owned(), Value::Null),
                get("/api/animals?limit=0&depth=0&where[identNumber][equals]=970000000006"),
            ],
            ..Scene::default()
        },
        Scene {
            name: "closed card of a calf that is seen",
            first: vec![(
                "animals",
                vec![with(
                    920,
                    "female",
                    "2023-06-01",
                    json!({"mother": 2, "publicVisible": true}),
                )],
            )],
            second: vec![(
                "animals",
                vec![with(
                    920,
                    "female",
                    "2023-06-01",
                    json!({"publicVisible": true}),
                )],
            )],
            asks: vec![
                get("/api/animals?depth=0&where[mother][equals]=2"),
                patch("animals", "2", json!({"birthDate": "2023-05-31"})),
                patch("animals", "2", json!({"birthDate": "2023-06-01"})),
            ],
            ..Scene::default()
        },
        Scene {
            name: "who named a number that becomes one's own",
            first: vec![(
                "animals",
                vec![with(
                    921,
                    "female",
                    "2023-06-01",
                    json!({"pedigreeText": {"fatherId": number(950)}}),
                )],
            )],
            second: vec![("animals", vec![animal(921, "female", "2023-06-01")])],
            asks: vec![
                post(
                    "animals",
                    calf(950, json!({"sex": "male", "identNumber": number(950)})),
                ),
                get("/api/clarifications?depth=1"),
                patch("animals", "{last}", json!({"identNumber": number(951)})),
                patch("animals", "{last}", json!({"identNumber": number(950)})),
                get("/api/clarifications?depth=1"),
            ],
            ..Scene::default()
        },
        Scene {
            name: "services of an own bull elsewhere",
            first: vec![
                ("animals", vec![animal(901, "female", "2019-03-01")]),
                (
                    "inseminations",
                    vec![json!({"id": 901, "animal": 901, "date": "2024-01-01", "bull": 1})],
                ),
            ],
            second: vec![
                ("animals", vec![animal(901, "female", "2019-03-01")]),
                (
                    "inseminations",
                    vec![json!({"id": 901, "animal": 901, "date": "2024-01-01", "bullText": "X"})],
                ),
            ],
            asks: vec![
                get("/api/animals/1?depth=1"),
                patch("animals", "1", json!({"birthDate": "2024-06-01"})),
                patch("animals", "1", json!({"sex": "female"})),
            ],
            ..Scene::default()
        },
        Scene {
            name: "foreign calf of an own cow",
            first: vec![(
                "animals",
                vec![with(920, "female", "2023-06-01", json!({"mother": 2}))],
            )],
            second: vec![("animals", vec![animal(920, "female", "2023-06-01")])],
            asks: vec![
                get("/api/animals/2?depth=1&joins[children][count]=true"),
                patch("animals", "2", json!({"birthDate": "2023-09-01"})),
                patch("animals", "2", json!({"sex": "male"})),
                patch("animals", "4", json!({"birthDate": "2023-09-01"})),
                post("calvings", json!({"animal": 2, "date": "2023-06-03"})),
                post(
                    "movements",
                    json!({"animal": 2, "date": "2022-01-01", "kind": "death"}),
                ),
            ],
            ..Scene::default()
        },
        Scene {
            name: "foreign calf of an own bull",
            first: vec![(
                "animals",
                vec![with(920, "female", "2016-06-01", json!({"father": 1}))],
            )],
            second: vec![("animals", vec![animal(920, "female", "2016-06-01")])],
            asks: vec![
                get("/api/animals/1?depth=1&joins[children][count]=true"),
                patch("animals", "1", json!({"birthDate": "2016-09-01"})),
                patch("animals", "1", json!({"sex": "female"})),
                post(
                    "movements",
                    json!({"animal": 1, "date": "2015-06-01", "kind": "death"}),
                ),
            ],
            ..Scene::default()
        },
    ]
}

/// What other collections tell of an animal that they name.
fn elsewhere() -> Vec<Scene> {
    let born = |owner: i64, day: &str| with(901, "female", day, json!({"owner": owner}));
    let mut moves = Vec::new();
    for (kind, to) in [
        ("sale", json!(1)),
        ("sale", json!(2)),
        ("lease", json!(1)),
        ("transfer", Value::Null),
        ("import", json!(1)),
        ("cull", Value::Null),
        ("death", Value::Null),
    ] {
        for day in ["2017-01-01", "2021-01-01", "2025-01-01"] {
            moves.push(post(
                "movements",
                json!({"animal": 901, "date": day, "kind": kind, "to": to, "toHerd": 1}),
            ));
        }
        moves.push(post(
            "movements",
            json!({"animal": 901, "date": "2025-01-01", "kind": kind, "from": 2, "to": to}),
        ));
    }
    let mut about = Vec::new();
    for (slug, more) in [
        ("weighings", json!({"weight": 500})),
        ("milk-tests", json!({"milkYield": 20})),
        ("calvings", json!({"number": 1})),
        ("inseminations", json!({})),
        ("events", json!({"type": "remark"})),
        ("health-events", json!({"title": "x"})),
        (
            "milking-visits",
            json!({"startedAt": "2025-01-01", "milkYield": 9}),
        ),
        ("daily-milkings", json!({"milkYield": 9})),
        ("documents", json!({"title": "x"})),
        ("access-requests", json!({"purpose": "purchase"})),
        ("access-grants", json!({"grantee": 5, "scopes": ["origin"]})),
        (
            "genotype-consents",
            json!({"grantee": 5, "purposes": ["research"]}),
        ),
    ] {
        for day in ["2017-01-01", "2021-01-01"] {
            let mut body = more.clone();
            body["animal"] = 901.into();
            body["date"] = day.into();
            about.push(post(slug, body));
        }
    }
    about.push(post(
        "share-links",
        json!({"animals": [901], "scopes": ["origin"], "expiresAt": "2026-06-01"}),
    ));
    about.push(post(
        "verification-requests",
        json!({"animals": [901], "purpose": "trust"}),
    ));
    about.push(post(
        "verification-requests",
        json!({"animals": [2], "purpose": "correction",
        "proposed": [{"animal": 901, "path": "birthDate", "value": "2020-01-01"}]}),
    ));
    about.push(post(
        "saved-searches",
        json!({"name": "s", "place": "book", "query": "x", "scope": "private",
        "adeSet": true, "members": [901]}),
    ));
    about.push(get("/api/saved-searches?depth=1"));
    about.push(post(
        "data-submissions",
        json!({"kind": "animals", "animals": [901]}),
    ));
    let named = vec![
        post(
            "inseminations",
            json!({"animal": 2, "date": "2025-01-01", "bull": 902}),
        ),
        post(
            "inseminations",
            json!({"animal": 2, "date": "2025-01-03", "bullText": number(902)}),
        ),
        get("/api/inseminations/{last}?depth=1"),
        patch("inseminations", "{last}", json!({"bull": 902})),
        post(
            "inseminations",
            json!({"animal": 2, "date": "2025-02-03",
            "embryo": {"donor": 901, "sire": 902}}),
        ),
        post(
            "inseminations",
            json!({"animal": 2, "date": "2025-02-05", "embryo": {"donor": 901}}),
        ),
        post(
            "inseminations",
            json!({"animal": 2, "date": "2017-06-05", "bull": 902}),
        ),
        post(
            "calvings",
            json!({"animal": 2, "date": "2024-02-03", "calves": [901]}),
        ),
        post(
            "calvings",
            json!({"animal": 2, "date": "2024-02-04",
            "progeny": [{"sex": "female", "birthStatus": "alive", "animal": 901}]}),
        ),
    ];
    let two = |day: &str| {
        vec![(
            "animals",
            vec![animal(901, "female", day), animal(902, "male", day)],
        )]
    };
    // How it came from one farm to another before it came here.
    let past = |day: &str| {
        let step = |id: i64, day: &str, from: i64, to: i64| json!({"id": id, "animal": 903, "date": day, "kind": "sale", "from": from, "to": to});
        vec![
            ("animals", vec![animal(903, "female", "2020-01-10")]),
            ("movements", vec![step(901, day, 2, 5)]),
            ("movements", vec![step(902, "2024-06-01", 5, 1)]),
        ]
    };
    let mut course = Vec::new();
    for day in ["2020-06-01", "2021-06-01", "2022-06-01", "2024-03-01"] {
        for (kind, more) in [
            ("sale", json!({"to": 4})),
            ("sale", json!({"from": 1, "to": 4})),
            ("sale", json!({"from": 2, "to": 1})),
            ("lease", json!({"from": 5, "to": 1})),
            ("import", json!({"to": 1})),
            ("transfer", json!({"toHerd": 1})),
            ("death", json!({})),
        ] {
            let mut body = more;
            body["animal"] = 903.into();
            body["date"] = day.into();
            body["kind"] = kind.into();
            course.push(post("movements", body));
        }
        course.push(patch("animals", "903", json!({"birthDate": day})));
        course.push(post(
            "weighings",
            json!({"animal": 903, "date": day, "weight": 300}),
        ));
    }
    let chipped = |chip: &str| {
        let more = json!({"publicVisible": true, "altIds": {"chipNumber": chip}});
        with(902, "male", "2019-03-01", more)
    };
    // A bull is looked for among males, a calf among females.
    let mut sent = Vec::new();
    for id in [901, 902] {
        let all = exchange::about(0, &number(2), exchange::SCHEMES[0].0, &number(id));
        for (nth, (set, document)) in all.into_iter().enumerate() {
            let document = |way: &str| exchange::keyed(&document, &format!("{way}{id}.{nth}"));
            let mut pushed = document("p");
            pushed["location"] = json!({"scheme": "org.herdbook.orgid", "id": "1"});
            let at = format!("locations/org.herdbook.orgid/1/{set}");
            sent.extend([
                ("POST", format!("/ade/v1/{at}"), document("s")),
                (
                    "POST",
                    format!("/ade/v1/batches/{at}"),
                    json!([document("b")]),
                ),
                ("POST", exchange::EVERYTHING.to_owned(), json!([pushed])),
            ]);
        }
    }
    for slug in ["inseminations", "calvings", "weighings", "animals"] {
        sent.push(get(&format!("/api/{slug}?depth=1&limit=0")));
    }
    vec![
        Scene {
            name: "bull and calf by number in the exchange",
            first: two("2023-03-01"),
            asks: sent,
            ..Scene::default()
        },
        Scene {
            name: "chip of a bull whose card is closed",
            first: vec![("animals", vec![chipped("643096001000420")])],
            second: vec![("animals", vec![chipped("643096001000099")])],
            asks: exchange::about(0, &number(2), "std.iso.11785", "643096001000420")
                .into_iter()
                .map(|(set, document)| {
                    let at = format!("/ade/v1/locations/org.herdbook.orgid/1/{set}");
                    ("POST", at, exchange::keyed(&document, "chip"))
                })
                .collect(),
            ..Scene::default()
        },
        Scene {
            name: "hidden past of an own animal",
            first: past("2020-09-01"),
            second: past("2023-03-01"),
            asks: course,
            ..Scene::default()
        },
        Scene {
            name: "owner and birth date by movements",
            first: vec![("animals", vec![born(2, "2019-03-01")])],
            second: vec![("animals", vec![born(5, "2022-03-01")])],
            asks: moves.clone(),
            ..Scene::default()
        },
        Scene {
            name: "existence by movements",
            first: vec![("animals", vec![born(2, "2019-03-01")])],
            asks: moves,
            ..Scene::default()
        },
        Scene {
            name: "existence by rows about an animal",
            first: vec![("animals", vec![born(2, "2019-03-01")])],
            asks: about.clone(),
            ..Scene::default()
        },
        Scene {
            name: "owner and birth date by rows about an animal",
            first: vec![("animals", vec![born(2, "2019-03-01")])],
            second: vec![("animals", vec![born(5, "2022-03-01")])],
            asks: about,
            ..Scene::default()
        },
        Scene {
            name: "existence of bulls, donors and calves",
            first: two("2019-03-01"),
            asks: named.clone(),
            ..Scene::default()
        },
        Scene {
            name: "birth dates of bulls, donors and calves",
            first: two("2016-03-01"),
            second: two("2024-02-01"),
            asks: named,
            ..Scene::default()
        },
    ]
}

/// What a number, a name of a file, an address that is taken tells.
fn keys() -> Vec<Scene> {
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

//! Data sets that are only read: lactations, evaluations, test days, sets of animals, and
//! statistics; what they show follows its sources, and shared documents occur once.

use crate::ade::stage::{FARM, OTHER, Stage, keys};
use crate::support::fixture::number;
use serde_json::{Value, json};

impl Stage {
    async fn shown(&self, path: &str) -> Vec<Value> {
        let body = ask!(self.f, self.farm, "GET {path}" => 200);
        let members = body["member"].as_array().unwrap().clone();
        for one in &members {
            let kind = one["resourceType"].as_str().unwrap();
            assert_eq!(ade::validate(kind, one), [], "{one:#}");
        }
        let total = body["view"]["totalItems"].as_u64().unwrap();
        assert_eq!(total, members.len() as u64, "{path}");
        members
    }

    /// Members of the feed of a data set after a token, and the next token.
    async fn feed(&self, set: &str, since: &str) -> (Vec<Value>, String) {
        let path = format!("/ade/v1/datasets/{set}/changes?limit=1000&since={since}");
        let path = path.trim_end_matches("&since=");
        let body = ask!(self.f, self.farm, "GET {path}" => 200);
        let all = body.as_array().unwrap();
        let token = all.last().unwrap()["token"].as_str().unwrap().to_owned();
        (all[1..all.len() - 1].to_vec(), token)
    }

    async fn tested(&self, id: i64, animal: i64, day: &str, milk: f64) {
        fill!(self.f, "milk-tests", id,
            {"animal": animal, "date": day, "milkYield": milk, "fatPercent": 4.0, "proteinPercent": 3.5});
    }

    async fn calved(&self, id: i64, animal: i64, number: i64, day: &str) {
        fill!(self.f, "calvings", id, {"animal": animal, "date": day, "number": number});
    }
}

#[test_each(Stage::each())]
async fn all_tests_of_a_day_at_a_location_make_one_test_day(s: Stage) {
    s.tested(1, 11, "2026-01-05", 30.0).await;
    s.tested(2, 12, "2026-01-05", 28.0).await;
    s.tested(3, 12, "2026-02-05", 27.0).await;
    s.tested(4, 21, "2026-01-05", 31.0).await;
    let path = format!("{FARM}/test-days");
    let days = s.shown(&path).await;
    assert_eq!(keys(&json!(days)), ["test-days:1:2026-01-05", "test-days:1:2026-02-05"]);
    holds!(days[0], {"beginDate": "2026-01-05T00:00:00.000Z", "endDate": "2026-01-05T23:59:59.000Z"});
    let (_, token) = s.feed("test-days", "").await;

    // The row that gives the day its key is deleted, and another one takes its place.
    s.f.delete("milk-tests", 1).await;
    assert_eq!(s.shown(&path).await, days);
    let (nothing, token) = s.feed("test-days", &token).await;
    assert_eq!(nothing, Vec::<Value>::new());

    // When the last test of a day goes, the day goes too; a moved test makes another day.
    update!(s.f, "milk-tests", 2, {"date": "2026-01-20"});
    let remaining = s.shown(&path).await;
    assert_eq!(keys(&json!(remaining)), ["test-days:1:2026-02-05", "test-days:1:2026-01-20"]);
    let (changes, token) = s.feed("test-days", &token).await;
    let gone: Vec<bool> = (changes.iter()).map(|d| d["meta"]["isDeleted"] == true).collect();
    assert_eq!(gone, [true, false], "{changes:#?}");

    // The days of a cow that is sold move to the buyer; those of other cows stay.
    s.tested(5, 11, "2026-02-05", 29.0).await;
    s.f.update("animals", 12, json!({"owner": 2})).await;
    let here = s.shown(&path).await;
    assert_eq!(keys(&json!(here)), ["test-days:1:2026-02-05"]);
    let (_, _, there) = s.f.get(&format!("{OTHER}/test-days"), &s.other).await;
    let mut days = keys(&there);
    days.sort();
    assert_eq!(days, ["test-days:2:2026-01-05", "test-days:2:2026-01-20", "test-days:2:2026-02-05"]);
    let (changes, _) = s.feed("test-days", &token).await;
    assert_eq!(changes.len(), 1, "{changes:#?}");
    assert_eq!(changes[0]["meta"]["sourceId"], "test-days:1:2026-01-20");

    // A test that comes back to a day that was gone revives it.
    s.tested(6, 11, "2026-01-20", 29.0).await;
    assert_eq!(s.shown(&path).await.len(), 2);
    let (_, body) = s.get(&format!("{path}?date-from=2026-02-01")).await;
    assert_eq!(keys(&body), ["test-days:1:2026-02-05"]);
}

#[test_each(Stage::each())]
async fn lactations_are_told_whole_and_for_305_days_and_follow_the_herd(s: Stage) {
    let herd = json!({"name": "Main", "organization": 1, "milkingsPerDay": "two",
        "recordingScheme": "AllMilkingsAtTestday"});
    s.f.fill("herds", 1, herd).await;
    s.f.update("animals", 11, json!({"herd": 1})).await;
    s.calved(1, 11, 1, "2025-11-01").await;
    s.tested(1, 11, "2025-12-01", 30.0).await;
    let path = format!("{FARM}/lactations");
    let one = s.shown(&path).await;
    assert_eq!(keys(&json!(one)), ["lactations:11:1:Normal"]);
    holds!(one[0], {"beginDate": "2025-11-01T00:00:00.000Z", "lastTestDay": "2025-12-01T00:00:00.000Z",
        "milkRecordingMethod.milkingsPerDay": "2"});

    s.tested(2, 11, "2026-01-01", 26.0).await;
    let both = s.shown(&path).await;
    assert_eq!(keys(&json!(both)), ["lactations:11:1:Normal", "lactations:11:1:305Days"]);
    let (normal, standard) = (&both[0], &both[1]);
    assert_eq!(standard["lactationType"], "305Days");
    // So far the lactation is shorter than 305 days: both have the same milk.
    let milk = normal["milkAmount"]["value"].as_f64().unwrap();
    assert!(milk > 0.0);
    assert_eq!(standard["milkAmount"], normal["milkAmount"]);
    let fat = standard["fatAmount"]["value"].as_f64().unwrap();
    assert!((fat - milk * 0.04).abs() < 0.051, "{fat} of {milk}");

    // A change of the recording of the herd is shown at once.
    let (_, token) = s.feed("lactations", "").await;
    update!(s.f, "herds", 1, {"milkingsPerDay": "robot"});
    let (changes, token) = s.feed("lactations", &token).await;
    let milkings: Vec<&Value> = (changes.iter()).map(|d| &d["milkRecordingMethod"]["milkingsPerDay"]).collect();
    assert_eq!(milkings, ["Robot", "Robot"]);
    // A change of other fields is not.
    s.f.update("herds", 1, json!({"name": "Other"})).await;
    let (nothing, _) = s.feed("lactations", &token).await;
    assert_eq!(nothing, Vec::<Value>::new());

    s.f.delete("calvings", 1).await;
    assert_eq!(s.shown(&path).await, Vec::<Value>::new());
}

#[test_each(Stage::each())]
async fn scores_are_told_together_and_one_by_one(s: Stage) {
    fill!(s.f, "technicians", 1, {"fullName": "Anna Petrova", "code": "A1"});
    let scored = json!({"animal": 11, "assessedAt": "2026-01-10", "assessor": 1, "height": 7,
        "generalView": 80, "dairyCharacter": 80, "legQuality": 80, "udderQuality": 85});
    s.f.fill("animal-exteriors", 5, scored).await;
    // Young stock is scored by other words than the standard's.
    fill!(s.f, "animal-exteriors", 6, {"animal": 12, "assessedAt": "2026-01-10", "youngBody": 3});
    let whole = s.shown(&format!("{FARM}/type-classifications")).await;
    assert_eq!(keys(&json!(whole)), ["type-classifications:5"]);
    holds!(whole[0], {"score": 82, "traitScored": "FinalScore", "responsible": "Anna Petrova"});
    let path = format!("{FARM}/conformation-scores");
    let single = s.shown(&path).await;
    let traits: Vec<&str> = (single.iter()).map(|d| d["traitScored"].as_str().unwrap()).collect();
    let all = ["FinalScore", "Stature", "Frame", "DairyStrength", "FeetLegs", "Udder"];
    assert_eq!(traits, all);
    let within: Vec<&str> = (whole[0]["conformationScores"].as_array().unwrap().iter())
        .map(|d| d["traitScored"].as_str().unwrap())
        .collect();
    assert_eq!(within, all);
    assert_eq!(single[1]["traitGroup"], "Linear");
    let (_, one) = s.get(&format!("{path}/5:height")).await;
    assert_eq!(one["score"], 7);

    // Without the final score the first one sent is at the top.
    let (_, token) = s.feed("conformation-scores", "").await;
    update!(s.f, "animal-exteriors", 5, {"legQuality": null, "dairyCharacter": null});
    let whole = s.shown(&format!("{FARM}/type-classifications")).await;
    holds!(whole[0], {"traitScored": "Stature", "score": 7});
    let (changes, token) = s.feed("conformation-scores", &token).await;
    assert_eq!(changes.len(), 3, "{changes:#?}");
    assert!(changes.iter().all(|d| d["meta"]["isDeleted"] == true));

    update!(s.f, "technicians", 1, {"fullName": "Anna Ivanova"});
    let (changes, _) = s.feed("conformation-scores", &token).await;
    assert_eq!(changes.len(), 3);
    assert!(changes.iter().all(|d| d["responsible"] == "Anna Ivanova"));
}

#[test_each(Stage::each())]
async fn an_evaluation_that_replaces_another_keeps_its_document(s: Stage) {
    let run = |day: &str, milk: f64| {
        json!({"animal": 11, "evaluatedAt": day, "center": "Centre", "baseVersion": "2025",
            "milkForecast": milk, "milkR": 70})
    };
    s.f.fill("animal-evaluations", 1, run("2025-04-01", 100.0)).await;
    let path = format!("{FARM}/breeding-values");
    let all = s.shown(&path).await;
    let mut named = keys(&json!(all));
    named.sort();
    let profiles = ["association", "cheese", "ebv", "nm", "profit", "tpi"];
    assert_eq!(named, profiles.map(|key| format!("breeding-values:11:{key}")));
    let index = |list: &[Value]| -> Value {
        let of = |d: &&Value| d["meta"]["sourceId"] == "breeding-values:11:association";
        list.iter().find(of).unwrap().clone()
    };
    holds!(index(&all), {"version": "Association index"});
    holds!(index(&all)["base"], {"id": "CDCB-2025-metric", "scheme": "org.herdbook.bvbase"});
    holds!(index(&all)["breedingValues"][0], {"value": 11.67, "reliability": 70, "calculationType": "Other"});
    let (_, token) = s.feed("breeding-values", "").await;

    s.f.fill("animal-evaluations", 2, run("2025-12-01", 150.0)).await;
    let ebv = |list: &[Value]| -> Vec<Value> {
        let mine = |d: &&Value| d["meta"]["sourceId"] == "breeding-values:11:ebv";
        list.iter().filter(mine).cloned().collect()
    };
    let now = ebv(&s.shown(&path).await);
    assert_eq!(now.len(), 1);
    let value = &now[0]["breedingValues"][0];
    holds!(value, {"value": 150, "calculationType": "BreedingValue"});
    holds!(value, {"traitLabel": {"id": "milk", "scheme": "org.herdbook.trait"}});
    assert_eq!(now[0]["id"], format!("{}:ebv", number(11)));
    let (changes, token) = s.feed("breeding-values", &token).await;
    assert_eq!(ebv(&changes), now);
    assert_eq!(changes.len(), profiles.len());
    holds!(index(&changes)["breedingValues"][0], {"value": 17.5});
    let buried = s.f.get("/api/ade-tombstones", &s.farm).await.2;
    assert_eq!(buried["totalDocs"], 0, "{buried}");

    // The one before is current again; without any the document goes.
    s.f.delete("animal-evaluations", 2).await;
    assert_eq!(ebv(&s.shown(&path).await)[0]["breedingValues"][0]["value"], 100.0);
    s.f.delete("animal-evaluations", 1).await;
    assert_eq!(ebv(&s.shown(&path).await), Vec::<Value>::new());
    assert_eq!(s.shown(&path).await, Vec::<Value>::new(), "nor its indexes");
    let (changes, _) = s.feed("breeding-values", &token).await;
    assert_eq!(changes.len(), profiles.len());
    assert!(changes.iter().all(|d| d["meta"]["isDeleted"] == true), "{changes:#?}");
}

#[test_each(Stage::each())]
async fn what_a_farm_makes_of_an_animal_is_at_its_own_location(s: Stage) {
    let value = |profile: &str, organization: Value| json!({"animal": 11, "profileKey": profile, "organization": organization, "value": 5});
    s.f.fill("index-values", 1, value("own:1", json!(1))).await;
    s.f.fill("index-values", 2, value("own:2", json!(2))).await;
    s.f.fill("index-values", 3, value("nm", Value::Null)).await;
    let mut shown = keys(&json!(s.shown(&format!("{FARM}/breeding-values")).await));
    shown.sort();
    assert_eq!(shown, ["breeding-values:11:nm", "breeding-values:11:own:1"]);
    // Of an animal that changes its owner before the value goes.
    update!(s.f, "index-values", 1, {"organization": 2});
    assert_eq!(s.shown(&format!("{FARM}/breeding-values")).await.len(), 1);
}

#[test_each(Stage::each())]
async fn names_and_codes_that_documents_show_are_shown_anew(s: Stage) {
    let bull = json!({"identNumber": number(31), "sex": "male", "owner": 2, "name": "Duke", "birthDate": "2015-01-01"});
    s.f.fill("animals", 31, bull).await;
    s.f.update("animals", 11, json!({"father": 31})).await;
    fill!(s.f, "coat-colors", 1, {"code": "BW", "name": "Pied"});
    s.f.update("animals", 11, json!({"coatColor": 1})).await;
    let service = json!({"animal": 12, "date": "2026-01-10", "bull": 31});
    s.f.fill("inseminations", 1, service).await;
    let (_, token) = s.feed("everything", "").await;
    s.f.update("animals", 31, json!({"name": "Baron"})).await;
    let (changes, token) = s.feed("everything", &token).await;
    assert_eq!(keys(&json!(changes)).len(), 2, "the daughter and the service: {changes:#?}");
    let named = serde_json::to_string(&changes).unwrap();
    assert!(named.to_lowercase().contains("baron"), "{named}");
    update!(s.f, "coat-colors", 1, {"name": "Black pied"});
    let (changes, _) = s.feed("everything", &token).await;
    assert_eq!(changes.len(), 1);
    assert_eq!(changes[0]["coatColor"], "Black pied");
}

#[test_each(Stage::each())]
async fn sets_tell_of_the_animals_that_the_location_owns(s: Stage) {
    let body = json!({"name": "To dry off", "place": "herd", "query": "view=list",
        "adeSet": true, "adePurpose": "lactation", "members": [11, 12]});
    let made = ask!(s.f, s.farm, "POST /api/saved-searches", body => 201);
    let id = made["doc"]["id"].as_i64().unwrap();
    let hidden = json!({"name": "Private", "place": "herd", "query": "view=list", "members": [11]});
    let (_, _, other) = s.f.post("/api/saved-searches", &s.farm, hidden).await;
    assert!(other["doc"].get("joins").is_none(), "{other}");

    let sets = s.shown(&format!("{FARM}/animal-sets")).await;
    assert_eq!(sets.len(), 1, "only what is offered");
    assert_eq!(sets[0]["purpose"], "Lactation");
    let numbers = |set: &Value| -> Vec<String> {
        (set["member"].as_array().unwrap().iter()).map(|m| m["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(numbers(&sets[0]), [number(11), number(12)]);
    let joins = s.shown(&format!("{FARM}/animal-set-joins")).await;
    assert_eq!(joins.len(), 2);
    assert_eq!(joins[0]["animalSetId"], id.to_string());
    assert_eq!(s.shown(&format!("{FARM}/animal-set-leaves")).await.len(), 0);

    s.f.pass(60);
    update!(s.f, "saved-searches", id, {"members": [12, 13]});
    let leaves = s.shown(&format!("{FARM}/animal-set-leaves")).await;
    assert_eq!(leaves.len(), 1);
    assert_eq!(leaves[0]["animal"]["id"], number(11));
    assert_eq!(leaves[0]["eventDateTime"], "2026-03-01T12:01:00.000Z");
    assert_eq!(s.shown(&format!("{FARM}/animal-set-joins")).await.len(), 3);

    // Nothing is reported about a member that was sold, not even that it was one.
    s.f.update("animals", 12, json!({"owner": 2})).await;
    let sets = s.shown(&format!("{FARM}/animal-sets")).await;
    assert_eq!(numbers(&sets[0]), [number(13)]);
    assert_eq!(s.shown(&format!("{FARM}/animal-set-joins")).await.len(), 2);
    let (_, _, foreign) = s.f.get(&format!("{OTHER}/animal-set-joins"), &s.other).await;
    assert_eq!(foreign["member"], json!([]));

    update!(s.f, "saved-searches", id, {"adeSet": false});
    for set in ["animal-sets", "animal-set-joins", "animal-set-leaves"] {
        assert_eq!(s.shown(&format!("{FARM}/{set}")).await.len(), 0, "{set}");
    }
}

#[tokio::test]
async fn statistics_are_computed_for_a_purpose_and_a_time() {
    let s = Stage::plain().await;
    s.calved(1, 11, 1, "2025-12-01").await;
    s.calved(2, 12, 2, "2025-08-01").await;
    s.tested(1, 11, "2026-01-05", 30.0).await;
    s.tested(2, 12, "2026-01-05", 20.0).await;
    s.tested(3, 12, "2026-02-05", 25.5).await;
    s.tested(4, 21, "2026-01-05", 99.0).await;
    let path = format!("{FARM}/statistics");
    let request = "purpose=TestDay&date-from=2026-01-01&date-to=2026-01-05";
    let found = s.shown(&format!("{path}?{request}")).await;
    let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/ade/statistics.json");
    let text = format!("{:#}\n", found[0]);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(golden, &text).unwrap();
    }
    assert_eq!(std::fs::read_to_string(golden).unwrap_or_default(), text);

    let all = s.shown(&format!("{path}?purpose=TestDay")).await;
    holds!(all[0], {"dateFrom": "2025-03-01", "dateTo": "2026-03-01"});
    let herd = &all[0]["group"][0];
    assert_eq!(herd["denominator"], 3);
    let milk: Vec<&Value> = (herd["statistics"].as_array().unwrap().iter())
        .filter(|m| m["metric"]["id"] == "milkYield")
        .map(|m| &m["value"])
        .collect();
    assert_eq!(milk, [&json!(25.17), &json!(75.5), &json!(3)]);
    let kinds: Vec<&str> =
        (all[0]["group"].as_array().unwrap().iter()).map(|g| g["icarGroupType"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["Herd", "LactationNumber", "LactationNumber", "DaysInMilk", "DaysInMilk"]);
    fill!(s.f, "inseminations", 1, {"animal": 12, "date": "2025-10-10"});
    let services = s.shown(&format!("{path}?purpose=Reproduction")).await;
    let days = &services[0]["group"][0]["statistics"][0];
    holds!(days, {"metric.id": "daysOpen", "value": 70.0});

    // Without a purpose all are returned, page by page.
    let (_, first) = s.get(&format!("{path}?pageSize=1")).await;
    holds!(first, {"member.0.purpose": "TestDay", "view.totalItems": 2});
    let next = first["view"]["next"].as_str().unwrap();
    let (_, second) = s.get(next.strip_prefix("http://book.example").unwrap()).await;
    assert_eq!(second["member"][0]["purpose"], "Reproduction");
    assert!(second["view"]["next"].is_null());

    // Known to the standard, not to the book; a fault is reported with its name.
    assert_eq!(s.shown(&format!("{path}?purpose=Feeding")).await.len(), 0);
    for (query, code) in table![
        "purpose=Milk", "field-value";
        "purpose=TestDay&date-from=2026-02-01&date-to=2026-01-01", "field-value";
        "purpose=TestDay&date-from=yesterday", "field-value";
    ] {
        let body = ask!(s.f, s.farm, "GET {path}?{query}" => 400);
        holds!(body, {"errors.0.code": code}, "{query}");
    }
    ask!(s.f, s.farm, "GET {OTHER}/statistics?{request}" => 404);
    let body = ask!(s.f, s.farm, "POST {path}", {} => 405);
    assert_eq!(body["errors"][0]["code"].as_str(), Some("method-not-allowed"), "{body}");
    let (_, _, places) = s.f.get("/ade/v1/locations", &s.farm).await;
    let supported = places["supportedCollections"].as_array().unwrap();
    assert!(supported.contains(&json!("statistics")));
}

#[test_each(Stage::each())]
async fn statistics_count_a_test_day_once_with_each_value_of_its_best_row(s: Stage) {
    s.calved(1, 11, 1, "2025-12-01").await;
    let robot = json!({"milkYield": 30.0, "somaticCells": 100.0, "source": "api"});
    let laboratory = json!({"milkYield": 29.0, "fatPercent": 4.0, "source": "lab"});
    let coded = json!({"milkYield": 1.0, "official": true, "testCode": "sick"});
    let rows = [
        ("2026-01-05", &robot),
        ("2026-01-05", &laboratory),
        ("2026-01-05", &coded),
        ("2026-02-05", &laboratory),
        ("2026-02-05", &robot),
        ("2026-02-15", &robot),
        ("2026-02-20", &coded),
    ];
    for (id, (day, row)) in (1..).zip(rows) {
        let mut row = row.clone();
        row["animal"] = json!(11);
        row["date"] = json!(day);
        s.f.fill("milk-tests", id, row).await;
    }
    let path = format!("{FARM}/statistics?purpose=TestDay");
    let found = s.shown(&path).await;
    let groups = found[0]["group"].as_array().unwrap();
    let days: Vec<Value> = groups.iter().map(|g| g["denominator"].clone()).collect();
    // The herd, the first lactation, two stages of it.
    assert_eq!(json!(days), json!([3, 3, 1, 2]));
    let figures = groups[0]["statistics"].as_array().unwrap();
    let figures: Vec<Value> =
        (figures.iter()).map(|m| json!([m["metric"]["id"], m["aggregation"], m["value"]])).collect();
    assert_eq!(
        json!(figures),
        json!([
            ["milkYield", "Average", 29.33],
            ["milkYield", "Sum", 88.0],
            ["milkYield", "Count", 3],
            ["fatPercent", "Average", 4.0],
            ["fatPercent", "Sum", 8.0],
            ["fatPercent", "Count", 2],
            ["somaticCells", "Average", 100.0],
            ["somaticCells", "Sum", 300.0],
            ["somaticCells", "Count", 3],
        ])
    );
}

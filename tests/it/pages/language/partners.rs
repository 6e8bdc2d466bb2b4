//! The page for partners: the steps of each role in each language, with what the visitor's account has.

use crate::pages::{assert_sound, page};
use crate::rest::world::World;
use serde_json::Value;

const ROLES: [&str; 5] = ["farm", "robot", "laboratory", "recording", "registry"];
const LANGUAGES: [&str; 4] = ["curl", "python", "typescript", "csharp"];

/// The programs of a page, as a visitor copies them.
fn programs(text: &str) -> String {
    let parts = text.split("<section class=\"program\"").skip(1);
    let all = parts.map(|part| {
        let code = part.split("<code>").nth(1).unwrap();
        code.split("</code>").next().unwrap()
    });
    let all: Vec<&str> = all.collect();
    all.join("\n").replace("&quot;", "\"")
}

#[test_with(World::each)]
async fn each_role_has_its_steps_in_each_language(w: &World<'_>) {
    for who in ["", "alpha", "beta"] {
        let all = page(w, who, "/partners").await;
        assert_eq!(all.status, 200);
        assert_sound(&all, "partners");
        for role in ROLES {
            all.has(&[&format!("href=\"/partners/{role}\"")]);
            for language in LANGUAGES {
                let path = format!("/partners/{role}?in={language}");
                let one = page(w, who, &path).await;
                assert_eq!(one.status, 200, "{path}");
                assert_sound(&one, &path);
                assert!(programs(&one.text).contains("http://"), "{path}");
            }
        }
    }
    for path in ["/partners/nobody", "/partners/farm?in=cobol"] {
        assert_eq!(page(w, "alpha", path).await.status, 404, "{path}");
    }
}

/// The data sets of the declaration are those of the mappings, and what a farm's program sends may be sent by a farm.
#[test_with(World::each)]
async fn the_page_says_what_the_account_may_do(w: &World<'_>) {
    let answer = w.get("alpha", "/.well-known/ade").await.json();
    let types = answer["types"].as_array().unwrap();
    for role in ["farm", "robot", "laboratory", "recording"] {
        let mine = page(w, "alpha", &format!("/partners/{role}")).await;
        let after = mine.text.split("<code>").find(|part| {
            let set = part.split("</code>").next().unwrap();
            part.contains("</code>: ") && types.iter().any(|one| one["collection"] == set)
        });
        let after = after.expect("a data set and its verbs");
        let (set, rest) = after.split_once("</code>: ").unwrap();
        let found = types.iter().find(|one| one["collection"] == set).unwrap();
        let verbs = found["verbs"].as_array().unwrap().iter();
        let verbs: Vec<&str> = verbs.filter_map(Value::as_str).collect();
        assert!(verbs.contains(&"post") && verbs.contains(&"batch"), "{set}: {verbs:?}");
        assert!(rest.starts_with(&format!("{}.", verbs.join(", "))), "{rest}");
        let resource = found["resourceType"].as_str().unwrap();
        assert!(programs(&mine.text).contains(resource), "{role}");
    }
}

#[test_with(World::each)]
async fn the_account_of_a_farm_finds_its_own_location_and_nobody_elses(w: &World<'_>) {
    let of = async |who: &str, role: &str| {
        let one = page(w, who, &format!("/partners/{role}?in=python")).await;
        programs(&one.text)
    };
    for (who, id) in [("alpha", "1"), ("beta", "2")] {
        let own = format!("location_id = \"{id}\"");
        assert!(of(who, "farm").await.contains(&own), "{who}");
        // A mandate is for the location of another organisation.
        assert!(of(who, "laboratory").await.contains("location_id = \"YOUR-LOCATION\""));
    }
    let stranger = of("", "robot").await;
    assert!(stranger.contains("location_id = \"YOUR-LOCATION\""), "{stranger}");
    assert!(stranger.contains("animal_id = \"YOUR-ANIMAL\""), "{stranger}");
    assert!(stranger.contains("location_scheme = \"org.herdbook.orgid\""), "{stranger}");
}

//! The start page of a member: work lists, what the checks found, what came to the organisation lately.

use crate::packages::desk::sent;
use crate::pages::filled::link;
use crate::pages::{assert_sound, page, russian, send};
use crate::rest::certificates::issue::{BULL, COW, PEDIGREE, family, issued};
use crate::rest::world::World;
use serde_json::json;

#[tokio::test]
async fn a_farm_begins_with_what_is_to_be_done() {
    World::each(async |w| {
        made!(w, "alpha", "calvings", {"animal": 2, "date": "2025-04-10"});
        let checked = json!({"animal": 2, "date": "2025-07-20", "result": 1, "pregnancyCheckDate": "2025-08-25"});
        w.made("alpha", "inseminations", checked).await;
        let home = page(w, "alpha", "/").await;
        assert_sound(&home, "alpha");
        let list = "<a href=\"/work/animals/dryOff\">To dry off</a> <span class=\"count\">1</span>";
        home.has(&[
            list,
            "within 60 days",
            "<time datetime=\"2026-02-24\">",
            "Nothing to do: Expected calvings, Pregnancy checks, Open too long",
        ]);
        let list = page(w, "alpha", "/work/animals/dryOff").await;
        assert_sound(&list, "list");
        list.has(&[
            "href=\"/work/animals/dryOff?ahead=28\">in 28 days<",
            "href=\"/book/animals/2\"",
            "/api/animals/work-lists?list=dryOff&amp;format=ics&amp;language=en",
        ]);
        russian(w, "alpha", "/work/animals/noTest").await.has(&["Нет контрольного доения", "45 дней", "календарь"]);
        // Others have other work; the Association asks for a farm.
        page(w, "beta", "/").await.lacks(&["/work/animals/dryOff\""]);
        page(w, "expert", "/").await.lacks(&["/work/animals"]);
        page(w, "expert", "/work/animals/dryOff?organization=1").await.has(&["href=\"/book/animals/2\""]);
        assert_eq!(page(w, "beta", "/work/animals/dryOff?organization=1").await.status, 403);
        assert_eq!(page(w, "", "/work/animals/dryOff").await.status, 303);
        for missing in ["/work/animals/nope", "/work/herds/dryOff", "/work/nope/dryOff"] {
            assert_eq!(page(w, "alpha", missing).await.status, 404, "{missing}");
        }
    })
    .await;
}

#[tokio::test]
async fn what_the_checks_found_is_counted_by_check_and_by_farm() {
    World::each(async |w| {
        for day in ["2025-05-01", "2025-05-02"] {
            made!(w, "alpha", "weighings", {"animal": 2, "date": (day), "weight": 6500});
        }
        made!(w, "alpha", "calvings", {"animal": 2, "date": "2023-03-01", "number": 1});
        made!(w, "alpha", "inseminations", {"animal": 2, "date": "2023-03-06", "bull": 1});
        let counted = ask!(w, "alpha", "GET /api/check-findings/counts?by=code,severity" => 200).json();
        let has = |code: &str, severity: &str, n: u64| {
            let group = json!({"code": code, "severity": severity, "n": n});
            assert!(counted["groups"].as_array().unwrap().contains(&group), "{group}: {counted}");
        };
        has("weight-implausible", "note", 2);
        has("insemination-too-soon", "fix", 1);
        let home = page(w, "alpha", "/").await;
        assert_sound(&home, "alpha");
        let (first, folded) = home.text.split_once("<details class=\"queue\"><summary>Notes").unwrap();
        for (part, code, deed) in [
            (first, "insemination-too-soon", "Correct all of them"),
            (folded, "weight-implausible", "Look at all of them"),
        ] {
            let of = "where%5Borganization%5D%5Bequals%5D=1&amp;where%5Bstate%5D%5Bequals%5D=open";
            let way = format!("/book/check-findings?where%5Bcode%5D%5Bequals%5D={code}&amp;{of}\">{deed}</a>");
            assert!(part.contains(&way), "{way}: {part}");
        }
        page(w, "beta", "/").await.lacks(&["To correct", "Notes"]);
        let farms = page(w, "expert", "/").await;
        farms.has(&["Quality of data by farm", ">Alpha</a>"]);
        russian(w, "expert", "/").await.has(&["Качество данных по хозяйствам"]);
        // Nobody counts what he does not read, nor by what is not offered.
        assert_eq!(ask!(w, "beta", "GET /api/check-findings/counts?by=code" => 200).json()["groups"], json!([]));
        for bad in ["", "by=", "by=message.en", "by=code,nope", "by=code,code", "by=code&where[nope][equals]=1"] {
            ask!(w, "alpha", "GET /api/check-findings/counts?{bad}" => 400);
        }
        ask!(w, "alpha", "GET /api/animals/counts?by=sex" => 404);
    })
    .await;
}

#[tokio::test]
async fn a_farm_reads_what_came_lately() {
    World::each(async |w| {
        family(w).await;
        let sale = made!(w, "alpha", "movements", {"animal": 2, "date": "2026-02-20", "kind": "sale", "to": 2});
        let body = json!({"title": "Certificate", "type": PEDIGREE, "animal": COW, "organization": 1});
        let certificate = w.made("expert", "documents", body).await;
        let file = "Инд.№;Дата замера;Удой за день, кг\r\n960000000004;01.02.2026;30,5\r\n";
        let package = sent(w, "alpha", "t.csv", file.as_bytes(), &json!({"kind": "productivity"})).await["id"].clone();
        let package = package.as_i64().unwrap();
        let came = async |who: &str| {
            let home = page(w, who, "/").await;
            assert_sound(&home, who);
            let (_, news) = home.text.split_once("What came in the last 30 days").unwrap_or_default();
            [("movements", sale), ("documents", certificate), ("data-submissions", package)]
                .map(|(slug, id)| news.contains(&format!("/book/{slug}/{id}\"")))
        };
        // A draft is no document yet, and a package that waits for its check was not sent back.
        assert_eq!(came("alpha").await, [false; 3]);
        changed!(w, "expert", "documents", certificate, {"issuedAt": "2026-03-01"});
        changed!(w, "expert", "data-submissions", package, {"status": "checking"});
        changed!(w, "expert", "data-submissions", package, {"status": "uploaded", "review": {"comment": "Other units."}});
        assert_eq!(came("alpha").await, [false, true, true]);
        assert_eq!(came("beta").await, [true, false, false]);
        assert_eq!(came("expert").await, [false; 3]);
        russian(w, "beta", "/").await.has(&["Что пришло за последние 30 дней"]);
    })
    .await;
}

#[tokio::test]
async fn a_farm_reads_its_newest_certificates() {
    World::each(async |w| {
        family(w).await;
        page(w, "alpha", "/").await.lacks(&[">Certificates</a>"]);
        let (revoked, valid) = (issued(w, PEDIGREE, BULL).await, issued(w, PEDIGREE, COW).await);
        changed!(w, "expert", "documents", revoked["id"].as_i64().unwrap(), {"revoked": {"at": "2026-03-01", "reason": "Wrong."}});
        let home = page(w, "alpha", "/").await;
        assert_sound(&home, "alpha");
        let all = link(&home, "Certificates");
        let listed = home.text.split(">Certificates</a>").nth(1).unwrap().split("</ul>").next().unwrap();
        assert!(listed.contains("class=\"count\">2<"), "{listed}");
        for (document, animal, state) in [(&revoked, BULL, "Revoked"), (&valid, COW, "valid")] {
            let number = document["number"].as_str().unwrap();
            let one = listed.split("<li>").find(|one| one.contains(number)).unwrap();
            let (record, subject) =
                (format!("/book/documents/{}\"", document["id"]), format!("/book/animals/{animal}\">"));
            let name = format!("Name {animal}");
            for text in [record.as_str(), &subject, &name, state, "datetime=\"2026-03-01\"", "format=pdf"] {
                assert!(one.contains(text), "{text}: {one}");
            }
        }
        page(w, "alpha", &all).await.has(&["class=\"count\">2<"]);
        // Those of others, and those of all farms, are no matter of this page.
        for who in ["beta", "expert"] {
            page(w, who, "/").await.lacks(&[">Certificates</a>"]);
        }
        russian(w, "alpha", "/").await.has(&[">Свидетельства</a>", "действует"]);
    })
    .await;
}

#[tokio::test]
async fn the_association_takes_many_of_a_queue_at_once() {
    World::each(async |w| {
        let mut ids = Vec::new();
        for day in 1..3 {
            let file = format!("Инд.№;Дата замера;Удой за день, кг\r\n960000000002;0{day}.02.2026;30,5\r\n");
            let package = sent(w, "alpha", "t.csv", file.as_bytes(), &json!({"kind": "productivity"})).await;
            ids.push(package["id"].as_i64().unwrap());
        }
        let home = page(w, "expert", "/").await;
        assert_sound(&home, "expert");
        let chosen: Vec<String> = ids.iter().map(|id| format!("name=\"id\" value=\"{id}\"")).collect();
        home.has(&[
            "action=\"/work/data-submissions/take\"",
            &chosen[0],
            &chosen[1],
            "where[review.assignee][exists]=false",
        ]);
        page(w, "alpha", "/").await.lacks(&["/work/data-submissions/take"]);
        let [first, second] = [ids[0].to_string(), ids[1].to_string()];
        let done = send(w, "expert", "/work/data-submissions/take", &[("id", &first), ("id", &second)]).await;
        assert_eq!((done.status, done.header("location")), (303, "/"));
        let assignee = async |id: i64| w.doc("data-submissions", id).await["review"]["assignee"].clone();
        for id in &ids {
            assert_eq!(assignee(*id).await, 2);
        }
        // A farm takes nothing, and who is nobody neither.
        for who in ["alpha", ""] {
            let refused = send(w, who, "/work/data-submissions/take", &[("id", &first)]).await;
            assert_ne!((refused.status, refused.header("location")), (303, "/"), "{who}");
        }
        assert_eq!(assignee(ids[0]).await, 2);
    })
    .await;
}

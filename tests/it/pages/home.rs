//! The start page of a member: what came to the organisation lately.

use crate::packages::desk::sent;
use crate::pages::{assert_sound, page, russian};
use crate::rest::certificates::issue::{COW, PEDIGREE, family};
use crate::rest::world::World;
use serde_json::json;

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

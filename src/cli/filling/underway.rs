//! What is under way in the demonstration: pictures of cows, packages in several states, requests, a certificate, a
//! value to correct, a sale, what others are asked for. Its accounts do all of it through the API, so that nothing is
//! there that a person could not have made.

use super::generate::PASSWORD;
use super::portrait;
use crate::jobs::reader;
use api::{AppState, router};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Method, Request, header};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use model::error::{Error, Result};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;
use tower::ServiceExt;

/// Accounts of the demonstration, and the organisations of the farms.
const ASSOCIATION: &str = "association";
const FARM: &str = "farm1";
const OTHER_FARM: &str = "farm2";
const PARTNER: &str = "partner";
const OF_FARM: i64 = 2;
const OF_OTHER_FARM: i64 = 3;
/// The laboratory that vouches for tests.
const LABORATORY: i64 = 5;
/// Animals of a farm that have a picture.
const PICTURED: usize = 6;
/// Longest answer, bytes.
const ANSWER_MAX: usize = 16 << 20;
/// Parts a form.
const BOUNDARY: &str = "part-of-the-form";

/// Cows of a farm that give milk.
const IN_MILK: &str = "where[state][equals]=alive&where[current.lactationStatus][equals]=lactating&sort=id&depth=0";
const HEIFERS: &str = "where[state][equals]=alive&where[ageGroup][equals]=heifer&sort=id&depth=0";
/// Females whose parents and grandparents are in the book, and that have an index, as certificates need them.
const CERTIFIABLE: &str = "where[state][equals]=alive&where[sex][equals]=female&where[ipc][exists]=true\
    &where[father.father][exists]=true&where[father.mother][exists]=true\
    &where[mother.father][exists]=true&where[mother.mother][exists]=true&sort=id&depth=0";

/// Begins all of it, after the last day of the book.
///
/// # Errors
/// When the API refuses a step.
pub(super) async fn begin(app: &Arc<AppState>, last_day: Date) -> Result<()> {
    let mut desk =
        Desk { app: Arc::clone(app), router: router(Arc::clone(app)), day: last_day, tokens: BTreeMap::new() };
    for who in [ASSOCIATION, FARM, OTHER_FARM, PARTNER] {
        let body = json!({"email": format!("{who}@demo.herdbook"), "password": PASSWORD}).to_string();
        let answer = desk.call("", Method::POST, "users/login", "application/json", body).await?;
        let token = answer.get("token").and_then(Value::as_str).ok_or_else(|| Error::internal("no token"))?;
        desk.tokens.insert(who, token.to_owned());
    }
    let cows = desk.animals(OF_FARM, IN_MILK).await?;
    let theirs = desk.animals(OF_OTHER_FARM, IN_MILK).await?;
    desk.pictures(&cows, &theirs).await?;
    desk.packages(&cows, &theirs).await?;
    desk.requests(&cows).await?;
    desk.certificate().await?;
    desk.questions(&cows).await
}

/// An animal: id and number.
type Animal = (i64, String);

struct Desk {
    app: Arc<AppState>,
    router: Router,
    day: Date,
    /// What each account signs in with.
    tokens: BTreeMap<&'static str, String>,
}

impl Desk {
    /// Pictures of cows, of which the Association approved those of the first farm.
    async fn pictures(&self, cows: &[Animal], theirs: &[Animal]) -> Result<()> {
        for (who, animals) in [(FARM, cows), (OTHER_FARM, theirs)] {
            for (animal, number) in animals.iter().take(PICTURED) {
                let (name, picture) = (format!("{number}.png"), portrait::png(number)?);
                let fields = json!({
                    "animal": animal, "view": "head", "takenOn": self.day.to_string(), "caption": "Рисунок",
                });
                let item = self.sent(who, "animal-gallery", (name.as_str(), "image/png"), &picture, &fields).await?;
                self.changed(who, &format!("animals/{animal}"), &json!({"photo": item.get("media")})).await?;
                if who == FARM {
                    let item = format!("animal-gallery/{}", id(Some(&item))?);
                    self.changed(ASSOCIATION, &item, &json!({"moderation": "approved"})).await?;
                }
            }
        }
        Ok(())
    }

    /// One package signed, one sent back with rows to correct, one that waits, and one that the Association is checking.
    async fn packages(&self, cows: &[Animal], theirs: &[Animal]) -> Result<()> {
        let day = self.day.strftime("%d.%m.%Y");
        let test_day = |animals: &[Animal]| {
            let mut table = "Инд.№;Дата замера;Удой за день, кг;Жир;Белок\n".to_owned();
            for ((_, number), at) in animals.iter().take(10).zip(0..) {
                let (milk, fat, protein) = (24 + at, 36 + at % 5, 31 + at % 4);
                let _ = writeln!(table, "{number};{day};{milk},4;{},{};3,{}", fat / 10, fat % 10, protein % 10);
            }
            table
        };
        let (first, second) = cows.split_at_checked(10).unwrap_or((cows, &[]));
        let signed = self.package(FARM, "control-1.csv", &test_day(first)).await?;
        self.move_package(signed, &["checking", "checked"]).await?;
        self.changed(FARM, &format!("data-submissions/{signed}"), &json!({"consent": {"agreed": true}})).await?;

        // A number that the book does not have, a yield of a month, a column that nobody knows.
        let mut table = test_day(second).replacen("Белок\n", "Белок;Нрав\n", 1);
        let _ = writeln!(table, "960009999999;{day};25,0;3,9;3,2;спокойная");
        if let Some((_, number)) = first.first() {
            let _ = writeln!(
                table,
                "{number};{};780;3,9;3,2;спокойная",
                self.day.saturating_sub(1.day()).strftime("%d.%m.%Y")
            );
        }
        let back = self.package(FARM, "control-2.csv", &table).await?;
        self.move_package(back, &["checking"]).await?;
        let comment = "Проверьте удой 780 кг и корову, которой нет в книге.";
        let body = json!({"status": "uploaded", "review": {"comment": comment}});
        self.changed(ASSOCIATION, &format!("data-submissions/{back}"), &body).await?;

        let mut weights = "Инд.№;Дата взвешивания;Вес, кг\n".to_owned();
        for ((_, number), at) in first.iter().take(5).zip(0..) {
            let _ = writeln!(weights, "{number};{day};{}", 590 + 7 * at);
        }
        self.package(FARM, "weighings.csv", &weights).await?;
        let checking = self.package(OTHER_FARM, "control.csv", &test_day(theirs)).await?;
        self.move_package(checking, &["checking"]).await
    }

    /// Sends a file, and has it read; the id of the package.
    async fn package(&self, who: &str, name: &str, table: &str) -> Result<i64> {
        let package = self.sent(who, "data-submissions", (name, "text/csv"), table.as_bytes(), &json!({})).await?;
        self.read().await?;
        id(Some(&package))
    }

    /// Sends a file with the fields of its row, which is answered.
    async fn sent(
        &self,
        who: &str,
        slug: &str,
        (name, kind): (&str, &str),
        file: &[u8],
        fields: &Value,
    ) -> Result<Value> {
        let head = format!(
            "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"_payload\"\r\n\r\n{fields}\r\n--{BOUNDARY}\r\n\
             Content-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\nContent-Type: {kind}\r\n\r\n"
        );
        let form = [head.as_bytes(), file, format!("\r\n--{BOUNDARY}--\r\n").as_bytes()].concat();
        let kind = format!("multipart/form-data; boundary={BOUNDARY}");
        let answer = self.call(who, Method::POST, &format!("{slug}?depth=0"), &kind, form).await?;
        Ok(answer.get("doc").cloned().unwrap_or_default())
    }

    /// Reads packages that wait, and has what they brought checked.
    async fn read(&self) -> Result<()> {
        let reader = reader(&self.app);
        while self.app.book.run_job(&reader).await? {}
        Ok(())
    }

    async fn move_package(&self, package: i64, states: &[&str]) -> Result<()> {
        for state in states {
            self.changed(ASSOCIATION, &format!("data-submissions/{package}"), &json!({"status": state})).await?;
            self.read().await?;
        }
        Ok(())
    }

    /// A request that is new, and one that the Association is checking.
    async fn requests(&self, cows: &[Animal]) -> Result<()> {
        if let [(first, _), (second, _), (third, _), ..] = cows {
            self.made(FARM, "verification-requests", &json!({"animals": [first], "purpose": "trust"})).await?;
            let body = json!({"animals": [second, third], "purpose": "trust"});
            let request = self.made(FARM, "verification-requests", &body).await?;
            self.changed(ASSOCIATION, &format!("verification-requests/{request}"), &json!({"status": "checking"}))
                .await?;
        }
        Ok(())
    }

    /// A certificate of a cow: a genetic test confirms her parents, and the Association approves her.
    async fn certificate(&self) -> Result<()> {
        let Some((cow, _)) = self.animals(OF_FARM, CERTIFIABLE).await?.into_iter().next() else {
            return Ok(());
        };
        let test = json!({
            "date": self.day.saturating_sub(60.days()).to_string(), "verdict": "confirmed", "authMethod": "byOM",
            "laboratory": LABORATORY, "attestedBy": "laboratory", "certificateNumber": "ГЭ-0107",
        });
        self.changed(ASSOCIATION, &format!("animals/{cow}"), &json!({"dnaTests": [test]})).await?;
        let body = json!({"animals": [cow], "purpose": "trust"});
        let request = self.made(FARM, "verification-requests", &body).await?;
        for state in ["checking", "approved"] {
            self.changed(ASSOCIATION, &format!("verification-requests/{request}"), &json!({"status": state})).await?;
        }
        let certificate = json!({
            "title": "Зоотехническое свидетельство", "type": "zootechnicalCertificate", "animal": cow,
            "organization": OF_FARM, "issuedAt": self.day.to_string(),
        });
        self.made(ASSOCIATION, "documents", &certificate).await.map(drop)
    }

    /// A value to correct, a sale to the other farm, what others wish to see, and what the Association wishes to have.
    async fn questions(&self, cows: &[Animal]) -> Result<()> {
        let today = Timestamp::from_millisecond(self.app.book.clock.now()).map_err(Error::internal)?;
        let soon = today.to_zoned(TimeZone::UTC).date().saturating_add(14.days()).to_string();
        let day = self.day.to_string();
        if let [.., (tested, _), _, _] = cows {
            // Typed by hand, with the fat of another column: a finding for the farm to correct.
            let test = json!({
                "animal": tested, "date": self.day.saturating_sub(1.day()).to_string(),
                "milkYield": 25.1, "fatPercent": 12.0, "proteinPercent": 3.2,
            });
            self.made(FARM, "milk-tests", &test).await?;
        }
        if let Some((sold, _)) = self.animals(OF_FARM, HEIFERS).await?.first() {
            let sale = json!({"animal": sold, "date": day, "kind": "sale", "to": OF_OTHER_FARM});
            self.made(FARM, "movements", &sale).await?;
        }
        if let [.., (shown, _), _] = cows {
            let wish = json!({"animal": shown, "scopes": ["documents"], "note": "Для заключения о стаде"});
            self.made(PARTNER, "access-requests", &wish).await?;
            let link = json!({"animals": [shown], "scopes": ["origin", "production"], "expiresAt": soon});
            self.made(FARM, "share-links", &link).await?;
        }
        let assignment = json!({
            "organization": OF_FARM, "kind": "events", "periodFrom": self.day.saturating_sub(30.days()).to_string(),
            "periodTo": day, "dueDate": soon, "comment": "Контрольные доения за месяц",
        });
        self.made(ASSOCIATION, "upload-assignments", &assignment).await?;
        let invited = json!({"email": "vet@demo.herdbook", "organization": OF_FARM, "orgRole": "viewer"});
        self.made(FARM, "invitations", &invited).await.map(drop)
    }

    /// Animals of an organisation.
    async fn animals(&self, owner: i64, query: &str) -> Result<Vec<Animal>> {
        let path = format!("animals?{query}&where[owner][equals]={owner}&limit=30&select[identNumber]=true");
        let answer = self.call(ASSOCIATION, Method::GET, &path, "application/json", String::new()).await?;
        let docs = answer.get("docs").and_then(Value::as_array).into_iter().flatten();
        docs.map(|doc| {
            let number = doc.get("identNumber").and_then(Value::as_str).unwrap_or_default();
            Ok((id(Some(doc))?, number.to_owned()))
        })
        .collect()
    }

    async fn made(&self, who: &str, slug: &str, body: &Value) -> Result<i64> {
        let path = format!("{slug}?depth=0");
        let answer = self.call(who, Method::POST, &path, "application/json", body.to_string()).await?;
        id(answer.get("doc"))
    }

    async fn changed(&self, who: &str, row: &str, body: &Value) -> Result<()> {
        let path = format!("{row}?depth=0");
        self.call(who, Method::PATCH, &path, "application/json", body.to_string()).await.map(drop)
    }

    async fn call(&self, who: &str, method: Method, path: &str, kind: &str, body: impl Into<Body>) -> Result<Value> {
        let mut request = Request::builder().method(method.clone()).uri(format!("/api/{path}"));
        request = request.header(header::CONTENT_TYPE, kind);
        if let Some(token) = self.tokens.get(who) {
            request = request.header(header::AUTHORIZATION, format!("JWT {token}"));
        }
        let request = request.body(body.into()).map_err(Error::internal)?;
        let response = match self.router.clone().oneshot(request).await {
            Ok(response) => response,
            Err(never) => match never {},
        };
        let status = response.status();
        let bytes = to_bytes(response.into_body(), ANSWER_MAX).await.map_err(Error::internal)?;
        match status.is_success() {
            true => serde_json::from_slice(&bytes).map_err(Error::internal),
            false => {
                let text = String::from_utf8_lossy(&bytes);
                Err(Error::internal(format!("{method} /api/{path} answered {status}: {text}")))
            }
        }
    }
}

fn id(row: Option<&Value>) -> Result<i64> {
    let id = row.and_then(|row| row.get("id")).and_then(Value::as_i64);
    id.ok_or_else(|| Error::internal("a row without an id"))
}

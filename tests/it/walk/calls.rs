//! The calls that pages of the documentation show, in their order, on a demonstration book: from the upload of a package
//! to its signature and to whoever verifies it (docs/packages.md), and from a request to its decision
//! (docs/requests.md).

use super::demo::Demo;
use serde_json::{Value, json};
use std::process::Command;
use tempfile::TempDir;

const PACKAGES: &str = include_str!("../../../docs/packages.md");
const REQUESTS: &str = include_str!("../../../docs/requests.md");
const FARM: &str = "farm1@demo.herdbook";
const ASSOCIATION: &str = "association@demo.herdbook";
/// How often a call is repeated that waits for the server.
const LOOKS: usize = 3_000;

/// A shell in which calls of a page are made, with what stands in place of the numbers of the page.
struct Calls<'d> {
    demo: &'d Demo,
    tokens: [String; 2],
    dir: TempDir,
    instead: Vec<(&'static str, String)>,
}

impl<'d> Calls<'d> {
    async fn on(demo: &'d Demo) -> Self {
        Self {
            demo,
            tokens: [demo.sign_in(FARM).await, demo.sign_in(ASSOCIATION).await],
            dir: tempfile::tempdir().unwrap(),
            instead: Vec::new(),
        }
    }

    async fn farm(&self, path: &str) -> Value {
        let (status, answer) = self.demo.ask(&self.tokens[0], path).await;
        assert_eq!(status, 200, "{path}: {answer}");
        answer
    }

    /// The id that the next row of a collection gets.
    async fn next_id(&self, slug: &str) -> i64 {
        let (_, before) = self.demo.ask(&self.tokens[1], &format!("/api/{slug}?sort=-id&limit=1")).await;
        before["docs"][0]["id"].as_i64().unwrap_or_default() + 1
    }

    fn written(&self, text: &str) -> String {
        let text = text.to_owned();
        let put = |text: String, (from, to): &(&str, String)| text.replace(from, to);
        self.instead.iter().fold(text, put)
    }

    /// What a command prints. It must succeed.
    fn run(&self, command: &str) -> String {
        let [farm, association] = &self.tokens;
        let script = format!(
            "set -e\nFARM={farm}\nASSOCIATION={association}\nHUB={}\njson='Content-Type: application/json'\n\
             curl() {{ command curl -sS --fail-with-body \"$@\"; }}\n\
             herdbook() {{ '{}' \"$@\"; }}\n{}\n",
            self.demo.url,
            env!("CARGO_BIN_EXE_herdbook"),
            self.written(command)
        );
        let mut bash = Command::new("bash");
        let output = bash.args(["-c", &script]).current_dir(self.dir.path());
        let output = output.output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{command}\n{error}\n{text}");
        text
    }

    fn json(&self, command: &str) -> Value {
        let output = self.run(command);
        serde_json::from_str(&output).unwrap_or_else(|why| panic!("{command}: {why}\n{output}"))
    }
}

/// The blocks of a page below a heading, up to the next one: their language, and their text.
fn blocks(page: &'static str, heading: &str) -> Vec<(&'static str, &'static str)> {
    let (_, section) = page.split_once(&format!("{heading}\n")).unwrap();
    let section = section.split("\n## ").next().unwrap();
    let fenced = section.split("```").skip(1).step_by(2);
    fenced.map(|block| block.split_once('\n').unwrap()).collect()
}

/// The requests of a block, one a line.
fn requests(block: &str) -> Vec<&str> {
    block.lines().filter(|line| line.starts_with("curl ")).collect()
}

fn has_tools(tools: &[&str]) -> bool {
    let there = |tool: &&str| Command::new(tool).arg("--version").output().is_ok();
    let all = tools.iter().all(there);
    if !all {
        test_support::left_out("the calls of the documentation", "a tool is missing");
    }
    all
}

#[tokio::test]
async fn a_package_goes_from_upload_to_signature_as_the_page_says() {
    if !has_tools(&["curl", "jq", "openssl"]) {
        return;
    }
    let demo = Demo::start(120);
    let mut calls = Calls::on(&demo).await;
    let latest = calls
        .farm("/api/milk-tests?where[animal.owner][equals]=2&where[animal.state][equals]=alive&sort=-date&limit=1&depth=1")
        .await;
    let cow = latest["docs"][0]["animal"]["identNumber"].as_str().unwrap().to_owned();
    let id = calls.next_id("data-submissions").await;
    calls.instead = vec![
        ("643000000000001", cow),
        ("12.03.2026", "05.07.2025".to_owned()),
        ("data-submissions/1", format!("data-submissions/{id}")),
        ("[submission][equals]=1", format!("[submission][equals]={id}")),
        ("https://herdbook.example", demo.url.clone()),
        ("package-000001.ndjson", "package.ndjson".to_owned()),
    ];
    let [("csv", table), ("sh", shown)] = blocks(PACKAGES, "## From upload to signature")[..] else {
        panic!("the blocks of the page changed");
    };
    let shown = requests(shown);
    let (first, second) = shown.split_at(5);
    std::fs::write(calls.dir.path().join("tests.csv"), calls.written(table)).unwrap();
    uploads(&calls, first);
    reviews(&calls, id, second).await;
    let signed = std::fs::read_to_string(calls.dir.path().join("package.ndjson")).unwrap();
    assert_eq!(signed.lines().count(), 2, "{signed}");

    let verifying = blocks(PACKAGES, "## Verifying");
    let shown: Vec<&str> = verifying.iter().filter(|(language, _)| *language == "sh").map(|(_, text)| *text).collect();
    let output = calls.run(shown[0]);
    assert!(output.contains("\"rows\":1"), "{output}");
    let output = calls.run(shown[1]);
    let sums: Vec<&str> = output.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(sums[0], sums[1], "{output}");
    assert!(output.contains("Signature Verified Successfully"), "{output}");
    demo.stop();
}

/// Preview, upload, the rows and what is to be mended.
fn uploads(calls: &Calls<'_>, shown: &[&str]) {
    let [preview, upload, until, held, table] = shown else {
        panic!("{shown:?}");
    };
    holds!(calls.json(preview), {"rows": 1, "created": 1, "held": 0});
    let sent = calls.json(upload);
    assert_eq!(sent["doc"]["status"], "uploaded", "{sent}");
    let read = (0..LOOKS).find_map(|_| {
        let answer = calls.json(until);
        (answer["intake"]["state"] == "read" && answer["intake"]["unchecked"] != true).then_some(answer)
    });
    holds!(read.unwrap(), {"intake.created": 1, "intake.held": 0});
    assert_eq!(calls.json(held)["totalDocs"], 0);
    calls.run(table);
    let mend = std::fs::read_to_string(calls.dir.path().join("mend.csv")).unwrap();
    assert!(mend.contains("Инд.№"), "{mend}");
}

/// Taken, sent back, taken again, signed, agreed to, downloaded.
async fn reviews(calls: &Calls<'_>, id: i64, shown: &[&str]) {
    let [take, fixes, findings, sample, back, second, sign, agree, download] = shown else {
        panic!("{shown:?}");
    };
    let status = |command: &str| calls.json(command)["doc"]["status"].as_str().unwrap().to_owned();
    assert_eq!(status(take), "checking");
    calls.json(findings);
    assert_eq!(calls.json(sample)["rows"], 1);
    assert_eq!(status(back), "uploaded");
    assert_eq!(status(second), "checking");
    for finding in calls.json(fixes)["docs"].as_array().unwrap() {
        let path = format!("/api/check-findings/{}", finding["id"]);
        let reason = json!({"state": "dismissed", "dismissed": {"reason": "a made-up herd"}});
        calls.run(&format!(
            "curl -X PATCH -H \"Authorization: JWT $ASSOCIATION\" -H \"$json\" -d '{reason}' $HUB{path}"
        ));
    }
    assert_eq!(status(sign), "checked");
    assert_eq!(status(agree), "accepted");
    let rows = calls.farm(&format!("/api/milk-tests?where[submission][equals]={id}")).await;
    holds!(rows, {"totalDocs": 1, "docs.0.verification": "verified"});
    calls.run(download);
}

#[tokio::test]
async fn a_request_is_decided_as_the_page_says() {
    if !has_tools(&["curl"]) {
        return;
    }
    let demo = Demo::start(120);
    let mut calls = Calls::on(&demo).await;
    let cows = calls.farm("/api/animals?where[owner][equals]=2&where[state][equals]=alive&limit=1&depth=0").await;
    let cow = cows["docs"][0]["id"].as_i64().unwrap();
    let id = calls.next_id("verification-requests").await;
    calls.instead =
        vec![("[20]", format!("[{cow}]")), ("verification-requests/1", format!("verification-requests/{id}"))];
    let [("sh", shown), ..] = blocks(REQUESTS, "# Requests")[..] else {
        panic!("the page has no calls");
    };
    let [ask, take, decision, approve, decided] = requests(shown)[..] else {
        panic!("{shown}");
    };
    holds!(calls.json(ask), {"doc.id": id, "doc.status": "new"});
    holds!(calls.json(take), {"doc.status": "checking"});
    let would = calls.json(decision);
    assert_eq!(would["approvedCount"].as_i64().unwrap() + would["heldCount"].as_i64().unwrap(), 1, "{would}");
    holds!(calls.json(approve), {"doc.status": "approved"});
    let did = calls.json(decided);
    assert_eq!(did["review"]["approvedCount"], would["approvedCount"], "{did}");
    demo.stop();
}

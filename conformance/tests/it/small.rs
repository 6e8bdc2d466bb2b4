//! The runner against a server of one collection, written by hand so that it can break off answers
//! and put off requests as a test demands.

use ade_conformance::report::json;
use ade_conformance::{Auth, Class, Options, Outcome, Quiet, Report, run};
use tokio::net::TcpListener;

use crate::wire;

const TOKEN: &str = "secret-token-of-the-test";

#[derive(Clone, Copy, PartialEq)]
enum Habit {
    Good,
    /// Promises more bytes than it sends.
    Cuts,
    /// Puts the third request off by a second.
    PutsOff,
    /// Puts it off without saying how long.
    PutsOffSilently,
    /// Sends back what the request had.
    Echoes,
}

fn answer(habit: Habit, turn: usize, request: &str) -> String {
    let json =
        |status, fields: &str, body: &str, lacking| wire::answer(status, "application/json", fields, body, lacking);
    let refuse = |status, fields: &str, title: &str| {
        let body = format!(r#"{{"errors":[{{"title":"{title}"}}]}}"#);
        json(status, fields, &body, 0)
    };
    let list = |one: &str, lacking| {
        let body = format!(r#"{{"view":{{"totalItems":1}},"member":[{one}]}}"#);
        json(200, "", &body, lacking)
    };
    match (wire::path(request), habit) {
        (_, Habit::PutsOff) if turn == 3 => refuse(429, "retry-after: 1\r\n", "Too many"),
        (_, Habit::PutsOffSilently) if turn == 3 => refuse(429, "", "Too many"),
        _ if !request.to_lowercase().contains(TOKEN) => refuse(401, "www-authenticate: Bearer\r\n", "Who are you?"),
        ("/ade/v1/locations", _) => {
            list(r#"{"resourceType":"icarLocationResource","identifier":{"scheme":"a.b","id":"1"}}"#, 0)
        }
        ("/ade/v1/locations/a.b/1/weights", _) => {
            let note = match habit {
                Habit::Echoes => TOKEN,
                _ => "fine",
            };
            let one = format!(
                r#"{{"resourceType":"icarWeightEventResource","remark":"{note}","animal":{{"scheme":"a.b","id":"7"}},"location":{{"scheme":"a.b","id":"1"}},"eventDateTime":"2024-05-01T10:00:00Z","meta":{{"source":"a.b","sourceId":"w1","modified":"2024-05-01T10:00:00Z"}}}}"#
            );
            list(&one, usize::from(habit == Habit::Cuts) * 20)
        }
        _ => refuse(404, "", "Nothing here"),
    }
}

async fn visit(habit: Habit, classes: &[Class]) -> Report {
    let url = wire::serve(move |turn, request| answer(habit, turn, request)).await;
    let mut options = Options::new(url);
    options.auth = Auth::Token(TOKEN.to_owned());
    options.rate = None;
    options.classes = classes.to_vec();
    run(options, &Quiet).await
}

fn outcome(report: &Report, id: &str) -> Outcome {
    let finding = report.findings.iter().find(|f| f.requirement == id);
    finding.unwrap_or_else(|| panic!("{id}")).outcome
}

#[tokio::test]
async fn what_is_not_offered_is_not_kept() {
    let report = visit(Habit::Good, &[]).await;
    assert_eq!(report.cannot, None);
    assert!(report.target.ends_with("/ade/v1"));
    assert_eq!(report.location.as_deref(), Some("a.b/1"));
    assert_eq!(report.offered, [("weights".to_owned(), 1)]);
    for id in "feed.list feed.complete read.sorting filter.metric".split(' ') {
        assert_eq!(outcome(&report, id), Outcome::NotOffered, "{id}");
    }
    for id in "intake.single batch.order push.atomic security.foreign-location".split(' ') {
        assert_eq!(outcome(&report, id), Outcome::Skipped, "{id}");
    }
    for id in "core.locations read.total filter.animal security.anonymous".split(' ') {
        assert_eq!(outcome(&report, id), Outcome::Pass, "{id}");
    }
    // It serves documents that were not requested: filters have no effect.
    assert_eq!(outcome(&report, "filter.modified-future"), Outcome::Fail);
    assert_eq!(outcome(&report, "filter.animal-unknown"), Outcome::Fail);
    assert_eq!(report.exit_code(), 1);
}

#[tokio::test]
async fn a_body_that_breaks_off_is_noticed() {
    let report = visit(Habit::Cuts, &[Class::Core]).await;
    assert_eq!(outcome(&report, "core.body-whole"), Outcome::Fail);
    assert_eq!(outcome(&visit(Habit::Good, &[Class::Core]).await, "core.body-whole"), Outcome::Pass);
}

#[tokio::test]
async fn who_is_put_off_comes_back_when_told() {
    let report = visit(Habit::PutsOff, &[Class::Performance]).await;
    assert!(report.seconds >= 1.0, "{}", report.seconds);
    assert_eq!(outcome(&report, "performance.retry-after"), Outcome::Pass);
    let report = visit(Habit::PutsOffSilently, &[Class::Performance]).await;
    assert_eq!(outcome(&report, "performance.retry-after"), Outcome::Fail);
}

#[tokio::test]
async fn secrets_are_in_no_report_even_if_the_server_sends_them_back() {
    let report = visit(Habit::Echoes, &[Class::Security]).await;
    assert_eq!(outcome(&report, "security.secrets"), Outcome::Fail);
    let text = json::render(&report).unwrap();
    assert!(!text.contains(TOKEN));
    assert!(text.contains("[hidden]"));
}

#[tokio::test]
async fn who_does_not_answer_could_not_be_tested() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let mut options = Options::new(format!("http://{address}"));
    options.rate = None;
    let report = run(options, &Quiet).await;
    assert!(report.cannot.is_some());
    assert_eq!(report.exit_code(), 2);
    assert_eq!(report.count(Outcome::Pass), 0);
}

//! Servers that are not ADE servers, or that are ADE servers beside something else: the report
//! states so truthfully, and first.

use ade_conformance::report::{html, terminal};
use ade_conformance::{Class, Options, Outcome, Quiet, Report, run};
use faulty_server::{ASSOCIATION, Fault, PASSWORD, Server};

use crate::wire;

async fn visit(url: &str, change: impl FnOnce(&mut Options)) -> Report {
    let mut options = Options::new(url);
    options.rate = None;
    change(&mut options);
    run(options, &Quiet).await
}

/// The first line of the summary.
fn first_line(report: &Report) -> String {
    let text = terminal::render(report);
    text.lines().next().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn who_answers_html_alone_could_not_be_tested() {
    let url = wire::serve(|_, _| wire::answer(200, "text/html", "", "<!DOCTYPE html><p>Welcome</p>", 0));
    let url = url.await;
    let report = visit(&url, |_| {}).await;
    assert_eq!(report.exit_code(), 2);
    assert_eq!(report.count(Outcome::Fail) + report.count(Outcome::Warning), 0);
    let expected = format!("Could not test: The server answers HTML, not ADE: GET {url}/locations gave 200 text/html");
    assert_eq!(first_line(&report), expected);
    // With a sign-in as well as without.
    let login = |options: &mut Options| {
        options.auth = ade_conformance::Auth::Login { email: "a@b.example".to_owned(), password: "secret".to_owned() };
    };
    let report = visit(&url, login).await;
    let first = first_line(&report);
    assert!(first.contains("answers HTML, not ADE: POST"), "{first}");
}

#[tokio::test]
async fn who_only_fails_could_not_be_tested() {
    let answer = |_, _: &str| wire::answer(500, "application/json", "", "{}", 0);
    let url = wire::serve(answer).await;
    let report = visit(&url, |_| {}).await;
    assert_eq!(report.exit_code(), 2);
    assert_eq!(report.count(Outcome::Fail), 0);
    let expected = format!("Could not test: The server only fails: GET {url}/locations gave 500");
    assert_eq!(first_line(&report), expected);
}

#[tokio::test]
async fn whose_answers_all_break_off_could_not_be_tested() {
    let body = r#"{"view": {"totalItems": 1}, "member": ["#;
    let url = wire::serve(move |_, _| wire::answer(200, "application/json", "", body, 30));
    let url = url.await;
    let report = visit(&url, |_| {}).await;
    assert_eq!(report.exit_code(), 2);
    assert_eq!(report.count(Outcome::Fail), 0);
    let first = first_line(&report);
    let expected = format!(
        "Could not test: The server's answers break off: GET {url}/locations gave 200 and {} bytes",
        body.len()
    );
    assert!(first.starts_with(&expected), "{first}");
}

/// One collection with the errors of the standard, and everything else as a web server has it.
fn beside_a_site(_: usize, request: &str) -> String {
    let json = |status, body: &str| wire::answer(status, "application/json", "", body, 0);
    let place = r#"{"scheme":"a.b","id":"1"}"#;
    let (method, path) = (request.split(' ').next(), wire::path(request));
    let collection = path.starts_with("/locations/") && path.ends_with("/weights");
    if collection && (method != Some("GET") || !path.contains("/a.b/1/")) {
        return json(404, r#"{"errors":[{"title":"Not at this location"}]}"#);
    }
    if path == "/locations" {
        let one = format!(r#"{{"resourceType":"icarLocationResource","identifier":{place}}}"#);
        return json(200, &format!(r#"{{"member":[{one}],"view":{{"totalItems":1}}}}"#));
    }
    if collection {
        return json(200, r#"{"member":[],"view":{"totalItems":0}}"#);
    }
    json(404, r#"{"message":"no such page","path":"elsewhere"}"#)
}

#[tokio::test]
async fn what_a_server_does_not_have_is_not_judged_as_an_error_of_ade() {
    let url = wire::serve(beside_a_site).await;
    let classes = |options: &mut Options| options.classes = vec![Class::Core, Class::Errors];
    let report = visit(&url, classes).await;
    assert_eq!(report.cannot, None);
    for id in ["errors.body", "errors.media-type"] {
        let one = report.findings.iter().find(|one| one.requirement == id);
        let one = one.unwrap();
        assert_eq!(one.outcome, Outcome::Pass, "{id}: {:?}", one.evidence);
    }
    // Refusals within the collection are still judged.
    let answer = |turn, request: &str| {
        beside_a_site(turn, request).replace(r#"{"errors":[{"title":"Not"#, r#"{"nothing":[{"tit":"Not"#)
    };
    let url = wire::serve(answer).await;
    let report = visit(&url, classes).await;
    assert!(report.ids(Outcome::Fail).contains(&"errors.body"));
}

#[tokio::test]
async fn what_the_run_sent_and_came_back_changed_is_in_the_summary() {
    let served = faulty_server::Options { fault: Some(Fault::PostForgetsMembers), ..faulty_server::Options::default() };
    let server = Server::start(served).await.unwrap();
    let url = server.url();
    let report = visit(&url, |options| {
        options.auth = ade_conformance::Auth::Login { email: ASSOCIATION.to_owned(), password: PASSWORD.to_owned() };
        options.allow_writes = true;
        options.classes = vec![Class::Intake];
        options.patience = std::time::Duration::from_millis(300);
    });
    let report = report.await;
    assert!(!report.changed.is_empty());
    let text = terminal::render(&report);
    let (_, summary) = text.split_once("not offered  skipped").unwrap();
    let line = summary.lines().find(|line| line.starts_with("CHANGED: weights "));
    let line = line.unwrap_or_else(|| panic!("{text}"));
    assert!(line.contains("did not come back"), "{line}");
    let page = html::render(&report);
    let (head, _) = page.split_once("By class").unwrap();
    assert!(head.contains("did not come back"));
}

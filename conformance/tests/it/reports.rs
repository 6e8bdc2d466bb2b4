//! Reports in each form, of a made-up run.

use ade_conformance::report::terminal;
use ade_conformance::report::{Evidence, Finding, Outcome, Report, ShownExchange, html, json, junit, sarif};
use ade_conformance::{Bounds, Class, Profile, Requirements};
use serde_json::{Value, json};

fn report() -> Report {
    let outcomes = Outcome::ALL.into_iter().cycle();
    let findings = Requirements::get().all().iter().zip(outcomes);
    let findings = findings.map(|(requirement, outcome)| {
        let broken = matches!(outcome, Outcome::Fail | Outcome::Warning);
        let exchange = ShownExchange {
            number: 7,
            method: "GET".to_owned(),
            url: "https://ade.example/ade/v1/locations?a=1&b=<2>".to_owned(),
            request_headers: vec![("Authorization".to_owned(), "[hidden]".to_owned())],
            request_body: String::new(),
            status: 200,
            headers: vec![("content-type".to_owned(), "application/json".to_owned())],
            body: "{\"odd\": \"\u{1}<script>alert(1)</script>\"}".to_owned(),
            shortened: true,
            left_out_before: 0,
            broken: None,
        };
        let evidence = Evidence {
            expected: "a \"whole\" <page> & more".to_owned(),
            found: "half".to_owned(),
            exchange: Some(exchange),
        };
        Finding {
            requirement: requirement.id.as_str(),
            level: requirement.level,
            class: requirement.class,
            outcome,
            reason: (!broken && outcome != Outcome::Pass).then(|| "a reason".to_owned()),
            looked: 3,
            broken: usize::from(broken),
            evidence: broken.then_some(evidence).into_iter().collect(),
        }
    });
    Report {
        target: "https://ade.example/ade/v1".to_owned(),
        started: "2026-11-22T16:00:00Z".to_owned(),
        seconds: 12.5,
        requests: 345,
        profile: Profile::FeedProfile,
        classes: Class::ALL.to_vec(),
        writes: true,
        location: Some("nl.ubn/1".to_owned()),
        bounds: Bounds::default(),
        left_out: vec!["weights: read to page 25, not to its end".to_owned()],
        offered: vec![("weights".to_owned(), 2_500)],
        not_offered: vec!["feeds".to_owned()],
        datasets: vec![("weights".to_owned(), 2_500)],
        findings: findings.collect(),
        ..Report::default()
    }
}

/// SARIF 2.1.0 as far as the report uses it: no other members, and the codes of its lists.
fn sarif_members() -> Value {
    let text = json!({"type": "string"});
    let count = json!({"type": "integer", "minimum": 0});
    let message = closed(&["text"], json!({"text": {"type": "string"}}));
    let bag = json!({"type": "object"});
    let level = json!({"enum": ["none", "note", "warning", "error"]});
    let rule = closed(
        &["id"],
        json!({
            "id": text,
            "shortDescription": message,
            "fullDescription": message,
            "help": message,
            "defaultConfiguration": closed(&[], json!({"level": level})),
            "properties": bag,
        }),
    );
    let artifact = closed(&[], json!({"artifactLocation": closed(&[], json!({"uri": text}))}));
    let place = closed(&[], json!({"physicalLocation": artifact}));
    let result = sarif_result(&level, &message, &place);
    let invocation = closed(
        &["executionSuccessful"],
        json!({
            "executionSuccessful": {"type": "boolean"},
            "startTimeUtc": text,
            "exitCode": count,
            "toolExecutionNotifications": {"type": "array"},
        }),
    );
    let driver = closed(
        &["name"],
        json!({"name": text, "semanticVersion": text, "rules": {"type": "array", "items": rule, "uniqueItems": true}}),
    );
    let run = closed(
        &["tool"],
        json!({
            "tool": closed(&["driver"], json!({"driver": driver})),
            "invocations": {"type": "array", "items": invocation},
            "results": {"type": "array", "items": result},
        }),
    );
    closed(
        &["version", "runs"],
        json!({"$schema": text, "version": {"const": "2.1.0"}, "runs": {"type": "array", "items": run}}),
    )
}

/// A result with the exchange that it is about.
fn sarif_result(level: &Value, message: &Value, place: &Value) -> Value {
    let text = json!({"type": "string"});
    let count = json!({"type": "integer", "minimum": 0});
    let bag = json!({"type": "object"});
    let texts = json!({"type": "object", "additionalProperties": {"type": "string"}});
    let body = closed(&[], json!({"text": text}));
    closed(
        &["message"],
        json!({
            "ruleId": text,
            "ruleIndex": count,
            "kind": {"enum": ["notApplicable", "pass", "fail", "review", "open", "informational"]},
            "level": level,
            "message": message,
            "locations": {"type": "array", "items": place},
            "properties": bag,
            "webRequest": closed(&[], json!({
                "protocol": text, "version": text, "target": text, "method": text,
                "headers": texts, "body": body,
            })),
            "webResponse": closed(&[], json!({
                "statusCode": count, "noResponseReceived": {"type": "boolean"},
                "headers": texts, "body": body,
            })),
        }),
    )
}

/// An object without other members.
fn closed(required: &[&str], properties: Value) -> Value {
    json!({"type": "object", "required": required, "properties": properties, "additionalProperties": false})
}

#[test]
fn sarif_has_the_members_of_its_schema_and_levels_fit_kinds() {
    let report = report();
    let text = sarif::render(&report).unwrap();
    let value: Value = serde_json::from_str(&text).unwrap();
    let validator = jsonschema::validator_for(&sarif_members()).unwrap();
    let faults: Vec<String> =
        validator.iter_errors(&value).map(|fault| format!("{}: {fault}", fault.instance_path())).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    let results = value.pointer("/runs/0/results").unwrap();
    let results = results.as_array().unwrap();
    assert_eq!(results.len(), report.findings.len());
    let rules = value.pointer("/runs/0/tool/driver/rules").unwrap();
    for result in results {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
        // SARIF 2.1.0, 3.27.10: the level is none unless the kind is fail.
        assert_eq!(result["kind"] != "fail", result["level"] == "none", "{result}");
    }
}

#[test]
fn junit_is_whole_xml_and_counts_what_it_has() {
    let report = report();
    let text = junit::render(&report);
    let mut reader = quick_xml::Reader::from_str(&text);
    let (mut cases, mut failures, mut skipped, mut depth) = (0, 0, 0, 0);
    loop {
        use quick_xml::events::Event;
        match reader.read_event().unwrap() {
            Event::Start(e) => {
                depth += 1;
                cases += usize::from(e.name().as_ref() == "testcase");
                failures += usize::from(e.name().as_ref() == "failure");
                skipped += usize::from(e.name().as_ref() == "skipped");
            }
            Event::End(_) => depth -= 1,
            Event::Eof => break,
            _ => {}
        }
    }
    assert_eq!(depth, 0);
    assert_eq!(cases, report.findings.len());
    assert_eq!(failures, report.count(Outcome::Fail));
    assert_eq!(skipped, report.count(Outcome::Skipped) + report.count(Outcome::NotOffered));
    assert!(!text.contains('\u{1}'));
}

#[test]
fn html_stands_alone_and_what_servers_send_stays_text() {
    let text = html::render(&report());
    for outside in ["<script", "src=", "@import", "url(", "<link"] {
        assert!(!text.contains(outside), "{outside}");
    }
    assert!(text.contains("&lt;script&gt;alert(1)"));
    for requirement in Requirements::get().all() {
        assert!(text.contains(&requirement.id), "{}", requirement.id);
    }
}

#[test]
fn json_has_the_words_beside_each_finding_and_the_exit_code() {
    let report = report();
    let value: Value = serde_json::from_str(&json::render(&report).unwrap()).unwrap();
    assert_eq!(value["exitCode"], 1);
    assert_eq!(value["counts"]["fail"], report.count(Outcome::Fail));
    let findings = value["findings"].as_array().unwrap();
    for (finding, one) in findings.iter().zip(&report.findings) {
        assert_eq!(finding["requirement"], one.requirement);
        assert_eq!(finding["title"], one.words().unwrap().title);
    }
}

#[test]
fn exit_codes_tell_kept_broken_and_unknown() {
    let mut report = report();
    assert_eq!(report.exit_code(), 1);
    report.findings.retain(|f| f.outcome != Outcome::Fail);
    assert_eq!(report.exit_code(), 2, "errors of binding requirements remain");
    report.findings.retain(|f| f.outcome != Outcome::Error);
    assert_eq!(report.exit_code(), 0);
    report.cannot = Some("no answer".to_owned());
    assert_eq!(report.exit_code(), 2);
    assert!(terminal::render(&report).contains("Could not test: no answer"));
}

/// The report on a telephone: nothing but tables and bodies in boxes of their own is wider.
#[test]
fn html_fits_a_narrow_screen() {
    let mut report = report();
    let long = "a".repeat(300);
    report.target = format!("https://ade.example/{long}");
    report.location = Some(format!("org.example/{long}"));
    report.left_out.push(long.clone());
    report.left_behind.push(format!("weights {long}"));
    report.changed.push(format!("weights {long}"));
    report.offered.push((long.clone(), 7));
    for finding in &mut report.findings {
        finding.reason = finding.reason.as_ref().map(|_| long.clone());
        for evidence in &mut finding.evidence {
            evidence.expected = long.clone();
            evidence.found = long.clone();
            if let Some(input) = &mut evidence.exchange {
                input.url = format!("https://ade.example/{long}");
                input.body = long.clone();
                input.headers.push((long.clone(), long.clone()));
            }
        }
    }
    let page = html::render(&report);
    assert!(page.contains(r#"name="viewport" content="width=device-width, initial-scale=1""#));
    // Tables scroll in a box of their own.
    let tables: Vec<&str> = page.split("<table").collect();
    for before in tables.iter().rev().skip(1) {
        assert!(before.ends_with(r#"<div class="wide">"#));
    }
    for fact in ".wide{max-width:100%;overflow-x:auto} \
        p,li,h3,code,.tag{overflow-wrap:anywhere} minmax(0,1fr)"
        .split(' ')
    {
        assert!(page.contains(fact), "{fact}");
    }
    match measured(&page) {
        Some(widest) => {
            println!("{widest} pixels of 390");
            assert!(widest <= 390, "{widest} pixels of 390");
        }
        None => println!("chromium is not here: only the style was looked at"),
    }
}

/// The width that a page takes in a frame of 390 pixels, with everything unfolded, as Chromium lays it out.
fn measured(page: &str) -> Option<u32> {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("page.html");
    let open = page.replace("<details>", "<details open>");
    let quoted = open.replace('&', "&amp;").replace('"', "&quot;");
    let frame = format!(
        r#"<iframe style="width:390px;height:800px;border:0" srcdoc="{quoted}" onload="document.body.dataset.widest = this.contentDocument.documentElement.scrollWidth"></iframe>"#
    );
    std::fs::write(&file, format!("<!DOCTYPE html><body>{frame}")).unwrap();
    let out = std::process::Command::new("chromium")
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"])
        .arg(format!("--user-data-dir={}", dir.path().display()))
        .arg(format!("file://{}", file.display()))
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    let (_, rest) = text.split_once("data-widest=\"")?;
    rest.split('"').next()?.parse().ok()
}

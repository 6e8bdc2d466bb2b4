//! The protocol of a package as PDF: the same as its page, in the same words.

use super::protocol::Page;
use crate::layers::language::numbering;
use domain::collections::{Protocol, ProtocolLine};
use model::display::with_days;
use model::messages::text;
use paper::{Block, Day, Head, Look, Sheet, Table};
use std::collections::BTreeMap;

/// The sheet of a protocol.
pub(crate) fn sheet(service: &str, page: Page, protocol: &Protocol) -> Sheet {
    let language = page.0;
    let values = BTreeMap::from([("number".to_owned(), protocol.number.clone())]);
    let title = text(language, "protocol-title", &values);
    let mut blocks = vec![Block::Head(Head {
        over: service.to_owned(),
        title: title.clone(),
        ..Head::default()
    })];
    blocks.push(pairs(page, &protocol.package));
    for (name, lines) in [("intake", &protocol.intake), ("review", &protocol.review)] {
        blocks.push(Block::Heading(page.label(name)));
        blocks.push(pairs(page, lines));
    }
    let findings = protocol.findings.iter().map(|row| {
        let severity = page.word(&row.severity);
        let field = page.field(&row.field);
        [&row.animal, &field, &severity, &row.text]
            .map(String::clone)
            .to_vec()
    });
    let heads = ["animal", "field", "severity", "finding"];
    blocks.push(Block::Heading(page.label("findings")));
    blocks.push(table(page, heads, findings.collect()));
    let steps = protocol.steps.iter().map(|row| {
        let status = page.word(&row.status);
        [
            &with_days(language, &row.at),
            &status,
            &row.actor,
            &row.note,
        ]
        .map(String::clone)
        .to_vec()
    });
    let heads = ["time", "state", "person", "remark"];
    blocks.push(Block::Heading(page.label("steps")));
    blocks.push(table(page, heads, steps.collect()));
    blocks.push(Block::Heading(page.label("signature")));
    blocks.push(pairs(page, &protocol.signature));
    // What was done last made it what it is.
    let last = protocol
        .steps
        .iter()
        .filter_map(|step| Day::read(&step.at))
        .next_back();
    Sheet {
        title: title.clone(),
        language: language.word(),
        author: service.to_owned(),
        day: last.unwrap_or_default(),
        look: Look::Plain,
        blocks,
        footer: format!("{service} · {title}"),
        numbering: numbering(language),
    }
}

/// What is known, one line each.
fn pairs(page: Page, lines: &[ProtocolLine]) -> Block {
    let known = lines.iter().filter_map(|(name, stored)| {
        Some((page.label(name), page.value(name, stored.as_deref()?)))
    });
    let pairs: Vec<(String, String)> = known.collect();
    if pairs.is_empty() {
        return Block::Note("–".to_owned());
    }
    Block::Pairs { pairs, columns: 1 }
}

fn table(page: Page, heads: [&str; 4], rows: Vec<Vec<String>>) -> Block {
    if rows.is_empty() {
        return Block::Note(page.label("none"));
    }
    let heads = heads.map(|name| (page.label(name), false)).to_vec();
    Block::Table(Table { heads, rows })
}

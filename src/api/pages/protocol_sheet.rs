//! The protocol of a package as PDF: the same as its page, in the same words.

use super::protocol::{FINDINGS, Page, STEPS};
use crate::layers::language::numbering;
use domain::collections::{Protocol, ProtocolLine};
use paper::{Block, Day, Head, Look, Sheet, Table};

pub(crate) fn sheet(service: &str, page: Page, protocol: &Protocol) -> Sheet {
    let language = page.0;
    let title = page.title(protocol);
    let mut blocks = vec![Block::Head(Head { over: service.to_owned(), title: title.clone(), ..Head::default() })];
    blocks.push(pairs(page, &protocol.package));
    for (name, lines) in [("intake", &protocol.intake), ("review", &protocol.review)] {
        blocks.push(Block::Heading(page.label(name)));
        blocks.push(pairs(page, lines));
    }
    for (name, heads, rows) in [("findings", FINDINGS, page.findings(protocol)), ("steps", STEPS, page.steps(protocol))]
    {
        blocks.push(Block::Heading(page.label(name)));
        blocks.push(table(page, heads, &rows));
    }
    blocks.push(Block::Heading(page.label("signature")));
    blocks.push(pairs(page, &protocol.signature));
    // What was done last made it what it is.
    let last = protocol.steps.iter().filter_map(|step| Day::read(&step.at)).next_back();
    Sheet {
        title: title.clone(),
        language: language.word(),
        author: service.to_owned(),
        day: last.unwrap_or_default(),
        look: Look::Plain,
        accent: None,
        blocks,
        footer: format!("{service} · {title}"),
        numbering: numbering(language),
    }
}

fn pairs(page: Page, lines: &[ProtocolLine]) -> Block {
    let pairs = page.filled(lines);
    if pairs.is_empty() {
        return Block::Note("–".to_owned());
    }
    Block::Pairs { pairs, columns: 1 }
}

fn table(page: Page, heads: [&str; 4], rows: &[[String; 4]]) -> Block {
    if rows.is_empty() {
        return Block::Note(page.label("none"));
    }
    let heads = heads.map(|name| (page.label(name), false)).to_vec();
    let rows = rows.iter().map(|row| row.to_vec()).collect();
    Block::Table(Table { heads, rows })
}

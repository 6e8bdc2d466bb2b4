//! Sheets for paper: a plain description (headings, pairs, tables, a pedigree, a QR code) becomes a PDF that can be kept
//! for good (PDF/A-2a: fonts inside, text that can be read and searched, the structure of the document). The same sheet
//! gives the same bytes. Knows nothing of what the sheets are about.

mod blocks;
mod draw;
mod face;
mod flow;
mod lines;
mod sheet;
mod table;
#[cfg(test)]
mod tests;
mod tree;

pub use sheet::{Block, Cell, Code, Day, Emblem, Head, Look, Sheet, Signature, Table, Tree};

use face::Faces;
use flow::Flow;

/// Why there is no PDF.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PrintFault {
    /// A font of the program is broken.
    #[error("a font cannot be read")]
    Fonts,
    /// The writer of the format refused.
    #[error("the PDF was refused: {0}")]
    Refused(String),
}

/// Scales at which a framed sheet is tried, the largest first.
const SCALES: [f32; 10] = [1.06, 1.0, 0.95, 0.9, 0.86, 0.82, 0.78, 0.74, 0.7, 0.66];
/// The scale of a framed sheet that fits on one page at none.
const SMALL: f32 = 0.9;
/// The most room that is added before a heading.
const SPREAD: f32 = 14.0;

/// The sheet as PDF.
///
/// # Errors
/// [`PrintFault`]: a fault of the program, never of a text.
pub fn pdf(sheet: &Sheet) -> Result<Vec<u8>, PrintFault> {
    let faces = Faces::get().ok_or(PrintFault::Fonts)?;
    let blocks: Vec<Block> = sheet.blocks.iter().map(|one| plain(faces, one)).collect();
    let flow = |scale, spread, most| {
        let mut flow = Flow::new(faces, sheet.look, scale, spread);
        flow.most = most;
        lay(&mut flow, &blocks);
        flow
    };
    let one_page = |scale, spread| Some(flow(scale, spread, 1)).filter(|flow| !flow.is_over());
    let flow = match sheet.look {
        Look::Plain => flow(1.0, 0.0, usize::MAX),
        Look::Framed => {
            let fits = |scale: &f32| Some((*scale, one_page(*scale, 0.0)?));
            match SCALES.iter().find_map(fits) {
                Some((scale, close)) => {
                    let gaps = blocks.iter().filter(|one| matches!(one, Block::Heading(_) | Block::Subject(..)));
                    let gaps = blocks::count(gaps.count().max(1));
                    let spread = (close.room() / gaps * 0.95).clamp(0.0, SPREAD);
                    one_page(scale, spread / scale).unwrap_or(close)
                }
                None => flow(SMALL, 0.0, usize::MAX),
            }
        }
    };
    draw::drawn(sheet, &flow)
}

fn lay(flow: &mut Flow, blocks: &[Block]) {
    for (at, block) in blocks.iter().enumerate() {
        match block {
            Block::Head(head) => blocks::head(flow, head),
            Block::Subject(name, below) => blocks::subject(flow, name, below),
            Block::Alarm(text) => blocks::alarm(flow, text),
            Block::Heading(text) => {
                let follows = match blocks.get(at + 1) {
                    Some(Block::Tree(one)) => tree::height(flow, one),
                    _ => 40.0 * flow.scale,
                };
                blocks::heading(flow, text, follows);
            }
            Block::Pairs { pairs, columns } => blocks::pairs(flow, pairs, *columns),
            Block::Table(one) => {
                if matches!(at.checked_sub(1).and_then(|at| blocks.get(at)), Some(Block::Pairs { .. })) {
                    flow.gap(6.0);
                }
                table::table(flow, one);
            }
            Block::Tree(one) => tree::tree(flow, one),
            Block::Note(text) => blocks::note(flow, text),
            Block::Signature(one) => blocks::signature(flow, one),
        }
    }
}

/// A block of which every character can be drawn.
fn plain(faces: &Faces, block: &Block) -> Block {
    let text = |text: &String| faces.plain(text);
    let texts = |all: &[String]| all.iter().map(text).collect::<Vec<_>>();
    match block {
        Block::Head(head) => Block::Head(Head {
            emblem: head.emblem.clone().map(|emblem| Emblem { text: text(&emblem.text), ..emblem }),
            over: text(&head.over),
            title: text(&head.title),
            under: texts(&head.under),
            code: head.code.clone().map(|mut code| {
                code.text = text(&code.text);
                code
            }),
            caption: text(&head.caption),
        }),
        Block::Subject(name, below) => Block::Subject(text(name), text(below)),
        Block::Alarm(one) => Block::Alarm(text(one)),
        Block::Heading(one) => Block::Heading(text(one)),
        Block::Pairs { pairs, columns } => {
            Block::Pairs { pairs: pairs.iter().map(|(a, b)| (text(a), text(b))).collect(), columns: *columns }
        }
        Block::Table(table) => Block::Table(Table {
            heads: table.heads.iter().map(|(head, right)| (text(head), *right)).collect(),
            rows: table.rows.iter().map(|row| texts(row)).collect(),
        }),
        Block::Tree(tree) => Block::Tree(Tree {
            generations: tree.generations,
            cells: tree
                .cells
                .iter()
                .map(|cell| Cell {
                    place: cell.place,
                    label: text(&cell.label),
                    name: text(&cell.name),
                    lines: texts(&cell.lines),
                })
                .collect(),
            nobody: text(&tree.nobody),
        }),
        Block::Note(one) => Block::Note(text(one)),
        Block::Signature(one) => Block::Signature(Signature {
            issuer: one.issuer.each_ref().map(text),
            signatory: one.signatory.each_ref().map(text),
            seal: text(&one.seal),
        }),
    }
}

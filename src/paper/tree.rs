//! A pedigree as a tree: each row of ancestors is a column, the father above the mother.

use crate::blocks::{count, pairs};
use crate::face::Weight::{Bold, Regular};
use crate::flow::{Area, Flow, Ink, Mark, Role, Side, Slot, Style};
use crate::sheet::{Cell, Tree};

/// The most rows of ancestors of which cells have room for words.
const MOST: u32 = 5;
/// Between columns.
const GAP: f32 = 14.0;
/// Between the text of a box and its sides.
const PAD: f32 = 4.0;

/// The text of a box: in a corner what the ancestor is to the animal, beside it the name, below it the rest.
struct Box {
    label: Option<(Style, String)>,
    texts: Vec<(Style, Vec<String>)>,
    height: f32,
}

/// Boxes of each row of ancestors, how wide they are, and how high the whole is.
fn measured(flow: &Flow, tree: &Tree) -> (Vec<Vec<Box>>, f32, f32) {
    let generations = tree.generations.clamp(1, MOST);
    let columns = f32::from(u8::try_from(generations).unwrap_or(1));
    let wide = (flow.width() - GAP * (columns - 1.0)) / columns;
    let label = flow.style(6.5, Regular, Ink::Quiet);
    let name = flow.style(if generations > 3 { 7.5 } else { 8.5 }, Bold, Ink::Text);
    let line = flow.style(if generations > 3 { 6.5 } else { 7.2 }, Regular, Ink::Text);
    let inner = wide - 2.0 * PAD;
    let boxes: Vec<Vec<Box>> = (1..=generations)
        .map(|generation| {
            let places = (1_u32 << generation)..(2_u32 << generation);
            let of = |place: u32| tree.cells.iter().find(|cell| cell.place == place);
            places.map(|place| boxed(flow, of(place), tree, (label, name, line), inner)).collect()
        })
        .collect();
    // The height for each of the last row, so that all boxes fit into what they span.
    let mut leaf: f32 = 0.0;
    for (back, row) in boxes.iter().rev().enumerate() {
        let spans = count(1 << back);
        let gap = 3.0 * flow.scale;
        let most = row.iter().map(|one| one.height + gap).fold(0.0, f32::max);
        leaf = leaf.max(most / spans);
    }
    (boxes, wide, leaf * count(1 << generations))
}

/// How high a tree is, as far as a page.
pub(crate) fn height(flow: &Flow, tree: &Tree) -> f32 {
    let (.., height) = measured(flow, tree);
    if height > flow.bottom - flow.top { 40.0 } else { height }
}

pub(crate) fn tree(flow: &mut Flow, tree: &Tree) {
    let (boxes, wide, height) = measured(flow, tree);
    if height > flow.bottom - flow.top {
        as_pairs(flow, tree);
        return;
    }
    flow.need(height);
    let top = flow.y;
    let mut x = flow.left;
    let last = boxes.len();
    for (at, row) in boxes.into_iter().enumerate() {
        let span = height / count(2 << at);
        for (nth, one) in row.into_iter().enumerate() {
            let middle = span.mul_add(count(nth) + 0.5, top);
            if at + 1 < last {
                branches(flow, x + wide, middle, span);
            }
            let area = Area { x, y: middle - one.height / 2.0, width: wide, height: one.height };
            let male = nth % 2 == 0;
            let ink = if male { Ink::Tint } else { Ink::Paper };
            flow.put(Mark::Fill(area, ink), None);
            flow.put(Mark::Edge(area, 0.6, Ink::Rule), None);
            written(flow, one, area);
        }
        x += wide + GAP;
    }
    flow.y = top + height;
}

fn written(flow: &mut Flow, one: Box, area: Area) {
    let part = flow.part(None, Role::Paragraph);
    let mut y = area.y + PAD / 2.0;
    let mut slot = Slot {
        x: area.x + PAD,
        width: area.width - 2.0 * PAD,
        side: Side::Right,
        style: flow.style(1.0, Regular, Ink::Text),
        lines: Vec::new(),
        part: Some(part),
    };
    if let Some((style, label)) = one.label {
        slot.style = style;
        let first = one.texts.first().map_or(style.size, |(style, _)| style.size);
        flow.write(&slot, y, first, [label].iter());
    }
    slot.side = Side::Left;
    for (style, lines) in one.texts {
        slot.style = style;
        y += flow.write(&slot, y, style.size, lines.iter());
    }
}

fn branches(flow: &mut Flow, x: f32, middle: f32, span: f32) {
    let turn = x + GAP / 2.0;
    let (up, down) = (middle - span / 4.0, middle + span / 4.0);
    for line in [
        [(x, middle), (turn, middle)],
        [(turn, up), (turn, down)],
        [(turn, up), (x + GAP, up)],
        [(turn, down), (x + GAP, down)],
    ] {
        flow.put(Mark::Line(line, 0.6, Ink::Rule), None);
    }
}

fn boxed(flow: &Flow, cell: Option<&Cell>, tree: &Tree, (small, name, line): (Style, Style, Style), width: f32) -> Box {
    let mut texts = Vec::new();
    let mut add = |style: Style, text: &str, width: f32| {
        if !text.is_empty() {
            texts.push((style, flow.lines(style, text, width)));
        }
    };
    let mut label = None;
    match cell {
        Some(cell) => {
            let wide = flow.faces.width(small.weight, &cell.label) * small.size;
            if wide > 0.0 && wide < width / 3.0 && !cell.label.contains('\n') {
                label = Some((small, cell.label.clone()));
                add(name, if cell.name.is_empty() { " " } else { &cell.name }, width - wide - PAD);
            } else {
                add(small, &cell.label, width);
                add(name, &cell.name, width);
            }
            for text in &cell.lines {
                add(line, text, width);
            }
        }
        None => add(small, &tree.nobody, width),
    }
    let high = texts.iter().map(|(style, lines)| style.line() * count(lines.len()));
    let height = (high.sum::<f32>() + PAD).max(small.line() + PAD);
    Box { label, texts, height }
}

/// The tree as a list of names and values, for texts that are too long for a tree.
fn as_pairs(flow: &mut Flow, tree: &Tree) {
    let all = tree.cells.iter().map(|cell| {
        let mut texts = vec![cell.name.clone()];
        texts.extend(cell.lines.iter().cloned());
        texts.retain(|text| !text.is_empty());
        (cell.label.clone(), texts.join("; "))
    });
    pairs(flow, &all.collect::<Vec<_>>(), 1);
}

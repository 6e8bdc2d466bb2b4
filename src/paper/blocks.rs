//! Blocks of a sheet on the pages of a flow: heads, headings, pairs, notes.

use crate::face::Weight::{Bold, Regular};
use crate::flow::{Area, Flow, Ink, Mark, Role, Side, Slot, Style};
use crate::lines::widest_line;
use crate::sheet::{Emblem, Head, Signature};

/// Side of a QR code.
const CODE: f32 = 84.0;
/// Longest side of an emblem.
const EMBLEM: f32 = 60.0;
/// Between columns.
const GUTTER: f32 = 18.0;

pub(crate) fn head(flow: &mut Flow, head: &Head) {
    let top = flow.y;
    let (mut left, mut width) = (flow.left, flow.width());
    if let Some(emblem) = &head.emblem {
        let wide = picture(flow, emblem, (left, top)) + GUTTER;
        (left, width) = (left + wide, width - wide);
    }
    if let Some(code) = &head.code {
        let part = flow.part(None, Role::Figure(short(&code.text)));
        let area = Area { x: flow.right - CODE, y: top, width: CODE, height: CODE };
        flow.put(Mark::Code(area, code.clone()), Some(part));
        width -= CODE + GUTTER;
    }
    // Beside the code there is room.
    let scale = flow.scale.max(0.9);
    let of = |size: f32, weight, ink| Style::new(size * scale, weight, ink);
    let over = of(9.5, Regular, Ink::Quiet);
    let title = of(23.0, Bold, Ink::Accent);
    let under = of(10.5, Regular, Ink::Text);
    let caption = of(7.5, Regular, Ink::Quiet);
    let role = Role::Title(short(&head.title));
    let paragraph = || Role::Paragraph;
    let mut texts = vec![(over, &head.over, paragraph()), (title, &head.title, role)];
    texts.extend(head.under.iter().map(|line| (under, line, paragraph())));
    texts.push((caption, &head.caption, paragraph()));
    for (style, text, role) in texts.into_iter().filter(|(_, text, _)| !text.is_empty()) {
        let part = flow.part(None, role);
        let lines = flow.lines(style, text, width);
        let slot = slot(left, width, style, lines, Some(part));
        flow.row(&[slot], 0.0, &mut |_| {});
        flow.y += scale;
    }
    if flow.pages.len() == 1 {
        let beside = [(head.code.is_some(), CODE), (head.emblem.is_some(), EMBLEM)];
        let high = beside.iter().filter(|(there, _)| *there).map(|(_, high)| *high).fold(0.0, f32::max);
        flow.y = flow.y.max(top + high);
    }
    flow.gap(3.0);
}

/// An emblem at a place; its width.
fn picture(flow: &mut Flow, emblem: &Emblem, (x, y): (f32, f32)) -> f32 {
    let (wide, high) = emblem.image.size();
    let [wide, high] = [wide, high].map(|side| f32::from(u16::try_from(side).unwrap_or(u16::MAX)));
    let scale = EMBLEM / wide.max(high).max(1.0);
    let area = Area { x, y, width: wide * scale, height: high * scale };
    let part = flow.part(None, Role::Figure(short(&emblem.text)));
    flow.put(Mark::Picture(area, emblem.image.clone()), Some(part));
    area.width
}

/// Two columns with a rule for the hand under the second, and an edge for the seal.
pub(crate) fn signature(flow: &mut Flow, signature: &Signature) {
    flow.gap(8.0 + flow.spread / 2.0);
    let small = flow.style(8.5, Regular, Ink::Quiet);
    let plain = flow.style(10.0, Regular, Ink::Text);
    let seal = 72.0 * flow.scale;
    let wide = (flow.width() - seal - 2.0 * GUTTER) / 2.0;
    let columns = [&signature.issuer, &signature.signatory].map(|[label, text]| {
        [(small, label), (plain, text)].map(|(style, text)| (style, flow.lines(style, text, wide)))
    });
    let high = |column: &[(Style, Vec<String>); 2]| {
        column.iter().map(|(style, lines)| style.line() * count(lines.len())).sum::<f32>()
    };
    let room = 24.0 * flow.scale;
    let height = columns.iter().map(high).fold(0.0, f32::max) + room;
    let height = height.max(seal);
    flow.need(height);
    let top = flow.y;
    for (column, x) in columns.into_iter().zip([flow.left, flow.left + wide + GUTTER]) {
        flow.y = top;
        for (style, lines) in column {
            let part = flow.part(None, Role::Paragraph);
            flow.row(&[slot(x, wide, style, lines, Some(part))], 0.0, &mut |_| {});
        }
    }
    let rule = top + height - 2.0;
    let hand = flow.left + wide + GUTTER;
    flow.put(Mark::Line([(hand, rule), (hand + wide, rule)], 0.6, Ink::Quiet), None);
    let edge = Area { x: flow.right - seal, y: top, width: seal, height };
    flow.put(Mark::Edge(edge, 0.6, Ink::Rule), None);
    let part = flow.part(None, Role::Paragraph);
    let lines = flow.lines(small, &signature.seal, seal - 8.0);
    let middle = (height - small.line() * count(lines.len())) / 2.0;
    flow.y = top + middle;
    let words = Slot { side: Side::Middle, ..slot(edge.x + 4.0, seal - 8.0, small, lines, Some(part)) };
    flow.row(&[words], 0.0, &mut |_| {});
    flow.y = top + height;
}

/// What readers show of a heading or a picture, which must be something.
fn short(text: &str) -> String {
    let text: String = text.chars().take(200).collect();
    if text.trim().is_empty() { "-".to_owned() } else { text }
}

fn slot(x: f32, width: f32, style: Style, lines: Vec<String>, part: Option<usize>) -> Slot {
    let side = Side::Left;
    Slot { x, width, side, style, lines, part }
}

pub(crate) fn subject(flow: &mut Flow, name: &str, below: &str) {
    flow.gap(2.0 + flow.spread / 2.0);
    let large = flow.style(21.0, Bold, Ink::Text);
    let small = flow.style(11.0, Regular, Ink::Quiet);
    let part = flow.part(None, Role::Paragraph);
    flow.paragraph(large, Side::Middle, name, Some(part));
    if !below.is_empty() {
        let part = flow.part(None, Role::Paragraph);
        flow.paragraph(small, Side::Middle, below, Some(part));
    }
    flow.gap(2.0);
}

pub(crate) fn alarm(flow: &mut Flow, text: &str) {
    flow.gap(6.0);
    let style = flow.style(12.0, Bold, Ink::Alarm);
    let pad = 6.0 * flow.scale;
    let width = flow.width() - 2.0 * pad;
    let lines = flow.lines(style, text, width);
    let height = style.line() * count(lines.len()) + 1.4 * pad;
    flow.need(height);
    let whole = Area { x: flow.left, y: flow.y, width: flow.width(), height };
    if height <= flow.room() {
        flow.put(Mark::Edge(whole, 1.5, Ink::Alarm), None);
    }
    let part = flow.part(None, Role::Paragraph);
    let slot = slot(flow.left + pad, width, style, lines, Some(part));
    flow.row(&[slot], 0.7 * pad, &mut |_| {});
    flow.gap(6.0);
}

/// A heading, which stays with so much of what follows.
pub(crate) fn heading(flow: &mut Flow, text: &str, follows: f32) {
    flow.gap(7.0 + flow.spread);
    let style = flow.style(11.5, Bold, Ink::Accent);
    let lines = flow.lines(style, text, flow.width()).len();
    flow.need(style.line() * count(lines) + 6.0 * flow.scale + follows);
    let part = flow.part(None, Role::Heading(short(text)));
    flow.paragraph(style, Side::Left, text, Some(part));
    let y = flow.y + flow.scale;
    let line = [(flow.left, y), (flow.right, y)];
    flow.put(Mark::Line(line, 0.8, Ink::Accent), None);
    flow.y += 3.0 * flow.scale;
}

pub(crate) fn note(flow: &mut Flow, text: &str) {
    flow.gap(4.0);
    let style = flow.style(8.5, Regular, Ink::Quiet);
    let part = flow.part(None, Role::Paragraph);
    flow.paragraph(style, Side::Left, text, Some(part));
}

pub(crate) fn count(lines: usize) -> f32 {
    f32::from(u16::try_from(lines).unwrap_or(u16::MAX))
}

pub(crate) fn pairs(flow: &mut Flow, pairs: &[(String, String)], columns: u8) {
    let columns = columns.clamp(1, 3);
    let whole = flow.width();
    let of = f32::from(columns);
    let wide = (whole - GUTTER * (of - 1.0)) / of;
    let name_style = flow.style(9.0, Regular, Ink::Quiet);
    let value_style = flow.style(9.5, Regular, Ink::Text);
    // Pairs in one column stand below each other in all sections of a sheet.
    let names_wide = match columns == 1 {
        true => wide * 0.3,
        false => name_room(flow, pairs, wide, (name_style, value_style)),
    };
    let name_wide = names_wide - 6.0;
    let value_wide = wide - names_wide;
    let table = flow.part(None, Role::Table);
    for row in pairs.chunks(usize::from(columns)) {
        if flow.is_over() {
            return;
        }
        let part = flow.part(Some(table), Role::Row);
        let mut slots = Vec::new();
        let mut x = flow.left;
        for (name, value) in row {
            let head = flow.part(Some(part), Role::HeadOfRow);
            let cell = flow.part(Some(part), Role::Cell);
            let names = flow.lines(name_style, name, name_wide);
            let values = flow.lines(value_style, value, value_wide);
            slots.push(slot(x, name_wide, name_style, names, Some(head)));
            slots.push(slot(x + names_wide, value_wide, value_style, values, Some(cell)));
            x += wide + GUTTER;
        }
        let pad = 1.2 * flow.scale;
        flow.row(&slots, pad, &mut |_| {});
        let mut x = flow.left;
        for _ in row {
            let line = [(x, flow.y), (x + wide, flow.y)];
            flow.put(Mark::Line(line, 0.4, Ink::Rule), None);
            x += wide + GUTTER;
        }
    }
}

/// How much of a column of pairs the names get: what they need where the values leave it, at least a quarter.
fn name_room(flow: &Flow, pairs: &[(String, String)], wide: f32, (name_style, value_style): (Style, Style)) -> f32 {
    let most = |texts: &mut dyn Iterator<Item = &String>, style: Style| {
        let widths = texts.map(|text| widest_line(flow.faces, style.weight, text) * style.size);
        widths.fold(0.0, f32::max)
    };
    let names = most(&mut pairs.iter().map(|(name, _)| name), name_style) + 7.0;
    let values = most(&mut pairs.iter().map(|(_, value)| value), value_style) + 1.0;
    let fair = wide * 0.42;
    let room = if names + values <= wide {
        // Short ones stay near each other.
        names.max(wide * 0.3)
    } else {
        names.min((wide - values).max(fair))
    };
    room.clamp(wide * 0.25, wide * 0.7)
}

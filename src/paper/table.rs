//! Tables: columns as wide as their text needs, heads again on each page.

use crate::face::Weight::{Bold, Regular};
use crate::flow::{Area, Flow, Ink, Mark, Role, Side, Slot, Style};
use crate::lines::{widest_line, widest_word};
use crate::sheet::Table;

/// Between the text of a cell and its sides.
const PAD: f32 = 4.0;
/// The smallest letters of heads, points.
const SMALLEST: f32 = 5.5;
/// A word claims at most this part of the width for its column.
const CLAIM: f32 = 0.34;

pub(crate) fn table(flow: &mut Flow, table: &Table) {
    let columns = table.rows.iter().map(Vec::len).max().unwrap_or(0);
    let columns = columns.max(table.heads.len());
    if columns == 0 {
        return;
    }
    let size = if columns > 7 { 8.0 } else { 9.0 };
    let head = flow.style(size - 0.5, Bold, Ink::Quiet);
    let body = flow.style(size, Regular, Ink::Text);
    let mut head = head;
    let mut widths = widths(flow, table, columns, (head, body));
    // Small heads are read more easily than broken words.
    while is_broken(flow, table, &widths, head) && head.size > SMALLEST * flow.scale {
        head.size -= 0.5 * flow.scale;
        widths = self::widths(flow, table, columns, (head, body));
    }
    let part = flow.part(None, Role::Table);
    if !table.heads.is_empty() {
        // With the heads comes one row at least.
        flow.need(head.line() * 2.0 + body.line() + 12.0);
        let row = flow.part(Some(part), Role::Row);
        heads(flow, table, &widths, head, Some(row));
    }
    let pad = 2.2 * flow.scale;
    for row in &table.rows {
        if flow.is_over() {
            return;
        }
        let row_part = flow.part(Some(part), Role::Row);
        let mut slots = Vec::with_capacity(columns);
        let mut x = flow.left;
        for (at, width) in widths.iter().enumerate() {
            let text = row.get(at).map_or("", String::as_str);
            let right = table.heads.get(at).is_some_and(|(_, number)| *number);
            let cell = flow.part(Some(row_part), Role::Cell);
            slots.push(Slot {
                x: x + PAD,
                width: width - 2.0 * PAD,
                side: if right { Side::Right } else { Side::Left },
                style: body,
                lines: flow.lines(body, text, width - 2.0 * PAD),
                part: Some(cell),
            });
            x += width;
        }
        flow.row(&slots, pad, &mut |flow| {
            heads(flow, table, &widths, head, None);
        });
        let line = [(flow.left, flow.y), (flow.right, flow.y)];
        flow.put(Mark::Line(line, 0.4, Ink::Rule), None);
    }
}

/// The heads, as part of the document where they stand first.
fn heads(flow: &mut Flow, table: &Table, widths: &[f32], style: Style, row: Option<usize>) {
    let mut slots = Vec::with_capacity(widths.len());
    let mut x = flow.left;
    for (at, width) in widths.iter().enumerate() {
        let (text, right) = match table.heads.get(at) {
            Some((text, right)) => (text.as_str(), *right),
            None => ("", false),
        };
        let part = row.map(|row| flow.part(Some(row), Role::HeadOfColumn));
        slots.push(Slot {
            x: x + PAD,
            width: width - 2.0 * PAD,
            side: if right { Side::Right } else { Side::Left },
            style,
            lines: flow.lines(style, text, width - 2.0 * PAD),
            part,
        });
        x += width;
    }
    let high = slots.iter().map(|slot| slot.lines.len()).max().unwrap_or(0);
    let pad = 2.6 * flow.scale;
    let height = style.line() * crate::blocks::count(high) + 2.0 * pad;
    if height > (flow.bottom - flow.top) / 2.0 {
        // Heads that would leave no room for rows are written once, in as many pages as they take.
        if row.is_some() {
            flow.row(&slots, pad, &mut |_| {});
        }
        return;
    }
    let area = Area { x: flow.left, y: flow.y, width: flow.width(), height };
    if height <= flow.room() {
        flow.put(Mark::Fill(area, Ink::Tint), None);
    }
    flow.row(&slots, pad, &mut |_| {});
}

/// Whether a word of a head is wider than its column.
fn is_broken(flow: &Flow, table: &Table, widths: &[f32], head: Style) -> bool {
    let mut all = table.heads.iter().zip(widths);
    all.any(|((text, _), width)| widest_word(flow.faces, head.weight, text) * head.size > width - 2.0 * PAD)
}

/// Widths of the columns, which fill the width: what the longest line of each needs, or between that and its longest
/// word where they do not fit.
fn widths(flow: &Flow, table: &Table, columns: usize, (head, body): (Style, Style)) -> Vec<f32> {
    let whole = flow.width();
    let mut all: Vec<(f32, f32)> = Vec::with_capacity(columns);
    for at in 0..columns {
        let title = table.heads.get(at).map(|(text, _)| (head, text.as_str()));
        let cells = table.rows.iter().filter_map(|row| row.get(at));
        let texts = title.into_iter().chain(cells.map(|text| (body, text.as_str())));
        let (mut least, mut most) = (0.0_f32, 0.0_f32);
        for (style, text) in texts {
            least = least.max(widest_word(flow.faces, style.weight, text) * style.size);
            most = most.max(widest_line(flow.faces, style.weight, text) * style.size);
        }
        let least = least.min(whole * CLAIM) + 2.0 * PAD + 0.5;
        let most = (most + 2.0 * PAD + 0.5).clamp(least, whole * 4.0);
        all.push((least, most));
    }
    let sum_of = |pick: fn(&(f32, f32)) -> f32| all.iter().map(pick).sum::<f32>();
    let (least, most) = (sum_of(|one| one.0), sum_of(|one| one.1));
    let share = |least_of: f32, most_of: f32| {
        if most <= whole {
            most_of + (whole - most) * most_of / most
        } else if least <= whole {
            least_of + (whole - least) * (most_of - least_of) / (most - least).max(0.001)
        } else {
            least_of * whole / least
        }
    };
    all.iter().map(|(least, most)| share(*least, *most)).collect()
}

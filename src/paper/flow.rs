//! Pages as they fill from top to bottom: marks with their places, and the parts of the document that they belong to.

use crate::face::{Faces, Weight};
use crate::lines::lines;
use crate::sheet::{Code, Look};
use krilla::image::Image;

/// A page of A4, in points.
pub(crate) const PAGE: (f32, f32) = (595.28, 841.89);
/// Height of a line in sizes of its letters.
const LEADING: f32 = 1.28;
/// From the top of a line to where letters stand, in sizes.
const ASCENT: f32 = 0.98;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ink {
    Text,
    Quiet,
    Accent,
    Alarm,
    Rule,
    Tint,
    Paper,
}

/// How letters look.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Style {
    pub(crate) size: f32,
    pub(crate) weight: Weight,
    pub(crate) ink: Ink,
}

impl Style {
    pub(crate) const fn new(size: f32, weight: Weight, ink: Ink) -> Self {
        Self { size, weight, ink }
    }

    pub(crate) fn line(self) -> f32 {
        self.size * LEADING
    }
}

/// Where something stands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Area {
    pub(crate) x: f32,
    pub(crate) y: f32,
    pub(crate) width: f32,
    pub(crate) height: f32,
}

#[derive(Debug, Clone)]
pub(crate) enum Mark {
    /// A line of plain text, whose letters stand at `y`.
    Text(f32, f32, Style, String),
    Fill(Area, Ink),
    /// The edge of an area, so wide.
    Edge(Area, f32, Ink),
    Line([(f32, f32); 2], f32, Ink),
    Code(Area, Code),
    Picture(Area, Image),
}

#[derive(Debug, Clone)]
pub(crate) enum Role {
    Title(String),
    Heading(String),
    Paragraph,
    Figure(String),
    Table,
    Row,
    HeadOfColumn,
    HeadOfRow,
    Cell,
}

#[derive(Debug, Clone)]
pub(crate) struct Part {
    pub(crate) role: Role,
    pub(crate) inner: Vec<usize>,
}

/// The sides on which text stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Left,
    Middle,
    Right,
}

#[derive(Debug, Clone)]
pub(crate) struct Slot {
    pub(crate) x: f32,
    pub(crate) width: f32,
    pub(crate) side: Side,
    pub(crate) style: Style,
    pub(crate) lines: Vec<String>,
    pub(crate) part: Option<usize>,
}

/// Marks of a page, with the part that each belongs to.
pub(crate) type Marks = Vec<(Mark, Option<usize>)>;

/// Pages under way.
pub(crate) struct Flow {
    pub(crate) faces: &'static Faces,
    /// Letters and gaps are so many times as large.
    pub(crate) scale: f32,
    /// More room before each heading.
    pub(crate) spread: f32,
    /// Nothing is laid out on pages beyond so many.
    pub(crate) most: usize,
    pub(crate) left: f32,
    pub(crate) right: f32,
    pub(crate) top: f32,
    pub(crate) bottom: f32,
    pub(crate) pages: Vec<Marks>,
    /// The top of what comes next.
    pub(crate) y: f32,
    pub(crate) parts: Vec<Part>,
    /// Parts that are in no other.
    pub(crate) roots: Vec<usize>,
}

impl Flow {
    pub(crate) fn new(faces: &'static Faces, look: Look, scale: f32, spread: f32) -> Self {
        let (side, top, bottom) = match look {
            Look::Plain => (48.0, 44.0, 60.0),
            Look::Framed => (42.0, 40.0, 54.0),
        };
        Self {
            faces,
            scale,
            spread,
            most: usize::MAX,
            left: side,
            right: PAGE.0 - side,
            top,
            bottom: PAGE.1 - bottom,
            pages: vec![Vec::new()],
            y: top,
            parts: Vec::new(),
            roots: Vec::new(),
        }
    }

    pub(crate) fn width(&self) -> f32 {
        self.right - self.left
    }

    /// Whether there are more pages than are wanted.
    pub(crate) fn is_over(&self) -> bool {
        self.pages.len() > self.most
    }

    pub(crate) fn room(&self) -> f32 {
        self.bottom - self.y
    }

    pub(crate) fn is_fresh(&self) -> bool {
        self.y <= self.top
    }

    pub(crate) fn style(&self, size: f32, weight: Weight, ink: Ink) -> Style {
        Style::new(size * self.scale, weight, ink)
    }

    pub(crate) fn next_page(&mut self) {
        self.pages.push(Vec::new());
        self.y = self.top;
    }

    /// A new page unless so much fits, or the page is empty.
    pub(crate) fn need(&mut self, height: f32) {
        if height > self.room() && !self.is_fresh() {
            self.next_page();
        }
    }

    /// Room before what comes next, but not at the top of a page.
    pub(crate) fn gap(&mut self, height: f32) {
        if !self.is_fresh() {
            self.y += height * self.scale;
        }
    }

    pub(crate) fn part(&mut self, within: Option<usize>, role: Role) -> usize {
        let id = self.parts.len();
        let inner = Vec::new();
        self.parts.push(Part { role, inner });
        match within.and_then(|outer| self.parts.get_mut(outer)) {
            Some(outer) => outer.inner.push(id),
            None => self.roots.push(id),
        }
        id
    }

    pub(crate) fn put(&mut self, mark: Mark, part: Option<usize>) {
        if let Some(page) = self.pages.last_mut() {
            page.push((mark, part));
        }
    }

    /// A plain text in lines of a width in points.
    pub(crate) fn lines(&self, style: Style, text: &str, width: f32) -> Vec<String> {
        lines(self.faces, style.weight, text, width / style.size)
    }

    /// Lines below each other, as high as those of letters of a size, the first of them from `y` on; their height. Words at the end of a line that goes on
    /// end with a space for those who read the text without its places.
    pub(crate) fn write<'l>(
        &mut self,
        slot: &Slot,
        y: f32,
        size: f32,
        text: impl ExactSizeIterator<Item = &'l String>,
    ) -> f32 {
        let (style, count) = (slot.style, text.len());
        let mut down = y;
        for (at, line) in text.enumerate() {
            let wide = self.faces.width(style.weight, line) * style.size;
            let x = match slot.side {
                Side::Left => slot.x,
                Side::Middle => slot.x + (slot.width - wide) / 2.0,
                Side::Right => slot.x + slot.width - wide,
            };
            if !line.is_empty() {
                let end = if at + 1 < count { " " } else { "" };
                let mark = Mark::Text(x, down + size * ASCENT, style, format!("{line}{end}"));
                self.put(mark, slot.part);
            }
            down += size * LEADING;
        }
        down - y
    }

    /// A text over the whole width, on as many pages as it takes.
    pub(crate) fn paragraph(&mut self, style: Style, side: Side, text: &str, part: Option<usize>) {
        let lines = self.lines(style, text, self.width());
        let slot = Slot { x: self.left, width: self.width(), side, style, lines, part };
        self.row(&[slot], 0.0, &mut |_| {});
    }

    /// Cells beside each other. A row goes to the next page whole, unless it is higher than a page; `repeat` comes at
    /// the top of each new page.
    pub(crate) fn row(&mut self, slots: &[Slot], pad: f32, repeat: &mut dyn FnMut(&mut Self)) {
        let size = slots.iter().map(|slot| slot.style.size).fold(0.0, f32::max);
        let line = size * LEADING;
        let whole = slots.iter().map(|slot| slot.lines.len()).max().unwrap_or(0);
        if line <= 0.0 || whole == 0 || self.is_over() {
            return;
        }
        let fit = |room: f32| {
            let mut count = 0;
            let mut used = 2.0 * pad + line;
            while used <= room && count < whole {
                count += 1;
                used += line;
            }
            count
        };
        let mut done = 0;
        while done < whole && !self.is_over() {
            let rest = whole - done;
            let mut now = fit(self.room()).min(rest);
            if now < rest && !self.is_fresh() {
                let before = self.pages.len();
                let empty = self.bottom - self.top;
                if now == 0 || fit(empty) >= rest {
                    self.next_page();
                    repeat(self);
                    now = fit(self.room()).min(rest);
                }
                debug_assert!(now > 0 || self.pages.len() > before);
            }
            let now = now.max(1);
            let top = self.y;
            let mut deep: f32 = 0.0;
            for slot in slots {
                let part = slot.lines.iter().skip(done).take(now);
                let part: Vec<&String> = part.collect();
                let height = self.write(slot, top + pad, size, part.into_iter());
                deep = deep.max(height);
            }
            self.y = top + deep + 2.0 * pad;
            done += now;
            if done < whole {
                self.next_page();
                repeat(self);
            }
        }
    }
}

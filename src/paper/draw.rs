//! Pages as a PDF: PDF/A-2a, with the parts of the document as its structure.

use crate::PrintFault;
use crate::face::{Faces, Weight};
use crate::flow::{Area, Flow, Ink, Mark, Marks, PAGE, Part, Role, Style};
use crate::sheet::{Look, Sheet};
use krilla::color::rgb;
use krilla::configure::{Archival, ConfigurationBuilder};
use krilla::geom::{PathBuilder, Point, Rect, Size, Transform};
use krilla::metadata::{DateTime, Metadata};
use krilla::num::NormalizedF32;
use krilla::page::PageSettings;
use krilla::paint::{Fill, FillRule, Stroke};
use krilla::surface::Surface;
use krilla::tagging::{
    Artifact, ArtifactType, ContentTag, Identifier, Node, SpanTag, TableHeaderScope, Tag, TagGroup, TagKind, TagTree,
};
use krilla::{Document, SerializeSettings};
use std::num::NonZeroU16;

/// The longest title of a document.
const TITLE: usize = 500;

pub(crate) fn drawn(sheet: &Sheet, flow: &Flow) -> Result<Vec<u8>, PrintFault> {
    let configuration = ConfigurationBuilder::new()
        .with_archival_validator(Archival::A2_A)
        .finish()
        .map_err(|error| PrintFault::Refused(format!("{error:?}")))?;
    let mut document = Document::new_with(SerializeSettings { configuration, ..SerializeSettings::default() });
    let faces = flow.faces;
    let mut marked: Vec<Vec<Identifier>> = vec![Vec::new(); flow.parts.len()];
    let count = flow.pages.len();
    for (at, marks) in flow.pages.iter().enumerate() {
        let settings = PageSettings::from_wh(PAGE.0, PAGE.1).ok_or(PrintFault::Fonts)?;
        let mut page = document.start_page_with(settings);
        let mut surface = page.surface();
        let mut pen = Pen { faces, surface: &mut surface, accent: sheet.accent };
        if sheet.look == Look::Framed {
            pen.aside(ArtifactType::Layout, |pen| pen.frame());
        }
        pen.marks(marks, &mut marked);
        pen.aside(ArtifactType::Footer, |pen| {
            pen.footer(sheet, flow, at + 1, count);
        });
        surface.finish();
        page.finish();
    }
    let mut tree = TagTree::new().with_lang(Some(sheet.language.to_owned()));
    for root in &flow.roots {
        if let Some(group) = group(&flow.parts, *root, &mut marked) {
            tree.push(group);
        }
    }
    document.set_tag_tree(tree);
    document.set_metadata(metadata(sheet, faces));
    document.finish().map_err(|error| PrintFault::Refused(format!("{error:?}")))
}

fn metadata(sheet: &Sheet, faces: &Faces) -> Metadata {
    let plain = |text: &str| faces.plain(text).replace('\n', " ").chars().take(TITLE).collect::<String>();
    let title = plain(&sheet.title);
    let day = sheet.day;
    let date = DateTime::new(day.year).month(day.month).day(day.day);
    let date = date.hour(0).minute(0).second(0);
    let date = date.utc_offset_hour(0).utc_offset_minute(0);
    Metadata::new()
        .title(if title.is_empty() { "-".to_owned() } else { title })
        .authors(vec![plain(&sheet.author)])
        .creator("Herdbook Hub".to_owned())
        .language(sheet.language.to_owned())
        .creation_date(date)
}

/// A part with what was marked as its own, then the parts within it; none: nothing of it was drawn.
fn group(parts: &[Part], at: usize, marked: &mut [Vec<Identifier>]) -> Option<TagGroup> {
    let part = parts.get(at)?;
    let own = marked.get_mut(at).map(std::mem::take).unwrap_or_default();
    let mut nodes: Vec<Node> = own.into_iter().map(Node::from).collect();
    for inner in &part.inner {
        nodes.extend(group(parts, *inner, marked).map(Node::from));
    }
    let is_cell = matches!(part.role, Role::Cell | Role::HeadOfColumn | Role::HeadOfRow);
    if nodes.is_empty() && !is_cell {
        return None;
    }
    let level = |n: u16| NonZeroU16::new(n).unwrap_or(NonZeroU16::MIN);
    let tag: TagKind = match &part.role {
        Role::Title(text) => Tag::Hn(level(1), Some(text.clone())).into(),
        Role::Heading(text) => Tag::Hn(level(2), Some(text.clone())).into(),
        Role::Paragraph => Tag::P.into(),
        Role::Figure(text) => Tag::Figure(Some(text.clone())).into(),
        Role::Table => Tag::Table.into(),
        Role::Row => Tag::TR.into(),
        Role::HeadOfColumn => Tag::TH(TableHeaderScope::Column).into(),
        Role::HeadOfRow => Tag::TH(TableHeaderScope::Row).into(),
        Role::Cell => Tag::TD.into(),
    };
    Some(TagGroup::with_children(tag, nodes))
}

fn colour(ink: Ink, accent: Option<(u8, u8, u8)>) -> rgb::Color {
    let (red, green, blue) = match ink {
        Ink::Text => (0x1c, 0x23, 0x21),
        Ink::Quiet => (0x5b, 0x66, 0x62),
        Ink::Accent => accent.unwrap_or((0x14, 0x53, 0x2d)),
        Ink::Alarm => (0x99, 0x1b, 0x1b),
        Ink::Rule => (0xb9, 0xc5, 0xc0),
        Ink::Tint => (0xee, 0xf3, 0xf0),
        Ink::Paper => (0xff, 0xff, 0xff),
    };
    rgb::Color::new(red, green, blue)
}

struct Pen<'p, 's> {
    faces: &'static Faces,
    surface: &'p mut Surface<'s>,
    accent: Option<(u8, u8, u8)>,
}

impl Pen<'_, '_> {
    /// What is no part of the document.
    fn aside(&mut self, kind: ArtifactType, draw: impl FnOnce(&mut Self)) {
        let tag = ContentTag::Artifact(Artifact::with_kind(kind));
        self.surface.start_tagged(tag);
        draw(self);
        self.surface.end_tagged();
    }

    /// The marks of a page; those beside each other of one part are marked as one.
    fn marks(&mut self, marks: &Marks, marked: &mut [Vec<Identifier>]) {
        for group in marks.chunk_by(|(_, a), (_, b)| a == b) {
            let part = group.first().and_then(|(_, part)| *part);
            let tag = match part {
                Some(_) => ContentTag::Span(SpanTag::empty()),
                None => ContentTag::Artifact(Artifact::with_kind(ArtifactType::Layout)),
            };
            let other = matches!(group.first(), Some((Mark::Code(..) | Mark::Picture(..), Some(_))));
            let tag = if other { ContentTag::Other } else { tag };
            let id = self.surface.start_tagged(tag);
            for (mark, _) in group {
                self.mark(mark);
            }
            self.surface.end_tagged();
            if let Some(all) = part.and_then(|part| marked.get_mut(part)) {
                all.push(id);
            }
        }
    }

    fn mark(&mut self, mark: &Mark) {
        match mark {
            Mark::Text(x, y, style, text) => self.text(*x, *y, *style, text),
            Mark::Fill(area, ink) => self.fill(*ink, |path| rect(path, *area)),
            Mark::Edge(area, width, ink) => self.stroke(*ink, *width, |path| rect(path, *area)),
            Mark::Line([from, to], width, ink) => self.stroke(*ink, *width, |path| {
                path.move_to(from.0, from.1);
                path.line_to(to.0, to.1);
            }),
            Mark::Picture(area, image) => {
                if let Some(size) = Size::from_wh(area.width, area.height) {
                    self.surface.push_transform(&Transform::from_translate(area.x, area.y));
                    self.surface.draw_image(image.clone(), size);
                    self.surface.pop();
                }
            }
            Mark::Code(area, code) => self.fill(Ink::Text, |path| {
                let one = area.width / f32::from(code.side.max(1));
                for (x, y, length) in &code.runs {
                    let dark = Area {
                        x: one.mul_add(f32::from(*x), area.x),
                        y: one.mul_add(f32::from(*y), area.y),
                        width: one * f32::from(*length),
                        height: one,
                    };
                    rect(path, dark);
                }
            }),
        }
    }

    fn text(&mut self, x: f32, y: f32, style: Style, text: &str) {
        self.paint(style.ink);
        let mut x = x;
        for run in self.faces.runs(style.weight, text) {
            let start = Point::from_xy(x, y);
            self.surface.draw_glyphs(start, &run.glyphs, run.font, &run.text, style.size, false);
            x += run.width * style.size;
        }
    }

    fn paint(&mut self, ink: Ink) {
        self.surface.set_stroke(None);
        self.surface.set_fill(Some(Fill {
            paint: colour(ink, self.accent).into(),
            opacity: NormalizedF32::ONE,
            rule: FillRule::NonZero,
        }));
    }

    fn fill(&mut self, ink: Ink, draw: impl FnOnce(&mut PathBuilder)) {
        let mut path = PathBuilder::new();
        draw(&mut path);
        self.paint(ink);
        if let Some(path) = path.finish() {
            self.surface.draw_path(&path);
        }
    }

    fn stroke(&mut self, ink: Ink, width: f32, draw: impl FnOnce(&mut PathBuilder)) {
        let mut path = PathBuilder::new();
        draw(&mut path);
        self.surface.set_fill(None);
        self.surface.set_stroke(Some(Stroke { paint: colour(ink, self.accent).into(), width, ..Stroke::default() }));
        if let Some(path) = path.finish() {
            self.surface.draw_path(&path);
        }
    }

    /// Two lines around the page.
    fn frame(&mut self) {
        for (inset, width, ink) in [(18.0, 2.2, Ink::Accent), (22.5, 0.7, Ink::Accent)] {
            let area = Area { x: inset, y: inset, width: PAGE.0 - 2.0 * inset, height: PAGE.1 - 2.0 * inset };
            self.stroke(ink, width, |path| rect(path, area));
        }
    }

    fn footer(&mut self, sheet: &Sheet, flow: &Flow, page: usize, pages: usize) {
        let size = 7.5 * flow.scale.clamp(0.85, 1.0);
        let style = Style::new(size, Weight::Regular, Ink::Quiet);
        let y = flow.bottom + 16.0;
        let [word, of] = sheet.numbering.each_ref().map(|word| self.faces.plain(word));
        let number = format!("{word} {page} {of} {pages}").replace('\n', " ");
        let wide = self.faces.width(style.weight, &number) * style.size;
        self.text(flow.right - wide, y, style, &number);
        let text = self.faces.plain(&sheet.footer).replace('\n', " ");
        let lines = flow.lines(style, &text, flow.width() - wide - 20.0);
        // One line: what stands at the foot stands elsewhere too.
        if let Some(line) = lines.first() {
            self.text(flow.left, y, style, line);
        }
    }
}

fn rect(path: &mut PathBuilder, area: Area) {
    if let Some(rect) = Rect::from_xywh(area.x, area.y, area.width, area.height) {
        path.push_rect(rect);
    }
}

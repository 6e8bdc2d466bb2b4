//! Which fields lines with fixed places have, and which of them are one row.

use std::collections::BTreeMap;

/// How lines are divided. Places are counted in characters, from 1.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Layout {
    /// Characters of a line at least.
    pub shortest: usize,
    /// Characters of a line at most.
    pub longest: usize,
    /// Texts that stand in every line.
    pub marks: Vec<LayoutMark>,
    pub fields: Vec<LayoutField>,
    /// Lines that are one row; none: each line is one.
    pub gather: Option<LayoutGather>,
}

/// A text that stands at a place of lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LayoutMark {
    /// Its first character.
    pub at: usize,
    pub is: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LayoutField {
    pub name: String,
    /// What it is put together from.
    pub parts: Vec<LayoutPart>,
    /// Texts of the lines that have it; none: all have.
    pub only: Vec<LayoutMark>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LayoutPart {
    /// Its first character.
    pub at: usize,
    pub length: usize,
    /// What codes in capitals become; others stay.
    pub codes: BTreeMap<String, String>,
}

impl Layout {
    pub(super) fn fits(&self, line: &str) -> bool {
        let length = line.chars().count();
        (self.shortest..=self.longest).contains(&length) && all_in(&self.marks, line)
    }
}

/// Whether all texts stand in a line.
pub(super) fn all_in(marks: &[LayoutMark], line: &str) -> bool {
    let has = |at: usize, text: &String| piece(line, at, text.chars().count()) == *text;
    marks.iter().all(|mark| mark.is.iter().any(|text| has(mark.at, text)))
}

impl LayoutField {
    pub(super) fn read(&self, line: &str) -> String {
        let mut whole = String::new();
        if !all_in(&self.only, line) {
            return whole;
        }
        for part in &self.parts {
            let piece = piece(line, part.at, part.length);
            let text = piece.trim();
            whole.push_str(part.codes.get(&text.to_uppercase()).map_or(text, String::as_str));
        }
        whole
    }
}

/// Characters of a line from a place on, as far as it has them.
pub(super) fn piece(line: &str, at: usize, length: usize) -> String {
    line.chars().skip(at.saturating_sub(1)).take(length).collect()
}

/// Which lines are one row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LayoutGather {
    /// Texts of heads: lines that say what holds for others, and are no rows.
    pub heads: Vec<LayoutMark>,
    /// Places (the first character, and how many) whose texts a head and its lines share.
    pub same: Vec<(usize, usize)>,
    /// Where fields find the head: it is put behind its lines from this character on.
    pub head_at: usize,
    /// Fields in which the lines of a row agree, by their places.
    pub by: Vec<usize>,
}

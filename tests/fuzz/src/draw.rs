//! Bytes as choices: texts near valid ones, and JSON near documents.

use serde_json::{Map, Value};

/// Longest text that is made, bytes.
const LONGEST: usize = 64 << 10;

/// The remaining choices; when there are none left, every choice is the first.
pub(crate) struct Draw<'b>(&'b [u8]);

impl<'b> Draw<'b> {
    pub(crate) fn new(bytes: &'b [u8]) -> Self {
        Self(bytes)
    }

    pub(crate) fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else {
            return 0;
        };
        self.0 = rest;
        *first
    }

    /// Less than `end`; 0 for 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        let number = match end {
            0..=256 => usize::from(self.byte()),
            _ => usize::from(self.byte()) << 8 | usize::from(self.byte()),
        };
        number % end.max(1)
    }

    /// Once in so many times.
    pub(crate) fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == times - 1
    }

    pub(crate) fn pick<'t, T>(&mut self, of: &'t [T]) -> &'t T {
        &of[self.below(of.len())]
    }

    /// All remaining bytes, unchanged.
    pub(crate) fn rest(&mut self) -> &'b [u8] {
        std::mem::take(&mut self.0)
    }

    fn raw(&mut self, most: usize) -> &'b [u8] {
        let count = self.below(most + 1).min(self.0.len());
        let (taken, rest) = self.0.split_at(count);
        self.0 = rest;
        taken
    }

    pub(crate) fn text(&mut self, seeds: &[&str], words: &[&str]) -> String {
        let seeds: Vec<&[u8]> = seeds.iter().map(|seed| seed.as_bytes()).collect();
        let bytes = self.bytes(&seeds, words);
        String::from_utf8(bytes).unwrap_or_else(|fault| String::from_utf8_lossy(fault.as_bytes()).into_owned())
    }

    /// A seed with changes, or anything.
    pub(crate) fn bytes(&mut self, seeds: &[&[u8]], words: &[&str]) -> Vec<u8> {
        let mut text = match self.byte() % 16 {
            0 => return self.rest().to_vec(),
            1 => Vec::new(),
            _ => self.pick(seeds).to_vec(),
        };
        for _ in 0..self.below(12) {
            self.change(&mut text, seeds, words);
            text.truncate(LONGEST);
        }
        text
    }

    fn change(&mut self, text: &mut Vec<u8>, seeds: &[&[u8]], words: &[&str]) {
        let at = self.below(text.len() + 1);
        let end = |length: usize| (at + length).min(text.len());
        match self.byte() % 12 {
            0..=3 => {
                let word = self.pick(words).as_bytes();
                text.splice(at..at, word.iter().copied());
            }
            4 => {
                let end = end(self.below(24));
                let word = self.pick(words).as_bytes();
                text.splice(at..end, word.iter().copied());
            }
            5 => {
                let raw = self.raw(8);
                text.splice(at..at, raw.iter().copied());
            }
            6 => {
                let end = end(self.below(32));
                text.drain(at..end);
            }
            7 => {
                let piece = text[at..end(self.below(64))].to_vec();
                let piece = piece.repeat(1 + self.below(4));
                text.splice(at..at, piece);
            }
            8 => {
                if let Some(byte) = text.get_mut(at) {
                    *byte = self.byte();
                }
            }
            9 => {
                let other = self.pick(seeds);
                let from = self.below(other.len() + 1);
                let piece = &other[from..(from + self.below(48)).min(other.len())];
                text.splice(at..at, piece.iter().copied());
            }
            10 => {
                let piece = self.pick(words).as_bytes().repeat(self.below(1_200));
                text.splice(at..at, piece);
            }
            _ => text.truncate(at),
        }
    }

    /// Any JSON value of so many levels.
    pub(crate) fn value(&mut self, levels: usize, words: &[&str]) -> Value {
        let kinds = if levels == 0 { 10 } else { 13 };
        match self.byte() % kinds {
            0 => Value::Null,
            1 => Value::Bool(self.once_in(2)),
            2 => Value::from(i64::from(self.byte()) - 128),
            3 => self.number(),
            4 | 5 => Value::from(*self.pick(words)),
            6 => Value::from(String::from_utf8_lossy(self.raw(12)).into_owned()),
            7 => Value::from(format!("{}{}", self.pick(words), self.pick(words))),
            8 => Value::from("2025-02-29T00:00:00Z"),
            9 => Value::from(self.pick(words).repeat(self.below(400))),
            10 => (0..self.below(5)).map(|_| self.value(levels - 1, words)).collect(),
            _ => {
                let members = (0..self.below(6)).map(|_| {
                    let name = (*self.pick(words)).to_owned();
                    (name, self.value(levels - 1, words))
                });
                Value::Object(members.collect::<Map<_, _>>())
            }
        }
    }

    /// A number at a boundary.
    pub(crate) fn number(&mut self) -> Value {
        const EDGES: [&str; 16] = [
            "0",
            "-0",
            "1",
            "-1",
            "0.5",
            "1e308",
            "-1e308",
            "1e400",
            "1e-400",
            "9007199254740993",
            "9223372036854775807",
            "-9223372036854775808",
            "18446744073709551615",
            "18446744073709551616",
            "123456789012345678901234567890.123456789",
            "2147483648",
        ];
        let edge = *self.pick::<&str>(&EDGES);
        serde_json::from_str(edge).unwrap_or_default()
    }

    /// Changes a value somewhere inside.
    pub(crate) fn spoil(&mut self, value: &mut Value, words: &[&str]) {
        let inner = match value {
            Value::Object(members) if !members.is_empty() && !self.once_in(5) => {
                let at = self.below(members.len());
                members.values_mut().nth(at)
            }
            Value::Array(elements) if !elements.is_empty() && !self.once_in(5) => {
                let at = self.below(elements.len());
                elements.get_mut(at)
            }
            _ => None,
        };
        if let Some(inner) = inner {
            return self.spoil(inner, words);
        }
        match value {
            Value::Object(members) if self.once_in(2) => {
                let name = (*self.pick(words)).to_owned();
                let new = self.value(2, words);
                members.insert(name, new);
            }
            Value::Object(members) if !members.is_empty() && self.once_in(2) => {
                let at = self.below(members.len());
                let name = members.keys().nth(at).cloned();
                members.shift_remove(&name.unwrap_or_default());
            }
            Value::Array(elements) if elements.len() < 40 && self.once_in(2) => {
                let copy = elements.clone();
                elements.extend(copy);
                elements.push(self.value(2, words));
            }
            other => *other = self.value(3, words),
        }
    }
}

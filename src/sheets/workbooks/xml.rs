//! The XML of spreadsheets, piece by piece. A piece has a limit, nothing is expanded, and document types are refused.

use crate::fault::Fault;
use quick_xml::Reader;
use quick_xml::XmlVersion;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesEnd, BytesStart, Event};
use std::io::{BufRead, BufReader, Read};

/// Bytes of a name: names of open elements stay in memory.
const NAME: usize = 200;
/// How deep elements may stand in each other.
const DEPTH: usize = 64;

/// Bytes with a limit between two calls of [`Bounded::renew`].
pub(crate) struct Bounded<R> {
    inner: BufReader<R>,
    left: usize,
    limit: usize,
}

impl<R: Read> Bounded<R> {
    fn renew(&mut self) {
        self.left = self.limit;
    }
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        self.inner.read(out)
    }
}

impl<R: Read> BufRead for Bounded<R> {
    fn fill_buf(&mut self) -> std::io::Result<&[u8]> {
        if self.left == 0 {
            return Err(Fault::CellTooLong { row: 0, limit: self.limit }.into());
        }
        self.inner.fill_buf()
    }

    fn consume(&mut self, count: usize) {
        self.left = self.left.saturating_sub(count);
        self.inner.consume(count);
    }
}

pub(crate) struct Xml<R: Read> {
    reader: Reader<Bounded<R>>,
    buffer: Vec<u8>,
    depth: usize,
}

#[derive(Debug)]
pub(crate) enum Piece<'x> {
    Start(BytesStart<'x>),
    /// An element without content.
    Empty(BytesStart<'x>),
    End(BytesEnd<'x>),
    /// Text, entities resolved.
    Text(Text<'x>),
    /// What says nothing.
    Other,
    Eof,
}

/// A text, or the character of an entity.
#[derive(Debug)]
pub(crate) enum Text<'x> {
    Part(std::borrow::Cow<'x, str>),
    One(char),
}

impl Text<'_> {
    pub(crate) fn push_to(&self, out: &mut String) {
        match self {
            Self::Part(text) => out.push_str(text),
            Self::One(c) => out.push(*c),
        }
    }
}

impl<R: Read> Xml<R> {
    /// Reads a document whose pieces have at most so many bytes.
    pub(crate) fn new(bytes: R, limit: usize) -> Self {
        let inner = BufReader::with_capacity(64 << 10, bytes);
        let mut reader = Reader::from_reader(Bounded { inner, left: limit, limit });
        let config = reader.config_mut();
        config.check_end_names = false;
        config.check_comments = false;
        config.allow_unmatched_ends = true;
        Self { reader, buffer: Vec::new(), depth: 0 }
    }

    pub(crate) fn next(&mut self) -> Result<Piece<'_>, Fault> {
        self.buffer.clear();
        self.reader.get_mut().renew();
        match self.reader.read_event_into(&mut self.buffer).map_err(broken)? {
            Event::Comment(_) | Event::PI(_) | Event::Decl(_) => Ok(Piece::Other),
            Event::DocType(_) => Err(Fault::Entities),
            Event::Start(start) => {
                self.depth += 1;
                let long = start.name().as_ref().len() > NAME;
                match self.depth > DEPTH || long {
                    true => Err(Fault::broken("its elements stand too deep in each other, or have long names")),
                    false => Ok(Piece::Start(start)),
                }
            }
            Event::Empty(start) => Ok(Piece::Empty(start)),
            Event::End(end) => {
                self.depth =
                    (self.depth.checked_sub(1)).ok_or_else(|| Fault::broken("an element ends that never began"))?;
                Ok(Piece::End(end))
            }
            Event::Text(text) => Ok(Piece::Text(Text::Part(text.xml10_content()))),
            Event::CData(text) => Ok(Piece::Text(Text::Part(text.xml10_content()))),
            Event::GeneralRef(reference) => {
                if let Some(text) = resolve_predefined_entity(&reference) {
                    return Ok(Piece::Text(Text::Part(text.into())));
                }
                match reference.resolve_char_ref() {
                    Ok(Some(c)) => Ok(Piece::Text(Text::One(c))),
                    Ok(None) => Err(Fault::Entities),
                    Err(_) => Err(Fault::broken("an unknown character in XML")),
                }
            }
            Event::Eof if self.depth > 0 => Err(Fault::Truncated),
            Event::Eof => Ok(Piece::Eof),
        }
    }
}

fn broken(fault: quick_xml::Error) -> Fault {
    match fault {
        quick_xml::Error::Io(why) => match why.get_ref().and_then(|w| w.downcast_ref::<Fault>()) {
            Some(own) => own.clone(),
            None => match why.kind() {
                std::io::ErrorKind::UnexpectedEof => Fault::Truncated,
                _ => Fault::broken("packed data is damaged"),
            },
        },
        quick_xml::Error::Syntax(_) => Fault::broken("its XML is damaged or ends too early"),
        other => Fault::broken(format!("its XML is damaged ({other})")),
    }
}

/// The value of an attribute, by its name without prefix.
pub(crate) fn attribute(start: &BytesStart<'_>, name: &str) -> Result<Option<String>, Fault> {
    for one in start.attributes().with_checks(false) {
        let one = one.map_err(|_| Fault::broken("an attribute in XML"))?;
        if one.key.local_name().as_ref() == name {
            let value = one.normalized_value(XmlVersion::Implicit1_0).map_err(|_| Fault::Entities)?;
            return Ok(Some(value.into_owned()));
        }
    }
    Ok(None)
}

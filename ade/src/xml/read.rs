//! XML text to elements, a resource at a time. Nothing is expanded and nothing is fetched: document
//! types are refused, and of entities only the five of XML itself are known.

use super::emit::Emit;
use super::name::{is_char, is_name};
use super::{BATCH, DEPTH_MAX, XmlFault};
use quick_xml::Reader;
use quick_xml::errors::Error;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesRef, BytesStart, Event};
use std::borrow::Cow;

/// Elements of one resource at most: a tree in memory costs many times its text.
const ELEMENTS_MAX: usize = 200_000;

/// Attributes of one element at most: each is compared with all before it.
const ATTRIBUTES_MAX: usize = 64;
/// Bytes of a name at most, so that pointers stay short.
pub(super) const NAME_MAX: usize = 1_000;
/// The root of a page.
const PAGE: &str = "icarResourceCollection";
/// The member of a page that is a document.
const MEMBER: &str = "member";
/// The member of a document that names its type.
const TYPE: &str = "resourceType";
/// Characters of the text that a message repeats.
const SHOWN: usize = 60;

#[derive(Debug, Default)]
pub(super) struct Element<'t> {
    /// Its name without prefix, not unescaped.
    pub(super) name: &'t str,
    /// Its text, white space between elements included.
    pub(super) text: Cow<'t, str>,
    pub(super) children: Vec<Element<'t>>,
    /// `xsi:nil` says that there is no value.
    pub(super) nil: bool,
    /// The first attribute that has no meaning here.
    pub(super) attribute: Option<Box<str>>,
}

/// Reads a body, and gives JSON text.
pub(super) fn read(text: &str, resource: &str) -> Result<String, Vec<XmlFault>> {
    let mut reader = Reader::from_str(text);
    reader.config_mut().expand_empty_elements = true;
    reader.config_mut().check_comments = true;
    let mut tree = Tree { text, reader, open: Vec::new(), elements: 0 };
    let mut emit = Emit::new(resource);
    let mut batch = false;
    let mut done = false;
    loop {
        let event = tree.next().map_err(|fault| vec![fault])?;
        let closed = match event {
            Piece::Open if batch || tree.open.len() > 1 => continue,
            Piece::Open if done => {
                return Err(vec![tree.fault("roots", "There is more than one root.")]);
            }
            Piece::Open => {
                batch = tree.open.first().is_some_and(|root| root.name == BATCH);
                if batch {
                    emit.begin();
                }
                continue;
            }
            Piece::Closed(element) => element,
            Piece::End if done => break,
            Piece::End => return Err(vec![tree.fault("empty", "There is no element.")]),
        };
        match (batch, tree.open.len()) {
            (false, 0) => {
                emit.one(&closed);
                done = true;
            }
            (true, 1) => {
                emit.element(&closed);
                tree.elements = 0;
            }
            (true, 0) => {
                emit.end(&closed);
                (batch, done) = (false, true);
            }
            _ => tree.keep(closed),
        }
    }
    emit.finish()
}

/// Reads the documents of a file, whatever its root is: a document alone, the elements of a [`BATCH`], or the members
/// of a page ([`PAGE`]). Each is read under the schema of its own type, and judged on its own.
pub(super) fn documents(text: &str, most: usize) -> Result<Vec<Document>, XmlFault> {
    let mut reader = Reader::from_str(text);
    reader.config_mut().expand_empty_elements = true;
    reader.config_mut().check_comments = true;
    let mut tree = Tree { text, reader, open: Vec::new(), elements: 0 };
    let mut all = Vec::new();
    let (mut root, mut done) = ("", false);
    loop {
        let closed = match tree.next()? {
            Piece::Open if tree.open.len() > 1 => continue,
            Piece::Open if done => return Err(tree.fault("roots", "There is more than one root.")),
            Piece::Open => {
                root = tree.open.first().map_or("", |root| root.name);
                continue;
            }
            Piece::Closed(element) => element,
            Piece::End if done => return Ok(all),
            Piece::End => return Err(tree.fault("empty", "There is no element.")),
        };
        let (inner, depth) = (root == BATCH || root == PAGE, tree.open.len());
        done = depth == 0;
        match (inner, depth) {
            (true, 1) if root == BATCH || closed.name == MEMBER => all.push(document(&closed)),
            (false, 0) => all.push(document(&closed)),
            // What stands around the members of a page says nothing about them.
            (true, _) if depth < 2 => {}
            _ => {
                tree.keep(closed);
                continue;
            }
        }
        tree.elements = 0;
        if all.len() > most {
            return Err(tree.fault("too-many", format!("There are more than {most} documents.")));
        }
    }
}

/// A document as JSON text, or what has no place in it.
pub type Document = Result<String, Vec<XmlFault>>;

fn document(element: &Element<'_>) -> Document {
    let named = (element.children.iter()).find(|child| child.name == TYPE);
    let resource = named.map_or(element.name, |child| child.text.trim_matches(is_space));
    let mut emit = Emit::new(resource);
    emit.one(element);
    emit.finish()
}

enum Piece<'t> {
    /// An element was opened; it is the last of those that are open.
    Open,
    Closed(Element<'t>),
    End,
}

struct Tree<'t> {
    text: &'t str,
    reader: Reader<&'t [u8]>,
    open: Vec<Element<'t>>,
    /// Elements of this resource so far.
    elements: usize,
}

impl<'t> Tree<'t> {
    fn keep(&mut self, closed: Element<'t>) {
        if let Some(parent) = self.open.last_mut() {
            parent.children.push(closed);
        }
    }

    fn next(&mut self) -> Result<Piece<'t>, XmlFault> {
        loop {
            let start = self.reader.buffer_position();
            let event = self.reader.read_event();
            match event.map_err(|fault| self.broken(&fault))? {
                Event::Start(start) => {
                    self.start(&start)?;
                    return Ok(Piece::Open);
                }
                Event::End(_) => {
                    // The reader has matched the names.
                    if let Some(closed) = self.open.pop() {
                        return Ok(Piece::Closed(closed));
                    }
                }
                Event::Text(text) => {
                    if text.contains("]]>") {
                        return Err(self.fault("syntax", "\"]]>\" must not stand in text."));
                    }
                    self.push(text.xml10_content())?;
                }
                Event::CData(text) => self.push(text.xml10_content())?,
                Event::GeneralRef(reference) => self.reference(&reference)?,
                Event::Decl(_) if start == 0 => {}
                Event::Decl(_) => {
                    return Err(self.fault("syntax", "The XML declaration stands at the start."));
                }
                Event::DocType(_) => {
                    return Err(self.fault("doctype", "Document types (DOCTYPE) are not read."));
                }
                Event::PI(_) | Event::Comment(_) | Event::Empty(_) => {}
                Event::Eof => {
                    return match self.open.last() {
                        None => Ok(Piece::End),
                        Some(open) => {
                            let message = format!("The element {} is not closed.", shown(open.name));
                            Err(self.fault("syntax", message))
                        }
                    };
                }
            }
        }
    }

    fn start(&mut self, start: &BytesStart<'_>) -> Result<(), XmlFault> {
        if self.open.len() >= DEPTH_MAX {
            let message = format!("Elements are nested deeper than {DEPTH_MAX} levels.");
            return Err(self.fault("too-deep", message));
        }
        self.elements += 1;
        if self.elements > ELEMENTS_MAX {
            let message = format!("A resource has more than {ELEMENTS_MAX} elements.");
            return Err(self.fault("too-many-elements", message));
        }
        let tag = start.name();
        let name = match tag.as_ref().split_once(':') {
            Some((prefix, name)) if is_name(prefix) => name,
            Some(_) => "",
            None => tag.as_ref(),
        };
        if !is_name(name) || name.len() > NAME_MAX {
            let message = format!("{:?} is no name of an element.", shown(tag.as_ref()));
            return Err(self.fault("syntax", message));
        }
        let mut element = Element { name: self.standing(name), ..Element::default() };
        for (count, attribute) in start.attributes().enumerate() {
            if count >= ATTRIBUTES_MAX {
                let message = format!("An element has more than {ATTRIBUTES_MAX} attributes.");
                return Err(self.fault("too-many-attributes", message));
            }
            let attribute = attribute.map_err(|fault| self.broken(&Error::InvalidAttr(fault)))?;
            let key = attribute.key.as_ref();
            match key.split_once(':').unwrap_or(("", key)) {
                // With any prefix for the namespace of XML schema instances.
                (prefix, "nil") if !prefix.is_empty() => {
                    element.nil = matches!(attribute.value.trim(), "true" | "1");
                }
                // About the notation, not the document.
                ("", "xmlns") | ("xmlns" | "xml" | "xsi", _) => {}
                _ => {
                    element.attribute.get_or_insert_with(|| shown(key).into());
                }
            }
        }
        self.open.push(element);
        Ok(())
    }

    /// The same part of the text, for as long as the text lives.
    fn standing(&self, part: &str) -> &'t str {
        // The reader gives slices of the text, so the distance of their starts is the offset.
        let at = (part.as_ptr() as usize).wrapping_sub(self.text.as_ptr() as usize);
        let end = at.wrapping_add(part.len());
        self.text.get(at..end).filter(|found| *found == part).unwrap_or_default()
    }

    fn reference(&mut self, reference: &BytesRef<'_>) -> Result<(), XmlFault> {
        if let Some(text) = resolve_predefined_entity(reference) {
            return self.push(Cow::Borrowed(text));
        }
        if !reference.is_char_ref() {
            let message = format!("The entity &{}; is not known.", shown(reference));
            return Err(self.fault("entity", message));
        }
        match reference.resolve_char_ref() {
            Ok(Some(c)) if is_char(c) => self.push(Cow::Owned(c.to_string())),
            _ => Err(self.fault("syntax", "A reference to a character that XML does not have.")),
        }
    }

    fn push(&mut self, text: Cow<'t, str>) -> Result<(), XmlFault> {
        if let Some(bad) = text.chars().find(|c| !is_char(*c)) {
            let code = u32::from(bad);
            let message = format!("The character U+{code:04X} must not stand in XML.");
            return Err(self.fault("syntax", message));
        }
        let Some(element) = self.open.last_mut() else {
            if text.trim_matches(is_space).is_empty() {
                return Ok(());
            }
            return Err(self.fault("syntax", "There is text outside the root."));
        };
        if element.text.is_empty() {
            element.text = text;
        } else {
            element.text.to_mut().push_str(&text);
        }
        Ok(())
    }

    fn broken(&self, fault: &Error) -> XmlFault {
        let message: String = fault.to_string().chars().take(4 * SHOWN).collect();
        self.fault("syntax", format!("{message}."))
    }

    /// A fault about here.
    fn fault(&self, code: &'static str, message: impl std::fmt::Display) -> XmlFault {
        let at = self.reader.buffer_position().max(self.reader.error_position());
        let at = usize::try_from(at).unwrap_or(usize::MAX).min(self.text.len());
        let read = self.text.as_bytes().get(..at).unwrap_or_default();
        let line = read.iter().filter(|byte| **byte == b'\n').count() + 1;
        let column = read.iter().rev().take_while(|byte| **byte != b'\n').count();
        XmlFault::malformed(code, format!("Line {line}, byte {column}: {message}"))
    }
}

/// As much of a text as a message repeats.
fn shown(text: &str) -> &str {
    text.char_indices().nth(SHOWN).and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}

/// Production 3, `S`.
pub(super) fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n')
}

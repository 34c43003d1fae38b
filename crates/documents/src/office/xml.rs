//! Walks through the elements of XML, without a tree and without recursion. Only the entities of
//! XML itself are replaced; those that a document declares are left out.

use quick_xml::{
    Reader, XmlVersion,
    escape::resolve_predefined_entity,
    events::{BytesStart, Event},
};

use super::super::Unreadable;

/// A step through a document. Names are without their prefixes.
pub(super) enum Step<'a> {
    Open(&'a Tag<'a>),
    Close(&'a str),
    Text(&'a str),
}

/// Whether to read the content of an element.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Visit {
    Enter,
    Skip,
}

/// The start of an element.
pub(super) struct Tag<'a>(BytesStart<'a>);

impl Tag<'_> {
    pub(super) fn name(&self) -> &str {
        local(self.0.name().0)
    }

    /// The value of an attribute, by its name without a prefix.
    pub(super) fn get(&self, wanted: &str) -> Option<String> {
        self.find(|it| local(it) == wanted)
    }

    /// The value of an attribute that has a prefix, such as `r:id`.
    pub(super) fn get_prefixed(&self, wanted: &str) -> Option<String> {
        self.find(|it| it.contains(':') && local(it) == wanted)
    }

    fn find(&self, is_wanted: impl Fn(&str) -> bool) -> Option<String> {
        let found = self.0.attributes().flatten().find(|it| is_wanted(it.key.0))?;
        Some(found.normalized_value(XmlVersion::Implicit1_0).ok()?.into_owned())
    }
}

fn local(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, it)| it)
}

/// Passes all steps to `take`. The content of a skipped element is read, but not passed on.
pub(super) fn walk(
    xml: &str,
    mut take: impl FnMut(Step) -> Result<Visit, Unreadable>,
) -> Result<(), Unreadable> {
    let mut reader = Reader::from_str(xml);
    let mut skipped = 0_usize;
    loop {
        let event = reader
            .read_event()
            .map_err(|err| Unreadable::Damaged(format!("its XML is invalid ({err})")))?;
        match event {
            Event::Start(_) if skipped > 0 => skipped += 1,
            Event::End(_) if skipped > 1 => skipped -= 1,
            Event::End(tag) => {
                skipped = 0;
                take(Step::Close(local(tag.name().0)))?;
            }
            Event::Eof => return Ok(()),
            _ if skipped > 0 => {}
            Event::Start(tag) => {
                skipped = usize::from(take(Step::Open(&Tag(tag)))? == Visit::Skip);
            }
            Event::Empty(tag) => {
                let tag = Tag(tag);
                take(Step::Open(&tag))?;
                take(Step::Close(tag.name()))?;
            }
            Event::Text(it) => drop(take(Step::Text(&it.xml10_content()))?),
            Event::CData(it) => drop(take(Step::Text(&it.xml10_content()))?),
            Event::GeneralRef(name) => {
                if let Ok(Some(letter)) = name.resolve_char_ref() {
                    take(Step::Text(letter.encode_utf8(&mut [0; 4])))?;
                } else if let Some(text) = resolve_predefined_entity(&name) {
                    take(Step::Text(text))?;
                }
            }
            Event::Decl(_) | Event::PI(_) | Event::Comment(_) | Event::DocType(_) => {}
        }
    }
}

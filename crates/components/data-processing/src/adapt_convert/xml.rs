//! XML, by the crate `quick-xml`.

use std::{collections::HashMap, fmt::Write as _};

use quick_xml::{
    Reader, XmlVersion,
    errors::IllFormedError,
    escape::{escape, resolve_predefined_entity},
    events::{BytesStart, Event, attributes::AttrError},
};
use svc_contract::{
    registry::{Cx, OpError},
    value::{
        BoundedText, Record, Text, Value,
        arithmetic::{HEAVIEST, LONGEST_TEXT},
        memory,
    },
};

use super::{DEEPEST, place, too_deep, too_long, xml_rules};

/// The field of an element with its text, and the first character of those with its attributes.
pub(super) const TEXT: &str = "#text";
pub(super) const ATTRIBUTE: char = '@';

/// Reads one document.
pub(super) fn read(text: &str, cx: &Cx) -> Result<Value, OpError> {
    if let Some((at, why)) = xml_rules::forbidden(text) {
        return Err(invalid(text, at as u64, &why));
    }
    let mut reader = Reader::from_str(text);
    let mut document = Document::default();
    for number in 0_usize.. {
        if number.is_multiple_of(1_000) {
            cx.check()?;
        }
        let start = reader.buffer_position();
        let event =
            reader.read_event().map_err(|err| unreadable(text, reader.error_position(), err))?;
        if matches!(event, Event::Decl(_)) && start > 0 {
            let why = "`<?xml ..?>` must be the first thing in the text";
            return Err(invalid(text, start, why).help("leave out spaces and lines before it"));
        }
        if let Event::Text(it) = &event
            && let Some(at) = it.find("]]>")
        {
            let why = "expected `]]&gt;` in a text, found `]]>`";
            return Err(invalid(text, start + at as u64, why));
        }
        let is_end = matches!(event, Event::Eof);
        document.take(event).map_err(|why| match why {
            Wrong::Here(why) => invalid(text, start, &why),
            Wrong::Op(err) => err,
        })?;
        if is_end {
            break;
        }
    }
    let root = document.root.map(|(name, it)| Record::from_iter([(name, it)]));
    root.map(Value::Record).ok_or_else(|| invalid(text, 0, "it has no element"))
}

/// A mistake that the library found.
fn unreadable(text: &str, offset: u64, err: quick_xml::Error) -> OpError {
    let why = match &err {
        quick_xml::Error::IllFormed(IllFormedError::UnclosedReference) => {
            "`&` without a name and `;`".to_owned()
        }
        quick_xml::Error::IllFormed(it) => it.to_string(),
        it => it.to_string(),
    };
    let has_letter = why.starts_with('&') || why.starts_with("`&`");
    let invalid = invalid(text, offset, &why).because(err);
    if has_letter { invalid.help("write `&amp;` for the letter `&`") } else { invalid }
}

fn invalid(text: &str, offset: u64, why: &str) -> OpError {
    let place = place(text, usize::try_from(offset).unwrap_or(text.len()).min(text.len()));
    OpError::invalid_input(format!("invalid XML: {why}{place}"))
}

/// A mistake at the current place, or another failure.
enum Wrong {
    Here(String),
    Op(OpError),
}

impl<E: std::fmt::Display> From<E> for Wrong {
    fn from(err: E) -> Self {
        Self::Here(err.to_string())
    }
}

/// The document as far as it was read.
#[derive(Default)]
struct Document {
    root: Option<(Text, Value)>,
    open: Vec<Element>,
    has_doctype: bool,
}

/// An element that has not ended.
#[derive(Default)]
struct Element {
    name: Text,
    fields: Vec<(Text, Vec<Value>)>,
    places: HashMap<Text, usize>,
    text: String,
}

impl Document {
    fn take(&mut self, event: Event<'_>) -> Result<(), Wrong> {
        match event {
            Event::Start(tag) => self.start(&tag),
            Event::Empty(tag) => self.start(&tag).and_then(|()| self.end()),
            Event::End(_) => self.end(),
            Event::Text(text) => self.text(&text.xml10_content()),
            Event::CData(_) if self.open.is_empty() => {
                Err("found CDATA outside of the element around all others".into())
            }
            Event::CData(text) => self.text(&text.xml10_content()),
            Event::GeneralRef(name) => match name.resolve_char_ref()? {
                Some(letter) => {
                    let letter = letter.to_string();
                    xml_rules::test_letters(&letter)?;
                    self.text(&letter)
                }
                None => match resolve_predefined_entity(&name) {
                    Some(text) => self.text(text),
                    None => Err(format!("unknown entity `&{};`", &*name).into()),
                },
            },
            Event::DocType(_) if self.root.is_some() || !self.open.is_empty() => {
                Err("a DOCTYPE must come before the first element".into())
            }
            Event::Eof => match self.open.last() {
                Some(open) => Err(format!("the element `{}` is not closed", open.name).into()),
                None => Ok(()),
            },
            Event::DocType(_) if self.has_doctype => Err("duplicate DOCTYPE".into()),
            Event::DocType(_) => {
                self.has_doctype = true;
                Ok(())
            }
            Event::Comment(text) => Ok(xml_rules::test_comment(&text)?),
            Event::PI(it) if it.target().eq_ignore_ascii_case("xml") => {
                Err(format!("`{}` is not the name of an instruction", it.target()).into())
            }
            Event::PI(it) => named(it.target()).map(|_| ()),
            Event::Decl(_) => Ok(()),
        }
    }

    fn start(&mut self, tag: &BytesStart<'_>) -> Result<(), Wrong> {
        if self.open.is_empty() && self.root.is_some() {
            return Err("expected one element around all others, found another one".into());
        }
        if self.open.len() == DEEPEST - 1 {
            return Err(Wrong::Op(too_deep()));
        }
        let name = named(tag.name().as_ref())?;
        let mut element = Element { name, ..Element::default() };
        for attribute in tag.attributes() {
            let attribute = attribute.map_err(|err| match err {
                AttrError::Duplicated(at, _) => {
                    format!("duplicate attribute `{}`", xml_rules::name_at(tag, at))
                }
                err => err.to_string(),
            })?;
            let name = named(attribute.key.as_ref())?;
            let value = attribute.normalized_value(XmlVersion::Implicit1_0)?;
            xml_rules::test_letters(&value)?;
            element.add(format!("{ATTRIBUTE}{name}").into(), Value::text(value.as_ref()))?;
        }
        xml_rules::test_attributes(tag.attributes_raw())?;
        self.open.push(element);
        Ok(())
    }

    fn end(&mut self) -> Result<(), Wrong> {
        let Some(element) = self.open.pop() else { return Ok(()) };
        let (name, value) = element.end();
        match self.open.last_mut() {
            Some(outer) => outer.add(name, value)?,
            None => self.root = Some((name, value)),
        }
        Ok(())
    }

    fn text(&mut self, text: &str) -> Result<(), Wrong> {
        match self.open.last_mut() {
            Some(element) => element.text.push_str(text),
            None if text.trim().is_empty() => {}
            None => return Err("found text outside of the element around all others".into()),
        }
        Ok(())
    }
}

impl Element {
    fn add(&mut self, name: Text, value: Value) -> Result<(), Wrong> {
        memory::make(size_of::<Value>()).map_err(|err| Wrong::Op(err.into()))?;
        let place = *self.places.entry(name.clone()).or_insert(self.fields.len());
        if place == self.fields.len() {
            self.fields.push((name, Vec::new()));
        }
        self.fields[place].1.push(value);
        Ok(())
    }

    fn end(self) -> (Text, Value) {
        let text = self.text.trim();
        if self.fields.is_empty() {
            return (self.name, Value::text(text));
        }
        let fields = self.fields.into_iter().map(|(name, mut values)| match values.len() {
            1 => (name, values.remove(0)),
            _ => (name, values.into()),
        });
        let text = (!text.is_empty()).then(|| (Text::from(TEXT), Value::text(text)));
        (self.name, Value::Record(fields.chain(text).collect::<Record>()))
    }
}

fn named(name: &str) -> Result<Text, Wrong> {
    if name.is_empty() {
        return Err("expected a name after `<` (the letter itself is `&lt;`)".into());
    }
    if is_name(name) { Ok(name.into()) } else { Err(format!("`{name}` is not a name").into()) }
}

/// Whether this is the name of an element or attribute.
fn is_name(name: &str) -> bool {
    let starts = |it: char| it.is_alphabetic() || matches!(it, '_' | ':');
    let goes_on = |it: char| starts(it) || it.is_numeric() || matches!(it, '-' | '.' | '\u{b7}');
    name.starts_with(starts) && name.chars().all(goes_on)
}

/// Writes one document, in the form that [`read`] returns.
pub(super) fn write(value: &Value) -> Result<Value, OpError> {
    if value.weight() > HEAVIEST {
        return Err(too_long());
    }
    let root = value.as_record().filter(|it| it.len() == 1).and_then(|it| it.iter().next());
    let Some((name, root)) = root.filter(|(_, it)| !matches!(it, Value::List(_))) else {
        let error = unwritable("a document is an object with one field, its outermost element");
        return Err(error.help("put it into `{ root: .. }`"));
    };
    let mut out = Writer(BoundedText::new(LONGEST_TEXT));
    out.element(name, root, 0)?;
    Ok(out.0.into_string().into())
}

struct Writer(BoundedText);

impl Writer {
    fn put(&mut self, text: &str) -> Result<(), OpError> {
        let put = self.0.write_str(text);
        put.map_err(|_| memory::check().err().map_or_else(too_long, OpError::from))
    }

    /// Writes an element, or one for each item of a list, on lines of their own.
    fn element(&mut self, name: &str, value: &Value, depth: usize) -> Result<(), OpError> {
        if depth >= DEEPEST {
            return Err(too_deep());
        }
        if !is_name(name) {
            return Err(unwritable(&format!("`{name}` is not the name of an element")));
        }
        let Value::List(items) = value else { return self.one(name, value, depth) };
        items.iter().try_for_each(|it| match it {
            Value::List(_) => Err(unwritable(&format!("`{name}` has a list in a list"))),
            it => self.one(name, it, depth),
        })
    }

    fn one(&mut self, name: &str, value: &Value, depth: usize) -> Result<(), OpError> {
        self.put(&"  ".repeat(depth))?;
        self.put(&format!("<{name}"))?;
        match value {
            Value::Record(fields) => self.fields(name, fields, depth)?,
            scalar => match escaped(scalar)? {
                text if text.is_empty() => self.put("/>")?,
                text => self.put(&format!(">{text}</{name}>"))?,
            },
        }
        self.put("\n")
    }

    fn fields(&mut self, name: &str, fields: &Record, depth: usize) -> Result<(), OpError> {
        let attribute = |field: &Text| field.strip_prefix(ATTRIBUTE).map(str::to_owned);
        for (field, value) in fields.iter() {
            let Some(field) = attribute(field) else { continue };
            if !is_name(&field) {
                return Err(unwritable(&format!("`{field}` is not the name of an attribute")));
            }
            self.put(&format!(" {field}=\"{}\"", escaped(value)?))?;
        }
        let text = fields.get(TEXT).map_or(Ok(String::new()), escaped)?;
        let inner = |field: &Text| attribute(field).is_none() && field.as_ref() != TEXT;
        if !fields.names().iter().any(inner) {
            let end = if text.is_empty() { "/>".to_owned() } else { format!(">{text}</{name}>") };
            return self.put(&end);
        }
        self.put(&format!(">{text}\n"))?;
        for (field, value) in fields.iter().filter(|(field, _)| inner(field)) {
            self.element(field, value, depth + 1)?;
        }
        self.put(&format!("{}</{name}>", "  ".repeat(depth)))
    }
}

fn unwritable(why: &str) -> OpError {
    OpError::invalid_input(format!("cannot write XML: {why}"))
}

/// The text of a value that is not a list or an object.
fn escaped(value: &Value) -> Result<String, OpError> {
    let text = match value {
        Value::Null => return Ok(String::new()),
        Value::List(_) | Value::Record(_) => {
            return Err(unwritable("an attribute or text is a list or an object"));
        }
        other => other.as_str().map_or_else(|| other.to_string(), str::to_owned),
    };
    if let Some(letter) = text.chars().find(|it| !xml_rules::is_allowed(*it)) {
        let code = u32::from(letter);
        return Err(unwritable(&format!("it cannot contain the character U+{code:04X}")));
    }
    // Readers replace other line ends.
    Ok(escape(&*text).replace('\r', "&#13;"))
}

#[cfg(test)]
mod tests {
    use svc_contract::value::json;

    use super::*;
    use crate::testing::as_json;

    fn of(text: &str) -> Result<String, String> {
        as_json(read, text)
    }

    #[test]
    fn documents_are_read() {
        assert_eq!(of("<a/>").unwrap(), r#"{"a":""}"#);
        let text = "<?xml version='1.0' encoding='UTF-16'?>\n<!DOCTYPE a SYSTEM 'x'>\n<!-- c -->\n\
            <a b='1 &amp;&#x41;'> x <![CDATA[<y>]]> &lt;z&gt; <?pi?></a>\n";
        assert_eq!(of(text).unwrap(), r##"{"a":{"@b":"1 &A","#text":"x <y> <z>"}}"##);
        assert_eq!(
            of("<s:a xmlns:s='u'><b/>t<c>1</c><b>2</b><b c='3'/></s:a>").unwrap(),
            r##"{"s:a":{"@xmlns:s":"u","b":["","2",{"@c":"3"}],"c":"1","#text":"t"}}"##
        );
        assert_eq!(of("<é>ü</é>").unwrap(), r#"{"é":"ü"}"#);
    }

    #[test]
    fn mistakes_have_their_place() {
        let fails = |text: &str, why: &str| {
            let message = of(text).unwrap_err();
            assert!(message.starts_with("invalid XML: ") && message.contains(why), "{message}");
        };
        fails("", "it has no element, at line 1, column 1");
        fails("hello", "text outside of the element");
        fails("<a>\n<b></a>", "at line 2, column 4");
        fails("<a><b>\n", "the element `b` is not closed, at line 2, column 1");
        fails("<a/>\n<b/>", "found another one, at line 2, column 1");
        fails("<a/>x", "text outside");
        fails("<a b='1' b='2'/>", "duplicate");
        fails("<a b=1/>", "at line 1");
        fails("<1a/>", "`1a` is not a name");
        fails("<a>&nbsp;</a>", "unknown entity `&nbsp;`, at line 1, column 4");
        fails("<a b='&x;'/>", "at line 1");
        fails("<a", "line 1");
        fails("</a>", "line 1");
        fails("<a>&#0;</a>", "line 1");
        fails("<a/><!DOCTYPE a>", "before the first element");
        fails(
            "\n<?xml version='1.0'?><a/>",
            "must be the first thing in the text, at line 2, column 1",
        );
    }

    #[test]
    fn what_is_not_well_formed_is_refused() {
        for (text, why) in [
            ("<b>1</a>", "expected `</b>`, but `</a>` was found"),
            ("</b></a>", "expected `</a>`, but `</b>` was found"),
            ("</a><a/>", "found another one"),
            ("x & y</a>", "`&` without a name and `;`"),
            ("&amp</a>", "`&` without a name and `;`"),
            ("&1;</a>", "unknown entity `&1;`"),
            ("&#x1;</a>", "the character U+0001 is not allowed"),
            ("\u{1}</a>", "the character U+0001 is not allowed"),
            ("\u{fffe}</a>", "the character U+FFFE is not allowed"),
            ("1 < 2</a>", "expected a name after `<`"),
            ("]]></a>", "in a text, found `]]>`"),
            ("<b c='1' c='2'/></a>", "duplicate attribute `c`"),
            ("<b c='1'd='2'/></a>", "missing space between two attributes"),
            ("<b c/></a>", "attribute key must be directly followed by `=`"),
            ("<b c='<'/></a>", "expected `&lt;` in the value"),
            ("<b c='&'/></a>", "Cannot find ';' after '&'"),
            ("<b c='&#1;'/></a>", "the character U+0001 is not allowed"),
            ("<b c=\"1/></a>", "attribute value not closed"),
            ("<b</a>", "`b</a` is not a name"),
            ("< b/></a>", "expected a name after `<`"),
            ("<b/c></a>", "`b/c` is not a name"),
            ("</a b='1'>", "expected `</a>`"),
            ("<!-- -- --></a>", "a comment cannot contain `--`"),
            ("<!-- ---></a>", "a comment cannot contain `--`"),
            ("<!-- x</a>", "comment not closed"),
            ("<![CDATA[x</a>", "CDATA not closed"),
            ("</a><![CDATA[ ]]>", "found CDATA outside"),
            ("<?xml version='1.0'?></a>", "must be the first thing in the text"),
            ("<?XML x?></a>", "`XML` is not the name of an instruction"),
            ("<?1?></a>", "`1` is not a name"),
            ("<!DOCTYPE a></a>", "before the first element"),
            ("<!x></a>", "unknown or missed symbol in markup"),
        ] {
            let message = of(&format!("<a>\n{text}")).unwrap_err();
            assert!(message.starts_with("invalid XML: ") && message.contains(why), "{message}");
            assert!(message.contains("at line 2, column "), "{message}");
        }
        let twice = of("<!DOCTYPE a>\n<!DOCTYPE a><a/>").unwrap_err();
        assert!(twice.contains("duplicate DOCTYPE, at line 2, column 1"), "{twice}");
        let fine = "<a\n b='1'\tc = \"2'>\"><!-- - -->]] > <![CDATA[ <&]] ]]> &#9;<?p ??></a>\n";
        assert_eq!(of(fine).unwrap(), r##"{"a":{"@b":"1","@c":"2'>","#text":"]] >  <&]]"}}"##);
    }

    #[test]
    fn bombs_are_refused() {
        assert!(of(&"<a>".repeat(100_000)).unwrap_err().contains("nesting"));
        let laughs = "<!DOCTYPE a [<!ENTITY l 'lol'><!ENTITY m '&l;&l;&l;'>]><a>&m;</a>";
        assert!(of(laughs).unwrap_err().contains("unknown entity `&m;`"));
        let outside = "<!DOCTYPE a [<!ENTITY f SYSTEM 'file:///etc/passwd'>]><a>&f;</a>";
        assert!(of(outside).unwrap_err().contains("unknown entity `&f;`"));
    }

    #[test]
    fn what_is_written_is_read_again() {
        let values = r##"{"a":{"@x":"1 \"<&>'\n","b":["","two",{"@c":"3","#text":"t & u"}],"d":{"e":{"f":"]]>"}}}}"##;
        let written = write(&json::read(values).unwrap()).unwrap();
        let again = of(written.as_str().unwrap()).unwrap();
        assert_eq!(again, values.replace("\\n", " "), "{written}");
        let written = write(&json::read(r#"{"a":{"n":[1,2.5,true,null],"l":[]}}"#).unwrap());
        let wanted = "<a>\n  <n>1</n>\n  <n>2.5</n>\n  <n>true</n>\n  <n/>\n</a>\n";
        assert_eq!(written.unwrap(), wanted.into());
    }

    #[test]
    fn other_values_are_not_written() {
        let fails = |text: &str, why: &str| {
            let message = write(&json::read(text).unwrap()).unwrap_err().message;
            assert!(message.contains(why), "{message}");
        };
        for text in ["[]", "1", "{}", r#"{"a":1,"b":2}"#, r#"{"a":[1]}"#] {
            fails(text, "one field");
        }
        fails(r#"{"a b":1}"#, "`a b` is not the name");
        fails(r#"{"a":{"@":1}}"#, "is not the name of an attribute");
        fails(r#"{"a":{"@b":[1]}}"#, "is a list or an object");
        fails(r#"{"a":{"b":[[1]]}}"#, "a list in a list");
        fails(r#"{"a":"\u0000"}"#, "U+0000");
    }
}

//! Messages (EML) and files of messages (mbox), by mail-parser: text, sender, and attachments.

use std::ops::Range;

use mail_parser::{Address, Message, MessageParser, MimeHeaders as _, PartType};

use svc_contract::value::Value;

use super::{
    super::{Document, Unreadable, last_name, meta::Meta, office},
    Found, packed,
};

/// The message of a file, and what is attached.
pub(super) fn message(name: &str, content: &[u8]) -> Result<Found, Unreadable> {
    let mut found = Found::default();
    let message = parse(content).ok_or_else(|| damaged("it is not a readable message"))?;
    add(&message, (name, ""), 0..content.len(), &mut found);
    Ok(found)
}

/// A portion of the messages of a file, from this one on. They are numbered from 1.
pub(super) fn mailbox(name: &str, content: &[u8], from: usize) -> Found {
    let mut found = Found::default();
    for (idx, range) in ranges(content).into_iter().enumerate().skip(from) {
        if found.is_full() {
            found.next = Some(idx as u64);
            break;
        }
        let number = (idx + 1).to_string();
        let raw = unquoted(&content[range.clone()]);
        match parse(&raw) {
            Some(message) => {
                let id = format!("{name}/{number}");
                add(&message, (&id, &format!("{number}/")), range, &mut found);
            }
            None => {
                found.notices.push(format!("`{number}`: skipped: it is not a readable message"));
            }
        }
    }
    found
}

fn damaged(why: &str) -> Unreadable {
    Unreadable::Damaged(why.to_owned())
}

fn parse(content: &[u8]) -> Option<Message<'_>> {
    let message = MessageParser::default().parse(content)?;
    (!message.headers().is_empty()).then_some(message)
}

/// Adds a message as a document, and its attachments as members, after a prefix.
fn add(message: &Message, (id, prefix): (&str, &str), range: Range<usize>, found: &mut Found) {
    let mut text = head(message);
    for part in message.text_bodies() {
        let body = match &part.body {
            PartType::Text(text) => text.trim().replace("\r\n", "\n"),
            PartType::Html(html) => office::text_of_html(html).unwrap_or_default(),
            _ => continue,
        };
        if !text.is_empty() {
            text.push_str("\n\n");
        }
        text.push_str(&body);
    }
    let subject = message.subject().map(str::trim).filter(|it| !it.is_empty());
    let title = subject.map_or_else(|| last_name(id), str::to_owned);
    let (start, end) = (range.start as u64, range.end as u64);
    let (id, meta) = (id.to_owned(), meta(message));
    found.add_document(Document { id, title, text, start, end, meta });
    for (number, part) in (1..).zip(message.attachments()) {
        let is_message = part.message().is_some();
        let unnamed = || format!("part {number}{}", if is_message { ".eml" } else { "" });
        let name = part.attachment_name().map_or_else(unnamed, str::to_owned);
        let name = format!("{prefix}{}", name.replace(['/', '\\'], "_"));
        let bytes = match part.message() {
            Some(inner) => inner.raw_message().to_vec(),
            None => part.contents().to_vec(),
        };
        if packed::is_inside(&name) {
            found.add_member(name, bytes);
        }
    }
}

/// The lines about who wrote to whom, and when.
fn head(message: &Message) -> String {
    let mut lines = Vec::new();
    let people = [("From", message.from()), ("To", message.to()), ("Cc", message.cc())];
    for (name, people) in people {
        let all = people.map(addresses).unwrap_or_default();
        if !all.is_empty() {
            lines.push(format!("{name}: {}", all.join(", ")));
        }
    }
    lines.extend(message.date().map(|it| format!("Date: {}", it.to_rfc3339())));
    lines.join("\n")
}

/// Who wrote to whom, when, and about what.
fn meta(message: &Message) -> Value {
    let people = |it: Option<&Address>| it.map(addresses).unwrap_or_default();
    let mut meta = Meta::new();
    meta.text("from", people(message.from()).first().map(String::as_str));
    for (name, all) in [("to", people(message.to())), ("cc", people(message.cc()))] {
        if !all.is_empty() {
            meta.add(name, &all.into_iter().map(Value::from).collect::<Vec<_>>().into());
        }
    }
    let date = message.date().map(mail_parser::DateTime::to_rfc3339);
    meta.date("date", date.as_deref());
    meta.text("subject", message.subject());
    meta.end()
}

fn addresses(people: &Address) -> Vec<String> {
    let shown = |it: &mail_parser::Addr| match (it.name(), it.address()) {
        (Some(name), Some(address)) => Some(format!("{name} <{address}>")),
        (name, address) => name.or(address).map(str::to_owned),
    };
    people.iter().filter_map(shown).collect()
}

/// The messages of a file: each begins after a line `From sender time`, which is at the start or
/// after an empty line.
fn ranges(content: &[u8]) -> Vec<Range<usize>> {
    let (mut all, mut open, mut at) = (Vec::<Range<usize>>::new(), None, 0);
    let mut was_blank = true;
    for line in content.split_inclusive(|it| *it == b'\n') {
        if was_blank && is_separator(line) {
            all.extend(open.map(|start| start..at));
            open = Some(at + line.len());
        }
        was_blank = line.trim_ascii().is_empty();
        at += line.len();
    }
    all.extend(open.map(|start| start..at));
    all
}

fn is_separator(line: &[u8]) -> bool {
    line.starts_with(b"From ") && line.contains(&b':')
}

/// A message without the `>` before lines that start with `From `.
fn unquoted(message: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(message.len());
    for line in message.split_inclusive(|it| *it == b'\n') {
        let marks = line.iter().take_while(|it| **it == b'>').count();
        let is_quoted = marks > 0 && line[marks..].starts_with(b"From ");
        out.extend_from_slice(&line[usize::from(is_quoted)..]);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_parted_at_their_lines() {
        let mbox =
            b"From a@x Mon Jan  1 00:00:00 2024\nA\n\nFrom now on\n\nFrom b Tue 1:00\nB\n>From x\n";
        let all = ranges(mbox);
        assert_eq!(all.len(), 2);
        assert!(mbox[all[0].clone()].starts_with(b"A\n\nFrom now"));
        assert_eq!(unquoted(&mbox[all[1].clone()]), b"B\nFrom x\n");
        assert_eq!(ranges(b"no message").len(), 0);
    }
}

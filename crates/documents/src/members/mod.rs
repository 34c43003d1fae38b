//! Files in files: the members of ZIP and GZIP, the messages of mailboxes, and what is attached to
//! them. A worker unpacks them in portions, and each member is then read like any other file, with
//! limits of its own.

use std::{
    io,
    panic::{AssertUnwindSafe, catch_unwind},
};

use svc_contract::value::{Record, Text, Value};

use super::{
    Document, Sink, Source, Unreadable,
    meta::bounded,
    worker::{self, Reader},
};

mod mail;
mod packed;

/// What a file with members is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Zip,
    Gzip,
    /// One message.
    Mail,
    /// A file of messages.
    Mailbox,
}

/// Each kind with its name in the wire format.
const KINDS: &[(Kind, &str)] =
    &[(Kind::Zip, "zip"), (Kind::Gzip, "gzip"), (Kind::Mail, "mail"), (Kind::Mailbox, "mailbox")];

/// The maximum number of files in each other.
const DEEPEST: usize = 4;

/// The maximum number of members of a file, and in its members.
const MOST_MEMBERS: u64 = 10_000;

/// The maximum size of all members of a file, and in its members, in bytes.
const MOST_BYTES: u64 = 256 << 20;

/// The size of a portion, in bytes: the member that exceeds it is the last one.
const PORTION: usize = 16 << 20;

/// The maximum number of notices about the members of a file; the others are counted.
const MOST_NOTICES: u64 = 10;

/// What may still be unpacked.
pub(super) struct Room {
    depth: usize,
    members: u64,
    bytes: u64,
}

impl Room {
    pub(super) fn new() -> Self {
        Self { depth: 0, members: MOST_MEMBERS, bytes: MOST_BYTES }
    }

    /// Uses room for a member.
    fn take(&mut self, bytes: usize) -> Result<(), String> {
        let too_many = || format!("it has more than {MOST_MEMBERS} members");
        self.members = self.members.checked_sub(1).ok_or_else(too_many)?;
        let too_much = || {
            let most = svc_contract::value::units::show_size(MOST_BYTES);
            format!("its members are together larger than {most}")
        };
        self.bytes = self.bytes.checked_sub(bytes as u64).ok_or_else(too_much)?;
        Ok(())
    }
}

/// Passes on the documents of a file and its members. Members are named by the file's name and
/// their own: `a.zip/b.txt`.
pub(super) fn extract(
    kind: Kind,
    (name, content): (&str, &[u8]),
    host: &dyn svc_contract::host::Host,
    sink: &mut dyn Sink,
    room: &mut Room,
) -> io::Result<()> {
    if room.depth == DEEPEST {
        sink.notice(None, format!("skipped: archives are nested too deeply (limit {DEEPEST})"));
        return Ok(());
    }
    room.depth += 1;
    let mut notices = Notices { sink, member: String::new(), count: 0 };
    let read = portions(kind, (name, content), host, &mut notices, room);
    notices.count();
    room.depth -= 1;
    read
}

fn portions(
    kind: Kind,
    (name, content): (&str, &[u8]),
    host: &dyn svc_contract::host::Host,
    sink: &mut Notices,
    room: &mut Room,
) -> io::Result<()> {
    let mut from = 0;
    loop {
        let found = match portion(kind, (name, content), from, host, sink) {
            Ok(it) => it,
            Err(why) => {
                sink.sink.notice(None, format!("skipped: {}", why.io()?));
                return Ok(());
            }
        };
        sink.member.clear();
        found.notices.into_iter().for_each(|it| sink.notice(None, it));
        found.documents.into_iter().for_each(|it| sink.document(it));
        for (member, bytes) in found.members {
            if let Err(why) = room.take(bytes.len()) {
                sink.sink
                    .notice(None, format!("the members from `{member}` on were left out: {why}"));
                return Ok(());
            }
            let (inner, size) = (format!("{name}/{member}"), bytes.len() as u64);
            sink.member = member;
            let source = Source { name: &inner, size, input: &mut &*bytes, host };
            super::extract_in(source, sink, room)?;
        }
        match found.next.filter(|next| *next > from && !sink.is_stopped()) {
            Some(next) => from = next,
            None => return Ok(()),
        }
    }
}

fn portion(
    kind: Kind,
    (name, content): (&str, &[u8]),
    from: u64,
    host: &dyn svc_contract::host::Host,
    sink: &dyn Sink,
) -> Result<Found, Unreadable> {
    let kind = KINDS.iter().find(|(it, _)| *it == kind).map_or("", |(_, name)| name);
    let number = i64::try_from(from).unwrap_or(i64::MAX);
    let wanted = [("kind", kind.into()), ("name", name.into()), ("from", Value::Int(number))];
    let wanted = record(wanted);
    let stopped = || sink.is_stopped();
    let found = worker::read_value(Reader::Members, content, &wanted, host, &stopped)?;
    Found::read(&found).ok_or_else(worker::invalid_answer)
}

/// Names the member in each notice, and counts notices after the first ones.
struct Notices<'a> {
    sink: &'a mut dyn Sink,
    member: String,
    count: u64,
}

impl Notices<'_> {
    fn count(&mut self) {
        match self.count.saturating_sub(MOST_NOTICES) {
            0 => {}
            1 => self.sink.notice(None, "1 more notice about a member".to_owned()),
            more => self.sink.notice(None, format!("{more} more notices about members")),
        }
    }
}

impl Sink for Notices<'_> {
    fn document(&mut self, document: Document) {
        self.sink.document(document);
    }

    fn notice(&mut self, line: Option<u64>, message: String) {
        self.count += 1;
        if self.count > MOST_NOTICES {
            return;
        }
        let line = line.map(|it| format!(":{it}")).unwrap_or_default();
        self.sink.notice(
            None,
            match &*self.member {
                "" => message,
                member => format!("`{member}`{line}: {message}"),
            },
        );
    }

    fn is_stopped(&self) -> bool {
        self.sink.is_stopped()
    }
}

/// A portion of what is in a file.
#[derive(Default)]
struct Found {
    documents: Vec<Document>,
    /// Files with their names.
    members: Vec<(String, Vec<u8>)>,
    notices: Vec<String>,
    /// Where the next portion starts.
    next: Option<u64>,
    size: usize,
}

impl Found {
    fn is_full(&self) -> bool {
        self.size >= PORTION
    }

    fn add_member(&mut self, name: String, bytes: Vec<u8>) {
        self.size += bytes.len() + name.len();
        self.members.push((name, bytes));
    }

    fn add_document(&mut self, document: Document) {
        self.size += document.text.len();
        self.documents.push(document);
    }

    fn write(self) -> Value {
        let place = |it: u64| Value::Int(i64::try_from(it).unwrap_or(i64::MAX));
        let document = |it: Document| {
            Value::List(
                [
                    it.id.into(),
                    it.title.into(),
                    it.text.into(),
                    place(it.start),
                    place(it.end),
                    it.meta,
                ]
                .into_iter()
                .collect(),
            )
        };
        let member = |(name, bytes): (String, Vec<u8>)| {
            Value::List([name.into(), Value::Bytes(bytes.into())].into_iter().collect())
        };
        record([
            ("documents", Value::List(self.documents.into_iter().map(document).collect())),
            ("members", Value::List(self.members.into_iter().map(member).collect())),
            ("notices", Value::List(self.notices.into_iter().map(Value::from).collect())),
            ("next", self.next.map_or(Value::Null, place)),
        ])
    }

    /// Reads the answer of a worker, which may be compromised.
    fn read(found: &Value) -> Option<Self> {
        let found = found.as_record()?;
        let list = |name| found.get(name)?.as_list();
        let text = |it: &Value| it.as_str().map(str::to_owned);
        let place = |it: &Value| match it {
            Value::Int(it) => u64::try_from(*it).ok(),
            _ => None,
        };
        let document = |it: &Value| {
            let it = it.as_list()?;
            Some(Document {
                id: text(it.get(0)?)?,
                title: text(it.get(1)?)?,
                text: text(it.get(2)?)?,
                start: place(it.get(3)?)?,
                end: place(it.get(4)?)?,
                meta: bounded(it.get(5)?),
            })
        };
        let member = |it: &Value| {
            let it = it.as_list()?;
            let Value::Bytes(bytes) = it.get(1)? else { return None };
            Some((text(it.get(0)?)?, bytes.to_vec()))
        };
        Some(Self {
            documents: list("documents")?.iter().map(document).collect::<Option<_>>()?,
            members: list("members")?.iter().map(member).collect::<Option<_>>()?,
            notices: list("notices")?.iter().map(text).collect::<Option<_>>()?,
            next: place(found.get("next")?),
            size: 0,
        })
    }
}

fn record<const N: usize>(all: [(&'static str, Value); N]) -> Value {
    Value::Record(all.into_iter().map(|(name, it)| (Text::from(name), it)).collect::<Record>())
}

/// Reads a portion of a file. What is in it is compressed: call this in a worker only.
pub(super) fn in_process(content: &[u8], wanted: &Value) -> Result<Value, Unreadable> {
    let damaged = |why: &str| Unreadable::Damaged(why.to_owned());
    let read = || {
        let wanted = wanted.as_record()?;
        let kind = wanted.get("kind")?.as_str()?;
        let kind = KINDS.iter().find(|(_, name)| *name == kind)?.0;
        let Value::Int(from) = wanted.get("from")? else { return None };
        let (name, from) = (wanted.get("name")?.as_str()?, u64::try_from(*from).ok()?);
        let from = usize::try_from(from).ok()?;
        Some(match kind {
            Kind::Zip => packed::zip(content, from),
            Kind::Gzip => packed::gzip(name, content),
            Kind::Mail => mail::message(name, content),
            Kind::Mailbox => Ok(mail::mailbox(name, content, from)),
        })
    };
    let found = catch_unwind(AssertUnwindSafe(read));
    let found = found.unwrap_or_else(|_| Some(Err(damaged("it is too damaged to be read"))));
    found.ok_or_else(|| damaged("nothing is wanted"))?.map(Found::write)
}

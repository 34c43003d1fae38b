//! Lists and reads archives (ZIP, TAR, GZIP), in memory.

use std::sync::Arc;

use svc_contract::{
    registry::{
        Bias, Component, Compute, Cx, ErrorKind, Example, Field, Max, Op, OpError, Scheme, Size,
        compute, documents::File, params, record,
    },
    value::{Text, Value},
};

use super::excerpt;

mod read;
mod tarred;
mod zipped;

pub(super) const COMPONENT: Component = Component {
    name: "adapt_archive",
    cluster: "core-infrastructure",
    summary: "Lists and unpacks ZIP, TAR and GZIP in memory.",
    version: 2,
    bias: Bias::new(
        "the directory of ZIP and the headers of TAR, with limits of size and number",
        &["entries of a ZIP are stored or deflated, without a password"],
    ),
    aliases: &[("list_archive", "infer"), ("unpack", "unpack")],
    ops: &[compute::<Infer>(), compute::<Unpack>()],
};

/// The most entries that are listed.
const MOST_ENTRIES: usize = 100_000;

/// Bytes, or a file in memory.
struct Packed {
    name: Text,
    bytes: Arc<[u8]>,
}

impl Field for Packed {
    const SCHEME: Scheme = Scheme::OneOf(&[Scheme::Bytes, File::SCHEME]);

    fn decode(value: Value) -> Option<Self> {
        match value {
            Value::Bytes(bytes) => Some(Self { name: "".into(), bytes }),
            other => {
                let file = File::decode(other)?;
                Some(Self { name: file.name, bytes: file.bytes })
            }
        }
    }

    fn encode(self) -> Value {
        Value::Bytes(self.bytes)
    }
}

/// What an archive is, by the bytes at its start.
enum Format {
    Zip,
    Tar,
    /// A TAR, or a single file.
    Gzip,
}

/// The starts of other formats, with their names.
const OTHERS: &[(&[u8], &str)] = &[
    (b"\x28\xb5\x2f\xfd", "Zstandard"),
    (b"\xfd7zXZ\0", "XZ"),
    (b"BZh", "bzip2"),
    (b"7z\xbc\xaf\x27\x1c", "7z"),
    (b"Rar!\x1a\x07", "RAR"),
];

impl Format {
    fn of(bytes: &[u8]) -> Result<Self, OpError> {
        if let Some((_, name)) = OTHERS.iter().find(|(start, _)| bytes.starts_with(start)) {
            let message = format!("the content is {name}, not ZIP, TAR or GZIP");
            return Err(OpError::new(ErrorKind::Unsupported, message));
        }
        Ok(if bytes.starts_with(&[0x1f, 0x8b]) {
            Self::Gzip
        } else if tarred::is_tar(bytes) {
            Self::Tar
        } else {
            Self::Zip
        })
    }
}

record! {
    /// An entry of an archive.
    struct ArchiveEntry {
        /// The name, with its folders, as it stands in the archive.
        name: Text,
        /// The size of the content, as the archive says.
        size: Size,
        /// The size of the packed content. A TAR is packed as a whole: its entries have their size.
        packed: Size,
        /// What it is.
        kind: Kind,
        /// Whether a password is needed.
        encrypted: bool,
    }
}

svc_contract::choices! {
    /// The kind of an entry.
    enum Kind {
        File = "file",
        Folder = "folder",
        Link = "link",
        Other = "other",
    }
}

params! {
    /// Lists the entries of an archive (ZIP, TAR, or TAR in GZIP) in its order.
    ///
    /// Nothing is kept in memory: names and sizes are those that the archive states. A single file
    /// in GZIP is one entry; its name is that in its header, else that of the archive without `.gz`.
    /// Content that is not an archive or is damaged is an error of kind `invalid_input`, other
    /// formats of archives are one of kind `unsupported`. More than 100,000 entries, and content in GZIP
    /// of more than 4 GiB, are errors.
    struct Infer {
        /// The archive: bytes, or a file in memory.
        archive: Packed,
    }
}

impl Op for Infer {
    const NAME: &'static str = "infer";
    const YIELDS: Scheme = Scheme::List(&ArchiveEntry::SCHEME, Max::Unknown);
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed, ErrorKind::Unsupported];
    const SAYS: &'static [&'static str] = &[
        "what is in a zip file",
        "list the files of an archive",
        "names and sizes inside a tar.gz",
        "contents of a compressed folder",
        "look inside a zip without extracting",
        "table of contents of an archive",
        "which files does this package hold",
        "peek into a tarball",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("An archive of one file", LIST, r#"[{"name":"a.txt","size":2}]"#),
        Example::ok(
            "A TAR in GZIP",
            LIST_TAR,
            r#"[{"name":"a.txt","size":2,"packed":2,"kind":"file","encrypted":false}]"#,
        ),
        Example::err(
            "Not an archive",
            r#"base64_bytes("AAAA") >> list_archive"#,
            "cannot read the archive",
        ),
    ];
}

const LIST: &str = concat!(
    "base64_bytes(\"",
    include_str!("sample_zip.b64"),
    "\") >> list_archive >> each { { name: .name, size: .size } }"
);

const LIST_TAR: &str =
    concat!("base64_bytes(\"", include_str!("sample_tar.b64"), "\") >> list_archive");

const UNPACK: &str = concat!(
    "base64_bytes(\"",
    include_str!("sample_zip.b64"),
    "\") >> unpack >> each { { name: .name, mime: .mime, bytes: .bytes } }"
);

impl Compute for Infer {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let bytes = &self.archive.bytes;
        let entries = match Format::of(bytes)? {
            Format::Zip => zipped::list(bytes, cx)?,
            Format::Tar => tarred::list(&**bytes, cx)?,
            Format::Gzip => tarred::list_gzip(&self.archive.name, bytes, cx)?,
        };
        Ok(Value::List(entries.into_iter().map(Field::encode).collect()))
    }
}

params! {
    /// Unpacks the files of an archive (ZIP, TAR, TAR in GZIP, or one file in GZIP) into memory, in
    /// its order.
    ///
    /// Folders, links and devices are left out. A name that leads out of the archive (`../x`, `/x`), a
    /// damaged file, and files that are together larger than `max_size` or more than `max_files` are
    /// errors, whatever sizes the archive states: an archive that unpacks to too much is refused
    /// while it is read.
    struct Unpack {
        /// The archive: bytes, or a file in memory.
        archive: Packed,
        /// The maximum size of all files together.
        max_size: Size = Size(100 << 20),
        /// The maximum number of files.
        #[range(1..=100_000)]
        max_files: i64 = 1_000,
    }
}

impl Op for Unpack {
    const NAME: &'static str = "unpack";
    const YIELDS: Scheme = Scheme::List(&File::SCHEME, Max::Arg("max_files"));
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed, ErrorKind::Unsupported];
    const SAYS: &'static [&'static str] = &[
        "unzip an archive",
        "extract the files of a tar.gz",
        "read a file inside a zip",
        "decompress a gzip file",
        "uncompress a .zip, .tar or .gz",
        "extract everything from a download",
        "get one document out of a tarball",
        "open up a zip",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "An archive of one file",
            UNPACK,
            r#"[{"name":"a.txt","mime":"text/plain","bytes":"6869"}]"#,
        ),
        Example::ok(
            "One file in GZIP",
            r#"{ name: "a.txt.gz", mime: "application/gzip", bytes: base64_bytes("H4sIAAAAAAACA8vIBACsKpPYAgAAAA==") }
  >> unpack >> each { .name }"#,
            r#"["a.txt"]"#,
        ),
        Example::err(
            "Too large",
            concat!(
                "base64_bytes(\"",
                include_str!("sample_tar.b64"),
                "\") >> unpack(max_size: 1B)"
            ),
            "larger than 1B",
        ),
    ];
}

impl Compute for Unpack {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let Packed { name, bytes } = self.archive;
        let most = usize::try_from(self.max_files).unwrap_or(usize::MAX);
        let mut files = Files { max_size: self.max_size, size: 0, most, all: Vec::new() };
        match Format::of(&bytes)? {
            Format::Zip => zipped::unpack(&bytes, &mut files, cx)?,
            Format::Tar => tarred::unpack(&*bytes, &mut files, cx)?,
            Format::Gzip => tarred::unpack_gzip(&name, &bytes, &mut files, cx)?,
        }
        Ok(Value::from(files.all))
    }
}

/// The files that were unpacked so far, and their limits.
struct Files {
    max_size: Size,
    size: u64,
    most: usize,
    all: Vec<Value>,
}

impl Files {
    /// Adds a file with the name of an entry, if both stay inside.
    fn add(&mut self, name: &str, content: &mut dyn std::io::Read, cx: &Cx) -> Result<(), OpError> {
        if self.all.len() == self.most {
            let message = format!("too many files in the archive (limit {})", self.most);
            return Err(OpError::failed(message).help("set `max_files`"));
        }
        if !read::is_inside(name) {
            let message = format!("the name `{}` leads out of the archive", excerpt(name));
            let help = "`list_archive` shows the names; do not trust it";
            return Err(OpError::invalid_input(message).help(help));
        }
        let room = self.max_size.0 - self.size;
        let bytes = read::content(name, content, room, cx)?.ok_or_else(|| self.too_large())?;
        self.size += bytes.len() as u64;
        let mime = mime_guess::from_path(name).first_or_octet_stream();
        let mime = mime.essence_str().into();
        self.all.push(File { name: name.into(), mime, bytes: bytes.into() }.encode());
        Ok(())
    }

    fn too_large(&self) -> OpError {
        let size = Value::Size(self.max_size.0);
        OpError::failed(format!("the files of the archive are together larger than {size}"))
            .help("set `max_size`")
    }
}

fn too_many() -> OpError {
    OpError::failed(format!("too many entries in the archive (limit {MOST_ENTRIES})"))
}

fn unreadable(why: &dyn std::fmt::Display) -> OpError {
    OpError::invalid_input(format!("cannot read the archive: {why}"))
}

#[cfg(test)]
mod tests;

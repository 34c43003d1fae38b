//! Lists and reads archives (ZIP), in memory.

use std::io::{Cursor, Read as _};

use svc_contract::{
    registry::{
        Bias, Component, Compute, Cx, ErrorKind, Example, Field, Max, Op, OpError, Scheme, Size,
        compute, params, record,
    },
    value::{Text, Value, memory},
};
use zip::{ZipArchive, read::ZipFile};

use super::excerpt;

pub(super) const COMPONENT: Component = Component {
    name: "adapt_archive",
    cluster: "core-infrastructure",
    summary: "Lists and unpacks ZIP archives in memory.",
    version: 1,
    bias: Bias::new(
        "the central directory of ZIP, with limits of size and number",
        &["entries are stored or deflated, without a password"],
    ),
    aliases: &[("list_archive", "infer"), ("unpack", "unpack")],
    ops: &[compute::<Infer>(), compute::<Unpack>()],
};

/// The most entries that are listed.
const MOST_ENTRIES: usize = 100_000;

/// Bytes, or a file in memory.
struct Packed(Value);

impl Field for Packed {
    const SCHEME: Scheme = Scheme::OneOf(&[Scheme::Bytes, File::SCHEME]);

    fn decode(value: Value) -> Option<Self> {
        let bytes = match &value {
            Value::Record(file) => file.get("bytes")?,
            other => other,
        };
        matches!(bytes, Value::Bytes(_)).then(|| Self(bytes.clone()))
    }

    fn encode(self) -> Value {
        self.0
    }
}

impl Packed {
    fn open(&self) -> Result<ZipArchive<Cursor<&[u8]>>, OpError> {
        let bytes: &[u8] = match &self.0 {
            Value::Bytes(bytes) => bytes,
            _ => &[],
        };
        if bytes.starts_with(&[0x1f, 0x8b]) {
            let message = "the content is compressed by gzip, not a ZIP archive";
            return Err(OpError::new(ErrorKind::Unsupported, message));
        }
        // The directory is kept with some bytes for each entry.
        memory::room(bytes.len())?;
        let archive = ZipArchive::new(Cursor::new(bytes)).map_err(|err| broken(&err))?;
        if archive.len() > MOST_ENTRIES {
            let message = format!("too many entries in the archive (limit {MOST_ENTRIES})");
            return Err(OpError::failed(message));
        }
        Ok(archive)
    }
}

fn broken(err: &zip::result::ZipError) -> OpError {
    let why = err.to_string();
    if why.to_lowercase().contains("password") {
        let message = "the archive is encrypted";
        return OpError::new(ErrorKind::Unsupported, message).help("decrypt it before");
    }
    OpError::invalid_input(format!("cannot read the archive: {why}"))
}

record! {
    /// A file in memory.
    struct File {
        /// The name, with its folders.
        name: Text,
        /// The type of the content, by the extension of the name.
        mime: Text,
        /// The content.
        bytes: std::sync::Arc<[u8]>,
    }
}

record! {
    /// An entry of an archive.
    struct ArchiveEntry {
        /// The name, with its folders, as it stands in the archive.
        name: Text,
        /// The size of the content, as the archive says.
        size: Size,
        /// The size of the packed content.
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
    }
}

impl Kind {
    fn of(entry: &ZipFile<'_, Cursor<&[u8]>>) -> Self {
        if entry.is_symlink() {
            Self::Link
        } else if entry.is_dir() {
            Self::Folder
        } else {
            Self::File
        }
    }
}

params! {
    /// Lists the entries of a ZIP archive, in the order of its directory.
    ///
    /// Nothing is unpacked: names and sizes are those that the archive states. Content that is not an
    /// archive or is damaged is an error of kind `invalid_input`.
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
        "names and sizes inside a zip",
        "contents of a compressed folder",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("An archive of one file", LIST, r#"[{"name":"a.txt","size":2}]"#),
        Example::err(
            "Not an archive",
            r#"base64_bytes("AAAA") >> list_archive"#,
            "cannot read the archive",
        ),
    ];
}

const LIST: &str = concat!(
    "base64_bytes(\"",
    include_str!("adapt_archive.b64"),
    "\") >> list_archive >> each { { name: .name, size: .size } }"
);

const UNPACK: &str = concat!(
    "base64_bytes(\"",
    include_str!("adapt_archive.b64"),
    "\") >> unpack >> each { { name: .name, mime: .mime, bytes: .bytes } }"
);

impl Compute for Infer {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let mut archive = self.archive.open()?;
        let mut entries = Vec::with_capacity(archive.len());
        for idx in 0..archive.len() {
            cx.check()?;
            let entry = archive.by_index_raw(idx).map_err(|err| broken(&err))?;
            entries.push(
                ArchiveEntry {
                    name: name_of(&entry)?,
                    size: Size(entry.size()),
                    packed: Size(entry.compressed_size()),
                    kind: Kind::of(&entry),
                    encrypted: entry.encrypted(),
                }
                .encode(),
            );
        }
        Ok(Value::from(entries))
    }
}

params! {
    /// Unpacks the files of a ZIP archive into memory, in the order of its directory.
    ///
    /// Folders and symbolic links are left out. A name that leads out of the archive (`../x`, `/x`), a
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
        "extract the files of a zip",
        "read a file inside a zip",
        "decompress a folder safely",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "An archive of one file",
            UNPACK,
            r#"[{"name":"a.txt","mime":"text/plain","bytes":"6869"}]"#,
        ),
        Example::err(
            "Too large",
            concat!(
                "base64_bytes(\"",
                include_str!("adapt_archive.b64"),
                "\") >> unpack(max_size: 1B)"
            ),
            "larger than 1B",
        ),
    ];
}

impl Compute for Unpack {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let mut archive = self.archive.open()?;
        let most = usize::try_from(self.max_files).unwrap_or(usize::MAX);
        let mut room = self.max_size.0;
        let mut files = Vec::new();
        for idx in 0..archive.len() {
            cx.check()?;
            let mut entry = archive.by_index(idx).map_err(|err| broken(&err))?;
            if !matches!(Kind::of(&entry), Kind::File) {
                continue;
            }
            if files.len() == most {
                let message = format!("too many files in the archive (limit {most})");
                return Err(OpError::failed(message).help("set `max_files`"));
            }
            let name = safe_name(&entry)?;
            let mime = mime_guess::from_path(name.as_ref()).first_or_octet_stream();
            let bytes = content(&mut entry, room, cx)?.ok_or_else(|| self.too_large())?;
            room -= bytes.len() as u64;
            let mime = mime.essence_str().into();
            files.push(File { name, mime, bytes: bytes.into() }.encode());
        }
        Ok(Value::from(files))
    }
}

impl Unpack {
    fn too_large(&self) -> OpError {
        let size = Value::Size(self.max_size.0);
        OpError::failed(format!("the files of the archive are together larger than {size}"))
            .help("set `max_size`")
    }
}

fn name_of(entry: &ZipFile<'_, Cursor<&[u8]>>) -> Result<Text, OpError> {
    entry.name().map(|it| it.as_ref().into()).map_err(|err| broken(&err))
}

/// The name of an entry, if it stays inside.
fn safe_name(entry: &ZipFile<'_, Cursor<&[u8]>>) -> Result<Text, OpError> {
    let name = name_of(entry)?;
    if entry.enclosed_name().is_some() {
        return Ok(name);
    }
    let message = format!("the name `{}` leads out of the archive", excerpt(&name));
    Err(OpError::invalid_input(message).help("`list_archive` shows the names; do not trust it"))
}

/// The content of an entry, if it has at most `room` bytes, whatever its header says.
fn content(
    entry: &mut ZipFile<'_, Cursor<&[u8]>>,
    room: u64,
    cx: &Cx,
) -> Result<Option<Vec<u8>>, OpError> {
    const PIECE: u64 = 256 << 10;
    let name = name_of(entry)?;
    let mut bytes = Vec::new();
    loop {
        cx.check()?;
        memory::room(bytes.len().saturating_mul(2))?;
        let before = bytes.len();
        let read = entry.by_ref().take(PIECE).read_to_end(&mut bytes);
        read.map_err(|err| {
            let name = excerpt(&name);
            OpError::invalid_input(format!("cannot unpack `{name}`: {err}")).because(err)
        })?;
        if bytes.len() as u64 > room {
            return Ok(None);
        }
        if bytes.len() == before {
            return Ok(Some(bytes));
        }
    }
}

#[cfg(test)]
mod tests {
    use base64::{Engine as _, engine::general_purpose::STANDARD};

    use crate::testing::{World, fails_to_compute_with};

    use super::*;

    /// An archive of the file `a.txt`, with another name of the same length.
    fn archive(name: &str) -> Vec<u8> {
        let mut bytes = STANDARD.decode(include_str!("adapt_archive.b64")).unwrap();
        let places: Vec<usize> =
            bytes.windows(5).enumerate().filter(|(_, it)| *it == b"a.txt").map(|it| it.0).collect();
        assert_eq!(places.len(), 2);
        for place in places {
            bytes[place..place + 5].copy_from_slice(name.as_bytes());
        }
        bytes
    }

    fn unpacked(bytes: Vec<u8>) -> Result<Value, OpError> {
        World::default().call::<Unpack>(vec![Value::Bytes(bytes.into())])
    }

    #[test]
    fn names_stay_inside() {
        assert!(unpacked(archive("b.txt")).is_ok());
        for name in ["../ab", "/etcx", "a/../", "x/../"] {
            let listed =
                World::default().call::<Infer>(vec![Value::Bytes(archive(name).into())]).unwrap();
            assert!(listed.to_string().contains(name));
        }
        for name in ["../ab", "/../x"] {
            let err = unpacked(archive(name)).unwrap_err();
            assert!(err.message.contains("leads out"), "{name}: {err}");
        }
    }

    #[test]
    fn damaged_archives_are_refused() {
        let whole = archive("a.txt");
        for end in 0..whole.len() {
            assert_eq!(
                unpacked(whole[..end].to_vec()).unwrap_err().kind,
                ErrorKind::InvalidInput,
                "{end}"
            );
        }
        for place in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[place] ^= 0xff;
            // Some bytes, such as those of the time, do not matter; none is a danger.
            if let Err(err) = unpacked(bytes) {
                assert_ne!(err.kind, ErrorKind::Bug, "{place}");
            }
        }
        let gzip = fails_to_compute_with::<Infer>(vec![Value::Bytes([0x1f, 0x8b, 8].into())]);
        assert_eq!(gzip.kind, ErrorKind::Unsupported);
    }
}

use std::io::Write as _;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use flate2::{Compression, write::GzEncoder};

use crate::testing::World;

use super::*;

/// An archive of the file `a.txt`, with another name of the same length.
fn zip(name: &str) -> Vec<u8> {
    let mut bytes = STANDARD.decode(include_str!("sample_zip.b64")).unwrap();
    let places: Vec<usize> =
        bytes.windows(5).enumerate().filter(|(_, it)| *it == b"a.txt").map(|it| it.0).collect();
    assert_eq!(places.len(), 2);
    for place in places {
        bytes[place..place + 5].copy_from_slice(name.as_bytes());
    }
    bytes
}

/// The header of an entry with any name, as an attacker writes it.
fn header(name: &str, size: u64, kind: tar::EntryType) -> tar::Header {
    let mut header = tar::Header::new_ustar();
    header.as_mut_bytes()[..name.len()].copy_from_slice(name.as_bytes());
    header.set_size(size);
    header.set_entry_type(kind);
    header.set_mode(0o644);
    header.set_cksum();
    header
}

fn tar(entries: &[(&str, tar::EntryType, &[u8])]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (name, kind, content) in entries {
        builder.append(&header(name, content.len() as u64, *kind), *content).unwrap();
    }
    builder.into_inner().unwrap()
}

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

fn file(name: &str, bytes: Vec<u8>) -> Value {
    File { name: name.into(), mime: "".into(), bytes: bytes.into() }.encode()
}

fn unpacked(bytes: Vec<u8>) -> Result<Value, OpError> {
    World::default().call::<Unpack>(vec![Value::Bytes(bytes.into())])
}

fn listed(bytes: Vec<u8>) -> Result<Value, OpError> {
    World::default().call::<Infer>(vec![Value::Bytes(bytes.into())])
}

/// The names and contents of files.
fn contents(files: &Value) -> Vec<(String, Vec<u8>)> {
    let files = files.as_list().unwrap().iter().map(|it| File::decode(it.clone()).unwrap());
    files.map(|it| (it.name.to_string(), it.bytes.to_vec())).collect()
}

const PLAIN: tar::EntryType = tar::EntryType::Regular;

#[test]
fn names_stay_inside() {
    assert!(unpacked(zip("b.txt")).is_ok());
    for name in ["../ab", "/etcx", "a/../", "x/../"] {
        assert!(listed(zip(name)).unwrap().to_string().contains(name));
    }
    for name in ["../ab", "/../x"] {
        let err = unpacked(zip(name)).unwrap_err();
        assert!(err.message.contains("leads out"), "{name}: {err}");
    }
    for name in ["../ab", "/etc/passwd", "a/../../b", "..\\x"] {
        let bytes = tar(&[("ok", PLAIN, b"1"), (name, PLAIN, b"2")]);
        for bytes in [gzip(&bytes), bytes] {
            assert!(
                listed(bytes.clone()).unwrap().to_string().contains("etc") || !name.contains("etc")
            );
            let err = unpacked(bytes).unwrap_err();
            assert!(err.message.contains("leads out"), "{name}: {err}");
        }
    }
}

#[test]
fn a_tar_is_listed_and_its_files_are_unpacked() {
    use tar::EntryType;
    let long = format!("{}/long.txt", "folder/".repeat(40));
    let mut builder = tar::Builder::new(Vec::new());
    builder.append(&header("d/", 0, EntryType::Directory), &b""[..]).unwrap();
    builder.append(&header("d/a.json", 4, PLAIN), &b"{\"\"}"[..]).unwrap();
    builder.append(&header("link", 0, EntryType::Symlink), &b""[..]).unwrap();
    builder.append(&header("pipe", 0, EntryType::Fifo), &b""[..]).unwrap();
    let mut last = header("x", 3, PLAIN);
    builder.append_data(&mut last, &long, &b"end"[..]).unwrap();
    let bytes = builder.into_inner().unwrap();
    for bytes in [gzip(&bytes), bytes] {
        let all = listed(bytes.clone()).unwrap();
        let all = all.as_list().unwrap();
        let kinds: Vec<String> = all
            .iter()
            .map(|it| it.as_record().unwrap().get("kind").unwrap().as_str().unwrap().to_owned())
            .collect();
        assert_eq!(kinds, ["folder", "file", "link", "other", "file"]);
        let wanted = [("d/a.json".to_owned(), b"{\"\"}".to_vec()), (long.clone(), b"end".to_vec())];
        assert_eq!(contents(&unpacked(bytes).unwrap()), wanted);
    }
    assert_eq!(contents(&unpacked(tar(&[])).unwrap()), []);
}

#[test]
fn a_single_file_in_gzip_has_a_name() {
    let unpack = |name: &str, bytes: Vec<u8>| {
        let files = World::default().call::<Unpack>(vec![file(name, bytes)]).unwrap();
        contents(&files).remove(0).0
    };
    assert_eq!(unpack("logs/x.log.gz", gzip(b"hi")), "x.log");
    assert_eq!(unpack("", gzip(b"hi")), "content");
    let mut named =
        flate2::GzBuilder::new().filename("../inside.txt").write(Vec::new(), Compression::fast());
    named.write_all(b"hi").unwrap();
    assert_eq!(unpack("x.gz", named.finish().unwrap()), "inside.txt");
    // Parts one after another are one file, as for `gzip -d`.
    let parts = [gzip(b"one "), gzip(b"two")].concat();
    assert_eq!(contents(&unpacked(parts.clone()).unwrap())[0].1, b"one two");
    let listed = listed(parts).unwrap();
    let entry = listed.as_list().unwrap().get(0).unwrap().as_record().unwrap();
    assert_eq!(entry.get("size"), Some(&Value::Size(7)));
    // Zeros are not a TAR without files.
    assert_eq!(contents(&unpacked(gzip(&[0; 4_096])).unwrap())[0].1, [0; 4_096]);
}

#[test]
fn bombs_are_refused() {
    let zeros = vec![0; 30 << 20];
    let small = |bytes: Vec<u8>| {
        World::default().call::<Unpack>(vec![Value::Bytes(bytes.into()), Value::Size(1 << 20)])
    };
    let bombs = [gzip(&zeros), gzip(&tar(&[("zeros", PLAIN, &zeros)]))];
    for bomb in bombs {
        assert!(bomb.len() < 100 << 10);
        let err = small(bomb).unwrap_err();
        assert!(err.message.contains("together larger than 1MiB"), "{err}");
    }
    // The header states far more than follows.
    let mut lie = header("a", 1 << 40, PLAIN).as_bytes().to_vec();
    lie.extend([1; 1_024]);
    assert_eq!(unpacked(lie.clone()).unwrap_err().kind, ErrorKind::InvalidInput);
    assert!(small(gzip(&lie)).unwrap_err().message.contains("cannot"));
    // A folder with content that is skipped is read within limits.
    let mut lie = header("a/", 10 << 40, tar::EntryType::Directory).as_bytes().to_vec();
    lie.extend(vec![0; (300 << 20) + 1]);
    let err = small(gzip(&lie)).unwrap_err();
    assert!(err.message.contains("it unpacks to too much"), "{err}");
    let many: Vec<(&str, tar::EntryType, &[u8])> = vec![("a", PLAIN, b""); 1_001];
    assert!(unpacked(tar(&many)).unwrap_err().message.contains("too many files"));
    let world = World::default();
    world.cancel.cancel();
    let bytes = Value::Bytes(gzip(&tar(&many)).into());
    assert_eq!(world.call::<Infer>(vec![bytes]).unwrap_err().kind, ErrorKind::Cancelled);
}

#[test]
fn damaged_archives_are_refused() {
    let whole = zip("a.txt");
    for end in 0..whole.len() {
        let err = unpacked(whole[..end].to_vec()).unwrap_err();
        assert_eq!(err.kind, ErrorKind::InvalidInput, "{end}");
    }
    let tarred = tar(&[("a.txt", PLAIN, b"hello"), ("b", PLAIN, &[7; 600])]);
    for whole in [whole, gzip(&tarred), gzip(b"hello")] {
        for place in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[place] ^= 0xff;
            // Some bytes, such as those of the time, do not matter; none is a danger.
            for err in [unpacked(bytes.clone()).err(), listed(bytes).err()].into_iter().flatten() {
                assert_ne!(err.kind, ErrorKind::Bug, "{place}");
            }
        }
    }
    let packed = gzip(&tarred);
    for end in 1..packed.len() {
        let err = unpacked(packed[..end].to_vec()).unwrap_err();
        assert_eq!(err.kind, ErrorKind::InvalidInput, "{end}: {err}");
    }
    assert!(unpacked(tarred[..700].to_vec()).is_err());
    for (start, name) in OTHERS {
        let err = unpacked([start, &[0; 600][..]].concat()).unwrap_err();
        assert_eq!(err.kind, ErrorKind::Unsupported);
        assert!(err.message.contains(name));
    }
}

//! A file of vectors: a header, then blocks of rows, each with a checksum.
//!
//! A block is appended in one piece. What a stopped process left unfinished, and whatever else does
//! not match its checksum, is never used: the rows before it are, and the next writer cuts the rest
//! off. A reader takes no lock.
#![expect(clippy::disallowed_methods, reason = "the index owns its directory")]

use std::{
    fs::{self, File},
    io::{self, BufReader, Read, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};

use svc_contract::registry::{Cx, OpError};
use svc_encoder::dot_of_bytes;

/// The most rows of a block.
pub(super) const MOST_ROWS: usize = 32;

/// The first bytes of a file; another number for another layout.
const MAGIC: &[u8; 8] = b"SVCVEC1\n";

/// The length of a checksum, and of the key of a row, in bytes.
const CHECKSUM: usize = 16;
const KEY: usize = 8;

/// The models of which an index keeps the vectors.
const MOST_MODELS: usize = 4;

/// The vectors of a model, by the keys of their texts.
pub(super) struct Vectors {
    path: PathBuf,
    header: Vec<u8>,
    width: usize,
}

/// What was found in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Extent {
    /// The length of the part that is whole, in bytes; 0 without a header.
    good: u64,
    /// The rows of that part.
    pub(super) rows: u64,
    /// Whether a complete block, or the header, is not as it was written.
    pub(super) is_damaged: bool,
}

/// A row: the key of a text, and its vector.
pub(super) type Row = (u64, Vec<f32>);

impl Vectors {
    /// The file in a folder for a model with vectors of this length.
    pub(super) fn of(folder: &Path, model: &[u8; 32], width: usize) -> Self {
        let width_of = u32::try_from(width).unwrap_or(u32::MAX);
        let mut header = MAGIC.to_vec();
        header.extend_from_slice(model);
        header.extend_from_slice(&width_of.to_le_bytes());
        let hash = blake3::hash(&header);
        header.extend_from_slice(&hash.as_bytes()[..CHECKSUM]);
        let name: String = hash.to_hex().chars().take(32).collect();
        Self { path: folder.join(format!("{name}.vectors")), header, width }
    }

    /// Calls `each` with the key of each whole row and its product with `vector`.
    pub(super) fn scan(
        &self,
        cx: &Cx,
        vector: &[f32],
        mut each: impl FnMut(u64, f32),
    ) -> Result<Extent, OpError> {
        self.blocks(cx, |rows| {
            for row in rows.chunks_exact(self.row_len()) {
                let (key, numbers) = row.split_at(KEY);
                each(key_of(key), dot_of_bytes(numbers, vector));
            }
        })
    }

    /// Appends rows after the whole ones; requires the lock of the folder.
    pub(super) fn append(&self, rows: &[Row], after: &mut Extent) -> io::Result<()> {
        let mut file = File::options().create(true).truncate(false).write(true).open(&self.path)?;
        if after.good == 0 {
            file.set_len(0)?;
            file.write_all(&self.header)?;
            after.good = self.header.len() as u64;
            self.forget_others()?;
        }
        // What follows is not whole.
        file.set_len(after.good)?;
        file.seek(SeekFrom::Start(after.good))?;
        for rows in rows.chunks(MOST_ROWS) {
            let block = self.block(rows, after.good);
            file.write_all(&block)?;
            after.good += block.len() as u64;
            after.rows += rows.len() as u64;
        }
        Ok(())
    }

    /// Writes the file again with the rows whose keys are kept; requires the lock of the folder.
    pub(super) fn keep(
        &self,
        cx: &Cx,
        keep: impl Fn(u64) -> bool,
    ) -> Result<io::Result<()>, OpError> {
        let part = self.path.with_extension("new");
        let mut written = File::create(&part).and_then(|mut it| {
            it.write_all(&self.header)?;
            Ok(it)
        });
        let mut at = self.header.len() as u64;
        self.blocks(cx, |rows| {
            let rows = rows.chunks_exact(self.row_len()).filter(|it| keep(key_of(&it[..KEY])));
            let rows: Vec<&[u8]> = rows.collect();
            if let Ok(file) = &mut written
                && !rows.is_empty()
            {
                let block = self.sealed(rows.len(), &rows.concat(), at);
                at += block.len() as u64;
                if let Err(err) = file.write_all(&block) {
                    written = Err(err);
                }
            }
        })?;
        Ok(written.and_then(|file| {
            drop(file);
            fs::rename(part, &self.path)
        }))
    }

    /// Calls `each` with the rows of each whole block.
    fn blocks(&self, cx: &Cx, mut each: impl FnMut(&[u8])) -> Result<Extent, OpError> {
        let mut found = Extent::default();
        let Ok(file) = File::open(&self.path) else { return Ok(found) };
        let mut file = BufReader::with_capacity(1 << 18, file);
        match read(&mut file, self.header.len()) {
            Some(header) if header == self.header => found.good = header.len() as u64,
            Some(_) => return Ok(Extent { is_damaged: true, ..found }),
            None => return Ok(found),
        }
        while let Some(count) = read(&mut file, 4) {
            cx.check()?;
            let count = count.first_chunk().map_or(0, |it| u32::from_le_bytes(*it));
            let count = usize::try_from(count).unwrap_or(usize::MAX);
            if count == 0 || count > MOST_ROWS {
                return Ok(Extent { is_damaged: true, ..found });
            }
            let len = count * self.row_len();
            let Some(rest) = read(&mut file, len + CHECKSUM) else { return Ok(found) };
            if rest[len..] != self.checksum(&rest[..len], found.good) {
                return Ok(Extent { is_damaged: true, ..found });
            }
            each(&rest[..len]);
            found.good += 4 + rest.len() as u64;
            found.rows += count as u64;
        }
        Ok(found)
    }

    fn block(&self, rows: &[Row], at: u64) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(rows.len() * self.row_len());
        for (key, numbers) in rows {
            bytes.extend_from_slice(&key.to_le_bytes());
            bytes.extend(numbers.iter().flat_map(|it| it.to_le_bytes()));
        }
        self.sealed(rows.len(), &bytes, at)
    }

    fn sealed(&self, count: usize, rows: &[u8], at: u64) -> Vec<u8> {
        let number = u32::try_from(count).unwrap_or(u32::MAX).to_le_bytes();
        [&number, rows, &self.checksum(rows, at)].concat()
    }

    /// The checksum of a block of this file, at this place.
    fn checksum(&self, rows: &[u8], at: u64) -> [u8; CHECKSUM] {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.header).update(&at.to_le_bytes()).update(rows);
        let mut checksum = [0; CHECKSUM];
        hasher.finalize_xof().fill(&mut checksum);
        checksum
    }

    fn row_len(&self) -> usize {
        KEY + 4 * self.width
    }

    /// Removes the files of other models, the oldest first, until few are left.
    fn forget_others(&self) -> io::Result<()> {
        let Some(folder) = self.path.parent() else { return Ok(()) };
        let mut others = Vec::new();
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let path = entry.path();
            let is_other = path.extension().is_some_and(|it| it == "vectors") && path != self.path;
            if is_other {
                let written = entry.metadata()?.modified()?;
                others.push((written.duration_since(UNIX_EPOCH).unwrap_or_default(), path));
            }
        }
        others.sort_unstable();
        let surplus = (others.len() + 1).saturating_sub(MOST_MODELS);
        others.iter().take(surplus).try_for_each(|(_, path)| fs::remove_file(path))
    }
}

fn key_of(bytes: &[u8]) -> u64 {
    bytes.first_chunk().map_or(0, |it| u64::from_le_bytes(*it))
}

/// The next `len` bytes; `None` if there are fewer, or they cannot be read.
fn read(file: &mut impl Read, len: usize) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = file.take(len as u64).read_to_end(&mut bytes);
    (read.is_ok() && bytes.len() == len).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::cx;
    use svc_contract::host::Host as _;
    use svc_host_os::test::TestHost;

    /// A file in a folder that is removed with the host.
    fn file() -> (TestHost, Vectors) {
        let host = TestHost::new();
        let folder = host.cache_dir().unwrap();
        fs::create_dir_all(&folder).unwrap();
        let vectors = Vectors::of(&folder, &[7; 32], 3);
        (host, vectors)
    }

    fn row(key: u8) -> Row {
        (key.into(), vec![f32::from(key), 1.0, 0.0])
    }

    /// The keys, and the first numbers of the vectors.
    fn rows(vectors: &Vectors) -> (Vec<(u64, f32)>, Extent) {
        let mut rows = Vec::new();
        let found = vectors.scan(&cx(), &[1.0, 0.0, 0.0], |key, first| rows.push((key, first)));
        (rows, found.unwrap())
    }

    fn append(vectors: &Vectors, keys: &[u8]) {
        let (_, mut extent) = rows(vectors);
        let new: Vec<Row> = keys.iter().map(|it| row(*it)).collect();
        vectors.append(&new, &mut extent).unwrap();
    }

    fn wanted(keys: &[u8]) -> Vec<(u64, f32)> {
        keys.iter().map(|it| (u64::from(*it), f32::from(*it))).collect()
    }

    #[test]
    fn rows_come_back_in_their_order() {
        let (_host, vectors) = file();
        assert_eq!(rows(&vectors), (vec![], Extent::default()));
        append(&vectors, &[]);
        let keys: Vec<u8> = (0..100).collect();
        append(&vectors, &keys[..70]);
        append(&vectors, &keys[70..]);
        let (found, extent) = rows(&vectors);
        assert_eq!(found, wanted(&keys));
        assert_eq!((extent.rows, extent.is_damaged), (100, false));
        vectors.keep(&cx(), |key| key % 10 == 3).unwrap().unwrap();
        assert_eq!(rows(&vectors).0, wanted(&[3, 13, 23, 33, 43, 53, 63, 73, 83, 93]));
        append(&vectors, &[200]);
        assert_eq!(rows(&vectors).1.rows, 11);
    }

    #[test]
    fn what_a_stopped_process_left_is_cut_off() {
        let (_host, vectors) = file();
        append(&vectors, &[1, 2]);
        append(&vectors, &[3]);
        let whole = fs::read(&vectors.path).unwrap();
        for len in 0..whole.len() {
            fs::write(&vectors.path, &whole[..len]).unwrap();
            let (found, extent) = rows(&vectors);
            assert!(wanted(&[1, 2, 3]).starts_with(&found) && found.len() < 3, "{len} bytes");
            assert!(!extent.is_damaged, "{len} bytes are unfinished");
            append(&vectors, &[9]);
            assert_eq!(rows(&vectors).0, [found, wanted(&[9])].concat(), "{len} bytes");
        }
    }

    #[test]
    fn no_changed_byte_changes_a_vector() {
        let (_host, vectors) = file();
        append(&vectors, &[1, 2]);
        append(&vectors, &[3]);
        let whole = fs::read(&vectors.path).unwrap();
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x20;
            fs::write(&vectors.path, &damaged).unwrap();
            let (found, _) = rows(&vectors);
            assert!(wanted(&[1, 2, 3]).starts_with(&found) && found.len() < 3, "byte {at}");
        }
        // A block that was written elsewhere is not one of this place.
        let block = &whole[whole.len() - 4 - 20 - CHECKSUM..];
        fs::write(&vectors.path, [&whole[..], block].concat()).unwrap();
        assert_eq!(rows(&vectors).0, wanted(&[1, 2, 3]));
        assert!(rows(&vectors).1.is_damaged);
    }

    #[test]
    fn few_models_have_files() {
        let (host, _) = file();
        let folder = host.cache_dir().unwrap();
        for model in 0..8 {
            append(&Vectors::of(&folder, &[model; 32], 3), &[model]);
        }
        let files = fs::read_dir(&folder).unwrap();
        let files = files.filter(|it| it.as_ref().unwrap().path().extension().is_some());
        assert_eq!(files.count(), MOST_MODELS);
        assert_eq!(rows(&Vectors::of(&folder, &[7; 32], 3)).0, wanted(&[7]));
        assert_eq!(rows(&Vectors::of(&folder, &[7; 32], 2)).0, []);
    }
}

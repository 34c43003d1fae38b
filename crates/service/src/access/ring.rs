//! The tags of all keys, in a table whose lookup takes as long for an unknown id as for a wrong
//! secret.
//!
//! An id selects a bucket. All slots of the bucket are compared, without a branch; an id that none
//! of them has is compared with the dummy of the bucket.

use subtle::{Choice, ConditionallySelectable as _, ConstantTimeEq as _};

/// The HMAC of a key, in words.
type Tag = [u64; 4];

/// The slots of a bucket.
const SLOTS: usize = 8;

/// The id of an empty slot; ids have 60 bits.
const EMPTY: u64 = u64::MAX;

/// The table.
#[derive(Debug)]
pub(super) struct Ring {
    buckets: Vec<Bucket>,
    seed: u64,
}

#[derive(Clone, Debug)]
struct Bucket {
    ids: [u64; SLOTS],
    tags: [Tag; SLOTS],
    indexes: [u32; SLOTS],
    /// What unknown ids are compared with.
    dummy: Tag,
}

/// The result of a lookup. An unknown id and a wrong secret differ only in a number, so that no
/// branch depends on which it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lookup {
    /// Whether a key has this id and this tag.
    pub(super) is_right: bool,
    /// 1 if a key has this id, or else 0.
    pub(super) known: u8,
    /// The index of that key.
    pub(super) index: usize,
}

impl Ring {
    /// A table of ids and tags, each with its index. `dummy` is a tag that no key has.
    pub(super) fn new(keys: &[(u64, [u8; 32])], dummy: [u8; 32]) -> Self {
        let mut len = keys.len().next_power_of_two().max(16);
        let mut seed = 0x9e37_79b9_7f4a_7c15;
        loop {
            for _ in 0..4 {
                if let Some(ring) = Self::filled(keys, words(dummy), len, seed) {
                    return ring;
                }
                seed = mix(seed);
            }
            len *= 2;
        }
    }

    /// Returns `None` if a bucket is too small.
    fn filled(keys: &[(u64, [u8; 32])], dummy: Tag, len: usize, seed: u64) -> Option<Self> {
        let empty =
            Bucket { ids: [EMPTY; SLOTS], tags: [dummy; SLOTS], indexes: [0; SLOTS], dummy };
        let mut ring = Self { buckets: vec![empty; len], seed };
        for (index, (id, tag)) in keys.iter().enumerate() {
            let at = ring.bucket(*id);
            let bucket = &mut ring.buckets[at];
            let free = bucket.ids.iter().position(|it| *it == EMPTY)?;
            bucket.ids[free] = *id;
            bucket.tags[free] = words(*tag);
            bucket.indexes[free] = u32::try_from(index).ok()?;
        }
        Some(ring)
    }

    #[expect(clippy::cast_possible_truncation, reason = "only the low bits count")]
    fn bucket(&self, id: u64) -> usize {
        mix(id ^ self.seed) as usize & (self.buckets.len() - 1)
    }

    pub(super) fn find(&self, id: u64, tag: [u8; 32]) -> Lookup {
        let bucket = &self.buckets[self.bucket(id)];
        let mut expected = bucket.dummy;
        let mut index = 0;
        let mut is_known = Choice::from(0);
        for slot in 0..SLOTS {
            let is_this = bucket.ids[slot].ct_eq(&id);
            for (word, own) in expected.iter_mut().zip(&bucket.tags[slot]) {
                word.conditional_assign(own, is_this);
            }
            index.conditional_assign(&bucket.indexes[slot], is_this);
            is_known |= is_this;
        }
        let is_right = expected.ct_eq(&words(tag)) & is_known;
        Lookup { is_right: is_right.into(), known: is_known.unwrap_u8(), index: index as usize }
    }
}

fn words(tag: [u8; 32]) -> Tag {
    let (chunks, _) = tag.as_chunks::<8>();
    std::array::from_fn(|it| u64::from_le_bytes(chunks[it]))
}

/// The finalizer of `SplitMix64`.
fn mix(it: u64) -> u64 {
    let it = it.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let it = (it ^ (it >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let it = (it ^ (it >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    it ^ (it >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_is_found_with_its_tag_alone() {
        let mut random = fastrand::Rng::with_seed(7);
        for count in [0, 1, 9, 300, 5_000] {
            let mut tag = || std::array::from_fn(|_| random.u8(..));
            let dummy = tag();
            let keys: Vec<(u64, [u8; 32])> = (0..count).map(|it| (mix(it) >> 4, tag())).collect();
            let ring = Ring::new(&keys, dummy);
            for (index, (id, tag)) in keys.iter().enumerate() {
                let right = Lookup { is_right: true, known: 1, index };
                assert_eq!(ring.find(*id, *tag), right);
                let mut wrong = *tag;
                wrong[index % 32] ^= 1;
                assert_eq!(ring.find(*id, wrong), Lookup { is_right: false, ..right });
            }
            for it in 0..1_000 {
                let id = mix(it + (1 << 40)) >> 4;
                // The dummy opens nothing.
                let unknown = Lookup { is_right: false, known: 0, index: 0 };
                assert_eq!(ring.find(id, dummy), unknown);
            }
        }
    }
}

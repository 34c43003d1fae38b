//! A bit for each row.

/// One bit a row, in words of 64.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bits {
    words: Vec<u64>,
    len: usize,
}

impl Bits {
    /// All bits set, or none.
    pub fn all(len: usize, is_set: bool) -> Self {
        let mut bits =
            Self { words: vec![if is_set { u64::MAX } else { 0 }; len.div_ceil(64)], len };
        bits.trim();
        bits
    }

    /// The bits after the last one are zero, so that counts and equality need no special case.
    fn trim(&mut self) {
        if let (Some(last), rest @ 1..) = (self.words.last_mut(), self.len % 64) {
            *last &= (1 << rest) - 1;
        }
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub fn get(&self, idx: usize) -> bool {
        self.words.get(idx / 64).is_some_and(|it| it >> (idx % 64) & 1 == 1)
    }

    pub fn push(&mut self, is_set: bool) {
        if self.len.is_multiple_of(64) {
            self.words.push(0);
        }
        self.len += 1;
        self.set(self.len - 1, is_set);
    }

    /// Adds bits that are not set, up to this length.
    pub fn grow(&mut self, len: usize) {
        if len > self.len {
            self.words.resize(len.div_ceil(64), 0);
            self.len = len;
        }
    }

    pub fn set(&mut self, idx: usize, is_set: bool) {
        let Some(word) = self.words.get_mut(idx / 64) else { return };
        let bit = 1 << (idx % 64);
        if is_set { *word |= bit } else { *word &= !bit }
    }

    /// The number of set bits.
    pub fn count(&self) -> usize {
        self.words.iter().map(|it| it.count_ones() as usize).sum()
    }

    /// The bytes that it takes.
    pub fn bytes(&self) -> usize {
        self.words.len() * 8
    }

    pub fn iter(&self) -> impl Iterator<Item = bool> + '_ {
        (0..self.len).map(|idx| self.get(idx))
    }
}

impl FromIterator<bool> for Bits {
    fn from_iter<I: IntoIterator<Item = bool>>(all: I) -> Self {
        let mut bits = Self::default();
        for it in all {
            bits.push(it);
        }
        bits
    }
}

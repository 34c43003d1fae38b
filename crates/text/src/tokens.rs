//! How many tokens a text is likely to have for a language model.
//!
//! A heuristic count, the same for every model: a token is four bytes, rounded up. English
//! prose has some four to five bytes a token, so it errs on the safe side there.

pub const BYTES_PER_TOKEN: u64 = 4;

const BYTES: usize = 4;

/// The tokens of `text`, estimated.
pub fn tokens(text: &str) -> usize {
    tokens_of(text.len())
}

/// The tokens of a text of `len` bytes, estimated.
pub fn tokens_of(len: usize) -> usize {
    len.div_ceil(BYTES)
}

/// The bytes of the longest text that has at most `tokens`.
pub fn bytes(tokens: usize) -> usize {
    tokens.saturating_mul(BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_four_bytes() {
        assert_eq!([tokens(""), tokens("a"), tokens("four"), tokens("fives")], [0, 1, 1, 2]);
        assert_eq!(bytes(usize::MAX), usize::MAX);
    }
}

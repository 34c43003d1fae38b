//! Estimates the number of tokens of a text for a language model.
//!
//! A heuristic, the same for every model: a token is four bytes, rounded up. English prose has four
//! to five bytes per token, so the estimate is on the safe side.

pub const BYTES_PER_TOKEN: u64 = 4;

const BYTES: usize = 4;

/// The estimated tokens of `text`.
pub fn tokens(text: &str) -> usize {
    tokens_of(text.len())
}

/// The estimated tokens of a text of `len` bytes.
pub fn tokens_of(len: usize) -> usize {
    len.div_ceil(BYTES)
}

/// The length in bytes of the longest text that has at most `tokens`.
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

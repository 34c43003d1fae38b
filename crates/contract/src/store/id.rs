//! The names of runs: 26 letters and digits that sort by start time.

use std::fmt;

use super::error::StoreError;

/// Crockford's 32 signs, without ambiguous letters.
const SIGNS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

const LEN: usize = 26;

/// The name of a run. Names of later milliseconds sort later.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunId(Box<str>);

impl RunId {
    /// A new name for a run that starts `now`, in milliseconds since 1970.
    pub fn new(now: i64) -> Self {
        let time = u128::from(now.max(0).cast_unsigned()) & ((1 << 48) - 1);
        Self::of_number(time << 80 | fastrand::u128(..) >> 48)
    }

    /// Parses a name.
    pub fn parse(text: &str) -> Result<Self, StoreError> {
        let is_name = text.len() == LEN && text.bytes().all(|it| SIGNS.contains(&it));
        let name = is_name.then(|| Self(text.into()));
        name.ok_or_else(|| StoreError::not_found(format!("`{text}` is not the name of a run")))
    }

    /// The start of the run, in milliseconds since 1970, or a little later if the clock was
    /// behind an earlier run.
    pub fn time(&self) -> i64 {
        const SIGNS_OF_TIME: usize = 10;
        let value = |it: u8| SIGNS.iter().position(|sign| *sign == it).unwrap_or(0);
        let signs = self.0.bytes().take(SIGNS_OF_TIME);
        signs.fold(0, |time, it| time << 5 | i64::try_from(value(it)).unwrap_or(0))
    }

    fn of_number(number: u128) -> Self {
        let sign = |idx| char::from(SIGNS[(number >> (5 * idx) & 31) as usize]);
        Self((0..LEN).rev().map(sign).collect())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_runs_sort_later() {
        let ids: Vec<RunId> = [0, 1, 1_700_000_000_000, 1_700_000_000_001, 1 << 47]
            .into_iter()
            .map(RunId::new)
            .collect();
        assert!(ids.is_sorted());
        assert_eq!(RunId::new(1_700_000_000_001).time(), 1_700_000_000_001);
        assert!(ids.iter().all(|it| RunId::parse(it.as_str()).unwrap() == *it));
        assert_ne!(RunId::new(5), RunId::new(5));
    }

    #[test]
    fn what_is_no_name_is_refused() {
        for text in
            ["", "last", "01JZ", "../../../../../../etc/passw", "0123456789abcdefghjkmnpqrU"]
        {
            assert!(RunId::parse(text).is_err(), "{text}");
        }
    }
}

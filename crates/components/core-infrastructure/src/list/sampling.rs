//! Draws items of a list at random.

use svc_contract::{
    registry::{Example, Inline, Items, Max, Op, OpError, Scheme, Var, params},
    value::Value,
};

use super::super::test_list_room;

params! {
    /// Returns `n` items that are drawn at random, each place at most once, in their order.
    ///
    /// The same list and the same `seed` always give the same sample. A list with fewer than `n`
    /// items is returned whole.
    pub(super) struct Sample {
        /// The list to draw from.
        items: Items<Var<'T'>>,
        /// The number of items to draw.
        #[range(0..=1_000_000_000)]
        n: i64,
        /// Another seed is another sample.
        seed: i64 = 1,
    }
}

impl Op for Sample {
    const NAME: &'static str = "sample";
    const YIELDS: Scheme = Scheme::List(&Scheme::Var('T'), Max::InputOr("n"));
    const SAYS: &'static [&'static str] = &[
        "a random sample of the rows",
        "pick ten entries at random",
        "draw lots",
        "spot check some of the records",
        "take a few out of an array at random",
        "raffle draw",
        "shuffle and pick some",
        "some picked blindly",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("The same each time", "range(0, 100) >> sample(n: 3)", "[61,66,67]"),
        Example::ok("Fewer items than `n`", "sample([1, 2], 5)", "[1,2]"),
    ];
}

impl Inline for Sample {
    fn run(self) -> Result<Value, OpError> {
        let (items, n) = (self.items.0, usize::try_from(self.n).unwrap_or(usize::MAX));
        if items.len() <= n {
            return Ok(Value::List(items));
        }
        test_list_room(items.len())?;
        let mut random = SplitMix(self.seed.cast_unsigned());
        // Knuth's algorithm S: every item is taken with the probability that is left for it.
        let (mut wanted, mut left) = (n as u64, items.len() as u64);
        let drawn = items.iter().filter(|_| {
            let is_drawn = random.below(left) < wanted;
            wanted -= u64::from(is_drawn);
            left -= 1;
            is_drawn
        });
        Ok(drawn.cloned().collect::<Vec<_>>().into())
    }
}

/// Steele, Lea and Flood's `SplitMix64`. It is part of what the op promises: a library could return
/// other numbers in its next version.
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut it = self.0;
        it = (it ^ (it >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        it = (it ^ (it >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        it ^ (it >> 31)
    }

    /// A number below `n`; no list is so long that the rounding matters.
    fn below(&mut self, n: u64) -> u64 {
        let wide = u128::from(self.next()) * u128::from(n);
        u64::try_from(wide >> 64).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use crate::testing::{call, gives, list};

    use super::*;

    /// Answers of the reference implementation for the seed 1234567.
    #[test]
    fn numbers_are_those_of_the_reference() {
        let mut random = SplitMix(1_234_567);
        assert_eq!(random.next(), 6_457_827_717_110_365_317);
        assert_eq!(random.next(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn a_sample_has_n_different_places() {
        gives::<Sample>("[[], 3]", "[]");
        gives::<Sample>("[[1, 2], 0]", "[]");
        for seed in -50..50 {
            let drawn =
                call::<Sample>(list(&format!("[[1, 2, 3, 4, 5, 6, 7], 4, {seed}]"))).unwrap();
            let drawn: Vec<_> = drawn.as_list().unwrap().iter().map(Value::to_string).collect();
            assert_eq!(drawn.len(), 4);
            assert!(drawn.is_sorted_by(|a, b| a < b), "{drawn:?}");
        }
    }

    #[test]
    fn every_item_is_as_likely() {
        let mut counts: HashMap<String, u32> = HashMap::new();
        for seed in 0..7_000 {
            let drawn =
                call::<Sample>(list(&format!("[[0, 1, 2, 3, 4, 5, 6], 2, {seed}]"))).unwrap();
            for it in drawn.as_list().unwrap() {
                *counts.entry(it.to_string()).or_default() += 1;
            }
        }
        assert!(
            counts.len() == 7 && counts.values().all(|it| (1_850..2_150).contains(it)),
            "{counts:?}"
        );
    }
}

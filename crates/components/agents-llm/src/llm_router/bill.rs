//! The cost of calls that send many texts and receive numbers, in several requests.

use svc_contract::{
    registry::{Asking, Cx, OpError, Quote, Usage},
    value::{Money, Text},
};
use svc_text::tokens::tokens_of;

use super::{answer::Tokens, model::Model, prices};

/// The tokens of a text that are not in it: its begin and its end, and what a model puts before it.
pub(super) const PER_TEXT: u64 = 16;

/// The average token of a text is never longer than this, in bytes.
const LONGEST_TOKEN: u64 = 64;

/// The usage of the requests of a call.
pub(super) struct Bill<'a> {
    model: &'a Model,
    /// The tokens until now; `None` once an answer has no possible count.
    tokens: Option<u64>,
}

impl<'a> Bill<'a> {
    /// The bill of a call. A price table that cannot be read fails before anything is spent.
    pub(super) fn open(model: &'a Model, cx: &Cx) -> Result<Self, OpError> {
        prices::named(cx.host())?;
        Ok(Self { model, tokens: Some(0) })
    }

    /// Adds a request with so many bytes of texts, and the tokens that the provider counted.
    pub(super) fn add(&mut self, counted: Option<u64>, bytes: usize) {
        let is_possible = |it: &u64| *it > 0 && it.saturating_mul(LONGEST_TOKEN) >= bytes as u64;
        let counted = counted.filter(is_possible);
        self.tokens = self.tokens.zip(counted).map(|(sum, it)| sum.saturating_add(it));
    }

    /// The usage until now, if it is known. Its cost is zero if the price is unknown.
    pub(super) fn usage(&self, cx: &Cx) -> Result<Option<Usage>, OpError> {
        let Some(input) = self.tokens else { return Ok(None) };
        let cost = prices::cost(cx.host(), self.model, Tokens { input, output: 0 })?;
        Ok(Some(Usage { tokens: input, cost: cost.unwrap_or_default() }))
    }

    /// Reports the usage of the whole call.
    pub(super) fn settle(self, cx: &Cx) -> Result<(), OpError> {
        let model = self.model;
        if let Some(usage) = self.usage(cx)? {
            cx.used(usage);
        } else {
            let why = "no possible number of tokens: the whole reservation is charged";
            cx.notice(format!("`{model}` reports {why}"));
        }
        if prices::cost(cx.host(), model, Tokens::default())?.is_err() {
            let why = "is unknown: the cost does not include it";
            cx.notice(format!("the price of `{model}` {why}"));
        }
        Ok(())
    }
}

/// Bounds of the tokens of texts that may not be known yet.
pub(super) struct Bounds {
    pub(super) least: u64,
    /// The usual size of the texts in bytes.
    pub(super) usual_bytes: u64,
    /// `None` if they may have any length.
    pub(super) most: Option<u64>,
}

/// The quote of a call whose texts have these bounds.
pub(super) fn quote(asking: &Asking<'_>, model: &Model, bounds: &Bounds) -> Quote {
    let price = |input| {
        // No call is possible with a table that cannot be read, so the check reports it.
        let cost = prices::cost(asking.host, model, Tokens { input, output: 0 });
        let cost = cost.unwrap_or_else(Err);
        (Usage { tokens: input, cost: *cost.as_ref().unwrap_or(&Money::ZERO) }, cost.err())
    };
    let usual = usize::try_from(bounds.usual_bytes).unwrap_or(usize::MAX);
    let (most, unpriced) = price(asking.most_input(bounds.most, 0));
    Quote {
        most,
        usual: price(tokens_of(usual) as u64).0,
        least: Usage::default(),
        reserved: price(bounds.least).0,
        prices: prices::named(asking.host).ok(),
        model: Some(model.to_string().into()),
        server: model.server().map(Text::from),
        unpriced,
    }
}

/// Cuts items into requests of at most so many items and bytes. A longer item has a request of its
/// own.
pub(super) fn batches<'a, T>(
    items: &'a [T],
    most_items: usize,
    most_bytes: usize,
    size: impl Fn(&T) -> usize + 'a,
) -> impl Iterator<Item = &'a [T]> {
    let mut rest = items;
    std::iter::from_fn(move || {
        let mut bytes = 0;
        let fits = rest.iter().take(most_items).take_while(|it| {
            bytes += size(it);
            bytes <= most_bytes
        });
        let count = fits.count().max(1).min(rest.len());
        let (batch, after) = rest.split_at(count);
        rest = after;
        (!batch.is_empty()).then_some(batch)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_have_bounds_and_all_texts() {
        let cut = |texts: &[&str]| -> Vec<Vec<String>> {
            let all = batches(texts, 3, 10, |it| it.len());
            all.map(|it| it.iter().map(ToString::to_string).collect()).collect()
        };
        assert_eq!(cut(&["a", "b", "c", "d"]), [vec!["a", "b", "c"], vec!["d"]]);
        assert_eq!(cut(&["12345", "123456", "1"]), [vec!["12345"], vec!["123456", "1"]]);
        assert_eq!(cut(&["longer than ten", "a"]), [vec!["longer than ten"], vec!["a"]]);
        assert!(cut(&[]).is_empty());
    }
}

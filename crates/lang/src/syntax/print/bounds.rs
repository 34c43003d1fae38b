//! `within { .. }`, in which names of the specification are replaced by those of the language.

use super::{Printer, Read, doc::Doc, items::Brackets};

/// The most digits of a number that is rewritten, on either side of its point.
const DIGITS: usize = 9;

impl<'a> Printer<'a> {
    pub(super) fn within(&mut self, pair: Read<'_>) -> Doc<'a> {
        let word = self.sign("within");
        let bounds = self.items(Brackets::CURLY, pair.into_inner().skip(1), Self::bound);
        Doc::seq(vec![word, Doc::space(), bounds])
    }

    fn bound(&mut self, pair: Read<'_>) -> Doc<'a> {
        let mut inner = pair.clone().into_inner();
        let (Some(key), Some(value)) = (inner.next(), inner.next()) else { return Doc::empty() };
        match rewritten(key.as_str(), value.as_str().trim_end()) {
            Some((new_key, new_value)) => {
                let key = self.replaced(&key, new_key.to_owned());
                let colon = self.sign(":");
                Doc::seq(vec![key, colon, Doc::space(), self.replaced(&value, new_value)])
            }
            None => self.named(pair),
        }
    }

    fn replaced(&mut self, pair: &Read<'_>, text: String) -> Doc<'a> {
        let span = self.span(pair);
        self.tokens.replaced(span, text)
    }
}

/// Rewrites `timeout_sec: 30` and `max_budget_usd: 0.5`. A number is only rewritten if the
/// result surely means the same; a budget of 0 means no budget, which has no other form.
fn rewritten(key: &str, value: &str) -> Option<(&'static str, String)> {
    let (whole, decimals) = value.split_once('.').unwrap_or((value, "0"));
    let is_plain =
        |it: &str| (1..=DIGITS).contains(&it.len()) && it.bytes().all(|it| it.is_ascii_digit());
    let is_zero = value.bytes().all(|it| matches!(it, b'0' | b'.'));
    if !is_plain(whole) || !is_plain(decimals) || is_zero {
        return None;
    }
    match key {
        "timeout_sec" => Some(("timeout", format!("{value}s"))),
        "max_budget_usd" if value.contains('.') => {
            Some(("max_cost", format!("${whole}.{decimals:0<2}")))
        }
        "max_budget_usd" => Some(("max_cost", format!("${whole}"))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::rewritten;

    #[test]
    fn the_names_of_the_specification_become_our_own() {
        let shown =
            |key, value| rewritten(key, value).map(|(key, value)| format!("{key}: {value}"));
        assert_eq!(shown("max_budget_usd", "0.5").as_deref(), Some("max_cost: $0.50"));
        assert_eq!(shown("max_budget_usd", "2").as_deref(), Some("max_cost: $2"));
        assert_eq!(shown("max_budget_usd", "0.125").as_deref(), Some("max_cost: $0.125"));
        assert_eq!(shown("timeout_sec", "30").as_deref(), Some("timeout: 30s"));
        assert_eq!(shown("timeout_sec", "1.5").as_deref(), Some("timeout: 1.5s"));
    }

    #[test]
    fn what_would_mean_something_else_is_left() {
        for (key, value) in [
            ("max_budget_usd", "0"),
            ("max_budget_usd", "0.00"),
            ("max_budget_usd", "1e-3"),
            ("max_budget_usd", "limit"),
            ("timeout_sec", "0"),
            ("timeout_sec", "1_000"),
            ("max_retries", "3"),
        ] {
            assert_eq!(rewritten(key, value), None, "{key}: {value}");
        }
    }
}

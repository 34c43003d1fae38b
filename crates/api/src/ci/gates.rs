//! Limits on the estimate of a script, and on its growth since a revision.

use std::{fmt, str::FromStr, time::Duration};

use svc_contract::value::{Money, units};
use svc_lang::plan::Plan;

/// The most that one run may take, as estimated before the run. `None` means without a maximum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amounts {
    pub cost: Option<Money>,
    pub tokens: Option<u64>,
    pub time: Option<Duration>,
    /// The calls of components that are not inline.
    pub calls: Option<u64>,
}

/// The limits on the amounts of each script; `None` means without a limit.
pub type Limits = Amounts;

/// How much an amount may grow: a share of all amounts, or some money for the cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Growth {
    Percent(f64),
    Cost(Money),
}

/// One of the amounts, in a unit in which amounts of the same kind are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Amount {
    pub(super) kind: Kind,
    number: u128,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Cost,
    Tokens,
    Time,
    Calls,
}

impl Kind {
    pub(super) const ALL: [Self; 4] = [Self::Cost, Self::Tokens, Self::Time, Self::Calls];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Cost => "cost",
            Self::Tokens => "tokens",
            Self::Time => "time",
            Self::Calls => "calls",
        }
    }

    /// The bound of a script that limits it; calls have none.
    pub(super) fn bound(self) -> Option<&'static str> {
        match self {
            Self::Cost => Some("max_cost"),
            Self::Tokens => Some("max_tokens"),
            Self::Time => Some("timeout"),
            Self::Calls => None,
        }
    }
}

impl Amounts {
    pub fn of(plan: &Plan) -> Self {
        let envelope = plan.envelope();
        Self {
            cost: envelope.cost.max,
            tokens: envelope.tokens.max,
            time: envelope.time.max,
            calls: plan.calls().map(|it| it as u64),
        }
    }

    pub(super) fn get(&self, kind: Kind) -> Option<Amount> {
        let number = match kind {
            Kind::Cost => self.cost.map(|it| u128::from(it.nanos().unsigned_abs())),
            Kind::Tokens => self.tokens.map(u128::from),
            Kind::Time => self.time.map(|it| it.as_nanos()),
            Kind::Calls => self.calls.map(u128::from),
        };
        number.map(|number| Amount { kind, number })
    }

    /// The kinds of amounts above a limit.
    pub(super) fn above<'a>(
        &'a self,
        limits: &'a Limits,
    ) -> impl Iterator<Item = (Kind, Option<Amount>, Amount)> + 'a {
        Kind::ALL.into_iter().filter_map(|kind| {
            let (amount, limit) = (self.get(kind), limits.get(kind)?);
            let is_above = amount.is_none_or(|it| it.number > limit.number);
            is_above.then_some((kind, amount, limit))
        })
    }

    /// The kinds of amounts that have grown since `before`.
    pub(super) fn grown(&self, before: &Self) -> Vec<Grown> {
        let grown = Kind::ALL.into_iter().filter_map(|kind| {
            let (before, after) = (before.get(kind), self.get(kind));
            let has_grown = match (before, after) {
                (Some(before), Some(after)) => after.number > before.number,
                (Some(_), None) => true,
                (None, _) => false,
            };
            has_grown.then_some(Grown { kind, before: before?, after })
        });
        grown.collect()
    }
}

/// An amount that has grown; `None` is without a maximum.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grown {
    pub(super) kind: Kind,
    pub(super) before: Amount,
    pub(super) after: Option<Amount>,
}

impl Grown {
    pub(super) fn is_beyond(&self, limit: Growth) -> bool {
        let before = self.before.number;
        match (limit, self.after) {
            (Growth::Cost(_), _) if self.kind != Kind::Cost => false,
            (_, None) => true,
            (Growth::Cost(most), Some(after)) => {
                after.number - before > u128::from(most.nanos().unsigned_abs())
            }
            #[expect(clippy::cast_precision_loss, reason = "a share needs no more digits")]
            (Growth::Percent(most), Some(after)) => {
                (after.number - before) as f64 * 100.0 > most * before as f64
            }
        }
    }

    /// ` (+50%)`, if it can be said.
    #[expect(clippy::cast_precision_loss, reason = "a share needs no more digits")]
    pub(super) fn share(&self) -> String {
        match self.after {
            Some(after) if self.before.number > 0 => {
                let share =
                    (after.number - self.before.number) as f64 * 100.0 / self.before.number as f64;
                if share < 0.1 { String::new() } else { format!(" (+{})", percent(share)) }
            }
            _ => String::new(),
        }
    }
}

fn percent(share: f64) -> String {
    let rounded = (share * 10.0).round() / 10.0;
    format!("{rounded}%")
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole = u64::try_from(self.number).unwrap_or(u64::MAX);
        match self.kind {
            Kind::Cost => Money::from_nanos(i64::try_from(self.number).unwrap_or(i64::MAX)).fmt(f),
            Kind::Tokens => write!(f, "{whole} tokens"),
            Kind::Time => f.write_str(&units::show_duration(Duration::from_nanos(whole))),
            Kind::Calls if whole == 1 => f.write_str("1 call"),
            Kind::Calls => write!(f, "{whole} calls"),
        }
    }
}

/// An amount, or a word for none.
pub(super) fn shown(amount: Option<Amount>) -> String {
    amount.map_or_else(|| "no maximum".to_owned(), |it| it.to_string())
}

/// `20%`, `$0.10`.
impl FromStr for Growth {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || "expected a share such as `20%`, or an amount such as `$0.10`".to_owned();
        if let Some(share) = text.strip_suffix('%') {
            let share: f64 = share.trim().parse().map_err(|_| wrong())?;
            let is_share = share.is_finite() && share >= 0.0;
            return is_share.then_some(Self::Percent(share)).ok_or_else(wrong);
        }
        let amount = text.strip_prefix('$').and_then(Money::parse);
        amount.filter(|it| *it >= Money::ZERO).map(Self::Cost).ok_or_else(wrong)
    }
}

impl fmt::Display for Growth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Percent(share) => write!(f, "{share}%"),
            Self::Cost(most) => most.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost(cents: i64) -> Amounts {
        Amounts { cost: Some(Money::cents(cents)), ..Amounts::default() }
    }

    #[test]
    fn growth_is_a_share_or_money() {
        let limit = |text: &str| text.parse::<Growth>().unwrap();
        let beyond = |before: i64, after: i64, text: &str| {
            cost(after).grown(&cost(before)).iter().any(|it| it.is_beyond(limit(text)))
        };
        assert!(!beyond(10, 12, "20%") && beyond(10, 13, "20%"));
        assert!(!beyond(10, 20, "$0.10") && beyond(10, 21, "$0.10"));
        assert!(!beyond(12, 10, "0%") && !beyond(10, 10, "0%"));
        // From nothing, any growth is beyond every share.
        assert!(beyond(0, 1, "1000%") && !beyond(0, 1, "$0.01"));
        for wrong in ["20", "x%", "-1%", "$", "0.10", "", "inf%", "$-1"] {
            assert!(wrong.parse::<Growth>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_has_no_maximum_is_above_every_limit() {
        let above = |it: &Amounts| it.above(&cost(5)).count();
        assert_eq!([above(&cost(5)), above(&cost(6)), above(&Amounts::default())], [0, 1, 1]);
        let lost = Amounts::default();
        assert!(lost.grown(&cost(5))[0].is_beyond(Growth::Percent(1e9)));
        assert!(cost(5).grown(&lost).is_empty());
    }
}

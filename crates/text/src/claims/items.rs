//! Names, numbers and months of a claim, compared with those at the same place of the source.

use std::ops::Range;

use super::{
    compare::{Fault, Sides, same},
    tokens::{Kind, Number, Token},
    words::is_pronoun,
};

/// Another item stands at the place of a claimed one from this nearness on.
const INSTEAD: f64 = 0.3;

/// By how much an item must fit the place of another one better than its own.
const MARGIN: f64 = 0.2;

const SWAPPED: f64 = 0.3;
const MISSING: f64 = 0.4;
const AROUND: f64 = 0.85;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Name,
    Number,
    Month,
}

impl Class {
    /// Whether one may stand where the other belongs: months are names of a kind.
    fn may_be(self, other: Self) -> bool {
        (self == Self::Number) == (other == Self::Number)
    }
}

/// A name of one or more words, a number, or a month.
#[derive(Clone, Debug)]
struct Item {
    class: Class,
    range: Range<usize>,
}

/// The comparison of the items of both sides.
pub(super) struct Items<'a> {
    pub sides: Sides<'a>,
    /// Whether a key is elsewhere in the same passage.
    pub is_around: &'a dyn Fn(&str) -> bool,
}

impl Items<'_> {
    pub(super) fn faults(&self) -> Vec<Fault> {
        let claim: Vec<&Token> = self.sides.claim.iter().collect();
        let (claimed, said) = (items(&claim), items(self.sides.said));
        claimed.iter().filter_map(|it| self.fault(it, &claimed, &said)).collect()
    }

    fn fault(&self, item: &Item, claimed: &[Item], said: &[Item]) -> Option<Fault> {
        let near = |it: &Item| self.sides.nearness(item.range.clone(), it.range.clone());
        let (equal, others): (Vec<&Item>, Vec<&Item>) = said
            .iter()
            .filter(|it| item.class.may_be(it.class))
            .partition(|it| self.agree(item, it));
        let own = equal.iter().map(|it| near(it)).max_by(f64::total_cmp);
        let instead = others
            .iter()
            .filter(|it| own.is_none() || self.is_free(item, it, &equal, claimed))
            .map(|it| (near(it), *it))
            .max_by(|(a, _), (b, _)| a.total_cmp(b));
        match (own, instead) {
            (Some(own), Some((near, it))) if near > own + MARGIN && near >= 0.4 => {
                Some(self.swapped(item, it))
            }
            (Some(_), _) => None,
            (None, _) if self.is_scattered(item) => None,
            (None, Some((near, it))) if near >= self.least(item) => Some(self.swapped(item, it)),
            (None, _) => self.missing(item),
        }
    }

    /// How near another item must be to stand for a missing one: nearer if the missing one is known
    /// in the passage and a pronoun may stand for it.
    fn least(&self, item: &Item) -> f64 {
        let is_known = item.class == Class::Name && self.is_known(item) && self.has_pronoun();
        if is_known { 0.6 } else { INSTEAD }
    }

    fn has_pronoun(&self) -> bool {
        self.sides.said.iter().any(|it| is_pronoun(&it.word))
    }

    fn is_known(&self, item: &Item) -> bool {
        self.claimed(item).iter().all(|it| (self.is_around)(&it.key))
    }

    fn claimed(&self, item: &Item) -> &[Token] {
        self.sides.claim.get(item.range.clone()).unwrap_or_default()
    }

    fn said(&self, item: &Item) -> &[&Token] {
        self.sides.said.get(item.range.clone()).unwrap_or_default()
    }

    /// Whether an item of the source names what a claimed one names, whole or shortened.
    fn agree(&self, claimed: &Item, said: &Item) -> bool {
        let (claimed, said) = (self.claimed(claimed), self.said(said));
        let is_said = |it: &Token| said.iter().any(|other| same(it, other));
        let is_claimed = |it: &&Token| claimed.iter().any(|other| same(other, it));
        let is_anywhere = |it: &Token| self.sides.said.iter().any(|other| same(it, other));
        claimed.iter().all(is_said)
            || (said.iter().all(is_claimed) && claimed.iter().all(is_anywhere))
    }

    /// Whether all words of a name are in the source, but not as one name.
    fn is_scattered(&self, item: &Item) -> bool {
        let is_anywhere = |it: &Token| self.sides.said.iter().any(|other| it.key == other.key);
        item.class == Class::Name && self.claimed(item).iter().all(is_anywhere)
    }

    /// Whether an item of the source has no place in the claim but that of `item`, or changed
    /// places with it.
    fn is_free(&self, item: &Item, other: &Item, equal: &[&Item], claimed: &[Item]) -> bool {
        let own = claimed.iter().find(|it| it.class == other.class && self.agree(it, other));
        let Some(own) = own else { return true };
        if self.is_listed(item, own) {
            return false;
        }
        let near = |it: &Item| self.sides.nearness(own.range.clone(), it.range.clone());
        let there = equal.iter().map(|it| near(it)).fold(0.0, f64::max);
        there > near(other) + MARGIN / 2.0
    }

    /// Whether two items stand in one list, whose order means nothing.
    fn is_listed(&self, one: &Item, other: &Item) -> bool {
        let between = one.range.end.min(other.range.end)..one.range.start.max(other.range.start);
        let between = self.sides.claim.get(between).unwrap_or_default();
        between.len() <= 1
            && between.iter().all(|it| matches!(&*it.word, "and" | "or" | "und" | "y"))
    }

    fn swapped(&self, item: &Item, said: &Item) -> Fault {
        let said: Vec<String> = self.said(said).iter().map(|it| shown(it)).collect();
        let why = format!("`{}`: the source has `{}` there", self.shown(item), said.join(" "));
        Fault { factor: SWAPPED, why }
    }

    fn missing(&self, item: &Item) -> Option<Fault> {
        let is_sure = !matches!(self.claimed(item), [it] if it.kind == Kind::First);
        let is_one = matches!(self.claimed(item), [it] if &*it.word == "one");
        if !is_sure || is_one {
            return None;
        }
        let is_known = item.class == Class::Name && self.is_known(item);
        let factor = if is_known { AROUND } else { MISSING };
        let why = format!("`{}` is not in the sentence of the source", self.shown(item));
        Some(Fault { factor, why })
    }

    fn shown(&self, item: &Item) -> String {
        let words: Vec<String> = self.claimed(item).iter().map(shown).collect();
        words.join(" ")
    }
}

/// A token as messages show it: a number with its unit.
fn shown(token: &Token) -> String {
    match token.kind {
        Kind::Number(Number { unit: Some(unit), .. }) if !token.word.contains(unit) => {
            format!("{} {unit}", token.word)
        }
        _ => token.word.to_string(),
    }
}

fn items(tokens: &[&Token]) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let class = match token.kind {
            Kind::Number(_) => Class::Number,
            Kind::Month => Class::Month,
            _ if token.is_name() => Class::Name,
            _ => continue,
        };
        match items.last_mut() {
            Some(last)
                if class == Class::Name
                    && last.class == class
                    && last.range.end == at
                    && !token.is_apart =>
            {
                last.range.end = at + 1;
            }
            _ => items.push(Item { class, range: at..at + 1 }),
        }
    }
    items
}

impl Number {
    /// Whether a claimed number is that of the source or that number rounded, in the same unit.
    pub(super) fn agrees(&self, said: &Self) -> bool {
        let has_unit = self.unit.is_none() || said.unit.is_none() || self.unit == said.unit;
        has_unit && (self.is_value_of(said) || self.is_rounded_from(said))
    }

    fn is_value_of(&self, said: &Self) -> bool {
        (self.value - said.value).abs() <= 1e-9 * self.value.abs().max(said.value.abs())
    }

    /// Whether the source is more precise: `3.5` for `3.46`, and `about 71,000` for `71,088`.
    fn is_rounded_from(&self, said: &Self) -> bool {
        let is_at = |unit: f64| ((said.value / unit).round() - self.value / unit).abs() < 1e-6;
        let unit = 10f64.powi(-i32::from(self.decimals));
        let is_shorter = (1..said.decimals).contains(&self.decimals);
        let zeros = (1..18).map(|it| 10f64.powi(it));
        let whole = zeros.take_while(|it| self.value % it == 0.0 && self.value > 0.0).last();
        (is_shorter && is_at(unit)) || (self.is_about && whole.is_some_and(is_at))
    }
}

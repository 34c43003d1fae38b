//! Compares a claim with the sentences that may support it.

use super::{
    items::Items,
    negation::Negations,
    tokens::{Kind, Token},
    words::Related,
};

/// How well sentences support a claim, and what speaks against it.
#[derive(Clone, Debug, Default)]
pub(super) struct Compared {
    pub score: f64,
    /// The part of its words that the source has.
    pub found: f64,
    pub faults: Vec<String>,
}

/// A disagreement, and the factor for the score.
pub(super) struct Fault {
    pub factor: f64,
    pub why: String,
}

/// What a word is worth that begins like one of the source, or says nearly the same.
const SIMILAR: f64 = 0.8;

/// How near words with opposite meanings must be to the same place.
const NEAR_OPPOSITE: f64 = 0.2;
const NEAR_SMALL_OPPOSITE: f64 = 0.45;
const NEAR_KNOWN_OPPOSITE: f64 = 0.4;

/// A claim, ready to be compared.
pub(super) struct Claim {
    pub tokens: Vec<Token>,
    /// The weight of each token.
    pub weights: Vec<f64>,
    /// What is related to each token.
    pub related: Vec<Related>,
}

/// The two sides of a comparison.
#[derive(Clone, Copy)]
pub(super) struct Sides<'a> {
    pub claim: &'a [Token],
    pub related: &'a [Related],
    pub said: &'a [&'a Token],
}

pub(super) fn compare(
    claim: &Claim,
    said: &[&Token],
    is_around: &dyn Fn(&str) -> bool,
) -> Compared {
    let Claim { tokens: claim, weights, related } = claim;
    let sides = Sides { claim, related, said };
    let all: f64 = weights.iter().sum();
    if all <= 0.0 {
        let faults = vec!["it has no words to look for".to_owned()];
        return Compared { faults, ..Compared::default() };
    }
    let parts: Vec<f64> =
        claim.iter().zip(related).map(|(it, related)| part(it, related, said)).collect();
    let found: f64 = parts.iter().zip(weights).map(|(part, weight)| part * weight).sum();
    let negations = Negations { claim: claim.iter().collect(), said: said.to_vec() };
    let mut faults = Items { sides, is_around }.faults();
    faults.extend(negations.faults(sides));
    faults.extend(opposites(sides, &negations));
    let factor: f64 = faults.iter().map(|it| it.factor).product();
    let mut whys: Vec<String> = faults.into_iter().map(|it| it.why).collect();
    whys.extend(missing(claim, &parts, weights));
    whys.dedup();
    Compared { score: factor * found / all, found: found / all, faults: whys }
}

/// How much of a token is in the source, from 0 to 1.
fn part(token: &Token, related: &Related, said: &[&Token]) -> f64 {
    if said.iter().any(|it| same(token, it)) {
        return 1.0;
    }
    let is_like = |it: &&Token| related.has_synonym(&it.word) || is_similar(&token.word, &it.word);
    if token.kind == Kind::Word && said.iter().any(is_like) { SIMILAR } else { 0.0 }
}

/// Whether two tokens say the same.
pub(super) fn same(one: &Token, other: &Token) -> bool {
    match (&one.kind, &other.kind) {
        (Kind::Number(a), Kind::Number(b)) => a.agrees(b),
        _ => one.key == other.key,
    }
}

/// Whether two words share a long beginning: `reserve` and `reservation`.
fn is_similar(one: &str, other: &str) -> bool {
    let shared = one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    let longest = one.chars().count().max(other.chars().count());
    shared >= 5 && shared * 10 >= longest * 6
}

fn missing(claim: &[Token], parts: &[f64], weights: &[f64]) -> Option<String> {
    const MOST: usize = 5;
    let pairs = claim.iter().zip(parts.iter().zip(weights));
    let gone = pairs.filter(|(_, (part, weight))| **part == 0.0 && **weight > 0.0);
    let mut words: Vec<&str> = gone.map(|(it, _)| it.word.as_ref()).collect();
    words.dedup();
    let shown: Vec<String> = words.iter().take(MOST).map(|it| format!("`{it}`")).collect();
    let more = if words.len() > MOST { " and more" } else { "" };
    (!shown.is_empty()).then(|| format!("not in the source: {}{more}", shown.join(", ")))
}

/// Words whose opposite stands at the same place of the source.
fn opposites(sides: Sides, negations: &Negations) -> Vec<Fault> {
    let words = sides.claim.iter().enumerate().filter(|(_, it)| it.kind == Kind::Word);
    words.filter_map(|(at, token)| opposite(at, token, sides, negations)).collect()
}

fn opposite(at: usize, token: &Token, sides: Sides, negations: &Negations) -> Option<Fault> {
    let Sides { claim, related, said } = sides;
    let near = |place: usize| sides.nearness(at..at + 1, place..place + 1);
    let own = (0..said.len()).filter(|it| same(token, said[*it])).map(near);
    let least = match own.max_by(f64::total_cmp) {
        Some(own) => NEAR_KNOWN_OPPOSITE.max(own + 0.25),
        None if token.is_stop => NEAR_SMALL_OPPOSITE,
        None => NEAR_OPPOSITE,
    };
    let is_there = |place: &usize| {
        let other = said[*place];
        let is_claimed = || claim.iter().any(|it| same(it, other));
        let is_negated = || negations.is_in_claim(at) != negations.is_in_said(*place);
        related[at].has_opposite(&other.word)
            && !is_claimed()
            && near(*place) >= least
            && !is_negated()
    };
    let place = (0..said.len()).find(is_there)?;
    let why = format!("`{}`: the source says `{}`", token.word, said[place].word);
    Some(Fault { factor: 0.3, why })
}

impl Sides<'_> {
    /// How alike the words around two places are, in order: from 0 to 1.
    pub(super) fn nearness(
        &self,
        claimed: std::ops::Range<usize>,
        said: std::ops::Range<usize>,
    ) -> f64 {
        const REACH: usize = 3;
        let (mut matched, mut all) = (0.0, 0.0);
        for is_left in [true, false] {
            let side = |range: &std::ops::Range<usize>, away: usize| {
                if is_left {
                    range.start.checked_sub(away)
                } else {
                    range.end.checked_add(away - 1)
                }
            };
            let other = |away: usize| side(&said, away).and_then(|it| self.said.get(it)).copied();
            for (away, far) in (1..=REACH).zip([1.0, 0.7, 0.5]) {
                let Some(token) = side(&claimed, away).and_then(|it| self.claim.get(it)) else {
                    all += if away == 1 { 0.3 } else { 0.0 };
                    matched += if away == 1 && other(1).is_none() { 0.3 } else { 0.0 };
                    break;
                };
                let weight = far * if token.is_content() { 1.0 } else { 0.5 };
                all += weight;
                let near = away.saturating_sub(1).max(1)..=away + 1;
                let is_found = near.into_iter().filter_map(other).any(|it| same(token, it));
                matched += if is_found { weight } else { 0.0 };
            }
        }
        if all > 0.0 { matched / all } else { 0.0 }
    }
}

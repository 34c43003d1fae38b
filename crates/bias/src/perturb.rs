//! Inputs as they are when something is a little wrong with them: letters swapped, words missing, another
//! case, numbers not exact.

use std::collections::BTreeMap;

use fastrand::Rng;
use svc_contract::{
    registry::{Component, Scheme},
    value::{Record, Value},
};

use crate::cases::{Asks, Case};

/// Whether the argument of a name is a text that a person writes.
type IsText = Box<dyn Fn(&str) -> bool>;

/// The case with its inputs a little wrong; `None` if none of them can be.
pub(crate) fn perturbed(case: &Case, component: &Component, seed: u64) -> Option<Case> {
    let mut rng = Rng::with_seed(seed ^ u64::from_le_bytes(case.digest[..8].try_into().ok()?));
    let (args, is_text): (&BTreeMap<String, Value>, IsText) = match &case.asks {
        Asks::Op { op, args } => {
            let op = component.ops.iter().find(|it| it.name == op)?;
            let params = op.params;
            let is_text = move |name: &str| {
                let found = params.iter().find(|it| it.name == name);
                found.is_some_and(|it| is_open(it.scheme))
            };
            (args, Box::new(is_text))
        }
        Asks::Script { params, .. } => (params, Box::new(|_: &str| true)),
    };
    let mut changed = args.clone();
    let mut is_changed = false;
    for (name, value) in &mut changed {
        if is_text(name)
            && let Some(other) = wrong(value, &mut rng)
        {
            (*value, is_changed) = (other, true);
        }
    }
    let asks = match &case.asks {
        Asks::Op { op, .. } => Asks::Op { op: op.clone(), args: changed },
        Asks::Script { text, .. } => Asks::Script { text: text.clone(), params: changed },
    };
    is_changed.then(|| Case { asks, ..case.clone() })
}

/// Whether a param takes what a person writes: not a path, a name of a list or a switch.
fn is_open(scheme: Scheme) -> bool {
    match scheme.required() {
        Scheme::Text | Scheme::Json | Scheme::Var(_) | Scheme::TextOf(_) => true,
        Scheme::List(item, _) => is_open(*item),
        Scheme::Record(_, fields) => fields.iter().any(|it| is_open(it.scheme)),
        Scheme::OneOf(all) => all.iter().any(|it| is_open(*it)),
        _ => false,
    }
}

/// The value with something wrong; `None` without a text or a float in it.
fn wrong(value: &Value, rng: &mut Rng) -> Option<Value> {
    match value {
        Value::Text(text) => wrong_text(text, rng).map(Value::from),
        Value::Float(it) => Some(Value::Float(it * (1.0 + (rng.f64() - 0.5) * 0.02))),
        Value::List(list) => {
            let mut is_changed = false;
            let items = list.iter().map(|it| match wrong(it, rng) {
                Some(other) => {
                    is_changed = true;
                    other
                }
                None => it.clone(),
            });
            let items: Vec<Value> = items.collect();
            is_changed.then(|| Value::List(items.into()))
        }
        Value::Record(record) => {
            let mut is_changed = false;
            let fields = record.iter().map(|(name, it)| {
                // What identifies a record stays.
                let is_name = matches!(&**name, "id" | "path" | "url" | "label");
                match if is_name { None } else { wrong(it, rng) } {
                    Some(other) => {
                        is_changed = true;
                        (name.clone(), other)
                    }
                    None => (name.clone(), it.clone()),
                }
            });
            let fields: Record = fields.collect();
            is_changed.then(|| Value::Record(fields))
        }
        _ => None,
    }
}

fn wrong_text(text: &str, rng: &mut Rng) -> Option<String> {
    let mut words: Vec<String> = text.split(' ').map(str::to_owned).collect();
    let mut long: Vec<usize> =
        (0..words.len()).filter(|it| words[*it].chars().count() >= 4).collect();
    if long.is_empty() {
        return None;
    }
    // About every tenth word, at least one, and none twice.
    rng.shuffle(&mut long);
    long.truncate(long.len().div_ceil(10));
    for at in long {
        match rng.u8(..4) {
            0 => words[at] = swapped(&words[at], rng),
            1 if words.len() > 2 => words[at].clear(),
            2 => words[at] = words[at].to_uppercase(),
            _ => words[at] = format!("{} ", words[at]),
        }
    }
    Some(words.join(" "))
}

fn swapped(word: &str, rng: &mut Rng) -> String {
    let mut letters: Vec<char> = word.chars().collect();
    let at = 1 + rng.usize(..letters.len() - 2);
    letters.swap(at, at + 1);
    letters.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_can_be_a_little_wrong() {
        let text =
            "modern quiet public violin vaccine local planet planet garden budget small modern";
        for seed in 0..2_000 {
            let other = wrong_text(text, &mut Rng::with_seed(seed)).unwrap();
            assert!(other.len() > 40, "{other}");
        }
        assert_eq!(wrong_text("of an a", &mut Rng::with_seed(1)), None);
    }
}

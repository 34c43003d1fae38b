//! Query to results.

use std::cmp::Ordering;

use svc_contract::{
    registry::{Cx, OpError},
    value::{Value, arithmetic::LONGEST_LIST},
};

use super::{
    super::same::{is_same, number_order},
    Compare, Logic, Operand, Pattern, Query, Segment, Selector, pattern,
};

/// All results of a query, in the order of the value.
pub(in super::super) fn find<'a>(
    query: &Query,
    root: &'a Value,
    cx: &Cx,
) -> Result<Vec<&'a Value>, OpError> {
    Finder { root, cx, steps: 0 }.query(query, root)
}

struct Finder<'a, 'c> {
    root: &'a Value,
    cx: &'c Cx,
    steps: usize,
}

impl<'a> Finder<'a, '_> {
    fn step(&mut self) -> Result<(), OpError> {
        self.steps += 1;
        if self.steps.is_multiple_of(1 << 12) { self.cx.check() } else { Ok(()) }
    }

    fn query(&mut self, query: &Query, current: &'a Value) -> Result<Vec<&'a Value>, OpError> {
        let mut found = vec![if query.from_root { self.root } else { current }];
        for segment in &query.segments {
            let mut next = Vec::new();
            for value in found {
                self.segment(segment, value, &mut next)?;
            }
            found = next;
        }
        Ok(found)
    }

    fn segment(
        &mut self,
        segment: &Segment,
        value: &'a Value,
        found: &mut Vec<&'a Value>,
    ) -> Result<(), OpError> {
        // A stack instead of recursion: values of other sources may be deep.
        let mut open = vec![value];
        while let Some(value) = open.pop() {
            for selector in &segment.selectors {
                self.selector(selector, value, found)?;
            }
            if found.len() > LONGEST_LIST {
                let message = format!("the query has too many results (limit {LONGEST_LIST})");
                return Err(OpError::invalid_input(message));
            }
            if segment.descends {
                let at = open.len();
                open.extend(children(value));
                open[at..].reverse();
            }
        }
        Ok(())
    }

    fn selector(
        &mut self,
        selector: &Selector,
        value: &'a Value,
        found: &mut Vec<&'a Value>,
    ) -> Result<(), OpError> {
        self.step()?;
        match selector {
            Selector::Name(name) => found.extend(value.as_record().and_then(|it| it.get(name))),
            Selector::Wildcard => found.extend(children(value)),
            Selector::Index(at) => found.extend(value.as_list().and_then(|it| {
                let at = if *at < 0 { at + as_int(it.len()) } else { *at };
                it.get(usize::try_from(at).ok()?)
            })),
            Selector::Slice { start, end, step } => {
                if let Some(list) = value.as_list() {
                    let places = slice(*start, *end, *step, as_int(list.len()));
                    found.extend(places.filter_map(|it| list.get(it)));
                }
            }
            Selector::Filter(logic) => {
                for child in children(value) {
                    if self.holds(logic, child)? {
                        found.push(child);
                    }
                }
            }
        }
        Ok(())
    }

    fn holds(&mut self, logic: &Logic, current: &'a Value) -> Result<bool, OpError> {
        self.step()?;
        match logic {
            Logic::Any(all) => {
                for it in all {
                    if self.holds(it, current)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Logic::All(all) => {
                for it in all {
                    if !self.holds(it, current)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Logic::Not(it) => Ok(!self.holds(it, current)?),
            Logic::Exists(query) => Ok(!self.query(query, current)?.is_empty()),
            Logic::Compare(left, compare, right) => {
                let (left, right) = (self.operand(left, current)?, self.operand(right, current)?);
                Ok(compares(left.as_ref(), *compare, right.as_ref()))
            }
            Logic::Matches { text, pattern: given, is_whole } => {
                let text = self.operand(text, current)?;
                let Some(text) = text.as_ref().and_then(Value::as_str) else { return Ok(false) };
                Ok(match given {
                    Pattern::Fixed(it) => it.as_ref().is_some_and(|it| it.is_match(text)),
                    Pattern::Computed(it) => {
                        let it = self.operand(it, current)?;
                        let it = it.as_ref().and_then(Value::as_str);
                        it.and_then(|it| pattern(it, *is_whole)).is_some_and(|it| it.is_match(text))
                    }
                })
            }
        }
    }

    /// The value of an operand; none if it is nothing.
    fn operand(&mut self, operand: &Operand, current: &'a Value) -> Result<Option<Value>, OpError> {
        Ok(match operand {
            Operand::Literal(it) => Some(it.clone()),
            Operand::One(query) => self.query(query, current)?.first().copied().cloned(),
            Operand::Count(query) => Some(self.query(query, current)?.len().into()),
            Operand::Value(query) => match self.query(query, current)?[..] {
                [one] => Some(one.clone()),
                _ => None,
            },
            Operand::Length(it) => match self.operand(it, current)? {
                Some(Value::Text(it)) => Some(it.chars().count().into()),
                Some(Value::List(it)) => Some(it.len().into()),
                Some(Value::Record(it)) => Some(it.len().into()),
                _ => None,
            },
        })
    }
}

fn children(value: &Value) -> Box<dyn Iterator<Item = &Value> + '_> {
    match value {
        Value::List(it) => Box::new(it.iter()),
        Value::Record(it) => Box::new(it.iter().map(|it| it.1)),
        _ => Box::new(std::iter::empty()),
    }
}

fn as_int(len: usize) -> i64 {
    i64::try_from(len).unwrap_or(i64::MAX)
}

/// The places of a slice, as section 2.3.4.2 of RFC 9535 says.
fn slice(
    start: Option<i64>,
    end: Option<i64>,
    step: i64,
    len: i64,
) -> Box<dyn Iterator<Item = usize>> {
    let place = |it: i64| if it >= 0 { it } else { len + it };
    let every = usize::try_from(step.unsigned_abs()).unwrap_or(usize::MAX);
    let places = |from: i64, to: i64| (from..to).filter_map(|it| usize::try_from(it).ok());
    match step {
        0 => Box::new(std::iter::empty()),
        1.. => {
            let (from, to) = (place(start.unwrap_or(0)), place(end.unwrap_or(len)));
            Box::new(places(from.clamp(0, len), to.clamp(0, len)).step_by(every))
        }
        _ => {
            let from = place(start.unwrap_or(len - 1)).clamp(-1, len - 1);
            let to = end.map_or(-1, |it| place(it).clamp(-1, len - 1));
            Box::new(places(to + 1, from + 1).rev().step_by(every))
        }
    }
}

fn compares(left: Option<&Value>, compare: Compare, right: Option<&Value>) -> bool {
    let is_equal = || match (left, right) {
        (Some(left), Some(right)) => is_same(left, right),
        (left, right) => left.is_none() && right.is_none(),
    };
    let order = || match (left?, right?) {
        (Value::Text(a), Value::Text(b)) => Some(a.cmp(b)),
        (a, b) => number_order(a, b),
    };
    match compare {
        Compare::Equal => is_equal(),
        Compare::NotEqual => !is_equal(),
        Compare::Less => order() == Some(Ordering::Less),
        Compare::Greater => order() == Some(Ordering::Greater),
        Compare::AtMost => order() == Some(Ordering::Less) || is_equal(),
        Compare::AtLeast => order() == Some(Ordering::Greater) || is_equal(),
    }
}

//! The parts of a term.

use super::{Term, TermKind, TypedEntry, TypedPiece};

/// A method that visits the direct parts of a term, to read or to change them.
macro_rules! each_part {
    ($(#[$doc:meta])* $name:ident, $iter:ident $(, $mut:tt)?) => {
        $(#[$doc])*
        pub fn $name<'a>(&'a $($mut)? self, visit: &mut dyn FnMut(&'a $($mut)? Self)) {
            match &$($mut)? self.kind {
                TermKind::Const(_) | TermKind::Var(_) | TermKind::FlowRef(_) => {}
                TermKind::CallRef { callee: a, input: b, .. }
                | TermKind::Each { input: a, body: b, .. }
                | TermKind::Shape { input: a, key: b, .. }
                | TermKind::Index { base: a, index: b }
                | TermKind::Binary { left: a, right: b, .. } => {
                    visit(a);
                    visit(b);
                }
                TermKind::Pipeline(terms)
                | TermKind::List(terms)
                | TermKind::Fallback { tries: terms, .. }
                | TermKind::Flow { args: terms, .. }
                | TermKind::Rhai { args: terms, .. } => terms.$iter().for_each(visit),
                TermKind::Call(call) => call.args.$iter().for_each(visit),
                TermKind::Block(block) => {
                    let computed = block.lets.$iter().filter(|it| !it.skipped);
                    computed.for_each(|it| visit(&$($mut)? it.value));
                    visit(&$($mut)? block.result);
                }
                TermKind::Parallel { branches, .. } | TermKind::Race { branches, .. } => {
                    for it in branches.$iter() {
                        visit(&$($mut)? it.body);
                    }
                }
                TermKind::If { condition, then, otherwise, .. } => {
                    visit(condition);
                    visit(then);
                    visit(otherwise);
                }
                TermKind::Match { value, arms } => {
                    visit(value);
                    for it in arms.$iter() {
                        visit(&$($mut)? it.body);
                    }
                }
                TermKind::Repeat(repeat) => {
                    visit(&$($mut)? repeat.input);
                    visit(&$($mut)? repeat.body);
                    visit(&$($mut)? repeat.until);
                    repeat.otherwise.$iter().for_each(visit);
                }
                TermKind::Record(entries) => entries.$iter().for_each(|it| match it {
                    TypedEntry::Field(_, term) | TypedEntry::Spread(term, _) => visit(term),
                }),
                TermKind::Text(pieces) => pieces.$iter().for_each(|it| {
                    if let TypedPiece::Value(term, _) = it {
                        visit(term);
                    }
                }),
                TermKind::Field { base: value, .. }
                | TermKind::Not(value)
                | TermKind::Negate(value)
                | TermKind::Cast { value, .. }
                | TermKind::Path { value, .. } => visit(value),
                TermKind::Within { bounds, body, .. } => {
                    for (_, bound) in bounds.$iter() {
                        visit(bound);
                    }
                    visit(body);
                }
            }
        }
    };
}

impl Term {
    each_part! {
        /// Calls `visit` on every direct part. Bodies of flows are not parts of their calls.
        each_part, iter
    }
    each_part! {
        /// Like [`Self::each_part`], for parts that are changed.
        each_part_mut, iter_mut, mut
    }
}

//! Names of `let`s that are not visible where they are used.

use std::collections::{HashMap, HashSet, VecDeque};

use svc_contract::value::Text;

use super::{Checker, scope::Frame};
use crate::{
    diag::{Code, Fix, Problem, Span},
    syntax::{
        ast::{Let, Word, dotted},
        token::{TokenKind, lex},
    },
};

impl Checker<'_> {
    /// The problem of a name that belongs to a `let` which is not visible here.
    pub(super) fn hidden_let(&mut self, name: &[Word], span: Span) -> Option<Problem> {
        let first = &name[0];
        if self.is_variable(&first.text) {
            return None;
        }
        if self.is_being_bound(&first.text) {
            return Some(self.own_value(name, span));
        }
        if !self.let_names.contains(&first.text) {
            return None;
        }
        let name = &first.text;
        let problem = Problem::error(Code::E201, first.span, format!("unknown name `{name}`"));
        Some(if let Some(start) = self.in_test {
            self.let_of_script(problem, name, start)
        } else if self.in_flow {
            problem
                .label("not found")
                .help(format!("make `{name}` a parameter: a flow only sees its parameters"))
        } else if let Some(circle) = self.circle_of_lets(name) {
            let problem = cyclic_lets(&circle, first.span);
            // The other parts of the cycle are not reported again.
            let names: Vec<Text> = circle.iter().map(|it| it.name.text.clone()).collect();
            self.broken_names.extend(names);
            problem
        } else {
            problem
                .label("not found")
                .help(format!("move `{name}` up: a `let` is only visible below it"))
        })
    }

    /// A `let` of the script that a test uses; `start` is the place of the first statement of the
    /// test.
    fn let_of_script(&self, problem: Problem, name: &str, start: usize) -> Problem {
        let bind = self.lets.iter().find(|it| it.name.text.as_ref() == name);
        let fix = bind.map(|it| Fix {
            span: Span::new(start, start),
            text: format!("\n  {}", &self.source.text()[it.span.range()]),
        });
        problem
            .label("a `let` of the script")
            .help(format!(
                "a test sees flows and `main(..)`, but no `let` of the script: write `let {name} = ..` in the test"
            ))
            .fixed(fix)
            .suggested()
    }

    /// `let a = a >> upper`
    fn own_value(&self, name: &[Word], span: Span) -> Problem {
        let first = &name[0].text;
        let problem = Problem::error(Code::E201, span, format!("`{first}` is not defined yet"))
            .label("used in its own value");
        match self.minus_on_a_new_line(span) {
            Some(minus) => problem
                .help(
                    "put it in parentheses: a `-` at the start of a line continues the line above",
                )
                .fix(minus.to(span), format!("(-{})", dotted(name))),
            None => problem.help(format!(
                "use a value that is defined above, or move the use below the `let` of `{first}`"
            )),
        }
    }

    /// The shortest circle that leads from the `let` that is being checked over `next` back to it.
    fn circle_of_lets(&self, next: &Text) -> Option<Vec<&Let>> {
        let start = self.frames.iter().find_map(|it| match it {
            Frame::Lets { names, .. } => names.last().filter(|it| it.open),
            _ => None,
        })?;
        let lets: HashMap<&Text, &Let> =
            self.lets.iter().rev().map(|it| (&it.name.text, *it)).collect();
        let (first, second) = (*lets.get(&start.name)?, *lets.get(next)?);
        let mut seen = HashSet::from([&second.name.text]);
        let mut open = VecDeque::from([vec![first, second]]);
        while let Some(path) = open.pop_front() {
            let last = path[path.len() - 1];
            let uses = self.names_in(last.value.span);
            if uses.contains(first.name.text.as_ref()) {
                return Some(path);
            }
            for (name, it) in lets.iter().filter(|(name, _)| uses.contains(name.as_ref())) {
                if seen.insert(name) {
                    open.push_back(path.iter().copied().chain([*it]).collect());
                }
            }
        }
        None
    }

    /// The words of a part of the text that may be names of values.
    fn names_in(&self, part: Span) -> HashSet<&str> {
        let text = &self.source.text()[part.range()];
        let tokens = lex(text).tokens;
        let word = |idx: usize| tokens.get(idx).map_or("", |it| &text[it.span.range()]);
        let is_name = |idx: &usize| {
            let is_field = *idx > 0 && matches!(word(*idx - 1), "." | "?.");
            tokens[*idx].kind == TokenKind::Word && !is_field && word(*idx + 1) != ":"
        };
        (0..tokens.len()).filter(is_name).map(|idx| &text[tokens[idx].span.range()]).collect()
    }
}

fn cyclic_lets(circle: &[&Let], used: Span) -> Problem {
    let names: Vec<&str> = circle.iter().map(|it| it.name.text.as_ref()).collect();
    let shown = format!("{} → {}", names.join(" → "), names[0]);
    let problem = Problem::error(Code::E213, used, format!("cyclic definition of `let`s: {shown}"))
        .label("part of the cycle")
        .help("write one of the values without the others: a `let` only uses those above it");
    circle.iter().skip(1).zip(circle.iter().skip(2).chain(circle.first())).fold(
        problem,
        |problem, (it, next)| {
            problem.also(it.name.span, format!("its value uses `{}`", next.name.text))
        },
    )
}

//! Pipelines, stages, blocks and bounds.

use pest::iterators::Pair;
use svc_contract::value::Value;

use super::Builder;
use crate::{
    diag::{Code, Problem, Span},
    syntax::{
        FOREIGN_BLOCKS, Rule,
        ast::{
            Args, Arm, Block, Bound, Branch, Call, Expr, ExprKind, If, Match, Mod, Otherwise,
            Pattern, Pipeline, Repeat, Rhai, Stage, StageKind, Within,
        },
        quoted, quoted_ways,
    },
};

impl Builder<'_> {
    pub(super) fn pipeline(&mut self, pair: Pair<'_, Rule>) -> Pipeline {
        stacker::maybe_grow(64 << 10, 1 << 20, || {
            let span = self.span(&pair);
            let mut stages = Vec::new();
            for part in pair.into_inner() {
                match part.as_rule() {
                    Rule::pipe => self.pipe(&part),
                    _ => stages.push(self.stage(part)),
                }
            }
            Pipeline { stages, span }
        })
    }

    /// Reports a pipe operator of another language.
    fn pipe(&mut self, pair: &Pair<'_, Rule>) {
        let start = self.span(pair).start;
        let sign = pair.as_str().trim_end();
        if sign == ">>" {
            return;
        }
        let span = Span::new(start, start + sign.len());
        self.problems.push(
            Problem::error(
                Code::E106,
                span,
                format!("expected `>>` between stages, found `{sign}`"),
            )
            .label("pipe operator of another language")
            .help("write `>>`")
            .fix(span, ">>"),
        );
    }

    fn stage(&mut self, pair: Pair<'_, Rule>) -> Stage {
        let span = self.span(&pair);
        let mut kind = StageKind::Broken;
        let mut mods = Vec::new();
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::within => mods.push(Mod::Within(self.within(part))),
                Rule::fallback => mods.push(self.fallback(part)),
                Rule::loose_args => kind = self.loose_args(kind, part),
                _ => kind = self.stage_kind(part),
            }
        }
        Stage { kind, mods, span }
    }

    fn fallback(&mut self, pair: Pair<'_, Rule>) -> Mod {
        let span = self.span(&pair);
        let source = pair.into_inner().nth(1).expect("a fallback has an alternative");
        Mod::Fallback { kind: self.stage_kind(source), span }
    }

    fn stage_kind(&mut self, pair: Pair<'_, Rule>) -> StageKind {
        match pair.as_rule() {
            Rule::expr => StageKind::Expr(self.expr(pair)),
            Rule::postfix => StageKind::Expr(self.postfix(pair)),
            Rule::hole => StageKind::Expr(self.hole(pair)),
            Rule::parallel => {
                self.branches("parallel", pair).map_or(StageKind::Broken, StageKind::Parallel)
            }
            Rule::race => self.branches("race", pair).map_or(StageKind::Broken, StageKind::Race),
            Rule::each => self.each(pair),
            Rule::shape => self.shape(pair),
            Rule::if_ => StageKind::If(Box::new(self.if_(pair))),
            Rule::match_ if self.too_many("arms of `match`", &pair, 2) => StageKind::Broken,
            Rule::match_ => StageKind::Match(Box::new(self.match_(pair))),
            Rule::repeat_ => StageKind::Repeat(Box::new(self.repeat(pair))),
            Rule::rhai => StageKind::Rhai(Box::new(self.rhai(pair))),
            Rule::wrong_block => self.wrong_block(pair),
            _ => self.wrong_try(pair),
        }
    }

    fn rhai(&mut self, pair: Pair<'_, Rule>) -> Rhai {
        let mut inner = pair.into_inner().peekable();
        let word = self.span(&inner.next().expect("code begins with its word"));
        let params = match inner.next_if(|it| it.as_rule() == Rule::fields) {
            Some(fields) => self.flow_params(fields),
            None => Vec::new(),
        };
        let yields = self.ty(inner.next().expect("code has a type"));
        let body = self.span(&inner.next().expect("code has a body"));
        let code = Span::new(body.start + "{".len(), body.end - "}".len());
        Rhai { word, params, yields, code }
    }

    /// `search (q: "x")`
    fn loose_args(&mut self, kind: StageKind, pair: Pair<'_, Rule>) -> StageKind {
        let args = self.args(pair);
        let gap = |name: Span| Span::new(name.end, args.span.start);
        match kind {
            StageKind::Expr(Expr { kind: ExprKind::Name(name), span }) => {
                self.problems.push(space_before(gap(span), args.span));
                let span = span.to(args.span);
                let call = Call { name, type_arg: None, args: Some(args) };
                StageKind::Expr(Expr { kind: ExprKind::Call(Box::new(call)), span })
            }
            other => {
                self.problems.push(stray_args(&args));
                other
            }
        }
    }

    /// The branches of a `parallel` or `race`.
    fn branches(&mut self, word: &str, pair: Pair<'_, Rule>) -> Option<Vec<Branch>> {
        if self.too_many(&format!("branches of `{word}`"), &pair, 1) {
            return None;
        }
        let mut branches = Vec::new();
        for part in pair.into_inner().skip(1) {
            match part.as_rule() {
                Rule::branch => branches.push(self.branch(part)),
                _ => {
                    self.wrong_branches(word, part);
                    return None;
                }
            }
        }
        Some(branches)
    }

    fn branch(&mut self, pair: Pair<'_, Rule>) -> Branch {
        let mut inner = pair.into_inner().peekable();
        let name = self.word(&inner.next().expect("a branch has a name"));
        let optional = inner.next_if(|it| it.as_rule() == Rule::optional);
        let optional = optional.map(|it| self.span(&it));
        let value = self.pipeline(inner.next().expect("a branch has a pipeline"));
        Branch { name, optional, value }
    }

    /// `parallel [a, b]`
    fn wrong_branches(&mut self, word: &str, list: Pair<'_, Rule>) {
        let span = self.span(&list);
        let names = ('a'..='z').map(String::from).chain((1..).map(|it| format!("b{it}")));
        let branches: Vec<String> = list
            .into_inner()
            .zip(names)
            .map(|(it, name)| format!("{name}: {}", &self.text[self.span(&it).range()]))
            .collect();
        let fix = format!("{{ {} }}", branches.join(", "));
        self.problems.push(
            Problem::error(Code::E114, span, format!("missing branch name in `{word}`"))
                .label("branches without names")
                .help(format!("write `{word} {}`, with a name for each branch", quoted(&fix)))
                .suggest(span, fix),
        );
    }

    fn each(&mut self, pair: Pair<'_, Rule>) -> StageKind {
        let mut inner = pair.into_inner().skip(1).peekable();
        let optional = inner.next_if(|it| it.as_rule() == Rule::optional).is_some();
        let body = self.block(inner.next().expect("`each` has a block"));
        StageKind::Each { optional, body }
    }

    fn shape(&mut self, pair: Pair<'_, Rule>) -> StageKind {
        let mut inner = pair.into_inner();
        let kind = inner.next().expect("a shape begins with its word").as_rule();
        let key = Box::new(self.pipeline(inner.next().expect("a shape has a key")));
        match kind {
            Rule::WHERE => StageKind::Where(key),
            Rule::SORT => StageKind::Sort(key),
            _ => StageKind::Group(key),
        }
    }

    fn if_(&mut self, pair: Pair<'_, Rule>) -> If {
        let span = self.span(&pair);
        let mut inner = pair.into_inner().skip(1);
        let condition = self.expr(inner.next().expect("`if` has a condition"));
        let then = self.block(inner.next().expect("`if` has a block"));
        let otherwise = match inner.nth(1) {
            Some(it) if it.as_rule() == Rule::if_ => {
                Otherwise::If(Box::new(stacker::maybe_grow(64 << 10, 1 << 20, || self.if_(it))))
            }
            Some(it) => Otherwise::Block(self.block(it)),
            None => {
                self.problems.push(missing_else(span));
                Otherwise::Missing
            }
        };
        If { condition, then, otherwise, span }
    }

    fn match_(&mut self, pair: Pair<'_, Rule>) -> Match {
        let span = self.span(&pair);
        let mut inner = pair.into_inner().skip(1);
        let value = self.expr(inner.next().expect("`match` has a value"));
        Match { value, arms: inner.map(|it| self.arm(it)).collect(), span }
    }

    fn arm(&mut self, pair: Pair<'_, Rule>) -> Arm {
        if self.too_many("patterns of one arm", &pair, 1) {
            let span = self.span(&pair);
            let kind = StageKind::Broken;
            let stage = Stage { kind, mods: Vec::new(), span };
            return Arm { patterns: Vec::new(), value: Pipeline { stages: vec![stage], span } };
        }
        let mut patterns = Vec::new();
        let mut value = None;
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::pattern => patterns.push(self.pattern(part)),
                _ => value = Some(self.pipeline(part)),
            }
        }
        Arm { patterns, value: value.expect("an arm has a pipeline") }
    }

    fn pattern(&mut self, pair: Pair<'_, Rule>) -> Pattern {
        let span = self.span(&pair);
        let negative = pair.as_str().starts_with('-');
        let Some(literal) = pair.into_inner().next() else { return Pattern::Any(span) };
        let kind = match self.literal(literal) {
            ExprKind::Literal(Value::Int(it)) if negative => ExprKind::Literal(Value::Int(-it)),
            ExprKind::Literal(Value::Float(it)) if negative => ExprKind::Literal(Value::Float(-it)),
            other => other,
        };
        Pattern::Literal(Expr { kind, span })
    }

    fn repeat(&mut self, pair: Pair<'_, Rule>) -> Repeat {
        let span = self.span(&pair);
        let mut inner = pair.into_inner().skip(1);
        let turns = inner.next().expect("`repeat` has a number");
        let turns = self.turns(&turns);
        let body = self.block(inner.next().expect("`repeat` has a block"));
        let until = self.expr(inner.nth(1).expect("`until` has a condition"));
        let otherwise = inner.nth(1).map(|it| self.block(it));
        Repeat { turns, body, until, otherwise, span }
    }

    fn turns(&mut self, pair: &Pair<'_, Rule>) -> u32 {
        let turns = pair.as_str().replace('_', "").parse().ok().filter(|it| *it >= 1);
        turns.unwrap_or_else(|| {
            let message = format!("`{}` is not a number of turns", pair.as_str());
            self.problems.push(
                Problem::error(Code::E105, self.span(pair), message)
                    .label("expected a whole number of at least 1")
                    .help(
                        "write the number as a literal, so that the cost is known before the run",
                    ),
            );
            1
        })
    }

    /// `try { a } catch { b }`
    fn wrong_try(&mut self, pair: Pair<'_, Rule>) -> StageKind {
        let span = self.span(&pair);
        let blocks: Vec<Pair<'_, Rule>> =
            pair.into_inner().filter(|it| it.as_rule() == Rule::block).collect();
        let problem = Problem::error(Code::E113, span, "unknown keyword `try`")
            .label("error handling of another language")
            .help("write `a fallback b`: if a fails, b runs with the same input");
        // Only a single pipeline can be put in parentheses.
        let is_pipeline = |it: &Pair<'_, Rule>| {
            it.clone().into_inner().next().is_some_and(|it| it.as_rule() == Rule::pipeline)
        };
        let inner = |it: &Pair<'_, Rule>| {
            let block = self.span(it);
            self.text[block.start + 1..block.end - 1].trim()
        };
        let problem = match blocks.as_slice() {
            [a, b] if is_pipeline(a) && is_pipeline(b) => {
                problem.fix(span, format!("({}) fallback ({})", inner(a), inner(b)))
            }
            _ => problem,
        };
        self.problems.push(problem);
        StageKind::Broken
    }

    /// `map { .. }`, `filter { .. }`: a block with the name that it has in another language.
    fn wrong_block(&mut self, pair: Pair<'_, Rule>) -> StageKind {
        let mut inner = pair.into_inner();
        let word = inner.next().expect("a block begins with its word");
        let (name, span) = (word.as_str(), self.span(&word));
        let body = self.block(inner.next().expect("a block has braces"));
        let here = FOREIGN_BLOCKS.iter().find(|(it, _)| *it == name).map_or("", |(_, here)| here);
        let problem = Problem::error(Code::E101, span, format!("unknown block `{name}`"))
            .label("block of another language")
            .help(format!("write {}", quoted_ways(here)));
        let keyword = here.strip_suffix(" { .. }").filter(|it| !it.contains(' '));
        let meant = keyword.and_then(|it| meant_block(it, body));
        self.problems.push(match keyword.filter(|_| meant.is_some()) {
            // `select` takes some items in one language, and some of their fields in another.
            Some(keyword) => problem.fix(span, keyword).suggested_if(name == "select"),
            None => problem,
        });
        meant.unwrap_or(StageKind::Broken)
    }

    pub(super) fn block(&mut self, pair: Pair<'_, Rule>) -> Block {
        let span = self.span(&pair);
        let mut lets = Vec::new();
        let mut result = None;
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::bind => lets.push(self.bind(part)),
                Rule::pipeline => result = Some(self.pipeline(part)),
                _ => result = Some(self.wrong_record(part, span)),
            }
        }
        Block { lets, result: result.expect("the grammar's block has a result"), span }
    }

    /// `each { title: .title }`: a record where a pipeline is expected.
    fn wrong_record(&mut self, pair: Pair<'_, Rule>, block: Span) -> Pipeline {
        let span = self.span(&pair);
        let fix = format!("{{ {{ {} }} }}", &self.text[span.range()]);
        self.problems.push(
            Problem::error(Code::E117, block, "expected a pipeline, found a record")
                .label("this block holds the fields of a record")
                .help(format!("add a second pair of braces for the record: `{}`", quoted(&fix)))
                .fix(block, fix),
        );
        let expr = Expr { kind: self.record_or_map(pair), span };
        let stage = Stage { kind: StageKind::Expr(expr), mods: Vec::new(), span };
        Pipeline { stages: vec![stage], span }
    }

    pub(super) fn within(&mut self, pair: Pair<'_, Rule>) -> Within {
        let span = self.span(&pair);
        let bounds = pair.into_inner().skip(1).map(|it| self.bound(it)).collect();
        Within { bounds, span }
    }

    fn bound(&mut self, pair: Pair<'_, Rule>) -> Bound {
        let mut inner = pair.into_inner();
        let key = self.word(&inner.next().expect("a bound has a key"));
        let value = self.expr(inner.next().expect("a bound has a value"));
        Bound { key, value }
    }
}

pub(super) fn space_before(gap: Span, args: Span) -> Problem {
    Problem::error(Code::E108, args, "unexpected space before the arguments")
        .label("space before `(`")
        .help("write `name(..)` without a space")
        .fix(gap, "")
}

/// The block with this word, if its braces hold what it takes.
fn meant_block(word: &str, body: Block) -> Option<StageKind> {
    if word == "each" {
        return Some(StageKind::Each { optional: false, body });
    }
    if !body.lets.is_empty() {
        return None;
    }
    let key = Box::new(body.result);
    Some(match word {
        "where" => StageKind::Where(key),
        "sort" => StageKind::Sort(key),
        _ => StageKind::Group(key),
    })
}

fn stray_args(args: &Args) -> Problem {
    Problem::error(Code::E101, args.span, "unexpected arguments")
        .label("only a component or a flow takes arguments")
        .help("write `name(argument: value)`")
}

fn missing_else(span: Span) -> Problem {
    Problem::error(Code::E112, span, "`if` without `else`")
        .label("missing `else`")
        .help("add `else { it }` to pass the value through, or `else { null }`")
        .suggest(span.after(), " else { it }")
}

//! Blocks: their `let`s, the `let`s that run, and their result.

use svc_contract::value::{Type, Value};

use super::{
    Checker, Term, TermKind, TypedBlock, TypedLet,
    expansion::constant,
    facts::NameKind,
    scope::{Frame, LetName, once},
};
use crate::{
    diag::{Code, Problem, Span},
    syntax::ast,
};

impl Checker<'_> {
    /// Checks a block against its expected type.
    pub(super) fn block(&mut self, block: &ast::Block, expected: Option<&Type>) -> Term {
        let lets: Vec<&ast::Let> = block.lets.iter().collect();
        self.block_of(&lets, &block.result, block.span, expected)
    }

    /// Checks a block whose parts may be separate, as in a file.
    pub(super) fn block_of(
        &mut self,
        lets: &[&ast::Let],
        result: &ast::Pipeline,
        span: Span,
        expected: Option<&Type>,
    ) -> Term {
        if lets.is_empty() {
            return self.pipeline_as(result, expected);
        }
        self.frames.push(Frame::lets());
        let values: Vec<Term> = lets.iter().map(|it| self.bind(it)).collect();
        let result = self.pipeline_as(result, expected);
        let (lets, needs) = self.close_lets(lets, values);
        let ty = result.ty.clone();
        let block = TypedBlock { lets, result, needs };
        self.unordered_block(&block);
        Term::new(TermKind::Block(Box::new(block)), ty, span)
    }

    /// Checks lets without a pipeline after them.
    pub(super) fn lets_alone(&mut self, lets: &[&ast::Let]) {
        self.frames.push(Frame::lets());
        for bind in lets {
            self.bind(bind);
        }
        self.frames.pop();
    }

    pub(super) fn bind(&mut self, bind: &ast::Let) -> Term {
        let expected = bind.ty.as_ref().map(|it| self.ty(it));
        let name = bind.name.text.clone();
        if !self.in_main_lets() {
            self.fixed_name(&bind.name);
        }
        let segment = self.segment_of_part(&name);
        let open = LetName {
            name,
            segment,
            ty: Type::Unknown,
            span: bind.name.span,
            needs: Vec::new(),
            used: false,
            open: true,
            is_plain_text: false,
            literal: None,
        };
        self.open_lets().push(open);
        let mut value = self.named_path(|this| this.pipeline_as(&bind.value, expected.as_ref()));
        let mut ty = value.ty.clone();
        if let Some(declared) = expected {
            let what = format!("`{}`", bind.name.text);
            let (given, constant) = (value.ty.clone(), value.constant().is_some());
            value = self.expected(value, &declared, &what);
            if let (Some(ty), Some(problem), true) =
                (&bind.ty, self.problems.last_mut(), constant && value.ty.is_unknown())
                && problem.fixes.is_empty()
            {
                // No step converts this literal to the declared type, so the declaration is wrong.
                *problem = problem.clone().suggest(ty.span, given.to_string());
            }
            // The name has the declared type, as with a param: `let a: int? = null`.
            ty = match (&value.ty, declared) {
                (Type::Unknown, _) => Type::Unknown,
                (Type::List(_, max), Type::List(item, None)) => Type::List(item, *max),
                (_, declared) => declared,
            };
        }
        self.binds(bind.name.span, NameKind::Let, &ty);
        let is_plain_text = bind.ty.is_none() && matches!(value.constant(), Some(Value::Text(_)));
        self.bound(ty, is_plain_text, constant(&value));
        value
    }

    /// Binds the name of the let whose value was just checked.
    fn bound(&mut self, ty: Type, is_plain_text: bool, literal: Option<Value>) {
        let Some(Frame::Lets { names, bound, .. }) = self.frames.last_mut() else { return };
        let idx = names.len() - 1;
        (names[idx].ty, names[idx].open) = (ty, false);
        (names[idx].is_plain_text, names[idx].literal) = (is_plain_text, literal);
        bound.insert(names[idx].name.clone(), idx);
    }

    /// Whether the lets are those at the top of the file, whose names were checked when declared.
    fn in_main_lets(&self) -> bool {
        self.frames.len() == 2 && !self.in_flow
    }

    fn open_lets(&mut self) -> &mut Vec<LetName> {
        match self.frames.last_mut() {
            Some(Frame::Lets { names, .. }) => names,
            _ => unreachable!("frames above the lets were closed"),
        }
    }

    fn close_lets(
        &mut self,
        syntax: &[&ast::Let],
        values: Vec<Term>,
    ) -> (Vec<TypedLet>, Vec<usize>) {
        let Some(Frame::Lets { names, result_needs, .. }) = self.frames.pop() else {
            return (Vec::new(), Vec::new());
        };
        let acts: Vec<bool> = values.iter().map(super::overlap::acts).collect();
        let live = live_lets(&names, &result_needs, &acts);
        let lets = names
            .into_iter()
            .zip(values)
            .zip(syntax)
            .enumerate()
            .map(|(idx, ((name, value), bind))| {
                let quiet = name.name.starts_with('_') || value.ty.is_unknown();
                if !name.used && !quiet {
                    self.report(unused(self.source.text(), bind, !live[idx]));
                }
                let LetName { name, segment, needs, .. } = name;
                TypedLet { name, segment, value, needs: once(needs), skipped: !live[idx] }
            })
            .collect();
        (lets, once(result_needs))
    }
}

/// Marks the lets that run: those that the result needs, those that act, and those needed by
/// them.
fn live_lets(names: &[LetName], result_needs: &[usize], acts: &[bool]) -> Vec<bool> {
    let mut live = acts.to_vec();
    for idx in result_needs {
        live[*idx] = true;
    }
    // Lets only need earlier ones, so one pass from the last to the first is enough.
    for idx in (0..names.len()).rev() {
        if live[idx] {
            for need in &names[idx].needs {
                live[*need] = true;
            }
        }
    }
    live
}

/// An unused `let`. One that does not run can be removed; one that acts keeps acting under another
/// name.
fn unused(text: &str, bind: &ast::Let, skipped: bool) -> Problem {
    let name = &bind.name.text;
    let label = if skipped { "never used, so it does not run" } else { "never used" };
    let problem = Problem::warning(Code::E221, bind.name.span, format!("unused `let` `{name}`"))
        .label(label)
        .help(format!("use it, remove it, or rename it to `_{name}`"));
    if skipped {
        problem.suggest(with_line(text, bind.span), "")
    } else {
        problem.suggest(bind.name.span, format!("_{name}"))
    }
}

/// The place of a statement with its line, if it has lines of its own: its indentation, the comment
/// behind it and the end of the line.
pub(super) fn with_line(text: &str, span: Span) -> Span {
    let (before, behind) = (&text[..span.start], &text[span.end..]);
    let indented = before.trim_end_matches([' ', '\t']);
    let rest = behind.trim_start_matches([' ', '\t']);
    let is_alone = indented.is_empty() || indented.ends_with('\n');
    if !is_alone || !(rest.is_empty() || rest.starts_with(['\r', '\n', '#'])) {
        return Span::new(span.start, text.len() - rest.len());
    }
    let end = rest.find('\n').map_or(text.len(), |it| text.len() - rest.len() + it + 1);
    Span::new(indented.len(), end)
}

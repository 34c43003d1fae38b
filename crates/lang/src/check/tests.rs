//! Tests: their mocks, their lets, and their expectations.

use std::collections::HashSet;

use svc_contract::{
    registry::{Generic, OpRef},
    value::{Text, Type, Value},
};

use super::{
    Checker, Term, TermKind, TypedMock, TypedTest, Var,
    known_call::OnFailure,
    pipeline::{error_frame, error_type},
    scope::{Callable, Frame, Named, once},
    term::TypedLet,
    unify::Bindings,
};
use crate::{
    diag::{Code, Problem, Span},
    syntax::ast::{self, Args, BinaryOp, Item, ItemKind, Word, dotted, name_span},
};

/// The function of expectations that tests for a failure.
const FAILS: &str = "fails";

/// The segment of a `fails`, which also catches that a cap around the test has not enough left.
pub const FAILS_SEGMENT: &str = "!fails";

/// The op that a statement of a file mocks in its tests.
fn mocked(item: &Item) -> Option<String> {
    match &item.kind {
        ItemKind::Mock(mock) => Some(dotted(&mock.target)),
        _ => None,
    }
}

impl Checker<'_> {
    /// The mocks and tests of a file. In them, `main(..)` is the main pipeline of the file.
    pub(super) fn tests(&mut self, items: &[Item]) -> (Vec<TypedMock>, Vec<TypedTest>) {
        let (mut mocks, mut tests) = (Vec::new(), Vec::new());
        let of_file: HashSet<String> = items.iter().filter_map(mocked).collect();
        let mut names: Vec<&Word> = Vec::new();
        for item in items {
            match &item.kind {
                ItemKind::Mock(mock) => mocks.extend(self.mock_of_file(mock)),
                ItemKind::Test(test) => {
                    if let Some(first) = names.iter().find(|it| it.text == test.name.text) {
                        let first = first.span;
                        self.taken(&test.name, first);
                    }
                    names.push(&test.name);
                    let end = test.name.span.end;
                    let brace = self.source.text()[end..].find('{').unwrap_or_default();
                    self.in_test = Some(end + brace + 1);
                    self.mocked.clone_from(&of_file);
                    self.mocked.extend(test.mocks.iter().map(|it| dotted(&it.target)));
                    tests.push(self.named_path(|this| this.test(test)));
                    self.mocked.clear();
                    self.in_test = None;
                }
                _ => {}
            }
        }
        (mocks, tests)
    }

    fn test(&mut self, test: &ast::Test) -> TypedTest {
        // `run` is only known after the run: the lets do not see it.
        let run = Frame::Params(vec![Named::fixed("", run_type())]);
        let (mut mocks, mut mock_needs) = (Vec::new(), Vec::new());
        let (lets, expects) = self.in_frames(vec![run], |this| {
            this.frames.push(Frame::lets());
            let values: Vec<Term> = test.lets.iter().map(|it| this.bind(it)).collect();
            mocks = test.mocks.iter().filter_map(|it| this.mock_of_test(it, &values)).collect();
            mock_needs = this.needed_so_far();
            if let Some(Frame::Params(params)) = this.frames.first_mut() {
                params[0].name = "run".into();
            }
            let expects = test.expects.iter().map(|it| this.expect(it)).collect();
            (this.close_test_lets(values), expects)
        });
        let (name, span) = (test.name.text.clone(), test.name.span);
        TypedTest { name, span, mocks, mock_needs, lets, expects }
    }

    /// The lets of the innermost block that are needed so far, directly or not, in order.
    fn needed_so_far(&self) -> Vec<usize> {
        let Some(Frame::Lets { names, result_needs, .. }) = self.frames.last() else {
            return Vec::new();
        };
        let mut needed = vec![false; names.len()];
        for need in result_needs {
            needed[*need] = true;
        }
        for idx in (0..names.len()).rev() {
            if needed[idx] {
                for need in &names[idx].needs {
                    needed[*need] = true;
                }
            }
        }
        (0..names.len()).filter(|it| needed[*it]).collect()
    }

    fn expect(&mut self, condition: &ast::Expr) -> Term {
        self.in_expect = true;
        let term = self.expr(condition, Some(&Type::Bool));
        self.in_expect = false;
        self.condition(&term);
        term
    }

    /// `fails(x >> stage)`, `fails(x >> stage, kind: "timeout")` in an expectation: whether the
    /// pipeline fails, perhaps with this kind of error.
    pub(super) fn fails(&mut self, name: &[Word], args: Option<&Args>, span: Span) -> Option<Term> {
        let is_it = matches!(name, [it] if it.text.as_ref() == FAILS);
        if !self.in_expect || !is_it || self.callable(name).is_some() {
            return None;
        }
        let (value, kind) = match args.map_or(&[][..], |it| it.list.as_slice()) {
            [ast::Arg { name: None, value }] => (value, None),
            [ast::Arg { name: None, value }, ast::Arg { name, value: kind }]
                if name.as_ref().is_none_or(|it| it.text.as_ref() == "kind") =>
            {
                (value, Some(kind))
            }
            _ => {
                let problem = Problem::error(Code::E205, span, "`fails` expects what should fail")
                    .label("expected a pipeline, and perhaps a kind of error");
                self.report(
                    problem.help(
                        "write `fails(x >> stage)`, or `fails(x >> stage, kind: \"timeout\")`",
                    ),
                );
                return Some(Term::unknown(span));
            }
        };
        let bool_of = |kind: TermKind| Term::new(kind, Type::Bool, span);
        let value = self.failing(OnFailure::Expected, |this| this.expr(value, None));
        let ended = vec![value, bool_of(TermKind::Const(Value::Bool(false)))];
        self.frames.push(error_frame());
        let failed = match kind {
            Some(kind) => self.is_kind(kind, span),
            None => bool_of(TermKind::Const(Value::Bool(true))),
        };
        self.frames.pop();
        let tries = vec![bool_of(TermKind::Pipeline(ended)), failed];
        let segment = self.segment(FAILS_SEGMENT);
        Some(bool_of(TermKind::Fallback { segment, tries }))
    }

    /// Whether the error of a `fallback` has this kind.
    fn is_kind(&mut self, kind: &ast::Expr, span: Span) -> Term {
        let wanted = self.expr(kind, Some(&Type::Text));
        let wanted = self.expected(wanted, &Type::Text, "the kind of an error");
        let error = Term {
            kind: TermKind::Var(Var { up: 0, idx: 0 }),
            ty: error_type(),
            span,
            waits: false,
        };
        let field = TermKind::Field { base: Box::new(error), name: "kind".into() };
        let given = Term::new(field, Type::Text, span);
        let (left, right) = (Box::new(given), Box::new(wanted));
        Term::new(TermKind::Binary { op: BinaryOp::Equal, left, right }, Type::Bool, span)
    }

    /// Closes the lets of a test, all of which run, whether expectations use them or not.
    fn close_test_lets(&mut self, values: Vec<Term>) -> Vec<TypedLet> {
        let Some(Frame::Lets { names, .. }) = self.frames.pop() else { return Vec::new() };
        names
            .into_iter()
            .zip(values)
            .map(|(name, value)| TypedLet {
                name: name.name,
                segment: name.segment,
                value,
                needs: once(name.needs),
                skipped: false,
            })
            .collect()
    }

    /// A mock outside of tests, which sees no names.
    fn mock_of_file(&mut self, mock: &ast::Mock) -> Option<TypedMock> {
        self.in_frames(vec![Frame::Params(Vec::new())], |this| this.mock(mock))
    }

    /// A mock in a test, which sees the lets of the test that are known before it runs.
    fn mock_of_test(&mut self, mock: &ast::Mock, lets: &[Term]) -> Option<TypedMock> {
        let before = self.needed_so_far();
        let checked = self.mock(mock)?;
        let new = self.needed_so_far().into_iter().filter(|it| !before.contains(it));
        let slow = new.into_iter().find(|it| lets[*it].waits);
        let Some(slow) = slow else { return Some(checked) };
        let name = match self.frames.last() {
            Some(Frame::Lets { names, .. }) => names[slow].name.clone(),
            _ => return None,
        };
        let message = format!("a mock cannot use `{name}`, which calls a slow component");
        self.report(
            Problem::error(Code::E218, checked.span, message)
                .label("not known before the test")
                .also(lets[slow].span, "computed by the test")
                .help("write the value, or a `let` that only calls pure functions"),
        );
        None
    }

    fn mock(&mut self, mock: &ast::Mock) -> Option<TypedMock> {
        let op = self.mocked_op(&mock.target)?;
        self.mention_arguments(&Callable::Op(op), mock.args.as_ref());
        let wanted = mock.type_arg.as_ref().map(|it| self.ty(it));
        if let Some(ty) = mock.type_arg.as_ref().filter(|_| op.op.generic == Generic::No) {
            let name = dotted(&mock.target);
            self.report(
                Problem::error(Code::E219, ty.span, format!("`{name}` takes no type argument"))
                    .label("the type of its result is fixed")
                    .help("remove the type"),
            );
        }
        let args = self.mock_args(op, mock)?;
        // The result type of an op with a type argument is known at each of its calls.
        let gives_one = !op.op.generic.is_whole() && op.op.yields.is_plain();
        let asked = wanted.clone().map(|it| match op.op.generic {
            Generic::Rows => Type::list(it),
            Generic::Field(name) => op.op.yields.plain().with_field(name, &it),
            _ => it,
        });
        let expected = asked.or_else(|| gives_one.then(|| op.op.yields.plain()));
        let value = self.expr(&mock.value, expected.as_ref());
        let value = match &expected {
            Some(expected) => {
                self.expected(value, expected, &format!("the mock of `{}`", dotted(&mock.target)))
            }
            None => value,
        };
        self.known_before(&value);
        Some(TypedMock { op, wanted, args, value, span: mock.span })
    }

    fn known_before(&mut self, value: &Term) {
        if value.waits {
            self.report(
                Problem::error(Code::E218, value.span, "a mock cannot call a slow component")
                    .label("not known before the test")
                    .help("write the value that the component would return"),
            );
        }
    }

    fn mocked_op(&mut self, target: &[Word]) -> Option<OpRef> {
        let span = name_span(target);
        let name = dotted(target);
        let callable = self.callable_or_report(target)?;
        self.mention_callable(&callable, span);
        let (message, help) = match callable {
            Callable::Op(op) if !op.op.is_inline() => return Some(op),
            Callable::Unknown => return None,
            Callable::Op(_) => (
                format!("`{name}` is a pure function, which runs in every test"),
                "mock only components that read, write, cost money, or are slow",
            ),
            _ => (
                format!("`{name}` is a flow, which runs in every test"),
                "mock the components that it calls",
            ),
        };
        self.report(Problem::error(Code::E226, span, message).label("cannot be mocked").help(help));
        None
    }

    fn mock_args(&mut self, op: OpRef, mock: &ast::Mock) -> Option<Vec<(usize, Term)>> {
        let mut args = Vec::new();
        for arg in mock.args.iter().flat_map(|it| &it.list) {
            let Some(name) = &arg.name else {
                self.report(
                    Problem::error(Code::E107, arg.value.span, "missing argument name")
                        .label("argument without a name")
                        .help("write `mock component(argument: value) = ..`"),
                );
                return None;
            };
            let found = op.op.params.iter().position(|it| it.name == name.text.as_ref());
            let Some(idx) = found else {
                self.not_an_argument(op, &dotted(&mock.target), name);
                return None;
            };
            let scheme = op.op.params[idx].scheme;
            let term = self.expr(&arg.value, Some(&scheme.expected()));
            if !Bindings::default().bind(scheme, &term.ty) {
                self.report(
                    Problem::error(
                        Code::E204,
                        term.span,
                        format!(
                            "expected {} for `{}`, found {}",
                            scheme.show(),
                            name.text,
                            term.ty
                        ),
                    )
                    .label(format!("this is {}", term.ty))
                    .help("use the value that the call is expected to have"),
                );
            }
            self.known_before(&term);
            args.push((idx, term));
        }
        Some(args)
    }

    fn not_an_argument(&mut self, op: OpRef, target: &str, name: &Word) {
        let names: Vec<String> = op.op.params.iter().map(|it| format!("`{}`", it.name)).collect();
        self.report(
            Problem::error(
                Code::E202,
                name.span,
                format!("unknown argument `{}` of `{target}`", name.text),
            )
            .label("unknown argument")
            .help(format!("use one of {}", names.join(", "))),
        );
    }

    /// `run.calls("ask")`: the number of calls of a component in the test so far.
    pub(super) fn run_calls(
        &mut self,
        name: &[Word],
        args: Option<&Args>,
        span: Span,
    ) -> Option<Term> {
        let [run, calls] = name else { return None };
        if run.text.as_ref() != "run" || calls.text.as_ref() != "calls" {
            return None;
        }
        let run = self.variable(run)?;
        let component = match args.map(|it| it.list.as_slice()) {
            Some([ast::Arg { name: None, value }]) => self.component_named(value),
            _ => None,
        };
        let Some(op) = component else {
            let at = args.map_or(span, |it| it.span);
            self.report(
                Problem::error(Code::E201, at, "`run.calls` expects the name of a component")
                    .label("not the name of a component")
                    .help("write it as a string: `run.calls(\"ask\")`"),
            );
            return Some(Term::unknown(span));
        };
        let field = |base: Term, name: Text, ty: Type| {
            Term::new(TermKind::Field { base: Box::new(base), name }, ty, span)
        };
        let (name, count): (Text, _) = (op.to_string().into(), Type::INT.optional());
        let counts = Type::record(vec![(name.clone(), count.clone())]);
        let counted = field(field(run, "calls".into(), counts), name, count);
        // A component that was never called is not in the record.
        let none = Term { kind: TermKind::Const(Value::Int(0)), ty: Type::INT, span, waits: false };
        let (left, right) = (Box::new(counted), Box::new(none));
        let kind = TermKind::Binary { op: BinaryOp::Coalesce, left, right };
        Some(Term::new(kind, Type::INT, span))
    }

    fn component_named(&self, value: &ast::Expr) -> Option<OpRef> {
        match &value.kind {
            ast::ExprKind::Literal(Value::Text(name)) => self.registry.resolve(name),
            _ => None,
        }
    }
}

/// The type of `run` in a test: `run.cost`, `run.time`.
fn run_type() -> Type {
    Type::record(vec![("cost".into(), Type::Money), ("time".into(), Type::Duration)])
}

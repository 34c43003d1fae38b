//! Tests: their mocks, their lets, and their expectations.

use svc_contract::{
    registry::{Generic, OpRef},
    value::{Text, Type, Value},
};

use super::{
    Checker, Term, TermKind, TypedMock, TypedTest,
    scope::{Callable, Frame, Named, once},
    term::TypedLet,
    unify::Bindings,
};
use crate::{
    diag::{Code, Problem, Span},
    syntax::ast::{self, Args, BinaryOp, Item, ItemKind, Word, dotted, name_span},
};

impl Checker<'_> {
    /// The mocks and tests of a file. In them, `main(..)` is the main pipeline of the file.
    pub(super) fn tests(&mut self, items: &[Item]) -> (Vec<TypedMock>, Vec<TypedTest>) {
        let (mut mocks, mut tests) = (Vec::new(), Vec::new());
        let mut names: Vec<&Word> = Vec::new();
        for item in items {
            match &item.kind {
                ItemKind::Mock(mock) => mocks.extend(self.mock(mock)),
                ItemKind::Test(test) => {
                    if let Some(first) = names.iter().find(|it| it.text == test.name.text) {
                        let first = first.span;
                        self.taken(&test.name, first);
                    }
                    names.push(&test.name);
                    tests.push(self.named_path(|this| this.test(test)));
                }
                _ => {}
            }
        }
        (mocks, tests)
    }

    fn test(&mut self, test: &ast::Test) -> TypedTest {
        let mocks = test.mocks.iter().filter_map(|it| self.mock(it)).collect();
        // `run` is only known after the run: the lets do not see it.
        let run = Frame::Params(vec![Named::fixed("", run_type())]);
        let (lets, expects) = self.in_frames(vec![run], |this| {
            this.frames.push(Frame::lets());
            let values: Vec<Term> = test.lets.iter().map(|it| this.bind(it)).collect();
            if let Some(Frame::Params(params)) = this.frames.first_mut() {
                params[0].name = "run".into();
            }
            let expects = test.expects.iter().map(|it| this.expect(it)).collect();
            (this.close_test_lets(values), expects)
        });
        TypedTest { name: test.name.text.clone(), span: test.name.span, mocks, lets, expects }
    }

    fn expect(&mut self, condition: &ast::Expr) -> Term {
        self.in_expect = true;
        let term = self.expr(condition, Some(&Type::Bool));
        self.in_expect = false;
        self.condition(&term);
        term
    }

    /// Closes the lets of a test, all of which run, whether expectations use them or not.
    fn close_test_lets(&mut self, values: Vec<Term>) -> Vec<TypedLet> {
        let Some(Frame::Lets { names, .. }) = self.frames.pop() else { return Vec::new() };
        names
            .into_iter()
            .zip(values)
            .map(|(name, value)| TypedLet {
                name: name.name,
                value,
                needs: once(name.needs),
                skipped: false,
            })
            .collect()
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
        let gives_one = op.op.generic == Generic::No && op.op.yields.is_plain();
        let expected = wanted.clone().or_else(|| gives_one.then(|| op.op.yields.plain()));
        let value = self.outside(|this| this.expr(&mock.value, expected.as_ref()));
        let value = match &expected {
            Some(expected) => {
                self.expected(value, expected, &format!("the mock of `{}`", dotted(&mock.target)))
            }
            None => value,
        };
        self.known_before(&value);
        Some(TypedMock { op, wanted, args, value })
    }

    /// Checks something outside all scopes.
    fn outside(&mut self, check: impl FnOnce(&mut Self) -> Term) -> Term {
        self.in_frames(vec![Frame::Params(Vec::new())], check)
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
            let term = self.outside(|this| this.expr(&arg.value, Some(&scheme.expected())));
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

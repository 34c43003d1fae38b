//! The mocks of a test: values that stand in for calls of components.

use std::{
    collections::BTreeMap,
    sync::{
        Mutex, OnceLock, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use svc_contract::{
    registry::{ErrorKind, OpError, OpRef, Usage},
    value::{Record, Type, Value, json},
};
use svc_lang::{
    check::{Checked, TypedCall, TypedMock, TypedTest},
    diag::{Source, Span},
};

use super::{env::Env, error::Result, eval_sync::Now, pace::Pace, scope::Scope};

/// The mocks of one test, and their results.
pub(super) struct Mocks {
    all: Vec<Ready>,
    calls: Mutex<BTreeMap<String, i64>>,
    unmocked: Mutex<BTreeMap<(String, Span), Unmocked>>,
}

/// A mock with a computed value.
struct Ready {
    op: OpRef,
    wanted: Option<Type>,
    args: Vec<(usize, Value)>,
    gives: std::result::Result<Value, OpError>,
    span: Span,
    /// Whether it is one of the test, not of the file.
    is_own: bool,
    is_used: AtomicBool,
}

/// A call of a component that is not pure, and that no mock matches.
#[derive(Debug)]
pub struct Unmocked {
    pub op: OpRef,
    pub span: Span,
    pub source: Source,
    /// The mock of the component that is most like the call, and the reason why it does not match.
    pub near: Option<(Span, String)>,
}

/// A mock that no call of a test used.
#[derive(Debug)]
pub struct UnusedMock {
    pub op: OpRef,
    pub span: Span,
    /// Whether it is one of the test, not of the file.
    pub is_own: bool,
}

/// The answer to a mocked call.
pub(super) enum Answer {
    /// No mock: the component is pure and runs.
    Real,
    Mocked(std::result::Result<Value, OpError>),
}

impl Mocks {
    /// The mocks of the test come before those of the file; among each, the most specific one
    /// wins, then the last one written.
    pub(super) fn of(program: &Checked, test: &TypedTest, scope: &Scope) -> Result<Self> {
        let mut all = Vec::new();
        let nothing = [Value::Null];
        let run = Env::of_params(&nothing);
        let known = known_lets(test, scope, &run)?;
        let (in_test, in_file) = (run.with_lets(&known), Env::of_params(&[]));
        for (group, env, is_own) in [(&test.mocks, in_test, true), (&program.mocks, in_file, false)]
        {
            let mut ready = Vec::with_capacity(group.len());
            for mock in group.iter().rev() {
                ready.push(Ready::of(mock, scope, &env, is_own)?);
            }
            ready.sort_by_key(|it| {
                std::cmp::Reverse(it.args.len() + usize::from(it.wanted.is_some()))
            });
            all.extend(ready);
        }
        Ok(Self { all, calls: Mutex::default(), unmocked: Mutex::default() })
    }

    /// The answer to the call in this test. `ty` is the expected type.
    pub(super) fn answer(&self, call: &TypedCall, args: &[Value], ty: &Type, span: Span) -> Answer {
        let name = call.op.to_string();
        *lock(&self.calls).entry(name.clone()).or_default() += 1;
        let mut misfit = None;
        for mock in self.all.iter().filter(|it| it.stands_for(call, args, ty)) {
            mock.is_used.store(true, Ordering::Relaxed);
            match mock.gives.clone() {
                Err(err) => return Answer::Mocked(Err(err)),
                Ok(value) => match value.cast(ty) {
                    Ok(value) => return Answer::Mocked(Ok(value)),
                    Err(why) => misfit = Some(why),
                },
            }
        }
        if let Some(why) = misfit {
            let message = format!("no mock returns {ty}: {why}");
            let help = format!("add one for this type: `mock {}<T> = ..`", call.name);
            return Answer::Mocked(Err(OpError::new(ErrorKind::Failed, message).help(help)));
        }
        if call.op.op.is_pure() {
            return Answer::Real;
        }
        let of_op = self.all.iter().filter(|it| std::ptr::eq(it.op.op, call.op.op));
        let near = of_op.map(|it| (it.span, it.differs_from(call, args, ty))).next();
        let (op, source) = (call.op, call.source.clone());
        lock(&self.unmocked).insert((name, span), Unmocked { op, span, source, near });
        let message = "not pure, and not mocked in this test";
        Answer::Mocked(Err(OpError::new(ErrorKind::Denied, message)))
    }

    /// What remains of the mocks after the test: the calls without one, and those without a call.
    pub(super) fn ended(self) -> (Vec<Unmocked>, Vec<UnusedMock>) {
        let unmocked = self.unmocked.into_inner().unwrap_or_else(PoisonError::into_inner);
        let unused = self.all.into_iter().filter(|it| !it.is_used.load(Ordering::Relaxed));
        let unused = unused.map(|it| UnusedMock { op: it.op, span: it.span, is_own: it.is_own });
        (unmocked.into_values().collect(), unused.collect())
    }

    /// `run`, as expectations see it.
    pub(super) fn record(&self, usage: Usage, took: Duration) -> Value {
        let calls = lock(&self.calls);
        let calls: Record =
            calls.iter().map(|(op, count)| (op.as_str().into(), Value::Int(*count))).collect();
        let fields = [
            ("cost".into(), Value::Money(usage.cost)),
            ("time".into(), Value::Duration(took)),
            ("calls".into(), Value::Record(calls)),
        ];
        Value::Record(fields.into_iter().collect())
    }
}

/// The lets that mocks use: they are computed again by the test.
fn known_lets(test: &TypedTest, scope: &Scope, run: &Env<'_>) -> Result<Vec<OnceLock<Value>>> {
    let slots: Vec<OnceLock<Value>> = test.lets.iter().map(|_| OnceLock::new()).collect();
    let pace = Pace::patient();
    for idx in &test.mock_needs {
        let env = run.with_lets(&slots);
        let value = Now { scope, pace: &pace }.eval(&test.lets[*idx].value, &env)?;
        slots[*idx].get_or_init(|| value);
    }
    Ok(slots)
}

impl Ready {
    fn of(mock: &TypedMock, scope: &Scope, env: &Env<'_>, is_own: bool) -> Result<Self> {
        let pace = Pace::patient();
        let now = Now { scope, pace: &pace };
        let args: Result<Vec<(usize, Value)>> =
            mock.args.iter().map(|(idx, term)| Ok((*idx, now.eval(term, env)?))).collect();
        Ok(Self {
            op: mock.op,
            wanted: mock.wanted.clone(),
            args: args?,
            gives: now.eval(&mock.value, env).map_err(|it| it.error),
            span: mock.span,
            is_own,
            is_used: AtomicBool::new(false),
        })
    }

    fn stands_for(&self, call: &TypedCall, args: &[Value], ty: &Type) -> bool {
        let same_op = std::ptr::eq(self.op.op, call.op.op);
        let asked = call.wanted.as_ref().or(call.tested.as_ref()).unwrap_or(ty);
        let same_type = self.wanted.as_ref().is_none_or(|it| it == asked);
        same_op && same_type && self.args.iter().all(|(idx, it)| args.get(*idx) == Some(it))
    }

    /// The first difference between this mock and a call of its op that it does not match.
    fn differs_from(&self, call: &TypedCall, args: &[Value], ty: &Type) -> String {
        let asked = call.wanted.as_ref().or(call.tested.as_ref()).unwrap_or(ty);
        if let Some(wanted) = self.wanted.as_ref().filter(|it| *it != asked) {
            return format!("this mock is for calls that ask for {wanted}, this call for {asked}");
        }
        let other = self.args.iter().find(|(idx, it)| args.get(*idx) != Some(it));
        match other {
            Some((idx, wanted)) => {
                let name = call.op.op.params[*idx].name;
                let given = args.get(*idx).map_or_else(|| "nothing".to_owned(), json::write);
                format!("expects {} for `{name}`, found {given}", json::write(wanted))
            }
            None => "does not match".to_owned(),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

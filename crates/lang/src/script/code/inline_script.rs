//! Inline code of a script: compiled when the script is checked, run each time it is reached.

use std::{
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
};

use rhai::{AST, Dynamic, Scope};
use svc_contract::{
    registry::{ErrorKind, OpError},
    value::{Text, Type, TypeMismatch, Value},
};

use super::{
    Ended, Failure, Mistake, Watch, captures,
    cross::enter,
    failure::explained,
    limits,
    place::range_at,
    sandbox::ENGINE,
    shape::Shape,
    watch::{Stop, watched},
};

/// The code of one `rhai(..) -> T { .. }`.
pub struct InlineScript {
    pub(super) code: Text,
    ast: AST,
    pub(super) names: Box<[Text]>,
    pub(super) yields: Type,
    result: Shape,
    /// The offset of the code in its file.
    pub(super) base: usize,
}

impl InlineScript {
    /// Compiles the code between the braces, which begins at the byte `base` of its file.
    pub fn new(code: &str, base: usize, names: &[Text], yields: &Type) -> Result<Self, Mistake> {
        if code.len() > limits::CODE {
            return Err(Mistake::too_long(code.len()).in_file(base));
        }
        let mut scope = Scope::new();
        for name in names {
            scope.push_dynamic(name.as_ref(), Dynamic::UNIT);
        }
        let known: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
        let read = on_a_long_stack(|| captures::compile(&ENGINE, &scope, code));
        let ast =
            read.map_err(|err| Mistake::of(&err, range_at(code, err.1), &known).in_file(base))?;
        let result = Shape::of(yields);
        Ok(Self {
            code: code.into(),
            ast,
            names: names.into(),
            yields: yields.clone(),
            result,
            base,
        })
    }

    /// The declared type of its result.
    pub fn yields(&self) -> &Type {
        &self.yields
    }

    /// The same code with another type of its result.
    #[must_use]
    pub fn with_result(&self, yields: Type) -> Self {
        Self {
            code: self.code.clone(),
            ast: self.ast.clone(),
            names: self.names.clone(),
            result: Shape::of(&yields),
            yields,
            base: self.base,
        }
    }

    /// Runs the code with a value for each name.
    pub fn run(&self, args: &[Value], watch: &Watch) -> Result<Value, Ended> {
        let run = || on_a_long_stack(|| watched(watch, || self.evaluated(args)));
        let Ok((ended, stop)) = catch_unwind(AssertUnwindSafe(run)) else {
            let error = OpError::bug("cannot run the inline code: Rhai panicked");
            return Err(Ended::Failed(self.everywhere(error)));
        };
        match (ended, stop) {
            (Err(_), Some(Stop::Operations)) if watch.operations < limits::OPERATIONS => {
                Err(Ended::Unfinished)
            }
            (Ok(value), _) => Ok(value),
            (Err(failed), stop) => Err(Ended::Failed(self.failure(failed, stop))),
        }
    }

    /// Evaluates the code. All rhai values are freed before this returns, on the same stack.
    fn evaluated(&self, args: &[Value]) -> Result<Value, Wrong> {
        let mut scope = Scope::new();
        for (name, arg) in self.names.iter().zip(args) {
            let arg = enter(arg).map_err(|why| Wrong::Input(name.clone(), why))?;
            scope.push_dynamic(name.as_ref(), arg);
        }
        let result = ENGINE.eval_ast_with_scope::<Dynamic>(&mut scope, &self.ast);
        self.result.leave(result.map_err(Wrong::Code)?).map_err(Wrong::Result)
    }

    fn failure(&self, wrong: Wrong, stop: Option<Stop>) -> Failure {
        match wrong {
            Wrong::Input(name, why) => {
                let message = format!("`{name}` is too large for inline code: it has {why}");
                let help = "work on fewer items at a time, or write a component";
                self.everywhere(OpError::invalid_input(message).help(help))
            }
            Wrong::Code(err) => {
                let (error, position) = explained(*err, stop);
                let (start, end) = range_at(&self.code, position);
                Failure { error, place: (self.base + start, self.base + end) }
            }
            Wrong::Result(misfit) => self.unfit(&misfit),
        }
    }

    /// The failure of a result that does not have the declared type.
    pub(super) fn unfit(&self, misfit: &TypeMismatch) -> Failure {
        self.everywhere(unfit(misfit))
    }

    pub(super) fn everywhere(&self, error: OpError) -> Failure {
        let inner = self.code.trim();
        let start = self.base + (self.code.len() - self.code.trim_start().len());
        Failure { error, place: (start, start + inner.len()) }
    }
}

/// The reasons for a failed run.
enum Wrong {
    Input(Text, String),
    Code(Box<rhai::EvalAltResult>),
    Result(TypeMismatch),
}

fn unfit(misfit: &TypeMismatch) -> OpError {
    let TypeMismatch { path, wanted, given } = misfit;
    let message = match path.as_str() {
        "" => format!("expected {wanted} as the result of the code, found {given}"),
        path => {
            let path = shortened(path);
            format!("expected {wanted} for `{path}` of the result of the code, found {given}")
        }
    };
    let error = OpError::new(ErrorKind::InvalidOutput, message);
    match (path.as_str(), given.as_str()) {
        ("", "null") => error.help("remove the `;` after the last line, whose value is the result"),
        _ => error.help("convert it in the code, or change the type after `->`"),
    }
}

/// The beginning of a path that is too long to read.
fn shortened(path: &str) -> String {
    const MOST: usize = 60;
    match path.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}..", &path[..end]),
        None => path.to_owned(),
    }
}

/// Runs something on a long stack: values may be nested deeply, and rhai visits them level by
/// level.
pub(super) fn on_a_long_stack<T>(run: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(limits::STACK, limits::STACK, run)
}

impl fmt::Debug for InlineScript {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("InlineScript").field(&self.code).finish()
    }
}

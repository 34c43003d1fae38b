//! Templates: code that builds pipelines, run when a script that uses them is checked.

use std::{
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use rhai::{AST, CallFnOptions, Dynamic, Engine, Scope};
use svc_contract::{
    host::Host,
    registry::{ErrorKind, OpError, Registry},
    value::{Text, Value, units},
};
use tokio_util::sync::CancellationToken;

use super::{
    Failure, Mistake, Watch, captures, construct,
    cross::enter,
    failure::explained,
    inline_script::on_a_long_stack,
    limits,
    place::range_at,
    sandbox,
    watch::{Stop, clock, watched},
};

/// The code of a template file.
pub struct Templates {
    code: Text,
    ast: AST,
    engine: Engine,
}

impl Templates {
    /// Compiles the code of a file, which builds pipelines from the components of `registry`.
    pub fn new(code: &str, registry: &Registry) -> Result<Self, Mistake> {
        if code.len() > limits::CODE {
            return Err(Mistake::too_long(code.len()));
        }
        let mut engine = sandbox::engine();
        construct::register(&mut engine, registry);
        let read = on_a_long_stack(|| captures::compile(&engine, &Scope::new(), code));
        let ast = read.map_err(|err| Mistake::of(&err, range_at(code, err.1), &[]))?;
        Ok(Self { code: code.into(), ast, engine })
    }

    /// Whether there is a function of this name with this number of arguments.
    pub fn has(&self, function: &str, arguments: usize) -> bool {
        self.ast.iter_functions().any(|it| it.name == function && it.params.len() == arguments)
    }

    /// Calls a function, and returns the text of the pipeline that it builds.
    pub fn build(
        &self,
        function: &str,
        args: &[Value],
        host: Option<Arc<dyn Host>>,
    ) -> Result<String, Failure> {
        let watch = Watch {
            operations: limits::BUILDING,
            deadline: clock().map(|it| it + limits::TIME),
            cancel: CancellationToken::new(),
            host,
            memory: None,
        };
        let run = || on_a_long_stack(|| watched(&watch, || self.called(function, args)));
        let Ok((ended, stop)) = catch_unwind(AssertUnwindSafe(run)) else {
            return Err(self
                .everywhere(function, OpError::bug("cannot expand the template: Rhai panicked")));
        };
        ended.map_err(|wrong| match wrong {
            Wrong::Code(err) => self.explained(function, *err, stop),
            Wrong::Input(why) => {
                let message = format!("an argument is too large for a template: it has {why}");
                self.everywhere(function, OpError::invalid_input(message))
            }
            Wrong::Result(message) => {
                let error = OpError::new(ErrorKind::InvalidOutput, message);
                self.everywhere(
                    function,
                    error.help("remove the `;` after the last line, whose value is the result"),
                )
            }
        })
    }

    /// Calls a function. All rhai values are freed before this returns, on the same stack.
    fn called(&self, function: &str, args: &[Value]) -> Result<String, Wrong> {
        let args: Result<Vec<Dynamic>, String> = args.iter().map(enter).collect();
        let args = args.map_err(Wrong::Input)?;
        let (options, mut scope) = (CallFnOptions::new().eval_ast(false), Scope::new());
        let result = self
            .engine
            .call_fn_with_options::<Dynamic>(options, &mut scope, &self.ast, function, args);
        let result = result.map_err(Wrong::Code)?;
        let given = result.type_name();
        let text = result.into_string().map_err(|_| {
            Wrong::Result(format!(
                "expected the text of a pipeline as the result of the template, found {given}"
            ))
        })?;
        match text.trim() {
            "" => Err(Wrong::Result(
                "expected a pipeline as the result of the template, found an empty text".to_owned(),
            )),
            text if text.len() > limits::TEMPLATE => {
                let most = units::show_size(limits::TEMPLATE as u64);
                Err(Wrong::Result(format!(
                    "the pipeline of a template is too large (limit {most})"
                )))
            }
            text => Ok(text.to_owned()),
        }
    }

    fn explained(&self, function: &str, err: rhai::EvalAltResult, stop: Option<Stop>) -> Failure {
        let (error, position) = explained(err, stop);
        let error = match stop {
            Some(Stop::Operations) => OpError::new(
                ErrorKind::Exhausted,
                format!("the template took too many operations (limit {})", limits::BUILDING),
            )
            .help("make sure that every loop ends"),
            _ => error,
        };
        if position.is_none() {
            self.everywhere(function, error)
        } else {
            Failure { error, place: range_at(&self.code, position) }
        }
    }

    /// A failure at an unknown place, reported at the name of the function.
    fn everywhere(&self, function: &str, error: OpError) -> Failure {
        let start = self.code.find(&format!("fn {function}")).map_or(0, |it| it + "fn ".len());
        Failure { error, place: (start, start + function.len()) }
    }
}

/// The reasons for a failed call.
enum Wrong {
    Input(String),
    Code(Box<rhai::EvalAltResult>),
    Result(String),
}

impl fmt::Debug for Templates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Templates").field(&self.code).finish()
    }
}

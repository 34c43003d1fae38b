//! Calls of a script's flows by the embedding program: each is a run of its own.

use std::{collections::BTreeMap, sync::Arc};

use svc_contract::{
    registry::{Callback, ErrorKind, OpError, nearest},
    value::Value,
};
use svc_lang::{
    check::{CalledFlow, Checked, TypedFlow, Uncallable, check},
    diag::{Source, Span},
    plan::{Caps, Plan},
};

use crate::{Engine, Error, Request, Unsaved, files::HostFiles, inputs::Given, run::RunError};

/// The arguments of a flow, in the order of its params: a tuple of values such as `(customer,)`,
/// or a list of [`Value`]s.
pub trait FlowArgs {
    fn into_values(self) -> Vec<Value>;
}

impl FlowArgs for Vec<Value> {
    fn into_values(self) -> Vec<Value> {
        self
    }
}

impl FlowArgs for () {
    fn into_values(self) -> Vec<Value> {
        Vec::new()
    }
}

macro_rules! tuples {
    ($($($name:ident)+;)*) => {$(
        impl<$($name: Into<Value>),+> FlowArgs for ($($name,)+) {
            #[expect(non_snake_case, reason = "each value is named after its type")]
            fn into_values(self) -> Vec<Value> {
                let ($($name,)+) = self;
                vec![$($name.into()),+]
            }
        }
    )*};
}

tuples! {
    A;
    A B;
    A B C;
    A B C D;
    A B C D E;
    A B C D E F;
}

impl Engine {
    /// Requests a call of a flow of a planned script, with arguments in the order of its params;
    /// [`Request::param`] sets others by name. Missing ones take their defaults.
    ///
    /// The call is a run of its own: it is estimated, checked against the policy, capped,
    /// cancelled and stored like the run of a script, and contains only what the flow calls. The
    /// script needs no main pipeline; the bounds of its main pipeline do not apply. Paths in
    /// events begin with the name of the flow.
    ///
    /// The request fails, before anything runs, if the script has no such flow, if an argument
    /// does not fit, or if a param or the result cannot cross the border of a run: a flow or a
    /// secret. A param that is a secret is provided by the host.
    ///
    /// Each call estimates the flow. For many calls, create its plan once with
    /// [`Request::plan`], and run it with [`Engine::run_plan`].
    pub fn call_flow(&self, script: &Plan, flow: &str, args: impl FlowArgs) -> Request<'_> {
        let plan = self.plan_of_flow(script.program(), flow).map(Arc::new);
        let mut request = Request::calling(self, plan, Some(CalledFlow::Named(flow.into())));
        request.inputs.ordered = args.into_values().into_iter().map(Given::Value).collect();
        request
    }

    /// Requests a call of a flow that an op kept, with its input.
    ///
    /// The call is a run of its own, with the policy, the host and the services of this engine,
    /// which need not be the one that ran the script. The flow keeps the components and defaults
    /// with which its script was checked, so [`Request::tuned`] is an error. It is not stored,
    /// even if the engine has a store: the flow need not have a name by which it could be resumed.
    ///
    /// The request fails, before anything runs, if the policy denies what the flow does, or if the
    /// input does not fit.
    pub fn call<A, B>(&self, callback: &Callback<A, B>, input: impl Into<Value>) -> Request<'_> {
        let flow = callback.flow().downcast::<TypedFlow>();
        let plan = match &flow {
            Some(flow) => self.kept_plan(flow).map(Arc::new),
            None => Err(foreign(callback.name())),
        };
        let mut request = Request::calling(self, plan, flow.map(CalledFlow::Kept));
        request.inputs.ordered = vec![Given::Value(input.into())];
        request
    }

    /// The plan of a call of a flow of a script.
    pub(crate) fn flow_plan(&self, script: impl Into<Source>, flow: &str) -> Result<Plan, Error> {
        self.flow_plan_with(&script.into(), &Unsaved::default(), flow)
    }

    /// The same for a script whose files have these texts.
    pub(crate) fn flow_plan_with(
        &self,
        script: &Source,
        used: &Unsaved,
        flow: &str,
    ) -> Result<Plan, Error> {
        let host = self.used_by(script);
        let files = HostFiles::of(&host).with(used).under(self.policy());
        let program = self.worded(check(script, self.components(), &files));
        self.plan_of_flow(&program.map_err(Error::Check)?, flow)
    }

    /// The plan of a call of a flow that an op kept.
    pub(crate) fn kept_plan(&self, flow: &Arc<TypedFlow>) -> Result<Plan, Error> {
        let refused = |why| uncallable(&flow.source, &flow.name, &[], why);
        self.plan_of_call(Checked::calling_kept(flow).map_err(refused)?)
    }

    fn plan_of_flow(&self, script: &Checked, flow: &str) -> Result<Plan, Error> {
        let refused = |why| uncallable(&script.source, flow, &script.flows, why);
        self.plan_of_call(script.calling(flow).map_err(refused)?)
    }

    fn plan_of_call(&self, program: Checked) -> Result<Plan, Error> {
        let planned = self.planned(Arc::new(program), &BTreeMap::new(), Caps::default());
        planned.map_err(Error::Check)
    }
}

/// The error of a flow that no script has passed.
fn foreign(name: &str) -> Error {
    let error = OpError::bug(format!("`{name}` is not a flow of a script"));
    Error::Input { source: Source::new(name, ""), error: RunError::outside(error, Span::default()) }
}

/// The error of a kept flow with other defaults: those of its calls were set by the check.
pub(crate) fn not_tuned(flow: &TypedFlow) -> Error {
    let message = format!("cannot tune the kept flow `{}`", flow.name);
    let error = OpError::new(ErrorKind::Unsupported, message)
        .help("tune the engine that runs the script which passes the flow");
    let error = RunError::outside(error, flow.span);
    Error::Input { source: flow.source.clone(), error }
}

/// The error of a call of a flow that cannot be called.
fn uncallable(source: &Source, name: &str, flows: &[Arc<TypedFlow>], why: Uncallable) -> Error {
    let found = flows.iter().find(|it| it.name.as_ref() == name);
    let span = found.map_or(Span::default(), |it| it.span);
    let error = match why {
        Uncallable::Unknown => {
            let error = OpError::invalid_input(format!("unknown flow `{name}`"));
            error.help(flows_of(name, flows))
        }
        Uncallable::Generic => {
            OpError::invalid_input(format!("cannot call `{name}`: it has type parameters"))
                .help("call a flow of the script that calls it with values of known types")
        }
        Uncallable::TakesFlow(param) => {
            let message = format!("cannot call `{name}`: its param `{param}` is a flow");
            OpError::invalid_input(message)
                .help("call a flow of the script that passes the flow on")
        }
        Uncallable::Yields(ty) => {
            let message = format!("cannot call `{name}`: its result is {ty}");
            OpError::invalid_input(message)
                .help("call a flow whose result contains no secret and no flow")
        }
    };
    Error::Input { source: source.clone(), error: RunError::outside(error, span) }
}

/// The flows that a wrong name may mean.
fn flows_of(name: &str, flows: &[Arc<TypedFlow>]) -> String {
    let names: Vec<&str> = flows.iter().map(|it| it.name.as_ref()).collect();
    if let Some(meant) = nearest(name, names.iter().copied()) {
        return format!("did you mean `{meant}`?");
    }
    if names.is_empty() {
        return "the script defines no flows".to_owned();
    }
    let names: Vec<String> = names.iter().map(|it| format!("`{it}`")).collect();
    format!("its flows are {}", names.join(", "))
}

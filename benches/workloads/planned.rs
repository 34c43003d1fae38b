//! A script that was planned once, and can be run any number of times.

use std::{collections::BTreeMap, sync::Arc};

use svc_contract::{
    registry::Lent,
    value::{Text, Value},
};
use svc_engine::run::{Outcome, RunContext, Unwatched, run};
use svc_host_os::test::TestHost;
use svc_lang::plan::{Caps, Plan};
use tokio::{
    runtime::{Builder, Runtime},
    sync::Semaphore,
};
use tokio_util::sync::CancellationToken;

use super::nap::NAP;

/// A plan with its runtime.
pub(crate) struct Planned {
    plan: Plan,
    around: RunContext,
    runtime: Runtime,
}

impl Planned {
    pub(crate) fn new(script: &str) -> Self {
        let engine = svc::engine().with(&[&NAP]);
        let plan = engine.plan(script).expect("the script checks");
        let around = RunContext {
            host: Arc::new(TestHost::new()),
            catalog: Arc::new(engine),
            lent: Lent::default(),
            observer: Arc::new(Unwatched),
            workers: Arc::new(Semaphore::new(2)),
            cancel: CancellationToken::new(),
            caps: Caps::default(),
            records: None,
            isolates: false,
            is_long: false,
            id: None,
        };
        Self { plan, around, runtime: runtime() }
    }

    pub(crate) fn run(&self, inputs: BTreeMap<Text, Value>) -> Outcome {
        let run = run(&self.plan, inputs, self.around.clone());
        self.runtime.block_on(run).expect("the script runs")
    }
}

pub(crate) fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().expect("a runtime")
}

/// The numbers from 0 as the param `xs`; no input for a script without it.
pub(crate) fn numbers(count: i64) -> BTreeMap<Text, Value> {
    match count {
        0 => BTreeMap::new(),
        _ => {
            BTreeMap::from([(Text::from("xs"), Value::List((0..count).map(Value::Int).collect()))])
        }
    }
}

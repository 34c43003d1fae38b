//! The public entry point: everything that a base or an embedding program can request.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let host = svc_host_os::OsHost::default();
//! let engine = svc_engine::Engine::new(svc_components::registry(), std::sync::Arc::new(host));
//! let shouted: String = engine
//!     .run(r#"param name: string  name >> upper >> "hello, ${it}""#)
//!     .param("name", "ada")
//!     .await?
//!     .get()?;
//! assert_eq!(shouted, "hello, ADA");
//! # Ok(())
//! # }
//! ```

mod block;
pub mod blocks;
mod catalog;
mod error;
mod files;
mod fix;
mod flow_call;
mod hints;
pub mod history;
mod inputs;
pub mod output;
mod recent;
mod request;
mod result;
pub mod run;
mod running;
mod sketch;
#[cfg(feature = "script-tests")]
mod testing;
mod threads;

use std::{
    borrow::Cow,
    collections::BTreeMap,
    path::Path,
    sync::{Arc, OnceLock},
};

use svc_contract::{
    host::{Host, MemoryFiles, WithFiles},
    registry::{
        ClosureOp, Component, Lent, OpError, OpRef, OpaqueDef, ReadyComponent, RecordDef, Registry,
        SharedType, Topics, TunedRegistry, Tuning,
    },
    store::Store,
    value::{Text, Value},
};
use svc_lang::{
    check::{self, Analysis, Checked},
    diag::{Report, Source},
    plan::{self, Caps, Estimate, EstimateContext, Past, Plan, Planner, Policy},
    syntax,
};
use tokio::sync::Semaphore;
pub use tokio_util::sync::CancellationToken;

pub use block::{Block, block};
pub use error::Error;
pub use files::{LARGEST_SCRIPT, Unsaved};
pub use fix::{Fixed, Fixes};
pub use flow_call::FlowArgs;
pub use hints::Hints;
#[cfg(feature = "script-tests")]
pub use history::{DryRunResult, Fate};
pub use request::{Request, Response};
pub use running::{Events, Happened, OpFailure, RunEvent, Running};
#[cfg(feature = "script-tests")]
pub use testing::TestResult;
pub use threads::Threads;

use files::HostFiles;
use recent::Recent;
use run::{Observer, Unwatched};

/// Checks, plans and runs scripts against a set of components.
///
/// Cheap to clone; clones share their components and their workers.
#[derive(Clone)]
pub struct Engine {
    registry: Arc<Registry>,
    tuning: Arc<Tuning>,
    host: Arc<dyn Host>,
    lent: Lent,
    observer: Arc<dyn Observer>,
    workers: Arc<Semaphore>,
    worker_count: usize,
    policy: Arc<Policy>,
    /// The files that scripts may use.
    uses: Arc<Policy>,
    /// The store of runs; `None` if runs are not stored.
    store: Option<Arc<dyn Store>>,
    isolates: bool,
    /// The memory limit of each run; a share of the machine's memory if not set.
    max_memory: Option<u64>,
    hints: Hints,
    /// Changes with everything that a plan depends on.
    planner: Planner,
    /// Indexed when it is first asked for.
    topics: Arc<OnceLock<Topics>>,
    recent: Arc<Recent>,
}

impl Engine {
    /// Creates an engine with these components on this host.
    pub fn new(registry: Registry, host: Arc<dyn Host>) -> Self {
        let workers = std::thread::available_parallelism().map_or(2, usize::from);
        Self {
            registry: Arc::new(registry),
            tuning: Arc::default(),
            host,
            lent: Lent::default(),
            observer: Arc::new(Unwatched),
            // Two more than there are cores: when a computation ends, the next one is ready.
            workers: Arc::new(Semaphore::new(workers + 2)),
            worker_count: workers,
            policy: Arc::default(),
            uses: Arc::default(),
            store: None,
            isolates: false,
            max_memory: None,
            hints: Hints::None,
            planner: Planner::new(),
            topics: Arc::default(),
            recent: Arc::default(),
        }
    }

    /// Adds components; a component of a known name replaces it.
    #[must_use]
    pub fn with(mut self, components: &[&'static Component]) -> Self {
        self.registry = Arc::new(self.registry.as_ref().clone().with(components));
        self.changed()
    }

    /// Adds ops made from closures, such as `svc::op("crm.score", ..)`. Several ops can have one
    /// component name, and can be added at different times. The closures are dropped with the
    /// last engine that has them.
    ///
    /// Returns an error if a name is invalid or taken, or a declaration contradicts itself.
    pub fn with_ops(mut self, ops: impl IntoIterator<Item = ClosureOp>) -> Result<Self, OpError> {
        let ops: Vec<ClosureOp> = ops.into_iter().collect();
        let mut names = ops.iter().flat_map(ClosureOp::names);
        if let Some(reserved) = names.find(|it| syntax::is_reserved(it)) {
            let message = format!("invalid name `{reserved}`: it is a reserved word");
            return Err(OpError::invalid_input(message).help("choose another name"));
        }
        drop(names);
        let registry = self.registry.as_ref().clone();
        let (registry, lent) = registry.with_closures(self.lent, ops)?;
        (self.registry, self.lent) = (Arc::new(registry), lent);
        Ok(self.changed())
    }

    /// Adds a component that was made at run time, such as the operations of a document. Returns
    /// an error if its name is taken by another component.
    pub fn with_ready(mut self, component: &ReadyComponent) -> Result<Self, OpError> {
        let name = component.component.name;
        if syntax::is_reserved(name) {
            let message = format!("invalid name `{name}`: it is a reserved word");
            return Err(OpError::invalid_input(message).help("choose another name"));
        }
        let registry = self.registry.as_ref().clone();
        let (registry, lent) = registry.with_ready(self.lent, component)?;
        (self.registry, self.lent) = (Arc::new(registry), lent);
        Ok(self.changed())
    }

    /// Adds a record type that scripts can name without declaring it, such as one with
    /// `#[derive(svc::Record)]`; a known name is replaced.
    #[must_use]
    pub fn types<R: RecordDef>(mut self) -> Self {
        let types = [SharedType::of::<R>()];
        self.registry = Arc::new(self.registry.as_ref().clone().with_types(&types));
        self.changed()
    }

    /// Adds a type of the program that scripts can name, such as in the params of flows. Ops can
    /// take and return its values without it.
    #[must_use]
    pub fn with_opaque<T: OpaqueDef>(mut self) -> Self {
        let types = [SharedType::opaque::<T>()];
        self.registry = Arc::new(self.registry.as_ref().clone().with_types(&types));
        self.changed()
    }

    /// Changes the default of a tunable param, such as `rerank.keep`.
    pub fn tuned(self, param: &str, value: impl Into<Value>) -> Result<Self, OpError> {
        let mut tuning = self.tuning.as_ref().clone();
        tuning.set(&self.registry, param, value.into())?;
        Ok(self.with_tuning(tuning))
    }

    /// Replaces all changed defaults. The components stay shared with other engines, so this is
    /// cheap enough for an engine per run or per tenant.
    #[must_use]
    pub fn with_tuning(mut self, tuning: Tuning) -> Self {
        self.tuning = Arc::new(tuning);
        self.changed()
    }

    /// Replaces the host.
    #[must_use]
    pub fn with_host(mut self, host: Arc<dyn Host>) -> Self {
        self.host = host;
        self.changed()
    }

    /// Replaces the files of the host by files in memory, such as `[("hits.md", "...")]`. Everything
    /// else of the host stays, as do the effects of ops and the policy. A clone of the
    /// [`MemoryFiles`] shows what scripts write.
    #[must_use]
    pub fn with_files(self, files: impl Into<MemoryFiles>) -> Self {
        let host = WithFiles::new(files.into(), self.host.clone());
        self.with_host(Arc::new(host))
    }

    /// Lends a service of the program, such as a connection pool, to the components that ask for
    /// its type with `Cx::lent`.
    #[must_use]
    pub fn lend<T: std::any::Any + Send + Sync>(mut self, service: Arc<T>) -> Self {
        self.lent = self.lent.with(service);
        self
    }

    /// Sets the observer of runs.
    #[must_use]
    pub fn with_observer(mut self, observer: Arc<dyn Observer>) -> Self {
        self.observer = observer;
        self
    }

    /// Sets the policy: the engine refuses every plan that violates it, and no run can touch
    /// anything that it does not allow.
    #[must_use]
    pub fn with_policy(mut self, policy: Policy) -> Self {
        self.policy = Arc::new(policy);
        self.uses = self.policy.clone();
        self.changed()
    }

    /// The policy; it is empty if everything is allowed.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Sets the policy for the files that scripts use; the effects of their plans are not
    /// checked.
    #[must_use]
    pub fn with_import_policy(mut self, policy: Policy) -> Self {
        self.uses = Arc::new(policy);
        self.changed()
    }

    /// Configures the engine for untrusted scripts: inline scripts run in worker processes with
    /// little memory that are killed when their time is over, and scripts can only use files in
    /// their own folder, unless a policy allows others to be read, and start only programs that a
    /// policy allows. The program must call `svc::is_worker` first of all.
    #[must_use]
    pub fn untrusted(mut self) -> Self {
        self.isolates = true;
        self
    }

    /// Sets the memory limit of each run in bytes, unless a run sets its own. Without it, a run
    /// may use half of the machine's memory.
    #[must_use]
    pub fn max_memory(mut self, bytes: u64) -> Self {
        self.max_memory = Some(bytes);
        self
    }

    /// Sets who words the help texts that name a way out: how to allow an effect, or to raise a
    /// cap. Without it, they have no words of the command line.
    #[must_use]
    pub fn with_hints(mut self, hints: Hints) -> Self {
        self.hints = hints;
        self
    }

    /// Who words the help texts.
    pub fn hints(&self) -> &Hints {
        &self.hints
    }

    /// Marks the plans of this engine so far as those of another one.
    fn changed(self) -> Self {
        Self { planner: Planner::new(), topics: Arc::default(), ..self }
    }

    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// The changed defaults.
    pub fn tuning(&self) -> &Tuning {
        &self.tuning
    }

    /// The components with the defaults of this engine.
    fn components(&self) -> TunedRegistry<'_> {
        TunedRegistry::new(&self.registry, &self.tuning)
    }

    pub fn host(&self) -> &dyn Host {
        self.host.as_ref()
    }

    /// The host, to be wrapped by another one.
    pub fn shared_host(&self) -> Arc<dyn Host> {
        self.host.clone()
    }

    /// Checks a script: returns the checked program, or all its problems.
    pub fn check(&self, script: impl Into<Source>) -> Result<Checked, Report> {
        let program = self.checked(script)?;
        let estimated = self.estimated(Arc::new(program), &BTreeMap::new(), Caps::default(), false);
        let (program, _) = estimated?;
        self.refused(&program).map_or_else(|| Ok(Arc::unwrap_or_clone(program)), Err)
    }

    /// The policy for the scripts of this engine.
    fn enforced_policy(&self) -> Cow<'_, Policy> {
        if self.isolates {
            Cow::Owned(self.policy.as_ref().clone().for_untrusted())
        } else {
            Cow::Borrowed(self.policy.as_ref())
        }
    }

    /// The problems that the policy reports for a program.
    fn refused(&self, program: &Arc<Checked>) -> Option<Report> {
        let policy = self.enforced_policy();
        if policy.is_empty() {
            return None;
        }
        if program.main.is_none() {
            let refused = policy.refused_in_flows(program, self.host());
            return refused.has_errors().then(|| self.hints.of_report(refused));
        }
        self.planned(program.clone(), &BTreeMap::new(), Caps::default()).err()
    }

    /// The host for the files that a script uses.
    fn used_by(&self, script: &Source) -> Arc<dyn Host> {
        let folder = script.folder().map_or(Path::new("."), |it| it.as_path());
        self.uses.guard_uses(&self.host, folder, self.isolates)
    }

    fn checked(&self, script: impl Into<Source>) -> Result<Checked, Report> {
        let script = script.into();
        let host = self.used_by(&script);
        let files = HostFiles::of(&host).under(&self.policy);
        let checked = check::check_or_reject(&script, self.components(), &files);
        self.worded(checked.map_err(|it| self.with_open_lists(*it)))
    }

    /// The problems of a rejected script, and the lists without a limit before the first error, so
    /// that they are reported together.
    fn with_open_lists(&self, rejected: check::Rejected) -> Report {
        let check::Rejected { mut report, program } = rejected;
        let Some(program) = program else { return report };
        let (given, past) = (BTreeMap::new(), |op| self.past(op));
        let context = self.estimate_context(&given, Caps::default(), &past);
        let context = EstimateContext { shows_nodes: false, ..context };
        let problems = plan::estimate(&program, &context).problems.sound_with(&report);
        problems.report(&mut report);
        report
    }

    /// The result of a check with the help texts of this engine.
    fn worded(&self, checked: Result<Checked, Report>) -> Result<Checked, Report> {
        match checked {
            Ok(mut program) => {
                self.hints.word(&mut program.warnings);
                Ok(program)
            }
            Err(report) => Err(self.hints.of_report(report)),
        }
    }

    /// The plan of a script whose files have these texts.
    fn plan_with(&self, script: &Source, used: &Unsaved) -> Result<Plan, Report> {
        let host = self.used_by(script);
        let files = HostFiles::of(&host).with(used).under(&self.policy);
        self.before_inputs(self.worded(check::check(script, self.components(), &files))?)
    }

    /// Analyses a script for an editor, even if it does not pass the check.
    pub fn analyse(&self, script: impl Into<Source>) -> Analysis {
        self.analysis(&script.into(), &Unsaved::default()).0
    }

    /// The same with unsaved texts of some files.
    pub fn analyse_with(&self, script: impl Into<Source>, unsaved: &Unsaved) -> Analysis {
        self.analysis(&script.into(), unsaved).0
    }

    /// The same with the estimate of a script that passes the check.
    fn analysis(&self, script: &Source, unsaved: &Unsaved) -> (Analysis, Option<Estimate>) {
        let host = self.used_by(script);
        let files = HostFiles::of(&host).with(unsaved).under(&self.policy);
        let mut analysis = check::analyse(script, self.components(), &files);
        self.hints.word(&mut analysis.report);
        if let Some(program) = &mut analysis.program {
            self.hints.word(&mut program.warnings);
        }
        let Some(program) = analysis.program.take() else { return (analysis, None) };
        let program = Arc::new(program);
        let estimated = self.estimated(program, &BTreeMap::new(), Caps::default(), false);
        let (report, program, estimate) = match estimated {
            Ok((program, estimate)) => match self.refused(&program) {
                Some(report) => (report, None, None),
                None => {
                    let program = Arc::unwrap_or_clone(program);
                    (program.warnings.clone(), Some(program), Some(estimate))
                }
            },
            Err(report) => (report, None, None),
        };
        (Analysis { report, program, ..analysis }, estimate)
    }

    /// The plan of a script.
    pub fn plan(&self, script: impl Into<Source>) -> Result<Plan, Report> {
        self.planned(Arc::new(self.checked(script)?), &BTreeMap::new(), Caps::default())
    }

    /// The plan of an analysed script, for editors.
    pub fn plan_analysed(&self, program: &Checked) -> Result<Plan, Report> {
        self.planned(Arc::new(program.clone()), &BTreeMap::new(), Caps::default())
    }

    /// The plan of a program with these inputs and caps, if its bounds can be kept and the
    /// policy accepts it.
    fn planned(
        &self,
        program: Arc<Checked>,
        given: &BTreeMap<Text, Value>,
        caps: Caps,
    ) -> Result<Plan, Report> {
        let (program, estimate) = self.estimated(program, given, caps, true)?;
        self.judged(plan::plan(program, estimate, self.planner))
    }

    /// The plan, if the policy accepts it.
    fn judged(&self, plan: Plan) -> Result<Plan, Report> {
        let refused = plan.refusals(&self.enforced_policy(), self.host());
        if refused.has_errors() { Err(self.hints.of_report(refused)) } else { Ok(plan) }
    }

    /// The plan of a script whose inputs follow. The policy may refuse a default that the run does
    /// not use, so it judges the plan of the run, which [`Engine::run_plan`] makes.
    pub fn plan_before_inputs(&self, script: impl Into<Source>) -> Result<Plan, Report> {
        self.before_inputs(self.checked(script)?)
    }

    fn before_inputs(&self, program: Checked) -> Result<Plan, Report> {
        let (program, none) = (Arc::new(program), BTreeMap::new());
        let (program, estimate) = self.estimated(program, &none, Caps::default(), true)?;
        if estimate.varies && !self.enforced_policy().is_empty() {
            // What another planner made is planned again.
            return Ok(plan::plan(program, estimate, Planner::new()));
        }
        self.judged(plan::plan(program, estimate, self.planner))
    }

    /// Requests a run of a script: set its inputs, then await it.
    pub fn run(&self, script: impl Into<Source>) -> Request<'_> {
        let script = script.into();
        let plan = match &self.store {
            // Expectations come from the runs of the store.
            Some(_) => self.plan_before_inputs(script).map(Arc::new),
            None => self.recent.plan(script, self.planner, |it| self.plan_before_inputs(it)),
        };
        Request::new(self, plan.map_err(Error::Check))
    }

    /// Requests a run of an existing plan. Many runs can share one.
    ///
    /// The plan is estimated again if the inputs, the caps of the run, or another engine may
    /// change its cost, its verdicts or its effects.
    pub fn run_plan(&self, plan: impl Into<Arc<Plan>>) -> Request<'_> {
        Request::new(self, Ok(plan.into()))
    }

    /// Whether the estimate of a plan is that of a run with these inputs and caps.
    fn has_estimated(&self, plan: &Plan, given: &BTreeMap<Text, Value>, caps: Caps) -> bool {
        let is_whole = given.is_empty() && caps == Caps::default();
        // A stored run records its own estimate.
        let is_fixed = !plan.varies() && self.store.is_none() && caps.max_age.is_none();
        plan.planner() == self.planner && (is_whole || is_fixed)
    }

    /// The estimate of a program with these inputs and caps, or the problems with its bounds.
    fn estimated(
        &self,
        mut program: Arc<Checked>,
        given: &BTreeMap<Text, Value>,
        caps: Caps,
        shows_nodes: bool,
    ) -> Result<(Arc<Checked>, Estimate), Report> {
        let past = |op| self.past(op);
        let context = EstimateContext { shows_nodes, ..self.estimate_context(given, caps, &past) };
        let mut estimate = plan::estimate(&program, &context);
        if !estimate.problems.is_empty() {
            let warnings = &mut Arc::make_mut(&mut program).warnings;
            std::mem::take(&mut estimate.problems).report(warnings);
            self.hints.word(warnings);
            if warnings.has_errors() {
                return Err(warnings.clone());
            }
        }
        Ok((program, estimate))
    }

    fn estimate_context<'a>(
        &'a self,
        given: &'a BTreeMap<Text, Value>,
        caps: Caps,
        past: &'a dyn Fn(OpRef) -> Option<Past>,
    ) -> EstimateContext<'a> {
        let workers = self.worker_count;
        EstimateContext { host: self.host(), workers, given, caps, shows_nodes: true, past }
    }

    fn around(&self, cancel: CancellationToken) -> crate::run::RunContext {
        crate::run::RunContext {
            host: self.policy.guard(self.host.clone()),
            catalog: Arc::new(self.clone()),
            lent: self.lent.clone(),
            observer: self.observer.clone(),
            workers: self.workers.clone(),
            cancel,
            caps: Caps { memory: self.max_memory, ..Caps::default() },
            records: None,
            isolates: self.isolates,
            is_long: false,
            id: None,
        }
    }
}

//! The one door: everything that a base or an embedding program can ask for.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let engine = svc::Engine::new();
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
mod error;
mod files;
mod fix;
mod grammar;
mod inputs;
pub mod planned;
mod request;
mod testing;
pub mod verdict;

use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

pub use block::{Block, block};
pub use error::Error;
pub use files::{LARGEST_SCRIPT, Unsaved};
pub use fix::Fixed;
pub use grammar::Notation;
pub use request::{Request, Response};
pub use testing::TestResult;

use files::HostFiles;

use crate::{
    check::{self, Analysis, Checked},
    components,
    diag::{Report, Source},
    host::{Host, os::OsHost},
    plan::{self, Plan},
    registry::{Component, Registry},
    run::{Observer, Unwatched},
};

/// Checks, plans and runs scripts against a set of components.
///
/// Cheap to clone; clones share their components and their workers.
#[derive(Clone)]
pub struct Engine {
    registry: Arc<Registry>,
    host: Arc<dyn Host>,
    observer: Arc<dyn Observer>,
    workers: Arc<Semaphore>,
}

impl Default for Engine {
    fn default() -> Self {
        Self::new()
    }
}

impl Engine {
    /// An engine with the built-in components on this machine.
    pub fn new() -> Self {
        let built_in = components::ALL.iter().fold(Registry::default(), |it, all| it.with(all));
        let workers = std::thread::available_parallelism().map_or(2, usize::from);
        Self {
            registry: Arc::new(built_in),
            host: Arc::new(OsHost::default()),
            observer: Arc::new(Unwatched),
            workers: Arc::new(Semaphore::new(workers)),
        }
    }

    /// The same engine with further components; one of a known name replaces it.
    #[must_use]
    pub fn with(mut self, components: &[&'static Component]) -> Self {
        self.registry = Arc::new(self.registry.as_ref().clone().with(components));
        self
    }

    /// The same engine in another world.
    #[must_use]
    pub fn on(mut self, host: Arc<dyn Host>) -> Self {
        self.host = host;
        self
    }

    /// The same engine, watched.
    #[must_use]
    pub fn watched_by(mut self, observer: Arc<dyn Observer>) -> Self {
        self.observer = observer;
        self
    }

    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    pub fn host(&self) -> &dyn Host {
        self.host.as_ref()
    }

    /// Everything that is wrong with a script, or the program that it is.
    pub fn check(&self, script: impl Into<Source>) -> Result<Checked, Report> {
        check::check(&script.into(), &self.registry, &HostFiles::of(self.host()))
    }

    /// What is known of a script, for an editor: also when it does not check.
    pub fn analyse(&self, script: impl Into<Source>) -> Analysis {
        check::analyse(&script.into(), &self.registry, &HostFiles::of(self.host()))
    }

    /// The same where some files have texts that are not saved yet.
    pub fn analyse_with(&self, script: impl Into<Source>, unsaved: &Unsaved) -> Analysis {
        let files = HostFiles::of(self.host()).with(unsaved);
        check::analyse(&script.into(), &self.registry, &files)
    }

    /// What a script would run.
    pub fn plan(&self, script: impl Into<Source>) -> Result<Plan, Report> {
        self.check(script).map(plan::plan)
    }

    /// Runs a script: give it its inputs, then await it.
    pub fn run(&self, script: impl Into<Source>) -> Request<'_> {
        Request::new(self, self.plan(script))
    }

    /// Runs a plan that was looked at before.
    pub fn run_plan(&self, plan: Plan) -> Request<'_> {
        Request::new(self, Ok(plan))
    }

    fn around(&self, cancel: CancellationToken) -> crate::run::Surroundings {
        crate::run::Surroundings {
            host: self.host.clone(),
            observer: self.observer.clone(),
            workers: self.workers.clone(),
            cancel,
        }
    }
}

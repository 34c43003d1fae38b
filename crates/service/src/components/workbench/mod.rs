//! The workbench: work that is submitted, followed, refined, compared and exported.
//!
//! The work of `submit`, `refine` and `fork` is named in their arguments, so it is resolved,
//! authorised and planned before anything is queued; see [`asked`].

mod compare;
mod export;
mod given;
mod inspect;
mod list;
mod notes;
mod schema;
mod submit;
mod view;

use std::sync::{Arc, OnceLock};

use svc_contract::registry::{Approvals, Bias, Component, compute, inline, io};
use svc_engine::Engine;

use crate::{
    Fault, Folder,
    jobs::{self, Jobs, OfOwner},
};

pub(crate) use submit::{Asked, asked};

pub(crate) const COMPONENT: Component = Component {
    name: "workbench",
    cluster: "core-infrastructure",
    summary: "Submits work, follows it, refines it, compares versions and exports results.",
    version: 1,
    bias: Bias::new(
        "one queue, first come, first served",
        &["a job takes longer than its caller waits", "a refinement changes few calls"],
    ),
    aliases: &[],
    ops: &[
        compute::<schema::InputSchema>(),
        inline::<submit::Submit>(),
        io::<given::GetResult>(),
        inline::<submit::Refine>(),
        compute::<export::Export>(),
        io::<notes::Feedback>(),
        compute::<given::Open>(),
        compute::<list::Status>(),
        compute::<list::List>(),
        compute::<inspect::Inspect>(),
        compute::<compare::Compare>(),
        compute::<notes::Annotate>(),
        inline::<submit::Fork>(),
        io::<given::Cancel>(),
        io::<given::Archive>(),
        compute::<list::Search>(),
    ],
};

/// The jobs of one caller, as the service lends them to these ops.
pub(crate) struct Bench {
    jobs: Option<Jobs>,
    owner: String,
    /// Knows tools and their types.
    engine: Engine,
    folder: OnceLock<Option<Folder>>,
}

impl Bench {
    pub(crate) fn new(jobs: Option<Jobs>, owner: &str, engine: &Engine) -> Self {
        let engine = engine.clone().with(super::ALL);
        Self { jobs, owner: owner.to_owned(), engine, folder: OnceLock::new() }
    }

    /// The engine with everything that its components need of jobs.
    pub(crate) fn lent_to(self: &Arc<Self>, engine: Engine) -> Engine {
        let engine = engine.lend(self.clone());
        let Some(jobs) = self.jobs.clone() else { return engine };
        let kept = OfOwner { jobs, owner: self.owner.clone() };
        engine.lend(Arc::new(Approvals::new(Arc::new(kept)))).lend(Arc::new(jobs::asks_no_one()))
    }

    /// The folder of served scripts, whose names are names of jobs.
    pub(crate) fn serve(&self, folder: Option<Folder>) {
        // A bench belongs to one service, which sets it once.
        let _ = self.folder.set(folder);
    }

    pub(crate) fn owner(&self) -> &str {
        &self.owner
    }

    pub(crate) fn jobs(&self) -> Result<&Jobs, Fault> {
        self.jobs.as_ref().ok_or_else(jobs::none)
    }

    fn folder(&self) -> Option<&Folder> {
        self.folder.get()?.as_ref()
    }
}

/// The error example of an op that needs a server.
macro_rules! outside {
    ($script:literal) => {
        &[svc_contract::registry::Example::err(
            "Outside of a server nothing is queued",
            $script,
            "no `svc_service::components::workbench::Bench` is available",
        )]
    };
}
use outside;

/// What reads and what changes jobs.
const READS: &[svc_contract::registry::Effect] =
    &[svc_contract::registry::Effect::Reads(svc_contract::registry::Scope::Named("jobs"))];
const WRITES: &[svc_contract::registry::Effect] = &[svc_contract::registry::Effect::Writes {
    scope: svc_contract::registry::Scope::Named("jobs"),
    idempotent: true,
}];

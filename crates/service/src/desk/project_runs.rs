//! The runs of a project: they see its files as `/`, and nothing else of the machine.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use svc_engine::Hints;
use svc_store::book::DeskKind;

use crate::{
    Fault, Service,
    owner::{Folders, OwnerHost},
    side::{Side, lent_to},
};

/// Where the files of projects are, and the engines of their runs.
pub(crate) struct ProjectRuns {
    folder: PathBuf,
    sides: Mutex<HashMap<String, Arc<Side>>>,
}

impl ProjectRuns {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder, sides: Mutex::default() }
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The engines of a project.
    fn side(&self, service: &Service, project: &str) -> Arc<Side> {
        let mut sides = self.sides.lock().unwrap_or_else(PoisonError::into_inner);
        let side = sides.entry(project.to_owned()).or_insert_with(|| {
            let root = self.folder.join(project);
            let folders = Folders {
                files: root.join("files"),
                cache: root.join("cache"),
                state: root.join("state"),
            };
            let engine = &service.shared.engine;
            let host = OwnerHost::new(engine.shared_host(), folders, Vec::new(), false);
            let host = engine.policy().guard(Arc::new(host));
            let engine = engine.clone().with_host(host).with_hints(Hints::None);
            let caller = service.caller().clone();
            let (store, jobs) = (service.store(), service.side.jobs.clone());
            let folder = service.folder().cloned();
            Arc::new(Side::of_project(&lent_to(&engine, &caller), caller, store, jobs, folder))
        });
        side.clone()
    }
}

impl Service {
    /// The service whose runs see the files of a project.
    pub(crate) fn of_project(&self, project: &str) -> Self {
        match &self.shared.projects {
            Some(projects) => Self { side: projects.side(self, project), ..self.clone() },
            None => self.clone(),
        }
    }

    /// The service for the jobs of a session, or of a project as a whole: that of the project, if it is
    /// one of the desktop.
    pub(crate) fn of_session(&self, session: Option<&str>) -> Result<Self, Fault> {
        let (Some(_), Some(session), Ok(jobs)) = (&self.shared.projects, session, self.jobs())
        else {
            return Ok(self.clone());
        };
        let book = jobs.book();
        if book.desk_row(self.owner(), DeskKind::Project, session)?.is_some() {
            return Ok(self.of_project(session));
        }
        let found = book.desk_row(self.owner(), DeskKind::Session, session)?;
        Ok(found.map_or_else(|| self.clone(), |it| self.of_project(&it.parent)))
    }
}

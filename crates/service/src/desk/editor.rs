//! Scripts that are written in the editor of a project.

use svc_contract::{
    registry::{params, record},
    value::{Record, Text, Value},
};

use super::{Desk, chat::sent, shown, text};
use crate::{Args, Bounds, Fault};

params! {
    /// A script to be run in a project.
    pub struct EditorRun {
        /// The script.
        #[filled]
        pub text: Text,
        /// The project whose files it sees.
        pub project_id: Text,
        /// Its params.
        pub params: Option<Value> = None,
    }
}

record! {
    /// A run that is queued.
    pub struct EditorStarted {
        /// Its job.
        job_id: Text,
        /// The run.
        run_id: Text,
        /// The state of the job.
        state: Text,
    }
}

impl Desk {
    /// Queues a script as a run of a project.
    pub async fn run_script(&self, new: EditorRun) -> Result<EditorStarted, Fault> {
        let project = self.active_project(&new.project_id)?;
        let params = new.params.map(|it| crate::decode::object(it, "params")).transpose()?;
        let initial = params.unwrap_or_else(Args::new).into_iter();
        let initial: Record = initial.map(|(name, it)| (name.as_str().into(), it)).collect();
        let bounds = Bounds::default();
        let work = sent(new.text, Value::Record(initial), bounds, project.id.clone());
        let service = self.service().of_project(&project.id);
        let row = self.queue(&service, &self.new_id("job_"), work).await?;
        let (job_id, state) = (text(&row.id), row.state.name().into());
        Ok(EditorStarted { job_id, run_id: shown(&row.run), state })
    }

    /// The service whose engine sees the files of a project.
    pub fn of_project(&self, project: &str) -> Result<crate::Service, Fault> {
        Ok(self.service().of_project(&self.active_project(project)?.id))
    }
}

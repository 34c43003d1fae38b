//! Workers, as they are shown and as they are kept.

use svc_contract::{
    registry::{choices, params, record},
    value::{Text, Value},
};

use super::super::{ResourceBounds, WorkerState};

choices! {
    /// What a worker does.
    pub enum WorkerKind { Queue = "queue", Script = "script", Goal = "goal" }
}

choices! {
    /// How a worker ends.
    pub enum StopMode { Drain = "drain", Cancel = "cancel" }
}

record! {
    /// What a worker has done.
    pub struct WorkerStats {
        /// Its runs.
        runs: i64,
        /// Those that succeeded.
        ok: i64,
        /// Those that failed.
        failed: i64,
        /// How often it began again after its process had died at its work.
        restarts: i64,
    }
}

record! {
    /// A worker.
    pub struct WorkerView {
        /// `wrk_` and 26 signs.
        id: Text,
        /// Its session.
        session_id: Text,
        /// What it does.
        kind: WorkerKind,
        /// Whether it works.
        state: WorkerState,
        /// The script that it runs.
        script: Option<Text>,
        /// The goal of its script.
        goal: Option<Text>,
        /// The times of its runs.
        schedule: Option<Text>,
        /// After how many runs it ends.
        max_runs: Option<i64>,
        /// The job that it works on.
        current_job: Option<Text>,
        /// What it has done.
        stats: WorkerStats,
        /// Why its last run failed.
        last_error: Option<Text>,
        /// When it begins its next run.
        next_run_at: Option<Text>,
        /// Until when it counts as alive without another sign of life.
        lease_until: Option<Text>,
        /// When it was started.
        created_at: Text,
    }
}

record! {
    /// The workers of a session.
    pub struct Workers {
        /// The workers, the first one first.
        workers: Vec<WorkerView>,
    }
}

params! {
    /// A worker to be started.
    pub struct NewWorker {
        /// Its session.
        pub session_id: Text,
        /// What it does.
        pub kind: WorkerKind,
        /// The script of a `script`: the name of a served one, or its text.
        pub script: Option<Text> = None,
        /// The goal of a `goal`.
        pub goal: Option<Text> = None,
        /// The params of the script.
        pub params: Option<Value> = None,
        /// The bounds of each run; those of the session hold as well.
        pub bounds: Option<ResourceBounds> = None,
        /// The times of its runs in UTC: minute, hour, day, month, weekday. Without it, it runs at
        /// once.
        pub schedule: Option<Text> = None,
        /// After how many runs it ends: one without a schedule.
        pub max_runs: Option<i64> = None,
    }
}

params! {
    /// A worker to be stopped.
    pub struct StopWorker {
        /// The worker.
        pub worker_id: Text,
        /// Whether its run may end first.
        pub mode: StopMode = StopMode::Drain,
    }
}

record! {
    /// What is kept of a worker.
    pub(super) struct WorkerBody {
        /// What it does.
        kind: WorkerKind,
        /// The script that it runs.
        script: Option<Text>,
        /// The goal of its script.
        goal: Option<Text>,
        /// The params of the script.
        params: Value,
        /// The bounds of each run.
        bounds: Option<ResourceBounds>,
        /// The times of its runs.
        schedule: Option<Text>,
        /// After how many runs it ends.
        max_runs: Option<i64>,
        /// The job that it works on.
        current_job: Option<Text>,
        /// What it has done.
        stats: WorkerStats,
        /// How often its process has died at the run that it works on.
        deaths: Option<i64>,
        /// Why its last run failed.
        last_error: Option<Text>,
        /// When it begins its next run.
        next_run: Option<i64>,
        /// Until when it counts as alive.
        lease: Option<i64>,
        /// Whether it ends after its run.
        drained: bool,
    }
}

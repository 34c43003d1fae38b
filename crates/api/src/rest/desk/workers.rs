//! The workers of a session.

use svc_contract::{
    registry::{Field as _, Params as _, record},
    value::Value,
};
use svc_service::{
    desk::{NewWorker, StopWorker, WorkerView, Workers},
    tools,
};

use super::{get, named, ok, post};
use crate::rest::route::{Handle, Route};

record! {
    /// A worker.
    struct WorkerReply {
        /// The worker.
        worker: WorkerView,
    }
}

pub(super) fn routes() -> Vec<Route> {
    let worker: fn() -> Value = || tools::output_schema(WorkerReply::SCHEME);
    vec![
        Route {
            statuses: &[402, 404],
            ..post(
                "/workers/start",
                "Starts a worker: for the messages of a session, a script, or a goal.",
                NewWorker::PARAMS,
                worker,
                Handle::Io(|rest, input| {
                    Box::pin(async move {
                        named("worker", rest.desk()?.start_worker(input.read()?).await?)
                    })
                }),
            )
        },
        post(
            "/workers/stop",
            "Stops a worker: when its run has ended, or at once.",
            StopWorker::PARAMS,
            worker,
            Handle::Io(|rest, input| {
                Box::pin(
                    async move { named("worker", rest.desk()?.stop_worker(&input.read()?).await?) },
                )
            }),
        ),
        get(
            "/workers/{id}",
            "The workers of a session, or one worker.",
            || tools::output_schema(Workers::SCHEME),
            Handle::Blocking(|rest, input| ok(rest.desk()?.workers(input.part(0))?)),
        ),
    ]
}

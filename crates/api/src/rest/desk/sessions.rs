//! Sessions and what they use.

use svc_contract::{
    registry::{Field as _, Params as _, record},
    value::Value,
};
use svc_service::{
    desk::{
        NewSession, Recorded, Session, SessionFilter, Sessions, UsageFilter, UsageReport, UsageView,
    },
    tools,
};

use super::{get, named, ok, post};
use crate::rest::route::{Handle, Route};

record! {
    /// A session.
    struct SessionReply {
        /// The session.
        session: Session,
    }
}

pub(super) fn routes() -> Vec<Route> {
    let session: fn() -> Value = || tools::output_schema(SessionReply::SCHEME);
    vec![
        post(
            "/sessions",
            "Starts a session in a project.",
            NewSession::PARAMS,
            session,
            Handle::Io(|rest, input| {
                Box::pin(async move {
                    named("session", rest.desk()?.start_session(input.read()?).await?)
                })
            }),
        ),
        Route {
            query: SessionFilter::PARAMS,
            statuses: &[],
            ..get(
                "/sessions",
                "The sessions, the latest first.",
                || tools::output_schema(Sessions::SCHEME),
                Handle::Blocking(|rest, input| ok(rest.desk()?.sessions(&input.query()?)?)),
            )
        },
        get(
            "/sessions/{id}",
            "A session.",
            session,
            Handle::Blocking(|rest, input| named("session", rest.desk()?.session(input.part(0))?)),
        ),
        post(
            "/sessions/{id}/close",
            "Closes a session: nothing more is answered, and what runs is cancelled.",
            &[],
            session,
            Handle::Io(|rest, input| {
                Box::pin(async move {
                    input.nothing()?;
                    named("session", rest.desk()?.close_session(input.part(0)).await?)
                })
            }),
        ),
        Route {
            query: UsageFilter::PARAMS,
            ..get(
                "/sessions/{id}/usage",
                "What a session has used, and what is left of its bounds.",
                || tools::output_schema(UsageView::SCHEME),
                Handle::Blocking(|rest, input| {
                    ok(rest.desk()?.usage(input.part(0), &input.query()?)?)
                }),
            )
        },
        post(
            "/usage/report",
            "Records what a client has used for a session. A repeated report counts once.",
            UsageReport::PARAMS,
            || tools::output_schema(Recorded::SCHEME),
            Handle::Io(|rest, input| {
                Box::pin(async move { ok(rest.desk()?.report_usage(input.read()?).await?) })
            }),
        ),
    ]
}

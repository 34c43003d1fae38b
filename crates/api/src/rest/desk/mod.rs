//! The endpoints of the desktop, which only `svc desktop` answers.

mod chat;
mod editor;
mod projects;
mod quality;
mod sessions;
mod settings;
mod upload;
mod workers;

use svc_contract::{
    registry::{Field, Param},
    value::Value,
};
use svc_service::{Fault, desk::Desk};

use super::{
    Reply, Rest, object,
    route::{Body, Handle, Method, Route},
    with_ok,
};

/// The largest body of a file that is sent: 25 MiB in base64, with what is around it.
const LARGEST_UPLOAD: usize = (svc_service::desk::LARGEST_FILE / 3 + 1) * 4 + (64 << 10);

/// All routes of the desktop, in the order of the document.
pub(super) fn routes() -> &'static [Route] {
    static ALL: std::sync::LazyLock<Vec<Route>> = std::sync::LazyLock::new(|| {
        let groups = [
            projects::routes(),
            sessions::routes(),
            chat::routes(),
            quality::routes(),
            workers::routes(),
            settings::routes(),
            editor::routes(),
        ];
        groups.into_iter().flatten().collect()
    });
    &ALL
}

/// The largest body that a route reads, if it is not the usual one.
pub(super) fn largest_body(route: &Route) -> Option<usize> {
    matches!(route.body, Some(Body::Upload(_))).then_some(LARGEST_UPLOAD)
}

impl Rest {
    /// The desktop, or the fault of a server without one.
    fn desk(&self) -> Result<&Desk, Fault> {
        self.desk.as_ref().ok_or_else(|| Fault::not_found("this server has no desktop"))
    }
}

fn get(path: &'static str, summary: &'static str, reply: fn() -> Value, handle: Handle) -> Route {
    Route::get("desktop", path, summary, reply, handle)
}

fn post(
    path: &'static str,
    summary: &'static str,
    body: &'static [Param],
    reply: fn() -> Value,
    handle: Handle,
) -> Route {
    Route {
        method: Method::Post,
        body: Some(Body::Fields(body)),
        ..get(path, summary, reply, handle)
    }
}

/// A success.
#[expect(clippy::unnecessary_wraps, reason = "handlers end with it")]
fn ok(it: impl Field) -> Result<Reply, Fault> {
    Ok(Reply::ok(with_ok(it.encode())))
}

/// A success with one field.
#[expect(clippy::unnecessary_wraps, reason = "handlers end with it")]
fn named(name: &str, it: impl Field) -> Result<Reply, Fault> {
    Ok(Reply::ok(with_ok(object([(name, it.encode())]))))
}

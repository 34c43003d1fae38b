//! The endpoints of an editor: what it asks about a script, and its runs.

use svc_assist::editor::{self, Checked, Completed, Drawing, Formatted, LONGEST, PlanReply};
use svc_contract::{
    registry::{Field as _, Params as _, params},
    value::Text,
};
use svc_service::{
    Fault, Service,
    desk::{EditorRun, EditorStarted},
    tools,
};

use super::{
    super::{Input, Reply, Rest},
    get, ok, post,
};
use crate::rest::route::{Handle, Method, Route};

params! {
    struct Draft {
        /// The script.
        text: Text,
        /// The project whose files it names.
        project_id: Option<Text> = None,
    }
}

params! {
    struct Place {
        /// The script.
        text: Text,
        /// The place in it.
        at: u64,
        /// The project whose files it names.
        project_id: Option<Text> = None,
    }
}

pub(super) fn routes() -> Vec<Route> {
    let of = |path, summary, params, reply, handle| Route {
        method: Method::Post,
        body: Some(crate::rest::Body::Fields(params)),
        ..get(path, summary, reply, handle)
    };
    vec![
        of(
            "/editor/check",
            "The problems of a script.",
            Draft::PARAMS,
            || tools::output_schema(Checked::SCHEME),
            Handle::Blocking(check),
        ),
        of(
            "/editor/complete",
            "What can be written at a place of a script.",
            Place::PARAMS,
            || tools::output_schema(Completed::SCHEME),
            Handle::Blocking(complete),
        ),
        of(
            "/editor/plan",
            "What a script may cost, take and do.",
            Draft::PARAMS,
            || tools::output_schema(PlanReply::SCHEME),
            Handle::Blocking(plan),
        ),
        of(
            "/editor/draw",
            "The plan of a script as a picture.",
            Draft::PARAMS,
            || tools::output_schema(Drawing::SCHEME),
            Handle::Blocking(draw),
        ),
        of(
            "/editor/format",
            "A script in its standard form.",
            Draft::PARAMS,
            || tools::output_schema(Formatted::SCHEME),
            Handle::Blocking(format),
        ),
        post(
            "/editor/run",
            "Queues a script as a run of a project.",
            EditorRun::PARAMS,
            || tools::output_schema(EditorStarted::SCHEME),
            Handle::Io(|rest, input| {
                Box::pin(async move { ok(rest.desk()?.run_script(input.read()?).await?) })
            }),
        ),
    ]
}

/// The engine of a draft: that of its project, if it names one.
fn service(rest: &Rest, project: Option<&Text>) -> Result<Service, Fault> {
    let desk = rest.desk()?;
    project.map_or_else(|| Ok(desk.service().clone()), |it| desk.of_project(it))
}

/// The text of a script, if it is not too long.
fn text(text: &Text) -> Result<&str, Fault> {
    if text.len() > LONGEST {
        let message = format!("the script is longer than {} KiB", LONGEST >> 10);
        return Err(Fault::field("text", message));
    }
    Ok(text)
}

fn check(rest: &Rest, input: &Input) -> Result<Reply, Fault> {
    let asked: Draft = input.read()?;
    let service = service(rest, asked.project_id.as_ref())?;
    ok(editor::check(service.engine(), text(&asked.text)?))
}

fn complete(rest: &Rest, input: &Input) -> Result<Reply, Fault> {
    let asked: Place = input.read()?;
    let service = service(rest, asked.project_id.as_ref())?;
    ok(editor::completions(service.engine(), text(&asked.text)?, asked.at))
}

fn plan(rest: &Rest, input: &Input) -> Result<Reply, Fault> {
    let asked: Draft = input.read()?;
    let service = service(rest, asked.project_id.as_ref())?;
    ok(editor::plan(service.engine(), text(&asked.text)?))
}

fn draw(rest: &Rest, input: &Input) -> Result<Reply, Fault> {
    let asked: Draft = input.read()?;
    let service = service(rest, asked.project_id.as_ref())?;
    ok(editor::draw(service.engine(), text(&asked.text)?))
}

fn format(rest: &Rest, input: &Input) -> Result<Reply, Fault> {
    let asked: Draft = input.read()?;
    rest.desk()?;
    ok(editor::format(text(&asked.text)?))
}

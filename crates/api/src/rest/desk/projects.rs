//! Projects and their files.

use svc_contract::{
    registry::{Field as _, Params as _, params, record},
    value::{Text, Value},
};
use svc_service::{
    Fault,
    desk::{NewProject, NewResource, Project, ProjectFilter, Projects, Resource, Resources},
    tools,
};

use super::{
    super::{FileReply, Input, Reply, Rest, blocking},
    get, named, ok, post,
    upload::Upload,
};
use crate::rest::route::{Answers, Body, Handle, Route};

record! {
    /// A project.
    struct ProjectReply {
        /// The project.
        project: Project,
    }
}

record! {
    /// A file.
    struct ResourceReply {
        /// The file.
        resource: Resource,
    }
}

params! {
    struct Listed {
        /// The most files of a page.
        #[range(1..=200)]
        limit: i64 = 50,
        /// Where the page begins.
        cursor: Option<Text> = None,
    }
}

pub(super) fn routes() -> Vec<Route> {
    let project: fn() -> Value = || tools::output_schema(ProjectReply::SCHEME);
    let resource: fn() -> Value = || tools::output_schema(ResourceReply::SCHEME);
    let bytes: fn() -> Value = Value::default;
    vec![
        post(
            "/projects",
            "Creates a project.",
            NewProject::PARAMS,
            project,
            Handle::Io(|rest, input| {
                Box::pin(async move {
                    named("project", rest.desk()?.create_project(input.read()?).await?)
                })
            }),
        ),
        Route {
            query: ProjectFilter::PARAMS,
            statuses: &[],
            ..get(
                "/projects",
                "The projects, the first one first.",
                || tools::output_schema(Projects::SCHEME),
                Handle::Blocking(|rest, input| ok(rest.desk()?.projects(&input.query()?)?)),
            )
        },
        get(
            "/projects/{id}",
            "A project.",
            project,
            Handle::Blocking(|rest, input| named("project", rest.desk()?.project(input.part(0))?)),
        ),
        post(
            "/projects/{id}/archive",
            "Archives a project. Its files stay.",
            &[],
            project,
            Handle::Io(|rest, input| Box::pin(archive(rest, input, true))),
        ),
        post(
            "/projects/{id}/restore",
            "Takes an archived project back into use.",
            &[],
            project,
            Handle::Io(|rest, input| Box::pin(archive(rest, input, false))),
        ),
        Route {
            body: Some(Body::Upload(NewResource::PARAMS)),
            ..post(
                "/projects/{id}/resources",
                "Keeps a file, at most 25 MiB: a form with the field `file`, or JSON.",
                &[],
                resource,
                Handle::Io(|rest, input| Box::pin(keep(rest, input))),
            )
        },
        Route {
            query: Listed::PARAMS,
            ..get(
                "/projects/{id}/resources",
                "The files of a project, the first one first.",
                || tools::output_schema(Resources::SCHEME),
                Handle::Blocking(|rest, input| {
                    let asked: Listed = input.query()?;
                    let desk = rest.desk()?;
                    ok(desk.resources(input.part(0), asked.limit, asked.cursor.as_ref())?)
                }),
            )
        },
        Route {
            answers: Answers::File,
            statuses: &[404, 409],
            ..get(
                "/projects/{id}/resources/{resource}",
                "The content of a file.",
                bytes,
                Handle::Blocking(content),
            )
        },
        post(
            "/projects/{id}/resources/{resource}/remove",
            "Removes a file.",
            &[],
            resource,
            Handle::Blocking(|rest, input| {
                input.nothing()?;
                named("resource", rest.desk()?.remove_resource(input.part(0), input.part(1))?)
            }),
        ),
    ]
}

async fn archive(rest: &Rest, input: Input, is_archived: bool) -> Result<Reply, Fault> {
    input.nothing()?;
    named("project", rest.desk()?.archive_project(input.part(0), is_archived).await?)
}

async fn keep(rest: &Rest, input: Input) -> Result<Reply, Fault> {
    let upload = Upload::of(&input, &[]).await?;
    let project = input.part(0).to_owned();
    let kept = kept(rest, project, upload).await?;
    named("resource", kept)
}

/// Keeps a file on a thread that may wait for the disk.
pub(super) async fn kept(rest: &Rest, project: String, upload: Upload) -> Result<Resource, Fault> {
    // From here on, a repeat with the same key gets the same answer.
    let _ = svc_service::once::begins();
    blocking(rest, move |rest| rest.desk()?.add_resource(&project, &upload.name, &upload.content))
        .await?
}

fn content(rest: &Rest, input: &Input) -> Result<Reply, Fault> {
    let (resource, content) = rest.desk()?.content(input.part(0), input.part(1))?;
    Ok(Reply::File(FileReply {
        media_type: resource.media_type.to_string(),
        name: Some(resource.name.to_string()),
        content,
    }))
}

//! Components by their clusters.

use svc_contract::{
    registry::{Component, Field as _, Registry, record},
    value::Text,
};
use svc_service::{Fault, tools};

use super::{
    Input, Reply, Rest, invoke,
    route::{Access, Answers, Body, Handle, Method, Route},
    with_ok,
};

/// The clusters that are shown, with their names and purposes.
const VISIBLE: [(&str, &str, &str); 9] = [
    ("context-retrieval", "Context and retrieval", "Searching, reading and condensing documents."),
    ("ml-optimisation", "Learning and optimisation", "Models, statistics and solvers."),
    ("data-processing", "Data processing", "Tables, formats and conversions."),
    ("code-intelligence", "Code intelligence", "Reading, comparing and checking code."),
    ("goal-planning", "Goals and planning", "Plans, schedules and decisions."),
    ("creative-media", "Creative media", "Pictures, sound, charts and documents."),
    ("physical-ai", "Physical AI", "Motion, simulation and control."),
    ("multimodal", "Multimodal", "Several kinds of media together."),
    ("job-agents", "Job agents", "Whole deliverables of a profession."),
];

record! {
    /// A group of components.
    struct Cluster {
        /// Its name in addresses.
        slug: Text,
        /// Its name for people.
        display_name: Text,
        /// Its purpose.
        description: Text,
        /// The names of its components.
        components: Vec<Text>,
    }
}

record! {
    /// All groups.
    struct Clusters {
        /// The groups.
        clusters: Vec<Cluster>,
    }
}

record! {
    /// The result of an operation of a component in a group.
    struct InCluster {
        /// The result of the operation.
        result: svc_contract::value::Value,
        /// The group.
        cluster: Text,
        /// The component.
        component: Text,
    }
}

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route {
            method: Method::Get,
            path: "/clusters",
            tag: "clusters",
            summary: "The clusters with their components.",
            access: Access::Key,
            query: &[],
            body: None,
            reply: || tools::output_schema(Clusters::SCHEME),
            statuses: &[],
            tool: None,
            answers: Answers::Object,
            handle: Handle::Now(|rest, _| Ok(all(rest))),
        },
        Route {
            method: Method::Get,
            path: "/clusters/{slug}",
            tag: "clusters",
            summary: "One cluster.",
            access: Access::Key,
            query: &[],
            body: None,
            reply: || tools::output_schema(Cluster::SCHEME),
            statuses: &[404],
            tool: None,
            answers: Answers::Object,
            handle: Handle::Now(one),
        },
        Route {
            method: Method::Post,
            path: "/clusters/{slug}/{component}",
            tag: "clusters",
            summary: "Calls an op of a component in a cluster.",
            access: Access::Key,
            query: &[],
            body: Some(Body::Fields(invoke::REQUEST)),
            reply: || tools::output_schema(InCluster::SCHEME),
            statuses: invoke::STATUSES,
            tool: None,
            answers: Answers::Object,
            handle: Handle::Io(|rest, input| Box::pin(called(rest, input))),
        },
    ]
}

fn all(rest: &Rest) -> Reply {
    let registry = rest.service.engine().registry();
    let clusters = VISIBLE.iter().map(|it| cluster(it, registry)).collect();
    Reply::ok(with_ok(Clusters { clusters }.encode()))
}

fn one(rest: &Rest, input: &Input) -> Result<Reply, Fault> {
    let found = find(rest.service.engine().registry(), input.part(0))?;
    Ok(Reply::ok(with_ok(found.encode())))
}

async fn called(rest: &Rest, input: Input) -> Result<Reply, Fault> {
    let (slug, component) = (input.part(0).to_owned(), input.part(1).to_owned());
    let found = find(rest.service.engine().registry(), &slug)?;
    if !found.components.iter().any(|it| **it == *component) {
        let message = format!("the cluster `{slug}` has no component `{component}`");
        return Err(Fault::not_found(message));
    }
    let answer = invoke::answer(rest, &input, &component).await?;
    let result =
        InCluster { result: answer.value, cluster: slug.into(), component: component.into() };
    Ok(Reply::ok(with_ok(result.encode())))
}

fn find(registry: &Registry, slug: &str) -> Result<Cluster, Fault> {
    let found = VISIBLE.iter().find(|it| it.0 == slug);
    let found = found.ok_or_else(|| {
        let meant = svc_contract::registry::nearest(slug, VISIBLE.iter().map(|it| it.0));
        let fault = Fault::not_found(format!("unknown cluster `{slug}`"));
        match meant {
            Some(meant) => fault.help(format!("did you mean `{meant}`?")),
            None => fault,
        }
    })?;
    Ok(cluster(found, registry))
}

fn cluster((slug, name, description): &(&str, &str, &str), registry: &Registry) -> Cluster {
    let is_in = |it: &&&'static Component| it.cluster == *slug;
    let components = registry.components().iter().filter(is_in).map(|it| it.name.into());
    Cluster {
        slug: (*slug).into(),
        display_name: (*name).into(),
        description: (*description).into(),
        components: components.collect(),
    }
}

//! Steps that wait for each other, and what uses what in the registry.

use svc_contract::{
    registry::{Field as _, Params as _, choices, params},
    value::{Text, Value},
};
use svc_service::{Bounds, Call, Fault, Work};

use super::{
    Input, Reply, Rest, invoke, object, pipeline,
    route::{Access, Answers, Body, Handle, Method, Route},
    state, with_ok,
};

/// The tool of a workflow.
const COMPOSE: &str = "compose_and_run";

/// The tool of the graph of the registry.
const GRAPH: &str = "dependency_graph";

choices! {
    /// A format of the graph.
    enum GraphFormat { Json = "json", Dot = "dot", Mermaid = "mermaid" }
}

choices! {
    /// Which edges are shown.
    enum Edges { All = "all", Calls = "calls", Feeds = "feeds" }
}

params! {
    struct GraphQuery {
        /// The component or module to begin with; by default all are shown.
        root: Option<Text> = None,
        /// The number of edges that are followed from the root.
        #[range(0..=100)]
        depth: i64 = 3,
        /// `json`; `dot` and `mermaid` add the graph as text.
        format: GraphFormat = GraphFormat::Json,
        /// `calls`, `feeds` or `all` edges.
        kind: Edges = Edges::All,
    }
}

pub(super) fn routes() -> Vec<Route> {
    let compose_route = Route {
        method: Method::Post,
        path: "/workflow/compose",
        tag: "calls",
        summary: "Runs steps that wait for each other, or a script for a goal.",
        access: Access::Key,
        query: &[],
        body: Some(Body::Tool(COMPOSE)),
        reply: || object([("type", "object".into())]),
        statuses: invoke::STATUSES,
        tool: Some(COMPOSE),
        answers: Answers::Object,
        handle: Handle::Io(|rest, input| Box::pin(compose(rest, input))),
    };
    let graph_route = Route {
        method: Method::Get,
        path: "/graph/dependencies",
        tag: "navigation",
        summary: "Which modules call which components, and whose results fit whose params.",
        query: GraphQuery::PARAMS,
        body: None,
        statuses: &[403, 404],
        tool: Some(GRAPH),
        handle: Handle::Io(|rest, input| Box::pin(graph(rest, input))),
        ..state::copy(&compose_route)
    };
    vec![compose_route, graph_route]
}

async fn graph(rest: &Rest, input: Input) -> Result<Reply, Fault> {
    let asked: GraphQuery = input.query()?;
    let args: [(&str, Value); 4] = [
        ("root", asked.root.map_or(Value::Null, Value::from)),
        ("depth", asked.depth.into()),
        ("format", asked.format.encode()),
        ("kind", asked.kind.encode()),
    ];
    Ok(Reply::ok(with_ok(state::called(rest, GRAPH, args).await?)))
}

async fn compose(rest: &Rest, input: Input) -> Result<Reply, Fault> {
    let mut args = input.object()?;
    if let Some(steps) = args.remove("steps") {
        args.insert("steps".to_owned(), pipeline::with_ops(steps));
    }
    let work = Work::Tool { name: COMPOSE.to_owned(), args };
    let value: Value = rest.service.call(Call { work, bounds: Bounds::default() }).await?.value;
    Ok(Reply::ok(with_ok(value)))
}

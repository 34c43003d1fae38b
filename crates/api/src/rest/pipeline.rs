//! Several ops, and the chain of the specification that answers a question.

use svc_contract::{
    registry::{Field as _, Params as _, params, record},
    value::{Text, Value},
};
use svc_lang::diag::Source;
use svc_service::{Args, Bounds, Call, Fault, Work, decode::AnyFields, tools};

use super::{
    Input, Reply, Rest, invoke,
    route::{Access, Answers, Body, Handle, Method, Route},
    with_ok,
};

record! {
    /// A step of a pipeline.
    struct PipelineStep {
        /// The component, or a short name of one of its ops.
        component: Text,
        /// The op.
        op: Text,
        /// The arguments by the names of the params.
        params: Option<AnyFields>,
    }
}

params! {
    struct PipelineRequest {
        /// The steps in their order, at most 64.
        #[filled]
        steps: Vec<PipelineStep>,
        /// What the first step gets: its params as an object, or its input.
        initial: Option<Value> = None,
    }
}

record! {
    /// The result of a pipeline.
    struct PipelineReply {
        /// The results of all steps, in their order.
        result: Value,
        /// What became of each step.
        steps: Value,
        /// The run, if it is stored.
        run_id: Option<Text>,
        /// The tokens and dollars that it used.
        usage: Value,
    }
}

params! {
    struct Research {
        /// The question.
        query: Text,
        /// The folder or file to search.
        source: Text = ".".into(),
        /// The number of documents to retrieve passages from.
        #[range(1..=100)]
        top_k: i64 = 8,
    }
}

record! {
    /// A step of the chain.
    struct ResearchStep {
        /// `search`, `rag_retrieval` or `summary`.
        step: Text,
        /// `ok`, or `empty` if it found nothing.
        status: Text,
        /// The number of documents found.
        results_found: Option<i64>,
        /// The number of passages taken.
        chunks_retrieved: Option<i64>,
    }
}

record! {
    /// An answer with its sources.
    struct ResearchReply {
        /// What each step did.
        steps: Vec<ResearchStep>,
        /// Sentences of the passages that answer the question.
        summary: Text,
        /// Where they stand.
        sources: Vec<Text>,
    }
}

pub(super) fn routes() -> Vec<Route> {
    let base = Route {
        method: Method::Post,
        path: "/pipeline",
        tag: "calls",
        summary: "Calls several ops one after the other.",
        access: Access::Key,
        query: &[],
        body: Some(Body::Fields(PipelineRequest::PARAMS)),
        reply: || tools::output_schema(PipelineReply::SCHEME),
        statuses: invoke::STATUSES,
        tool: None,
        answers: Answers::Object,
        handle: Handle::Io(|rest, input| Box::pin(pipeline(rest, input))),
    };
    vec![
        base,
        Route {
            method: Method::Post,
            path: "/pipeline/research",
            tag: "calls",
            summary: "Searches, retrieves passages and summarises them.",
            access: Access::Key,
            query: &[],
            body: Some(Body::Fields(Research::PARAMS)),
            reply: || tools::output_schema(ResearchReply::SCHEME),
            statuses: invoke::STATUSES,
            tool: None,
            answers: Answers::Object,
            handle: Handle::Io(|rest, input| Box::pin(research(rest, input))),
        },
    ]
}

async fn pipeline(rest: &Rest, input: Input) -> Result<Reply, Fault> {
    let mut args = input.object()?;
    for name in args.keys() {
        if !matches!(name.as_str(), "steps" | "initial") {
            return Err(Fault::field(name, format!("unknown field `{name}`")));
        }
    }
    if let Some(steps) = args.remove("steps") {
        args.insert("steps".to_owned(), with_ops(steps));
    }
    let work = Work::Tool { name: "run_pipeline".to_owned(), args };
    let answer = rest.service.call(Call { work, bounds: Bounds::default() }).await?;
    Ok(Reply::ok(with_ok(answer.value)))
}

/// The steps with `op` where they say `operation`.
pub(super) fn with_ops(steps: Value) -> Value {
    let Value::List(all) = &steps else { return steps };
    let renamed = all.iter().map(|it| match it {
        Value::Record(of) if of.get("op").is_none() => {
            let name =
                |it: &Text| if it.as_ref() == "operation" { "op".into() } else { it.clone() };
            Value::Record(of.iter().map(|(key, it)| (name(key), it.clone())).collect())
        }
        other => other.clone(),
    });
    renamed.collect::<Vec<_>>().into()
}

const RESEARCH: &str = "param query: string  param source: path  param top_k: int 1..100
let hits = query >> search(source: source, top_k: top_k)
let passages = hits >> rag_retrieval
let answer = passages >> summary
{ found: len(hits), taken: len(passages), text: answer.text, sources: answer.sources }";

async fn research(rest: &Rest, input: Input) -> Result<Reply, Fault> {
    let asked: Research = input.read()?;
    let args: [(&str, Value); 3] = [
        ("query", asked.query.into()),
        ("source", Value::Path(asked.source)),
        ("top_k", asked.top_k.into()),
    ];
    let args: Args = args.into_iter().map(|(name, it)| (name.to_owned(), it)).collect();
    let work = Work::Script { source: Source::new("research", RESEARCH), args };
    let answer = rest.service.call(Call { work, bounds: Bounds::default() }).await?;
    let of = |name: &str| answer.value.as_record().and_then(|it| it.get(name)).cloned();
    let number = |name: &str| of(name).and_then(i64::decode).unwrap_or_default();
    let (found, taken) = (number("found"), number("taken"));
    let text = of("text").and_then(Text::decode).unwrap_or_else(|| "".into());
    let status = |is_there: bool| if is_there { "ok".into() } else { "empty".into() };
    let step = |step: &str, is_there| ResearchStep {
        step: step.into(),
        status: status(is_there),
        results_found: None,
        chunks_retrieved: None,
    };
    let steps = vec![
        ResearchStep { results_found: Some(found), ..step("search", found > 0) },
        ResearchStep { chunks_retrieved: Some(taken), ..step("rag_retrieval", taken > 0) },
        step("summary", !text.is_empty()),
    ];
    let sources = of("sources").and_then(Vec::<Text>::decode).unwrap_or_default();
    let steps: Vec<Value> = steps
        .into_iter()
        .map(|it| invoke::without_null(it.encode(), "results_found"))
        .map(|it| invoke::without_null(it, "chunks_retrieved"))
        .collect();
    let reply = super::object([
        ("steps", steps.into()),
        ("summary", text.into()),
        ("sources", sources.encode()),
    ]);
    Ok(Reply::ok(with_ok(reply)))
}

//! Self-tuning for the command line: its book, what is active, and pictures of it.

use std::{path::Path, sync::Arc};

use svc_contract::{
    registry::{OpError, Tuning},
    store::StoreError,
    value::{List, Value, json},
};
use svc_engine::Engine;
use svc_service::bias::{Biases, Measured, Step, Work, active_tuning};

use crate::{
    charts::{ChartAsked, svg},
    page::Picture,
    runs::row,
    store::{Node, RunStore, book_in},
};

/// The work on the biases of the folder of a service.
pub fn opened(folder: &Path, engine: &Engine) -> Result<Work, StoreError> {
    let biases = Biases::new(book_in(folder, engine)?, None);
    Ok(Work::new(Arc::new(biases), engine.clone()))
}

/// The engine with the biases that are active in the folder of a service. What the engine changes itself
/// takes precedence.
pub fn engine(engine: &Engine, folder: &Path) -> Result<Engine, StoreError> {
    let active: Tuning = active_tuning(folder, engine.registry())?;
    if active.is_empty() {
        return Ok(engine.clone());
    }
    Ok(engine.clone().with_tuning(active.with(engine.tuning())))
}

/// The head of the live table of an evolution.
pub const STEP_HEAD: &str = " round  evaluations  by         quality     gain  speed  candidate\n";

/// A step of an evolution as a line of its live table.
pub fn step_line(step: &Step) -> String {
    let mark = if step.is_whole { ' ' } else { '~' };
    let done = format!("{:.1}/{}", step.evaluations, step.most);
    format!(
        "{:>6}  {done:>11}  {:<9} {mark}{:>7.4}  {:>+7.4} {:>5.2}x  {}\n",
        step.round, step.by, step.quality, step.gain, step.speed, step.candidate
    )
}

/// The front of an evolution as a picture: quality over speed, one point a candidate.
pub async fn front_svg(front: &[(Measured, f64)], engine: &Engine) -> Result<String, OpError> {
    let rows = front.iter().map(|(it, _)| {
        row([
            ("speed", it.speed.into()),
            ("quality", it.quality.into()),
            ("proposer", it.by.as_str().into()),
        ])
    });
    front_of(rows.collect(), engine).await
}

/// The same of a front that was kept: of each candidate its params, and what was measured.
pub async fn kept_front_svg(front: &[(String, Value)], engine: &Engine) -> Result<String, OpError> {
    let rows = front.iter().map(|(_, measured)| {
        let of = |name: &str| measured.as_record().and_then(|it| it.get(name)).cloned();
        row([
            ("speed", of("speed").unwrap_or_default()),
            ("quality", of("quality").unwrap_or_default()),
            ("proposer", of("by").unwrap_or_default()),
        ])
    });
    front_of(rows.collect(), engine).await
}

/// The front of a component.
pub struct Front {
    component: String,
    /// Of each candidate its params, and what was measured.
    candidates: Vec<(String, Value)>,
}

/// The fronts that the evolutions of a run left. One that a later evolution of the component has replaced
/// is not kept. Reads the store, which blocks.
pub fn fronts_of(
    store: &RunStore,
    nodes: &[Node],
    work: impl FnOnce() -> Result<Work, StoreError>,
) -> Result<Vec<Front>, StoreError> {
    let is_evolution = |it: &&Node| it.component == "adapt_bias" && it.op == "evolve";
    let evolutions: Vec<&Node> = nodes.iter().filter(is_evolution).collect();
    if evolutions.is_empty() {
        return Ok(Vec::new());
    }
    let work = work()?;
    let fronts = evolutions.into_iter().map(|it| front_of_run(store, it, &work));
    fronts.filter_map(Result::transpose).collect()
}

/// Draws fronts for the page of a run.
pub async fn drawn(fronts: Vec<Front>, engine: &Engine) -> Vec<Picture> {
    let mut pictures = Vec::new();
    for Front { component, candidates } in fronts {
        if let Ok(svg) = kept_front_svg(&candidates, engine).await {
            let description = format!("The front of `{component}`: quality over speed");
            pictures.push(Picture { svg, description });
        }
    }
    pictures
}

/// The front that an evolution left, if it is kept.
fn front_of_run(store: &RunStore, node: &Node, work: &Work) -> Result<Option<Front>, StoreError> {
    let Some(output) = node.output else { return Ok(None) };
    let (args, result) = (store.arguments(node)?, store.text(output)?);
    let result = result.and_then(|it| json::read(&it).ok());
    let (Ok(args), Some(result)) = (json::read(&args), result) else { return Ok(None) };
    let component = args.as_record().and_then(|it| it.get("target_component")?.as_str());
    let of_run = result.as_record().and_then(|it| it.get("frontier"));
    let (Some(component), Some(of_run)) = (component, of_run) else { return Ok(None) };
    // The component may be gone since.
    let (Ok(kept), Ok(candidates)) = (work.frontier(component), work.measured_frontier(component))
    else {
        return Ok(None);
    };
    let is_the_same = identity(of_run) == identity(&kept);
    Ok(is_the_same.then(|| Front { component: component.to_owned(), candidates }))
}

/// The params and scores of a front, by which it is known again.
fn identity(front: &Value) -> Vec<(Option<Value>, Option<Value>)> {
    let items = front.as_list().map(|it| it.iter().cloned().collect::<Vec<Value>>());
    let of = |it: &Value, name: &str| it.as_record().and_then(|it| it.get(name).cloned());
    let each = items.unwrap_or_default().into_iter().map(|it| {
        let params = of(&it, "bias").and_then(|it| of(&it, "evolvable_params"));
        (params, of(&it, "score"))
    });
    each.collect()
}

async fn front_of(rows: List, engine: &Engine) -> Result<String, OpError> {
    if rows.is_empty() {
        return Err(OpError::not_found("no evolution has left a front")
            .help("`svc bias evolve COMPONENT` makes one"));
    }
    let asked = ChartAsked {
        mark: Some("point".to_owned()),
        columns: vec!["speed".to_owned(), "quality".to_owned()],
        color: Some("proposer".to_owned()),
        size: (720, 480),
    };
    svg(&Value::List(rows), &asked, engine).await
}

/// The calls of a component in a stored run: the op, the arguments and the result of each that succeeded.
pub fn calls_of(
    store: &RunStore,
    run: &str,
    component: &str,
) -> Result<Vec<(String, Value, Value)>, StoreError> {
    let run = store.run(run)?;
    let mut calls = Vec::new();
    for node in store.calls(&run.id)? {
        let Some(output) = node.output.filter(|_| node.component == component) else { continue };
        let (args, result) = (store.arguments(&node)?, store.text(output)?);
        let result = result.and_then(|it| json::read(&it).ok());
        if let (Ok(args), Some(result)) = (json::read(&args), result) {
            calls.push((node.op.clone(), args, result));
        }
    }
    Ok(calls)
}

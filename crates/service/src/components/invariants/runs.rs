//! Kept runs: replayed, and resumed.

use svc_contract::{
    registry::OpError,
    store::{Run, Store},
    value::{Money, json},
};

use super::{
    bounds::payments,
    probe,
    system::{Depth, System, store},
    table::Looked,
};

/// The replay of a kept run gives the recorded result.
pub(super) fn replay(system: &System, depth: Depth<'_>) -> Result<Looked, OpError> {
    let mut looked = Looked::new("replays");
    let mut random = fastrand::Rng::with_seed(depth.seed);
    let store = store()?;
    let engine = system.engine.clone().with_store(store.clone());
    for _ in 0..depth.rounds.div_ceil(2) {
        (depth.look)()?;
        let script = payments(random.usize(1..5), random.i64(1..2000), None);
        let ran = system.run(&engine, &script);
        let found = match (latest(store.as_ref()), ran.result) {
            (Ok(run), Ok(value)) => {
                let replayed = (system.mechanisms.replay)(&engine, run);
                let is_same =
                    |it: &svc_contract::value::Value| json::write(it) == json::write(&value);
                match replayed {
                    Ok(Some(again)) if is_same(&again) => None,
                    Ok(Some(again)) => Some(format!("expected {value}, found {again}")),
                    Ok(None) => Some(format!("expected {value}, found no result")),
                    Err(why) => Some(format!("expected {value}, found an error: {why}")),
                }
            }
            (Err(why), _) | (_, Err(why)) => Some(format!("expected a kept run, found {why}")),
        };
        looked.case(script, found);
    }
    Ok(looked)
}

fn latest(store: &dyn Store) -> Result<Run, String> {
    store.run("last").map_err(|it| it.to_string())
}

/// A resumed run pays for no call a second time.
pub(super) fn resume(system: &System, depth: Depth<'_>) -> Result<Looked, OpError> {
    let mut looked = Looked::new("resumed runs");
    let mut random = fastrand::Rng::with_seed(depth.seed);
    for _ in 0..depth.rounds.div_ceil(2) {
        (depth.look)()?;
        let store = store()?;
        let engine = system.engine.clone().with_store(store.clone());
        let count = random.usize(2..6);
        let all = probe::COST.nanos() * i64::try_from(count).unwrap_or(0);
        let cap = Money::from_nanos(random.i64(probe::COST.nanos()..all));
        let script = payments(count, 1000, None);
        let run = system.mechanisms.run;
        let first = run(&system.runner, &engine, &script, Some(cap));
        let wide = Money::from_nanos(all * 2);
        let second = (system.mechanisms.resume)(&system.runner, &engine, wide);
        let found = match second.result {
            Err(why) => Some(format!("expected the resumed run to end, found {why}")),
            Ok(_) if first.result.is_ok() => None,
            Ok(_) if second.usage.cost.nanos() == all => None,
            Ok(_) => {
                let all = Money::from_nanos(all);
                Some(format!("expected {all} spent in all, found {}", second.usage.cost))
            }
        };
        looked.case(format!("{script} with {cap}"), found);
    }
    Ok(looked)
}

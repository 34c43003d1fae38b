//! The promises of a run, tested with random scripts in a simulated world: estimates are correct,
//! no cap is overshot at any moment, and nothing runs after the end.

mod numbers;
mod random;
mod resumed;
mod values;
pub(crate) mod world;

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use fastrand::Rng;
use svc::{Engine, Error, Request};
use svc_contract::{registry::Usage, value::Money};
use svc_engine::run::{Event, Observer};
use svc_host_os::test::TestHost;
use svc_lang::{
    check::BoundKey,
    plan::{Envelope, Holds, Plan},
};
use tokio::time::Instant;

use numbers::Given;
use random::{Kind, Script};
use world::Weather;

pub(crate) use resumed::traces;

use crate::types::rounds;

/// The number of scripts per test, and of runs per script; `SVC_PROMISES` sets the number of
/// scripts, and `SVC_PROMISES_SEED` the first one.
const SCRIPTS: u64 = 300;
const RUNS: u64 = 9;

/// The charges against each cap, as counted by an observer.
struct Watch {
    caps: Vec<(String, u64, u64)>,
    /// Whether no cap can ever be reached.
    is_proven: bool,
    taken: Mutex<BTreeMap<String, Usage>>,
    /// The maximum charge against the whole run.
    highest: Mutex<Usage>,
    wrong: Mutex<Option<String>>,
}

impl Watch {
    /// Counts `change` for the whole run, and for every capped branch around the node.
    fn count(&self, path: &str, plus: Usage, minus: Usage) {
        let mut taken = self.taken.lock().unwrap();
        let add = |it: &mut Usage| {
            it.tokens = it.tokens + plus.tokens - minus.tokens;
            let nanos = it.cost.nanos() + plus.cost.nanos() - minus.cost.nanos();
            it.cost = Money::from_nanos(nanos);
        };
        let whole = taken.entry(String::new()).or_default();
        add(whole);
        let mut highest = self.highest.lock().unwrap();
        highest.tokens = highest.tokens.max(whole.tokens);
        highest.cost = highest.cost.max(whole.cost);
        let parts: Vec<&str> = path.split('/').collect();
        for (idx, part) in parts.iter().enumerate() {
            let Some((_, cents, tokens)) = self.caps.iter().find(|(name, ..)| name == part) else {
                continue;
            };
            let own = taken.entry(parts[..=idx].join("/")).or_default();
            add(own);
            let is_over = own.tokens > *tokens
                || own.cost.nanos().unsigned_abs() > cents.saturating_mul(10_000_000);
            if is_over {
                *self.wrong.lock().unwrap() = Some(format!("{path}: {own} over its cap"));
            }
        }
    }

    fn total(&self) -> Usage {
        self.taken.lock().unwrap().get("").copied().unwrap_or_default()
    }
}

impl Observer for Watch {
    fn event(&self, path: &str, event: &Event<'_>) {
        match event {
            Event::Reserved { most, .. } => self.count(path, *most, Usage::default()),
            Event::Settled { reserved, used, .. } => self.count(path, *used, *reserved),
            Event::Failed { error, .. }
                if self.is_proven && error.message.ends_with("are left") =>
            {
                *self.wrong.lock().unwrap() = Some(format!("{path}: {error}, which was proven"));
            }
            _ => {}
        }
    }
}

/// The result of a run.
#[derive(Default)]
struct Ran {
    usage: Usage,
    took: Duration,
    is_done: bool,
}

/// Runs random scripts with these probabilities of failures.
fn hold(first: u64, kind: Kind, weather: Weather) {
    let (mut ran, mut done, mut timed) = (0, 0, 0);
    let engine = svc::engine().with(&[&world::COMPONENT]);
    let count = rounds("SVC_PROMISES", SCRIPTS);
    let first = first + rounds("SVC_PROMISES_SEED", 0);
    for seed in first..first + count {
        let mut rng = Rng::with_seed(seed);
        let script = random::script(&mut rng, kind);
        let plan = match engine.plan(script.text.as_str()) {
            Ok(plan) => plan,
            Err(report) => {
                // Bounds that cannot be met, a zero to divide by, retries of writes, and flows that are
                // passed where more is promised of them.
                let is_refusal = |code: &str, why: &str| {
                    ["E231", "E304", "E309"].contains(&code)
                        || code == "E204" && why.contains("expected flow<")
                };
                let all = report.errors().all(|it| is_refusal(it.code.as_str(), &it.message));
                assert!(all, "{seed}: {report}\n{}", script.text);
                continue;
            }
        };
        let envelope = plan.envelope();
        timed += u64::from(envelope.time.max.is_some());
        for run in 0..RUNS {
            let seed = seed * RUNS + run;
            let result = once(&engine, &plan, &script, seed, weather);
            let result =
                result.unwrap_or_else(|why| panic!("{seed}: {why}\n{}\n{envelope:?}", script.text));
            ran += 1;
            done += u64::from(result.is_done);
        }
    }
    // A property that is never exercised would always hold.
    assert!(ran > count * RUNS / 2 && done > ran / 10, "{ran} runs, {done} ended well");
    assert!(timed > count / 5, "only {timed} scripts have a maximum time");
}

/// One run, and the promise that it broke, if any.
fn once(
    engine: &Engine,
    plan: &Plan,
    script: &Script,
    seed: u64,
    weather: Weather,
) -> Result<Ran, String> {
    let given = given(script, seed);
    let planned =
        if given.is_empty() { Ok(plan.clone()) } else { ask(engine, plan, &given).plan() };
    let planned = match planned {
        Ok(planned) => planned,
        // With these inputs a bound cannot be met.
        Err(Error::Check(report)) if report.errors().all(|it| it.code.as_str() == "E309") => {
            return Ok(Ran::default());
        }
        Err(other) => return Err(format!("it does not check with {given:?}: {other}")),
    };
    let watch = Arc::new(Watch {
        caps: script.caps.clone(),
        is_proven: is_proven(plan) || is_proven(&planned),
        taken: Mutex::default(),
        highest: Mutex::default(),
        wrong: Mutex::default(),
    });
    let host = Arc::new(TestHost::new().seeded(seed));
    let engine = engine.clone().with_host(host).with_observer(watch.clone());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    world::begin(weather);
    let ran = runtime.block_on(async {
        let started = Instant::now();
        let ended = ask(&engine, plan, &given).await;
        let took = started.elapsed();
        let (usage, is_done) = match ended {
            Ok(response) => (response.usage, true),
            Err(Error::Run { error, .. }) => {
                let kind = error.kind().name();
                if kind == "bug" {
                    return Err(format!("a bug: {error}"));
                }
                (error.usage, false)
            }
            Err(other) => return Err(format!("it did not run: {other}")),
        };
        let (running, begun) = world::calls();
        tokio::time::sleep(Duration::from_hours(9)).await;
        if running > 0 || world::calls() != (0, begun) {
            return Err(format!("{running} calls were running after the end"));
        }
        Ok(Ran { usage, took, is_done })
    })?;
    if let Some(wrong) = watch.wrong.lock().unwrap().take() {
        return Err(wrong);
    }
    if watch.total() != ran.usage {
        return Err(format!("the attempts used {}, the run says {}", watch.total(), ran.usage));
    }
    // Estimates without inputs hold for all of them.
    for (estimated, with) in [(plan, "no inputs"), (&planned, "its inputs")] {
        let kept = keeps(estimated.envelope(), &ran);
        kept.map_err(|why| format!("{why} with {with} ({given:?}): {:?}", estimated.envelope()))?;
    }
    if ran.is_done && seed.is_multiple_of(4) {
        let most = *watch.highest.lock().unwrap();
        possible(ask(&engine, plan, &given), most, ran.took)?;
    }
    Ok(ran)
}

/// Random values for the params without values.
fn given(script: &Script, seed: u64) -> Vec<(String, i64)> {
    let mut rng = Rng::with_seed(seed);
    let mut value = |it: &Given| match rng.u8(0..3) {
        0 => it.high,
        _ => rng.i64(it.low..=it.high),
    };
    script.params.iter().map(|it| (it.name.clone(), value(it))).collect()
}

fn ask<'e>(engine: &'e Engine, plan: &Plan, given: &[(String, i64)]) -> Request<'e> {
    let request = engine.run_plan(plan.clone());
    given.iter().fold(request, |it, (name, value)| it.param(name, *value))
}

/// Whether the plan proves that none of its caps can ever be reached.
pub(crate) fn is_proven(plan: &Plan) -> bool {
    let inside = plan.nodes().iter().flat_map(|it| &it.verdicts);
    let all = plan.verdicts().iter().chain(inside);
    let mut caps = all.filter(|it| [BoundKey::MaxCost, BoundKey::MaxTokens].contains(&it.key));
    caps.all(|it| [Holds::Proven, Holds::Useless].contains(&it.holds))
}

/// A successful run would also have succeeded under caps of exactly its use, so no check may report
/// that they cannot be met.
fn possible(asked: Request<'_>, most: Usage, took: Duration) -> Result<(), String> {
    let capped = asked.max_cost(most.cost).max_tokens(most.tokens);
    let capped = capped.timeout(took + Duration::from_millis(5) + took / 20).plan();
    let capped = capped.map_err(|err| format!("under {most} it does not even check: {err}"))?;
    match capped.verdicts().iter().find(|it| it.holds == Holds::Impossible) {
        Some(wrong) => {
            Err(format!("{}: {} was enough: {}", wrong.key.name(), wrong.limit, wrong.why))
        }
        None => Ok(()),
    }
}

/// Whether a run is within its envelope.
fn keeps(estimated: &Envelope, ran: &Ran) -> Result<(), String> {
    let Envelope { tokens, cost, time } = estimated;
    let (usage, took) = (ran.usage, ran.took);
    if tokens.max.is_some_and(|it| usage.tokens > it) {
        return Err(format!("{} tokens are more than estimated", usage.tokens));
    }
    if cost.max.is_some_and(|it| usage.cost > it) {
        return Err(format!("{} is more than estimated", usage.cost));
    }
    // The clock of a test ticks in milliseconds, and each wait is rounded up to one.
    let slack = Duration::from_millis(5) + took / 20;
    if time.max.is_some_and(|it| took > it + slack) {
        return Err(format!("{took:?} is longer than estimated"));
    }
    if !ran.is_done {
        return Ok(());
    }
    if usage.tokens < tokens.min || usage.cost < cost.min || took + slack < time.min {
        return Err(format!("{usage} in {took:?} is less than estimated"));
    }
    Ok(())
}

#[test]
fn in_fair_weather() {
    hold(0, Kind::Loose, Weather::default());
}

#[test]
fn when_calls_fail_and_say_little() {
    hold(100_000, Kind::Loose, Weather { failing: 0.3, silent: 0.2, ..Weather::default() });
}

#[test]
fn when_calls_report_nothing() {
    // The whole reservation counts as used.
    hold(500_000, Kind::Loose, Weather { silent: 1.0, ..Weather::default() });
}

#[test]
fn when_calls_are_late() {
    hold(200_000, Kind::Loose, Weather { failing: 0.1, late: 0.3, silent: 0.1 });
}

#[test]
fn when_caps_are_tight() {
    hold(300_000, Kind::Tight, Weather { failing: 0.1, late: 0.02, silent: 0.3 });
}

#[test]
fn when_calls_wait_for_their_turns() {
    hold(400_000, Kind::Timed, Weather::default());
}

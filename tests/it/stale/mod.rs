//! Results reused from an earlier run equal those of a fresh run: after random edits of scripts,
//! imported files, templates, types, data, folders, models and tunings.
//!
//! `SVC_EDITS=5000` sets the number of rounds, `SVC_SEED` the first seed.

use std::{
    collections::BTreeMap,
    sync::Arc,
    time::{Duration, Instant},
};

use fastrand::Rng;
use svc::Engine;
use svc_contract::{
    store::Store as _,
    value::{Value, json},
};
use svc_store::SqliteStore;

use self::world::World;

mod files;
mod index;
#[cfg(unix)]
mod leftovers;
mod models;
mod optional;
#[cfg(unix)]
mod using;
mod values;
mod world;

const ROUNDS: usize = 250;

/// The number of rounds that share a store.
const EACH: usize = 50;

fn number(variable: &str, usual: u64) -> u64 {
    std::env::var(variable).ok().and_then(|it| it.parse().ok()).unwrap_or(usual)
}

/// The action of a round after its edits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Reuse,
    /// The same with a script from some edits ago.
    ReuseEarlier,
    ResumeWith,
    /// A resumed run keeps what it has already read.
    Resume,
    Replay,
}

const STEPS: [Step; 8] = [
    Step::Reuse,
    Step::Reuse,
    Step::Reuse,
    Step::ReuseEarlier,
    Step::ResumeWith,
    Step::ResumeWith,
    Step::Resume,
    Step::Replay,
];

/// A store with its runs, and the world that is edited.
struct Rounds {
    rng: Rng,
    store: Arc<SqliteStore>,
    world: World,
    scripts: Vec<String>,
    /// How often each step was made, and how many calls it reused.
    counts: BTreeMap<Step, (usize, usize)>,
}

impl Rounds {
    fn new(seed: u64) -> Self {
        let mut rng = Rng::with_seed(seed);
        let (store, world) = (Arc::new(SqliteStore::in_memory().unwrap()), World::new(&mut rng));
        Self { rng, store, world, scripts: Vec::new(), counts: BTreeMap::new() }
    }

    fn with_store(&self) -> Engine {
        self.world.engine().with_store(self.store.clone())
    }

    /// An engine without tunings: the tunings of a run are kept with the run.
    fn bare(&self) -> Engine {
        self.world.bare_engine().with_store(self.store.clone())
    }

    async fn fresh(&self, script: &str) -> String {
        text_of(self.world.engine().run(self.world.source(script)).await.map(|it| it.value))
    }

    async fn reuse(&self, script: &str) -> String {
        let engine = self.with_store();
        let run = engine.run(self.world.source(script)).reuse(Duration::from_hours(24));
        text_of(run.await.map(|it| it.value))
    }

    fn taken(&self) -> usize {
        let run = self.store.run("last").unwrap();
        let nodes = self.store.nodes(&run.id).unwrap();
        nodes.iter().filter(|it| it.origin.is_some()).count()
    }

    fn some_run(&mut self) -> svc_contract::store::Run {
        let runs = self.store.runs(&svc_contract::store::Filter::default()).unwrap();
        runs[self.rng.usize(0..runs.len().min(6))].clone()
    }

    fn has_failures(&self, run: &svc_contract::store::Run) -> bool {
        let nodes = self.store.nodes(&run.id).unwrap();
        nodes.iter().any(|it| it.state != svc_contract::store::NodeState::Done)
    }

    /// The actual result, and the expected one.
    async fn step(&mut self, step: Step) -> (String, String) {
        let script = self.world.script();
        self.scripts.push(script.clone());
        match step {
            Step::Reuse => (self.reuse(&script).await, self.fresh(&script).await),
            Step::ReuseEarlier => {
                let first = self.scripts.len().saturating_sub(8);
                let script = self.scripts[self.rng.usize(first..self.scripts.len())].clone();
                (self.reuse(&script).await, self.fresh(&script).await)
            }
            Step::ResumeWith => {
                let (run, engine) = (self.some_run(), self.with_store());
                let resumed =
                    engine.resume_with(run.id.as_str(), self.world.source(&script)).unwrap();
                (text_of(resumed.await.map(|it| it.value)), self.fresh(&script).await)
            }
            Step::Resume => {
                let (mut run, engine) = (self.some_run(), self.bare());
                // Failed calls are repeated in the current world.
                while self.has_failures(&run) {
                    run = self.some_run();
                    if self.rng.u8(0..4) == 0 {
                        return (String::new(), String::new());
                    }
                }
                let before = engine.value_of(&run).unwrap().unwrap_or_default();
                let resumed = engine.resume(run.id.as_str()).unwrap();
                (text_of(resumed.await.map(|it| it.value)), before)
            }
            Step::Replay => {
                let (run, engine) = (self.some_run(), self.bare());
                let before = engine.value_of(&run).unwrap();
                // A replay has its own runtime, on another thread.
                let replayed = engine.replay(run, None).unwrap();
                let differing = (!replayed.is_same(before.as_deref())).then_some(&replayed.calls);
                let given = replayed.ended.as_ref().map(|it| match it {
                    Ok(value) => json::write(value),
                    Err(err) => err.to_string(),
                });
                let given = format!("{} {differing:?}", given.unwrap_or_default());
                (given, format!("{} None", before.unwrap_or_default()))
            }
        }
    }

    async fn round(&mut self) {
        let edits = self.world.edit(&mut self.rng);
        let first = self.store.runs(&svc_contract::store::Filter::default()).unwrap().is_empty();
        let step = if first { Step::Reuse } else { STEPS[self.rng.usize(0..STEPS.len())] };
        let (given, wanted) = self.step(step).await;
        if wanted.is_empty() {
            return;
        }
        assert!(
            wanted.starts_with('{'),
            "{step:?} after edits of {edits:?}: {wanted}{}",
            self.world.shown()
        );
        assert_eq!(given, wanted, "{step:?} after edits of {edits:?}:\n{}", self.world.shown());
        let taken = match step {
            Step::Reuse | Step::ReuseEarlier | Step::ResumeWith => self.taken(),
            Step::Resume | Step::Replay => 0,
        };
        let counted = self.counts.entry(step).or_default();
        *counted = (counted.0 + 1, counted.1 + taken);
    }
}

fn text_of(ended: Result<Value, svc::Error>) -> String {
    match ended {
        Ok(value) => json::write(&value),
        Err(err) => err.render(svc_lang::diag::Style::Plain),
    }
}

#[expect(clippy::print_stderr, reason = "how much was tried is worth knowing")]
#[test]
fn what_is_taken_is_what_a_fresh_run_gives() {
    let rounds = usize::try_from(number("SVC_EDITS", ROUNDS as u64)).unwrap();
    let seed = number("SVC_SEED", 1);
    let started = Instant::now();
    // The store writes on its own thread: a paused clock would not wait for it.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut all: BTreeMap<Step, (usize, usize)> = BTreeMap::new();
    // A store with many runs is not a harder case, but a slower one.
    for (idx, first) in (0..rounds).step_by(EACH).enumerate() {
        let mut one = Rounds::new(seed * 1_000_000 + idx as u64);
        for _ in first..rounds.min(first + EACH) {
            runtime.block_on(one.round());
        }
        for (step, (times, taken)) in one.counts {
            let counted = all.entry(step).or_default();
            *counted = (counted.0 + times, counted.1 + taken);
        }
    }
    eprintln!(
        "{rounds} rounds, 0 differences, in {:.0?}; (times, calls taken): {all:?}",
        started.elapsed()
    );
    let taken: usize = all.values().map(|(_, taken)| taken).sum();
    assert!(taken > rounds, "only {taken} calls were reused: too few for a test");
}

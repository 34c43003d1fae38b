//! One workload under one cap on money, with two ways to enforce it: the usual check between steps,
//! and the ledger of svc. Time is simulated, so a run takes no time.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use svc::{
    Error,
    host::TestHost,
    registry::{
        Bias, Component, Cx, Effect, Example, Io, Op, OpError, Price, Quote, Scheme, Usage, io,
    },
    run::{Event, Observer},
    value::{Money, Value},
};
use tokio::runtime::{Builder, Runtime};

const BRANCHES: i64 = 64;
const STEPS: i64 = 8;
pub(crate) const CAP: Money = Money::cents(100);

/// The maximum cost of a step; its real cost is between a tenth of it and all of it.
const MOST: Money = Money::cents(5);

/// The result of a run.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Done {
    pub(crate) spent: Money,
    pub(crate) steps: usize,
}

/// The summary of many runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Summary {
    /// In dollars, over all runs.
    pub(crate) mean: f64,
    pub(crate) worst: f64,
    pub(crate) spent: f64,
    pub(crate) steps: f64,
}

/// The cost and the duration of a step: the same in every language.
fn step(seed: i64, branch: i64, step: i64) -> (Money, Duration) {
    let mixed = splitmix((seed * 1_000_003 + branch * 1_009 + step).unsigned_abs());
    let cost = 5_000_000 + mixed % 45_000_001;
    let time = Duration::from_millis(5 + (mixed >> 32) % 11);
    (Money::from_nanos(i64::try_from(cost).unwrap_or(i64::MAX)), time)
}

fn splitmix(seed: u64) -> u64 {
    let mut it = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    it = (it ^ (it >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    it = (it ^ (it >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    it ^ (it >> 31)
}

/// The usual way: check the spending, run the step, add its cost.
pub(crate) fn checked_between_steps(seed: i64) -> Done {
    async fn branch(seed: i64, branch: i64, done: Arc<Mutex<Done>>) {
        for at in 0..STEPS {
            if done.lock().unwrap_or_else(PoisonError::into_inner).spent >= CAP {
                return;
            }
            let (cost, time) = step(seed, branch, at);
            tokio::time::sleep(time).await;
            let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
            done.spent = Money::from_nanos(done.spent.nanos() + cost.nanos());
            done.steps += 1;
        }
    }
    let done = Arc::default();
    runtime().block_on(async {
        let branches = (0..BRANCHES).map(|it| tokio::spawn(branch(seed, it, Arc::clone(&done))));
        for one in branches.collect::<Vec<_>>() {
            one.await.expect("a branch only waits and counts");
        }
    });
    let done = done.lock().unwrap_or_else(PoisonError::into_inner);
    *done
}

const SCRIPT: &str = "svc 1 within { max_cost: $1.00 }
param seed: int
param branches: [int; max 64]

branches >> each {
  let branch = it
  0 >> repeat 8 { pay(seed: seed, branch: branch) } until it == 8
}";

const COMPONENT: Component = Component {
    name: "pay",
    cluster: "benches",
    summary: "Costs a random amount.",
    version: 1,
    bias: Bias::NONE,
    aliases: &[("pay", "pay")],
    ops: &[io::<Pay>()],
};

svc::params! {
    /// Costs as much as its step.
    struct Pay {
        /// The index of the step.
        step: i64,
        /// The random seed.
        seed: i64,
        /// The index of the branch.
        branch: i64,
    }
}

impl Op for Pay {
    const NAME: &'static str = "pay";
    const YIELDS: Scheme = Scheme::Int;
    const EFFECTS: &'static [Effect] = &[Effect::Spends];
    const PRICE: Price = Price::Quoted(|_| {
        let most = Usage { tokens: 0, cost: MOST };
        Ok(Quote { most, usual: most, reserved: most, ..Quote::default() })
    });
    const SAYS: &'static [&'static str] =
        &["pay a random amount", "spend money on a step", "charge for a branch"];
    const EXAMPLES: &'static [Example] = &[];
}

impl Io for Pay {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let (cost, time) = step(self.seed, self.branch, self.step);
        cx.host().sleep(time).await;
        cx.used(Usage { tokens: 0, cost });
        Ok(Value::Int(self.step + 1))
    }
}

/// Counts steps.
#[derive(Default)]
struct Steps(Mutex<usize>);

impl Observer for Steps {
    fn event(&self, _: &str, event: &Event<'_>) {
        if let Event::Settled { .. } = event {
            *self.0.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        }
    }
}

/// The way of svc: reserve the maximum cost of the step, run it, settle.
pub(crate) fn reserved_before_steps(seed: i64) -> Done {
    let steps = Arc::new(Steps::default());
    let engine = svc::engine()
        .with(&[&COMPONENT])
        .with_host(Arc::new(TestHost::new()))
        .with_observer(steps.clone());
    let branches: Vec<Value> = (0..BRANCHES).map(Value::Int).collect();
    let run = engine.run(SCRIPT).param("seed", seed).param("branches", Value::from(branches));
    let spent = match runtime().block_on(async { run.await }) {
        Ok(response) => response.usage.cost,
        Err(Error::Run { error, .. }) => error.usage.cost,
        Err(err) => panic!("the script is valid: {err}"),
    };
    let steps = *steps.0.lock().unwrap_or_else(PoisonError::into_inner);
    Done { spent, steps }
}

fn runtime() -> Runtime {
    let runtime = Builder::new_current_thread().enable_time().start_paused(true).build();
    runtime.expect("a runtime without I/O needs no system resources")
}

/// The overshoot of runs with these seeds.
pub(crate) fn summary(seeds: i64, run: fn(i64) -> Done) -> Summary {
    let all: BTreeMap<i64, Done> = (0..seeds).map(|seed| (seed, run(seed))).collect();
    let over = |it: &Done| (it.spent.dollars() - CAP.dollars()).max(0.0);
    #[expect(clippy::cast_precision_loss, reason = "for display only")]
    let mean = |of: &dyn Fn(&Done) -> f64| all.values().map(of).sum::<f64>() / seeds as f64;
    #[expect(clippy::cast_precision_loss, reason = "for display only")]
    let steps = |it: &Done| it.steps as f64;
    Summary {
        mean: mean(&over),
        worst: all.values().map(over).fold(0.0, f64::max),
        spent: mean(&|it| it.spent.dollars()),
        steps: mean(&steps),
    }
}

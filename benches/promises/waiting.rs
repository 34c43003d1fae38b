//! Whether work that can overlap does so.

use std::{
    hint::black_box,
    sync::Arc,
    time::{Duration, Instant},
};

use rustix::time::{ClockId, clock_gettime};
use tokio::{
    runtime::{Builder, Runtime},
    task::JoinSet,
};

use super::{
    nap::NAP,
    planned::{Planned, numbers, runtime},
    table::{Table, tell},
    timing::millis,
};

/// Items that wait, and items that compute.
pub(crate) fn overlap(table: &mut Table) {
    let count: i64 = table.size(1_000, 10);
    let script = "param xs: [int]\nxs >> each { nap } within { max_parallel: 1000 }";
    let (planned, inputs) = (Planned::new(script), numbers(count));
    let waits = table.best(10, || drop(black_box(planned.run(inputs.clone()))));
    table.at_most("1,000 items that wait 10 ms, all at once", millis(waits), 30.0, "ms");
    tell("  the same with a `JoinSet`", join_set(table, count), "ms");
    cores(table);
}

/// Milliseconds for the same number of tasks that wait as long.
fn join_set(table: &Table, count: i64) -> f64 {
    let runtime = runtime();
    millis(table.best(10, || {
        runtime.block_on(async {
            let mut tasks = JoinSet::new();
            for it in 0..count {
                tasks.spawn(async move {
                    tokio::time::sleep(Duration::from_millis(10)).await;
                    it
                });
            }
            black_box(tasks.join_all().await);
        });
    }))
}

/// The share of all cores that computing items keep busy: their processor time in relation to the
/// available time. Cores that share resources, as virtual ones often do, count as busy although
/// each is slower.
fn cores(table: &mut Table) {
    let count: i64 = table.size(400, 4);
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    let cores = u32::try_from(cores).expect("the number of cores is small");
    let (engine, runtime) = (svc::engine().with(&[&NAP]), all_cores());
    let plan = Arc::new(engine.plan(format!("range(0, {count}) >> each {{ toil }}").as_str()));
    let plan = plan.as_ref().as_ref().expect("the script checks");
    let busy = (0..table.size(3, 1)).map(|_| {
        let (began, worked) = (Instant::now(), processor());
        let run = async { engine.run_plan(plan.clone()).await.expect("the script runs") };
        drop(black_box(runtime.block_on(run)));
        (processor() - worked) / (began.elapsed().as_secs_f64() * f64::from(cores))
    });
    let busy = busy.fold(0.0, f64::max);
    table.at_most("cores that computing items leave idle", (1.0 - busy) * 100.0, 10.0, "%");
}

/// The processor time of this process, in seconds.
fn processor() -> f64 {
    let spent = clock_gettime(ClockId::ProcessCPUTime);
    Duration::try_from(spent).expect("no process has worked for less than nothing").as_secs_f64()
}

fn all_cores() -> Runtime {
    Builder::new_multi_thread().enable_all().build().expect("a runtime")
}

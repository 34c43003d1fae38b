//! The cost of caps: one reservation and its settlement, and whether branches that race for one cap
//! delay each other.

use std::{sync::Arc, time::Duration};

use criterion::{Criterion, criterion_group, criterion_main};
use svc_contract::{registry::Usage, value::Money};
use svc_engine::run::ledger::{Account, Cap};
use tokio::time::Instant;

const MOST: Usage = Usage { tokens: 1_000, cost: Money::cents(1) };
const USED: Usage = Usage { tokens: 0, cost: Money::ZERO };

/// Through this many caps, without contention.
fn uncontended(c: &mut Criterion) {
    let mut group = c.benchmark_group("ledger");
    for caps in [1, 4] {
        let account = nested(caps);
        group.bench_function(format!("reserve and settle, caps: {caps}"), |b| {
            b.iter(|| attempt(&account));
        });
    }
}

/// Two threads at one cap, which never happens with two runs of one host.
fn contended(c: &mut Criterion) {
    let account = nested(1);
    let other = account.clone();
    let stop = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let stopped = stop.clone();
    let thread = std::thread::spawn(move || {
        while !stopped.load(std::sync::atomic::Ordering::Relaxed) {
            attempt(&other);
        }
    });
    c.bench_function("ledger/reserve and settle next to another thread", |b| {
        b.iter(|| attempt(&account));
    });
    stop.store(true, std::sync::atomic::Ordering::Relaxed);
    thread.join().expect("the other thread only counts");
}

/// 64 branches that each reserve, work for ten milliseconds and settle.
#[expect(clippy::print_stdout, reason = "the ratio is what is promised")]
fn branches(c: &mut Criterion) {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    let one = runtime.block_on(together(1));
    let all = runtime.block_on(together(64));
    let ratio = all.as_secs_f64() / one.as_secs_f64();
    println!("ledger: 1 branch takes {one:?}, 64 branches take {all:?}: {ratio:.2} times as long");
    let mut group = c.benchmark_group("ledger");
    group.sample_size(10);
    group.bench_function("64 branches of 10ms under one cap", |b| {
        b.iter(|| runtime.block_on(together(64)));
    });
}

async fn together(branches: usize) -> Duration {
    let account = nested(1);
    let started = Instant::now();
    let tasks: Vec<_> = (0..branches)
        .map(|_| {
            let account = account.clone();
            tokio::spawn(async move {
                account.reserve(MOST).expect("the cap is large enough for all");
                tokio::time::sleep(Duration::from_millis(10)).await;
                account.settle(MOST, USED);
            })
        })
        .collect();
    for task in tasks {
        task.await.expect("a branch only waits");
    }
    started.elapsed()
}

fn attempt(account: &Account) {
    account.reserve(MOST).expect("the cap is large enough for one");
    account.settle(MOST, USED);
}

/// The innermost of this many caps, each large enough for all branches.
fn nested(caps: usize) -> Arc<Account> {
    let cap = Cap { tokens: Some(1_000_000), cost: Some(Money::cents(1_000)) };
    let run = Account::of_run(cap);
    (1..caps).fold(run, |outer, depth| outer.within(cap, depth))
}

criterion_group!(benches, uncontended, contended, branches);
criterion_main!(benches);

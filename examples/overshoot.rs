//! Measures how far a cap of $1 is overshot: `cargo run --release --example overshoot [SEEDS]`.
//!
//! There are 64 parallel branches of 8 steps, each of which costs $0.005 to $0.05. If the cap is
//! checked between steps, every branch can begin a step while a cent is left; the ledger of svc
//! reserves the maximum cost of a step before it begins. `benches/overshoot` contains both
//! variants, and the first one also in plain Python.

#[path = "../benches/overshoot/workload.rs"]
mod workload;

use workload::{CAP, Summary, checked_between_steps, reserved_before_steps, summary};

#[expect(clippy::print_stdout, reason = "the table is the result")]
fn main() {
    let seeds = std::env::args().nth(1).and_then(|it| it.parse().ok()).unwrap_or(1_000);
    println!("{seeds} runs under a cap of {CAP}: overshoot and cost");
    println!(
        "{:<34} {:>8} {:>6}   {:>8} {:>6}   {:>8} {:>6}",
        "", "mean", "", "worst", "", "spent", "steps"
    );
    show("checked between steps, tokio", summary(seeds, checked_between_steps));
    match python(seeds.min(100)) {
        Some(it) => show("checked between steps, asyncio", it),
        None => println!("{:<34} python3 not found", "checked between steps, asyncio"),
    }
    show("svc", summary(seeds, reserved_before_steps));
}

#[expect(clippy::print_stdout, reason = "the table is the result")]
fn show(name: &str, it: Summary) {
    let percent = |dollars: f64| dollars / CAP.dollars() * 100.0;
    println!(
        "{name:<34} {:>8.4} {:>5.1}%   {:>8.4} {:>5.1}%   {:>8.4} {:>6.1}",
        it.mean,
        percent(it.mean),
        it.worst,
        percent(it.worst),
        it.spent,
        it.steps
    );
}

/// The same in plain Python, if installed. It takes real time, so it runs less often.
#[expect(clippy::disallowed_methods, reason = "a program may run another one")]
fn python(seeds: i64) -> Option<Summary> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/overshoot/plain.py");
    let done = std::process::Command::new("python3").arg(script).arg(seeds.to_string()).output();
    let text = String::from_utf8(done.ok().filter(|it| it.status.success())?.stdout).ok()?;
    let numbers: Vec<f64> = text.split_whitespace().filter_map(|it| it.parse().ok()).collect();
    match numbers.as_slice() {
        [mean, worst, spent, steps] => {
            Some(Summary { mean: *mean, worst: *worst, spent: *spent, steps: *steps })
        }
        _ => None,
    }
}

//! Measures OpenAPI documents: `cargo bench --bench documents -- FILE ..`

#![expect(
    clippy::print_stdout,
    clippy::cast_precision_loss,
    clippy::disallowed_methods,
    reason = "a tool for measurements, which is not part of the program"
)]

use std::{collections::BTreeMap, env, fs, time::Instant};

use svc_openapi::{Api, Lock, parse};

fn main() {
    println!("| document | MB | read ms | operations | become ops | lock KB | lock ms | reasons |");
    println!("|---|---|---|---|---|---|---|---|");
    for file in env::args().skip(1).filter(|it| !it.starts_with("--")) {
        println!("{}", row(&file));
    }
}

fn row(file: &str) -> String {
    let bytes = match fs::read(file) {
        Ok(bytes) => bytes,
        Err(err) => return format!("| {file} | {err} |"),
    };
    let began = Instant::now();
    let api = parse(&bytes).and_then(|it| Api::read(&it, &[]));
    let read = began.elapsed();
    let api = match api {
        Ok(api) => api,
        Err(err) => return format!("| {file} | {err} |"),
    };
    let lock = api.lock(file, &bytes);
    let began = Instant::now();
    let entries = Lock::read(&lock).map_or(0, |it| it.entries.len());
    let locked = began.elapsed();
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for skipped in &api.skipped {
        *reasons.entry(&skipped.reason).or_default() += 1;
    }
    let reasons: Vec<String> =
        reasons.iter().map(|(why, count)| format!("{count} × {why}")).collect();
    let all = entries + api.skipped.len();
    format!(
        "| {} | {:.1} | {} | {all} | {entries} ({:.1} %) | {} | {:.1} | {} |",
        file.rsplit('/').next().unwrap_or(file),
        bytes.len() as f64 / 1e6,
        read.as_millis(),
        100.0 * entries as f64 / all.max(1) as f64,
        lock.len() / 1_000,
        locked.as_secs_f64() * 1e3,
        reasons.join("; ")
    )
}

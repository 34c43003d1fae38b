//! Measures every promise about speed and compares it with its limit:
//! `cargo bench --bench promises [-- WORD..]`, or `just promises`.
//!
//! Memory is measured by `cargo bench --bench memory`, because counting takes time.
//!
//! A word selects the groups whose names contain it. With `--test` everything runs once with small
//! sizes, and nothing is judged: CI uses this to keep the benchmarks working.
//!
//! Each number is the best of several runs. On a busy machine the ratios remain valid, but results
//! of whole milliseconds do not.

#[path = "../workloads/nap.rs"]
mod nap;
#[path = "../workloads/planned.rs"]
mod planned;
#[path = "../workloads/scripts.rs"]
mod scripts;

mod checking;
mod journal;
mod peers;
mod search;
mod stages;
mod start;
mod table;
mod timing;
mod waiting;

use table::Table;

/// A group of promises: its name, and its measurement.
type Group = (&'static str, fn(&mut Table));

const GROUPS: [Group; 9] = [
    ("1 chain", stages::chain),
    ("2 each and parallel", stages::each_and_parallel),
    ("3 overlap", waiting::overlap),
    ("4 check", checking::check),
    ("5 start", start::start),
    ("7 journal", journal::journal),
    ("8 search", search::search),
    ("9 size", start::size),
    ("peers in Python", peers::peers),
];

fn main() {
    let (flags, words): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|it| it.starts_with("--"));
    let mut table = Table::new(flags.iter().any(|it| it == "--test"));
    for (name, measure) in GROUPS {
        if words.is_empty() || words.iter().any(|it| name.contains(it.as_str())) {
            table.group(name);
            measure(&mut table);
        }
    }
    table.end();
}

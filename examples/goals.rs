//! Measures the guide on 264 goals in users' own words, by what its scripts do: `cargo build &&
//! cargo run --example goals`. `--each` shows what became of the goals that may be read.

#[path = "../tests/goals/judge.rs"]
#[expect(clippy::disallowed_methods, reason = "it judges another program")]
mod judge;

use judge::{goals, judged, score};

#[expect(clippy::print_stdout, reason = "the table is the result")]
fn main() {
    let svc = std::env::current_exe().expect("this program").with_file_name("../svc");
    assert!(svc.exists(), "run `cargo build` first");
    let goals = goals();
    let outcomes = judged(&svc, &goals);
    let both = || goals.iter().zip(&outcomes);
    if std::env::args().any(|it| it == "--each") {
        for (goal, (outcome, message)) in both().filter(|(it, _)| !it.is_frozen()) {
            println!("== {outcome:?}: {}\n{message}\n", goal.text);
        }
    }
    for (name, is_frozen) in [("to tune with", false), ("frozen", true)] {
        let half = both().filter(|(it, _)| it.is_frozen() == is_frozen);
        println!("{name}: {:?}", score(half.map(|(goal, (outcome, _))| (goal, *outcome))));
    }
}

//! Measures how well the guide serves eighty goals in plain English: `cargo run --example goals`.
//!
//! `tests/goals` contains the goals, in three sets. `--each` shows the result for each goal that
//! the guide was tuned on, `--all` for all goals. `cargo run --example goals FILE` uses the goals
//! of another file instead.

#[path = "../tests/goals/score.rs"]
mod score;

use score::{SETS, Served, answers, goals, read, scores};

#[tokio::main]
#[expect(clippy::print_stdout, reason = "the table is the result")]
#[expect(clippy::disallowed_methods, reason = "the file is for the one who measures")]
async fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let shown = args.iter().find(|it| it.starts_with("--")).map_or("", String::as_str);
    let goals = match args.iter().find(|it| !it.starts_with("--")) {
        Some(file) => read(&std::fs::read_to_string(file).expect("a file with goals")),
        None => goals(),
    };
    let answers = answers(&svc::engine(), goals).await;
    for (goal, served, answer) in &answers {
        let is_shown = shown == "--all" || (shown == "--each" && !goal.held_back && !goal.fresh);
        if is_shown {
            let mark =
                if matches!(served, Served::Right | Served::RightlyNo) { "ok" } else { "WRONG" };
            println!("== {mark} {served:?}: {}\n{answer}\n", goal.text);
        }
    }
    println!("{:<12} {:>8} {:>8} {:>8} {:>12}", "set", "goals", "checks", "stages", "refused");
    for (name, score) in SETS.iter().zip(scores(&answers)) {
        println!(
            "{name:<12} {:>8} {:>8} {:>8} {:>12}",
            score.possible + score.impossible,
            format!("{}/{}", score.checked, score.possible),
            format!("{}/{}", score.right, score.possible),
            format!("{}/{}", score.refused, score.impossible),
        );
    }
}

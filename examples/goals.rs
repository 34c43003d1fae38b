//! How well the guide serves fifty goals in plain words: `cargo run --example goals`.
//!
//! `tests/goals/goals.toml` has the goals. Half of them were held back while the guide was
//! tuned; what became of each of the others is shown with `--each`, of all with `--all`.

#[path = "../tests/goals/score.rs"]
mod score;

use score::{Served, answers, scores};
use svc::Engine;

#[tokio::main]
#[expect(clippy::print_stdout, reason = "the table is the result")]
async fn main() {
    let shown = std::env::args().nth(1).unwrap_or_default();
    let answers = answers(&Engine::new()).await;
    for (goal, served, told) in &answers {
        let is_shown = shown == "--all" || (shown == "--each" && !goal.held_back);
        if is_shown {
            let mark =
                if matches!(served, Served::Right | Served::RightlyNo) { "ok" } else { "WRONG" };
            println!("== {mark} {served:?}: {}\n{told}\n", goal.text);
        }
    }
    println!("{:<12} {:>8} {:>8} {:>8} {:>12}", "half", "goals", "checks", "stages", "refused");
    for (name, score) in ["tuned on", "held back"].iter().zip(scores(&answers)) {
        println!(
            "{name:<12} {:>8} {:>8} {:>8} {:>12}",
            score.possible + score.impossible,
            format!("{}/{}", score.checked, score.possible),
            format!("{}/{}", score.right, score.possible),
            format!("{}/{}", score.refused, score.impossible),
        );
    }
}

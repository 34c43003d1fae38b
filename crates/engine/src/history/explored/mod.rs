//! Every run of three calls under two caps, with the real ledger and the real journal on a simulated
//! disk: each order of what the calls do, each report, each moment of a kill and each row that it may
//! lose, and an edit that removes a call from the inner cap.
//!
//! Each state is reached by doing its choices again, since accounts cannot be copied. Two states are
//! the same if the disk, the accounts and the calls are; they are known by their hashes.

mod disk;
mod world;

use std::collections::HashSet;

use svc_contract::store::Hash;
use world::{Choice, Limits, World};

/// The states that were explored, and how many of them ended a run.
#[derive(Debug, Default)]
struct Explored {
    states: usize,
    starts: usize,
    refused: usize,
    reused: usize,
    deepest: usize,
}

fn explore(limits: Limits) -> Explored {
    let (mut seen, mut found) = (HashSet::new(), Explored::default());
    let mut open: Vec<Vec<Choice>> = vec![Vec::new()];
    while let Some(path) = open.pop() {
        let mut world = World::new();
        for choice in &path {
            world.make(*choice);
        }
        if let Some(wrong) = world.wrong(limits) {
            panic!("{wrong}\n{path:#?}");
        }
        if !seen.insert(Hash::of(world.state().as_bytes())) {
            continue;
        }
        found.states += 1;
        found.deepest = found.deepest.max(path.len());
        found.refused += usize::from(world.has_refused());
        found.reused += usize::from(world.has_reused());
        found.starts += usize::from(matches!(path.last(), Some(Choice::Kill(_) | Choice::Edit(_))));
        for choice in world.choices(limits) {
            open.push(path.iter().copied().chain([choice]).collect());
        }
    }
    found
}

/// Explores all states; the documentation names their number.
fn explored_without_a_defect(limits: Limits, states: usize) {
    let found = explore(limits);
    // A property that is never exercised would always hold.
    let all = [found.starts, found.refused, found.reused];
    assert!(all.iter().all(|it| *it > 100), "{found:?}");
    assert_eq!(found.states, states, "{found:?}");
}

#[test]
fn a_kill_at_any_moment_passes_no_cap_and_repeats_no_call() {
    explored_without_a_defect(Limits { kills: 1, edits: 0, excess: true }, 6_092);
}

#[test]
fn an_edit_at_any_moment_passes_no_cap_and_repeats_no_call() {
    explored_without_a_defect(Limits { kills: 0, edits: 1, excess: false }, 7_654);
}

#[test]
// It visits a quarter of a million states: half a minute in a release build, and many minutes in the
// build of the other tests. The two tests above visit the states with one kill and with one edit.
#[ignore = "takes minutes: cargo test --release -p svc-engine --lib explored -- --ignored"]
fn two_kills_and_an_edit_pass_no_cap_and_repeat_no_call() {
    explored_without_a_defect(Limits { kills: 2, edits: 1, excess: true }, 256_486);
}

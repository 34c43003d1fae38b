//! Random whole scripts, each of which is run if it checks.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    thread,
};

use fastrand::Rng;

use super::{
    bench::{Bench, Found},
    rounds,
    write::{changed, script},
};

/// The number of scripts and the first seed, unless `SVC_TYPED` and `SVC_TYPED_SEED` are set.
const SCRIPTS: u64 = 10_000;
const SEED: u64 = 1_000_000;

/// The maximum number of failing scripts that are shown.
const MOST_SHOWN: usize = 8;

/// The script for a seed: every third one is changed after it was written.
fn written(seed: u64) -> String {
    let mut rng = Rng::with_seed(seed);
    let text = script(&mut rng);
    match seed % 3 {
        0 => changed(&mut rng, &text),
        _ => text,
    }
}

#[derive(Default)]
struct Sums {
    refused: AtomicU64,
    ran: AtomicU64,
    done: AtomicU64,
}

/// Tests the scripts of these seeds, and returns the failing ones.
fn look(seeds: impl Iterator<Item = u64>, sums: &Sums) -> Vec<(u64, String)> {
    let bench = Bench::new();
    let mut wrong = Vec::new();
    for seed in seeds {
        match bench.look(&written(seed), seed) {
            Found::Refused => _ = sums.refused.fetch_add(1, Ordering::Relaxed),
            Found::Held { done } => {
                sums.ran.fetch_add(1, Ordering::Relaxed);
                sums.done.fetch_add(done, Ordering::Relaxed);
            }
            Found::Wrong(why) => wrong.push((seed, why)),
        }
        if wrong.len() >= MOST_SHOWN {
            break;
        }
    }
    wrong
}

/// The lines that are needed for a script to fail.
fn shortest(bench: &Bench, seed: u64) -> (String, String) {
    let is_wrong = |text: &str| match bench.look(text, seed) {
        Found::Wrong(why) => Some(why),
        _ => None,
    };
    let mut text = written(seed);
    let mut why = is_wrong(&text).unwrap_or_default();
    // Removes as much as possible.
    while let Some((shorter, because)) =
        shorter(&text).into_iter().find_map(|it| is_wrong(&it).map(|why| (it, why)))
    {
        (text, why) = (shorter, because);
    }
    (text, why)
}

/// The script without one of its lines, or with a short text instead of the content of two
/// parentheses.
fn shorter(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let without = |idx: usize| {
        let kept = lines.iter().enumerate().filter(|(it, _)| *it != idx);
        kept.map(|(_, it)| format!("{it}\n")).collect::<Vec<_>>().concat()
    };
    let mut all: Vec<String> = (0..lines.len()).map(without).collect();
    for (start, _) in text.match_indices('(') {
        let Some(end) = closing(&text[start..]).map(|it| start + it) else { continue };
        let (before, inside, after) = (&text[..start], &text[start + 1..end], &text[end + 1..]);
        let parts = inside.split(" >> ").chain(["1", "[]", "true", "\"a\""]);
        all.extend(parts.map(|it| format!("{before}({it}){after}")));
        all.push(format!("{before}{inside}{after}"));
    }
    all.retain(|it| it.len() < text.len());
    all
}

/// The position at which the parenthesis at the start closes.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    text.char_indices().find_map(|(idx, letter)| {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        (depth == 0).then_some(idx)
    })
}

#[test]
#[expect(clippy::print_stdout, reason = "how much was tried is worth knowing")]
fn scripts_that_check_never_fail_by_type() {
    let (count, first) = (rounds("SVC_TYPED", SCRIPTS), rounds("SVC_TYPED_SEED", SEED));
    let (sums, threads) = (Sums::default(), 2);
    let wrong: Vec<(u64, String)> = thread::scope(|scope| {
        let sums = &sums;
        let part = |start| (first + start..first + count).step_by(threads);
        let all: Vec<_> =
            (0..threads as u64).map(|it| scope.spawn(move || look(part(it), sums))).collect();
        all.into_iter().flat_map(|it| it.join().unwrap()).collect()
    });
    let (refused, ran, done) =
        (sums.refused.into_inner(), sums.ran.into_inner(), sums.done.into_inner());
    println!(
        "{count} scripts from seed {first}: {ran} checked, {refused} did not, {done} runs ended well"
    );
    let bench = Bench::new();
    let shown: Vec<String> = wrong
        .iter()
        .take(MOST_SHOWN)
        .map(|(seed, first)| {
            let (text, why) = shortest(&bench, *seed);
            format!("seed {seed}: {why}\n(first: {first})\n{text}")
        })
        .collect();
    assert!(wrong.is_empty(), "{}", shown.join("\n"));
    // A property that is never exercised would always hold.
    assert!(ran > count / 4 && done > ran / 2, "{ran} of {count} ran, {done} ended well");
}

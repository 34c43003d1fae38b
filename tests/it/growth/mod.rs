//! How the time for a script grows with its size: twice the text takes about twice the time, or is
//! refused for its size.
//!
//! Every construct of the language is enlarged. Times are those of the thread, so other load on the
//! machine does not matter. `SVC_GROWTH=4000` sets the number of parts and shows all times;
//! `SVC_SHAPE=flows` selects the shapes whose names contain this.

mod shapes;

use std::{
    env,
    hint::black_box,
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
    thread,
    time::Duration,
};

use rustix::time::{ClockId, clock_gettime};
use shapes::Shape;
use svc::Engine;
use svc_assist as assist;
use svc_assist::{Asked, Draft};
use svc_engine::Unsaved;
use svc_lang::diag::Style;

/// An operation on a script.
type Phase = (&'static str, fn(&Engine, &str));

const PHASES: [Phase; 5] = [
    ("fmt", |_, text| drop(black_box(svc_lang::syntax::format(text)))),
    ("check --json", |engine, text| {
        black_box(serde_json::to_string(&engine.verdict(text)).unwrap());
    }),
    ("fix", |engine, text| drop(black_box(engine.fix(text)))),
    ("plan", |engine, text| match engine.plan(text) {
        Ok(plan) => drop(black_box(plan.show())),
        Err(report) => drop(black_box(report.to_string())),
    }),
    ("write", |engine, text| {
        let (source, unsaved) = (text.into(), Unsaved::default());
        let analysis = engine.analyse_with(text, &unsaved);
        black_box(analysis.report.render(Style::Plain));
        let draft = Draft { engine, source: &source, unsaved: &unsaved, analysis: &analysis };
        black_box(assist::complete(&draft, text.len(), Asked::Plainly));
    }),
];

/// Known cases of faster growth: values that are each wrong in a different way are compared with
/// all choices, a hundred in each round of `fix`; and the JSON of a check contains the type of a
/// record, with all its fields, for each of its uses.
const APART_FROM: [(&str, &str); 2] =
    [("enum wrong values", "fix"), ("unknown fields of a wide record", "check --json")];

/// The factor between the compared sizes.
const APART: usize = 4;

/// Shorter times are not compared.
const SHORT: Duration = Duration::from_millis(40);

/// The time of a linear construct grows by `APART`; that of a quadratic one by the square of it.
const MOST: u32 = 9;

/// For names that are all different, `fix` corrects the first hundred in each round.
const ROUNDS: u32 = 4;

/// How often times are compared before they count: caches and the allocator cause variations.
const TRIES: usize = 3;

/// The number of parts of a shape. Times at this size are short, and sufficient to detect quadratic
/// growth.
const SIZE: usize = 300;

fn taken(work: impl Fn()) -> Duration {
    let now = || {
        let now = clock_gettime(ClockId::ThreadCPUTime);
        Duration::new(now.tv_sec.unsigned_abs(), u32::try_from(now.tv_nsec).unwrap())
    };
    let begun = now();
    work();
    now().saturating_sub(begun)
}

/// Why the time of a phase grows too fast, if it does so in each of several attempts.
fn growth(engine: &Engine, shape: &Shape, phase: &Phase, size: usize) -> Result<String, String> {
    let ((name, make), (done, run)) = (shape, phase);
    let (short, long) = (make(size / APART), make(size));
    let (mut least, mut most) = (Duration::MAX, Duration::MAX);
    // The larger script has more rounds of fixes.
    let times = if *done == "fix" { ROUNDS * MOST } else { MOST };
    for _ in 0..TRIES {
        most = most.min(taken(|| run(engine, &long)));
        if most < SHORT {
            return Ok(format!("{name}, {done}: {most:.1?}"));
        }
        least = least.min(taken(|| run(engine, &short)));
        if most < times * least {
            return Ok(format!("{name}, {done}: {least:.1?}, then {most:.1?}"));
        }
    }
    Err(format!("{name}, {done}: {least:.1?}, then {most:.1?}"))
}

#[test]
fn time_grows_with_the_text() {
    let asked = env::var("SVC_GROWTH").ok().map(|it| it.parse().unwrap());
    let only = env::var("SVC_SHAPE").unwrap_or_default();
    let engine = svc::engine();
    let shapes: Vec<&Shape> = shapes::ALL.iter().filter(|it| it.0.contains(&only)).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut wrong = Vec::new();
        while let Some(shape) = shapes.get(next.fetch_add(1, Relaxed)) {
            let is_apart = |it: &&Phase| APART_FROM.contains(&(shape.0, it.0));
            for phase in PHASES.iter().filter(|it| !is_apart(it)) {
                match growth(&engine, shape, phase, asked.unwrap_or(SIZE)) {
                    Ok(times) if asked.is_some() => say(&times),
                    Ok(_) => {}
                    Err(times) => wrong.push(times),
                }
            }
        }
        wrong
    };
    let wrong: Vec<String> = thread::scope(|scope| {
        let threads: Vec<_> = (0..2).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|it| it.join().unwrap()).collect()
    });
    assert!(wrong.is_empty(), "the time grows faster than the text:\n{}", wrong.join("\n"));
}

#[expect(clippy::print_stderr, reason = "the figures were asked for")]
fn say(line: &str) {
    eprintln!("{line}");
}

//! How the time for a script grows with it: twice the text takes about twice the time, or is
//! refused for its size.
//!
//! Every construct of the language is made larger. Time is that of the thread, so that a busy
//! machine does not count. `SVC_GROWTH=8000` makes them so many parts long, and shows all times.

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
use svc::{
    Engine,
    diag::Style,
    engine::{
        Unsaved,
        assist::{self, Asked, Draft},
    },
};

/// What is done with a script.
type Phase = (&'static str, fn(&Engine, &str));

const PHASES: [Phase; 5] = [
    ("fmt", |_, text| drop(black_box(svc::syntax::format(text)))),
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

/// The sizes that are compared lie so far apart.
const APART: usize = 4;

/// What takes less is not worth a question.
const SHORT: Duration = Duration::from_millis(40);

/// Of a construct whose time doubles with its size, the time grows by `APART`; where it grows
/// with its square, by the square of that.
const MOST: u32 = 9;

/// `fix` has up to sixteen rounds, each of which mends what was suggested for the first hundred
/// problems.
const ROUNDS: u32 = 4;

fn taken(work: impl Fn()) -> Duration {
    let now = || {
        let now = clock_gettime(ClockId::ThreadCPUTime);
        Duration::new(now.tv_sec.unsigned_abs(), u32::try_from(now.tv_nsec).unwrap())
    };
    let begun = now();
    work();
    now() - begun
}

/// Why the time of a phase grows too fast, if it does so each of several times.
fn growth(engine: &Engine, shape: &Shape, phase: &Phase, size: usize) -> Result<String, String> {
    let ((name, make), (done, run)) = (shape, phase);
    let (short, long) = (make(size / APART), make(size));
    let (mut least, mut most) = (Duration::MAX, Duration::MAX);
    let told = |a: Duration, b: Duration| format!("{name}, {done}: {a:.1?}, then {b:.1?}");
    for _ in 0..3 {
        least = least.min(taken(|| run(engine, &short)));
        most = most.min(taken(|| run(engine, &long)));
        // The larger script has more rounds of fixes.
        let most_times = if *done == "fix" { ROUNDS * MOST } else { MOST };
        if most < SHORT || most < most_times * least {
            return Ok(told(least, most));
        }
    }
    Err(told(least, most))
}

#[test]
fn time_grows_with_the_text() {
    let asked = env::var("SVC_GROWTH").ok().map(|it| it.parse().unwrap());
    let only = env::var("SVC_SHAPE").unwrap_or_default();
    let engine = Engine::new();
    let shapes: Vec<&Shape> = shapes::ALL.iter().filter(|it| it.0.contains(&only)).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut wrong = Vec::new();
        while let Some(shape) = shapes.get(next.fetch_add(1, Relaxed)) {
            for phase in &PHASES {
                match growth(&engine, shape, phase, asked.unwrap_or(400)) {
                    Ok(told) if asked.is_some() => say(&told),
                    Ok(_) => {}
                    Err(told) => wrong.push(told),
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

#[expect(clippy::print_stderr, reason = "whoever asks wants the figures")]
fn say(line: &str) {
    eprintln!("{line}");
}

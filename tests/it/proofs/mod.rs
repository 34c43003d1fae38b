//! The engine compared with the model in `proofs/`: its estimator, extracted from the proofs, against
//! `svc plan`, and its checker of the ledger against the events of real runs.
//!
//! Both need `coqc` and `ocamlfind ocamlopt`; where they are missing, the tests say so and pass.

mod fragment;
mod peers;
mod trace;

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::OnceLock,
};

use fastrand::Rng;
use svc::Engine;
use svc_lang::{
    check::BoundKey,
    plan::{Plan, Verdict},
};

use crate::{promises, types::rounds};
use fragment::{Kind, Script};

pub(crate) use trace::{Named, Trace, Watch};

/// The extracted program, which is built once; `None` without the prover.
#[expect(clippy::print_stdout, reason = "what is skipped is said")]
fn model() -> Option<&'static Path> {
    static MODEL: OnceLock<Option<PathBuf>> = OnceLock::new();
    let built = MODEL.get_or_init(|| {
        let has = |name: &str, arg: &str| {
            let run =
                Command::new(name).arg(arg).stdout(Stdio::null()).stderr(Stdio::null()).status();
            run.is_ok_and(|it| it.success())
        };
        if !has("coqc", "--version") || !has("ocamlfind", "printconf") {
            println!("skipped: coqc or ocamlfind is not installed");
            return None;
        }
        let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("proofs");
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("proofs/build.sh");
        let done = Command::new(script).arg(&out).output().unwrap();
        let shown = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "{}{shown}", String::from_utf8_lossy(&done.stdout));
        Some(out.join("model"))
    });
    built.as_deref()
}

/// The answers of the model to requests, one line each.
fn answers(model: &Path, requests: &[String]) -> Vec<String> {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("requests");
    fs::write(&file, requests.join("\n") + "\n").unwrap();
    let done = Command::new(model).stdin(File::open(&file).unwrap()).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let text = String::from_utf8(done.stdout).unwrap();
    let all: Vec<String> = text.lines().map(str::to_owned).collect();
    assert_eq!(all.len(), requests.len());
    all
}

/// What the engine plans, in the form in which the model answers.
struct Planned {
    most: Option<u64>,
    verdicts: Vec<(&'static str, String)>,
}

impl Planned {
    fn of(plan: &Plan, kind: Kind) -> Self {
        let envelope = plan.envelope();
        let most = match kind {
            Kind::Tokens => envelope.tokens.max,
            Kind::Cost => envelope.cost.max.map(|it| it.nanos().unsigned_abs()),
        };
        let key = match kind {
            Kind::Tokens => BoundKey::MaxTokens,
            Kind::Cost => BoundKey::MaxCost,
        };
        let inside = plan.nodes().iter().flat_map(|it| &it.verdicts);
        let all = plan.verdicts().iter().chain(inside).filter(|it| it.key == key);
        let verdicts = all.map(|it: &Verdict| (it.holds.word(), it.why.clone())).collect();
        Self { most, verdicts }
    }
}

/// How many verdicts are the same, and why others differ.
#[derive(Debug, Default)]
struct Counted {
    scripts: u64,
    proven: u64,
    enforced: u64,
    /// The engine says that an outer cap is tighter, or that nothing inside spends.
    useless: u64,
    /// The engine says less: one call may ask for more, in a part that never runs; or a cap inside
    /// cannot be met, and neither can this one.
    looser: u64,
}

/// The estimator of the model, whose soundness is proved, and that of the engine give the same upper
/// bounds, verdicts and effects. `SVC_PROOFS=20000` sets the number of scripts.
#[expect(clippy::print_stdout, reason = "long rounds say how much they did")]
#[test]
fn the_proven_estimator_is_that_of_the_engine() {
    let Some(model) = model() else { return };
    let engine = svc::engine().with(&[&promises::world::COMPONENT]);
    let wanted = rounds("SVC_PROOFS", 400);
    let (mut seed, mut refused) = (rounds("SVC_PROOFS_SEED", 0), 0);
    let (mut scripts, mut requests) = (Vec::new(), Vec::new());
    while (scripts.len() as u64) < wanted {
        let script = Script::random(&mut Rng::with_seed(seed));
        seed += 1;
        let Some(plan) = planned(&engine, &script) else {
            refused += 1;
            continue;
        };
        requests.push(format!("tokens {}", script.model(Kind::Tokens)));
        requests.push(format!("plan {}", script.model(Kind::Cost)));
        requests.push(format!("effects {}", script.model(Kind::Tokens)));
        scripts.push((seed - 1, script, plan));
    }
    // A property that is never exercised would always hold.
    assert!(refused < scripts.len() as u64 * 2, "{refused} scripts have bounds that cannot be met");
    let answers = answers(model, &requests);
    let mut counted = Counted::default();
    for ((seed, script, plan), answer) in scripts.iter().zip(answers.chunks(3)) {
        let shown = || format!("{seed}: {}\n{answer:?}", script.text());
        compare(&answer[0], &Planned::of(plan, Kind::Tokens), &mut counted, &shown);
        compare(&answer[1], &Planned::of(plan, Kind::Cost), &mut counted, &shown);
        assert_eq!(answer[2], effects(plan), "{}", shown());
        counted.scripts += 1;
    }
    println!("{counted:?}, and {refused} scripts with bounds that cannot be met");
    assert!(
        counted.proven > counted.scripts / 10 && counted.enforced > counted.scripts / 10,
        "{counted:?}"
    );
}

/// The plan, unless a bound cannot be met.
fn planned(engine: &Engine, script: &Script) -> Option<Plan> {
    let text = script.text();
    match engine.plan(text.as_str()) {
        Ok(plan) => Some(plan),
        Err(report) => {
            let all = report.errors().all(|it| it.code.as_str() == "E309");
            assert!(all, "{report}\n{text}");
            None
        }
    }
}

fn compare(answer: &str, planned: &Planned, counted: &mut Counted, shown: &impl Fn() -> String) {
    let mut words = answer.split(' ');
    let most: u64 = words.next().unwrap().parse().unwrap();
    assert_eq!(planned.most, Some(most), "{}", shown());
    let proved: Vec<&str> = words.collect();
    assert_eq!(proved.len(), planned.verdicts.len(), "{:?}\n{}", planned.verdicts, shown());
    let impossible = planned.verdicts.iter().filter(|(holds, _)| *holds == "impossible").count();
    for (proved, (holds, why)) in proved.into_iter().zip(&planned.verdicts) {
        match (proved, *holds) {
            ("proven", "proven") => counted.proven += 1,
            // In an alternative, a bound that cannot be met is only a warning.
            ("enforced", "enforced" | "impossible") => counted.enforced += 1,
            (_, "useless") => counted.useless += 1,
            ("proven", "enforced") if why == "one call may ask for more" => counted.looser += 1,
            ("proven", "impossible") if impossible > 1 => counted.looser += 1,
            _ => panic!("{proved}, but {holds}: {why}\n{}", shown()),
        }
    }
}

/// The effects of a plan by the numbers of the model.
fn effects(plan: &Plan) -> String {
    let number = |it: String| match it.as_str() {
        "spends" => 1,
        "reads chance" => 2,
        "writes board" => 3,
        other => panic!("unexpected effect: {other}"),
    };
    let mut all: Vec<u8> = plan.effects().iter().map(|it| number(it.to_string())).collect();
    all.sort_unstable();
    all.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

/// The events of real runs, over kills, cancels, resumes and edits, are events that the ledger of the
/// model accepts: within the caps, and without a repeated call.
#[expect(clippy::print_stdout, reason = "long rounds say how much they did")]
#[test]
fn real_runs_are_runs_of_the_proven_ledger() {
    let Some(model) = model() else { return };
    let traces = promises::traces(rounds("SVC_PROOFS_RUNS", 150), rounds("SVC_PROOFS_SEED", 0));
    let requests: Vec<String> = traces.iter().flat_map(Trace::requests).collect();
    for (request, answer) in requests.iter().zip(answers(model, &requests)) {
        assert_eq!(answer, "kept", "{request}");
    }
    let count = |word: &str| requests.iter().map(|it| it.matches(word).count()).sum::<usize>();
    let counts = [count("(reserve"), count("(kill"), count("(edit"), count("(ack")];
    println!("{} histories; reservations, kills, edits and results: {counts:?}", traces.len());
    assert!(counts.iter().all(|it| *it > 20), "{counts:?}");
}

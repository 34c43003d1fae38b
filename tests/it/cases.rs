//! The cases that components bring, by which changes of their params are judged.

use svc::{Engine, blocks::PipelineStep, host::MemoryFiles, value::json};
use svc_engine::blocks::ComponentRegistry;
use svc_service::bias::{Asks, Case, Cases, Part};

/// What brings none: its op asks a language model, and cases cannot spend.
const WITHOUT: [&str; 1] = ["agent_react"];

/// What brings too few for `apply`, since each of them takes half a second.
const FEW: [&str; 1] = ["adapt_automl"];

/// What reads files in a process of its own, which only the program `svc` provides.
const BY_COMMAND: [&str; 1] = ["ctx_pdf"];

/// Every seventh case is run: all of them take minutes in a debug build.
const STEP: usize = 7;

fn by_command_of(component: &str, case: &Case) -> f64 {
    let Asks::Script { text, params } = &case.asks else {
        panic!("{component}: expected a script")
    };
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("case.svc"), text).unwrap();
    let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("svc"));
    command.args(["run", "case.svc", "--no-store", "--json"]).current_dir(place.path());
    for (name, value) in params {
        command.args(["-p", &format!("{name}={}", value.as_str().unwrap())]);
    }
    let output = command.output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr);
    let result = json::read(&String::from_utf8(output.stdout).unwrap());
    let result = result.unwrap_or_else(|_| panic!("{component}: {}: {err}", case.name));
    case.score.of(Some(&result), &case.expected)
}

async fn score(engine: &Engine, component: &str, case: &Case) -> f64 {
    let result = match &case.asks {
        Asks::Script { text, params } => {
            let mut request = engine.run(text.as_str());
            for (name, value) in params {
                request = request.param(name, value.clone());
            }
            let ended = request.await;
            ended.unwrap_or_else(|err| panic!("{component}: {}: {err}", case.name)).value
        }
        Asks::Op { op, args } => {
            let mut step = PipelineStep::new(component, op.as_str());
            step.params.clone_from(args);
            let ended = ComponentRegistry::new(engine.clone()).run_pipeline([step]).await;
            let mut all = ended.unwrap_or_else(|err| panic!("{component}: {}: {err:?}", case.name));
            all.pop().unwrap()
        }
    };
    case.score.of(Some(&result), &case.expected)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_component_with_tunables_brings_cases_that_run_and_tell_good_from_bad() {
    let engine = svc::engine();
    for component in engine.registry().components() {
        if component.evolvable().next().is_none() {
            continue;
        }
        let name = component.name;
        let cases = Cases::built_in(component).unwrap();
        if WITHOUT.contains(&name) {
            assert!(cases.is_empty(), "{name} brings cases: take it off the list");
            continue;
        }
        let parts =
            [Part::Train, Part::Validation, Part::Sealed].map(|it| cases.part(it, name, 0).len());
        let [train, validation, sealed] = parts;
        assert!((20..=200).contains(&cases.all.len()), "{name}: {parts:?}");
        let enough = train >= 10 && validation >= 5 && sealed >= 30;
        assert_eq!(enough, !FEW.contains(&name), "{name}: {parts:?}");
        let files = component.bias.cases.unwrap().files.iter().copied();
        let engine = engine.clone().with_files(files.collect::<MemoryFiles>());
        let mut scores = Vec::new();
        for case in cases.all.iter().step_by(STEP) {
            let by_command = BY_COMMAND.contains(&name);
            scores.push(if by_command {
                by_command_of(name, case)
            } else {
                score(&engine, name, case).await
            });
        }
        let mean = scores.iter().sum::<f64>() / f64::from(u32::try_from(scores.len()).unwrap());
        assert!((0.1..0.99).contains(&mean), "{name}: {mean} of {} cases", scores.len());
    }
}

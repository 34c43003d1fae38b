//! The documentation is correct: every script checks and runs, every wrong script has the
//! documented error, and every shown output is real.

use std::{fs, path::Path, sync::Arc};

use svc::Engine;
use svc_host_os::OsHost;
use svc_lang::{
    diag::{Problem, Source, Style},
    plan::Plan,
};

/// A fenced script of a page.
pub(crate) struct Fence {
    page: std::path::PathBuf,
    pub(crate) place: String,
    /// The claim after the language's name: `error E203`, `warning E220`, `fails E402`.
    claim: Option<(String, String)>,
    pub(crate) script: String,
}

pub(crate) fn fences() -> Vec<Fence> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut pages = vec![root.join("README.md"), root.join("ARCHITECTURE.md")];
    pages.extend(fs::read_dir(root.join("docs")).unwrap().map(|it| it.unwrap().path()));
    pages.sort();
    pages
        .iter()
        .filter(|it| it.extension().is_some_and(|it| it == "md"))
        .flat_map(|it| of(it))
        .collect()
}

fn of(page: &Path) -> Vec<Fence> {
    let text = fs::read_to_string(page).unwrap();
    let mut fences = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        let Some(info) = line.strip_prefix("```svc") else { continue };
        let script: Vec<&str> =
            lines.by_ref().map(|(_, it)| it).take_while(|it| *it != "```").collect();
        let claim = info.strip_prefix(',').and_then(|it| it.split_once(' '));
        fences.push(Fence {
            page: page.to_owned(),
            place: format!("{}:{}", page.file_name().unwrap().to_string_lossy(), number + 1),
            claim: claim.map(|(what, code)| (what.to_owned(), code.trim().to_owned())),
            script: script.join("\n"),
        });
    }
    fences
}

pub(crate) fn engine() -> (Engine, tempfile::TempDir) {
    let cache = tempfile::tempdir().unwrap();
    let host = OsHost::with_cache(cache.path()).working_in(assert_cmd::cargo::cargo_bin!("svc"));
    let engine = svc::engine().with(svc_service::components::ALL).with_host(Arc::new(host));
    (engine.with_ready(&petstore()).unwrap().with_ready(&notes()).unwrap(), cache)
}

/// The server that `docs/mcp-servers.md` shows.
fn notes() -> svc::registry::ReadyComponent {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/mcp-servers.md");
    let page = fs::read_to_string(page).unwrap();
    let listing = page.split("```json\n").nth(1).unwrap().split("\n```").next().unwrap();
    let listing: serde_json::Value = serde_json::from_str(listing).unwrap();
    let tool = |it: &serde_json::Value| svc_mcp::Tool {
        name: it["name"].as_str().unwrap().to_owned(),
        input: it["inputSchema"].clone(),
        output: it.get("outputSchema").cloned(),
        ..svc_mcp::Tool::default()
    };
    let tools = listing["tools"].as_array().unwrap().iter().map(tool).collect();
    let lock = svc_mcp::Lock::new(&svc_mcp::Listing { tools, ..svc_mcp::Listing::default() });
    let command = Some(vec!["npx".to_owned()]);
    let settings = svc_project::McpSettings { command, ..svc_project::McpSettings::default() };
    let host: Arc<dyn svc::host::Host> = Arc::new(OsHost::default());
    svc_project::mcp_component("notes", &lock.text(), &settings, Path::new("/"), &host).unwrap()
}

/// The API that `docs/apis.md` shows.
fn petstore() -> svc::registry::ReadyComponent {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/apis.md");
    let page = fs::read_to_string(page).unwrap();
    let document = page.split("```json\n").nth(1).unwrap().split("\n```").next().unwrap();
    let parsed = svc_openapi::parse(document.as_bytes()).unwrap();
    let lock = svc_project::lock_of("petstore.json", &parsed, document.as_bytes()).unwrap();
    svc_project::component("petstore", lock, &svc_project::ApiSettings::default()).unwrap()
}

#[tokio::test]
async fn scripts_in_the_documentation_hold() {
    let (engine, _cache) = engine();
    let fences = fences();
    assert!(fences.len() > 30, "the documentation shows scripts");
    let mut wrong = Vec::new();
    for fence in &fences {
        if let Err(why) = holds(&engine, fence).await {
            wrong.push(format!("{}: {why}", fence.place));
        }
    }
    assert!(wrong.is_empty(), "{} of {} fences:\n{}", wrong.len(), fences.len(), wrong.join("\n"));
}

async fn holds(engine: &Engine, fence: &Fence) -> Result<(), String> {
    let source = Source::new(fence.place.as_str(), fence.script.as_str()).in_folder(".");
    let plan = engine.plan(source.clone());
    let problems: Vec<Problem> = match &plan {
        Ok(plan) => plan.program().warnings.problems.clone(),
        Err(report) => report.problems.clone(),
    };
    if let Some((_, code)) = fence.claim.as_ref().filter(|(what, _)| what == "fails") {
        let plan = plan.map_err(|report| report.to_string())?;
        if !plan.program().tests.is_empty() {
            return match tested(engine, &plan) {
                Err(shown) if shown.contains(&format!("[{code}]")) => Ok(()),
                other => Err(format!("a test that fails with {code} is claimed, but: {other:?}")),
            };
        }
        let ended = engine.run_plan(plan).await.map(|it| it.value);
        return match ended {
            Err(err) if err.render(Style::Plain).contains(&format!("[{code}]")) => Ok(()),
            other => Err(format!("a failure {code} is claimed, but: {other:?}")),
        };
    }
    if let Some((what, code)) = &fence.claim {
        let shown = problems
            .iter()
            .any(|it| it.code.as_str() == code && it.is_error() == (what == "error"));
        return if shown {
            Ok(())
        } else {
            Err(format!("{what} {code} is claimed, but: {problems:?}"))
        };
    }
    let plan = plan.map_err(|report| report.to_string())?;
    if !problems.is_empty() {
        return Err(format!("{problems:?}"));
    }
    tested(engine, &plan)?;
    let program = plan.program();
    // Scripts that call a model, or need a secret, run in tests only.
    if !program.mocks.is_empty() || !program.tests.is_empty() {
        return Ok(());
    }
    let needs_input = program.inputs.iter().any(|it| it.default.is_none() && !it.ty.is_optional());
    if program.main.is_none() || needs_input {
        return Ok(());
    }
    engine.run(source).await.map(drop).map_err(|err| err.to_string())
}

/// Runs the tests in a script; returns their problems.
fn tested(engine: &Engine, plan: &Plan) -> Result<(), String> {
    let results = engine.test(plan.program(), "");
    let noted = results.iter().filter(|it| !it.passed() || !it.report.problems.is_empty());
    let shown: Vec<String> = noted.map(|it| it.report.render(Style::Plain)).collect();
    if shown.is_empty() { Ok(()) } else { Err(shown.join("\n")) }
}

/// Every script without a claim is formatted as by `svc fmt`. `UPDATE_DOCS=1` rewrites.
#[test]
fn scripts_in_the_documentation_are_formatted() {
    for fence in fences().iter().filter(|it| it.claim.is_none()) {
        let formatted = svc_lang::syntax::format(&fence.script).text;
        if formatted.trim_end() == fence.script {
            continue;
        }
        assert!(
            std::env::var_os("UPDATE_DOCS").is_some(),
            "{} should be\n{formatted}",
            fence.place
        );
        let text = fs::read_to_string(&fence.page).unwrap();
        let written = format!("```svc\n{}\n```", fence.script);
        fs::write(&fence.page, text.replace(&written, &format!("```svc\n{formatted}```"))).unwrap();
    }
}
/// An output on a page, and the command that printed it.
struct Shown {
    page: std::path::PathBuf,
    command: String,
    output: String,
}

fn shown_outputs() -> Vec<Shown> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut pages = vec![root.join("README.md")];
    pages.extend(fs::read_dir(root.join("docs")).unwrap().map(|it| it.unwrap().path()));
    pages.retain(|it| it.extension().is_some_and(|it| it == "md"));
    pages.sort();
    let mut shown = Vec::new();
    for page in pages {
        let text = fs::read_to_string(&page).unwrap();
        for part in text.split("<!-- output of: ").skip(1) {
            let (command, rest) = part.split_once(" -->\n```text\n").unwrap();
            let (output, _) = rest.split_once("```\n").unwrap();
            let (page, command, output) = (page.clone(), command.to_owned(), output.to_owned());
            shown.push(Shown { page, command, output });
        }
    }
    shown
}

/// The words of a command line; `"` groups words.
pub(crate) fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for it in command.chars() {
        match it {
            '"' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            it => words.last_mut().unwrap().push(it),
        }
    }
    words
}

/// Every output on a page is what its command prints. `UPDATE_DOCS=1` rewrites.
#[test]
fn shown_outputs_are_real() {
    let cache = tempfile::tempdir().unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for Shown { page, command, output } in shown_outputs() {
        let words = words(&command);
        let is_set = |it: &&String| it.contains('=');
        let variables = words.iter().take_while(is_set).filter_map(|it| it.split_once('='));
        let words: Vec<&String> = words.iter().skip_while(is_set).collect();
        assert_eq!(words[0], "svc", "{command}");
        let (words, stdin) = match words.iter().position(|it| *it == "<") {
            Some(at) => (&words[..at], fs::read(root.join(words[at + 1])).unwrap()),
            None => (&words[..], Vec::new()),
        };
        let done = assert_cmd::Command::cargo_bin("svc")
            .unwrap()
            .args(&words[1..])
            .write_stdin(stdin)
            .env_remove("SVC_MODEL")
            .envs(variables)
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .env("SVC_CACHE", cache.path())
            .env("SVC_STORE", tempfile::tempdir().unwrap().path().join("runs.db"))
            .output()
            .unwrap();
        let real = String::from_utf8(done.stdout).unwrap();
        if real == output {
            continue;
        }
        assert!(
            std::env::var_os("UPDATE_DOCS").is_some(),
            "{command} prints\n{real}\nnot\n{output}"
        );
        let text = fs::read_to_string(&page).unwrap();
        let head = format!("<!-- output of: {command} -->\n```text\n");
        let text = text.replace(&format!("{head}{output}```"), &format!("{head}{real}```"));
        fs::write(&page, text).unwrap();
    }
}

/// What newcomers enter first is what CI runs.
#[test]
fn the_first_command_is_run_by_ci() {
    let read = |name: &str| fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name));
    let readme = read("README.md").unwrap();
    let command = readme.lines().find(|it| it.starts_with("cargo run ")).unwrap();
    assert!(read("docs/getting-started.md").unwrap().contains(command));
    let (options, rest) = command.strip_prefix("cargo run ").unwrap().split_once("-- ").unwrap();
    let run = format!("cargo run --locked {options}--quiet -- {rest}");
    // Packages of the sources leave it out.
    let Ok(ci) = read(".ci/run") else { return crate::skipped("no .ci/run") };
    assert!(ci.contains(&run), "expected `{run}` in .ci/run");
}

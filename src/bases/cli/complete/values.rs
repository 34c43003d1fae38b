//! The values of options and arguments that only this program knows.

use std::{
    ffi::{OsStr, OsString},
    path::Path,
    sync::Arc,
};

use clap::{Arg, Command, builder::StyledStr};
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate, PathCompleter};
use svc_contract::{registry::OpRef, value::Type};
use svc_engine::Engine;
use svc_lang::{
    check::Input,
    constructs,
    diag::{Explanation, visible_line},
    stdlib,
};

use super::super::{keeping, script};

/// The number of runs that are offered.
const MOST_RUNS: usize = 50;

/// The state of a request.
struct Request {
    engine: Engine,
    /// The words of the command line so far.
    typed: Vec<OsString>,
}

/// The command line with completers, chosen by the names of values in the help.
pub(super) fn completing(line: Command, engine: &Engine, typed: &[OsString]) -> Command {
    let request = Arc::new(Request { engine: engine.clone(), typed: typed.to_owned() });
    with_values(line, &request)
}

fn with_values(line: Command, request: &Arc<Request>) -> Command {
    let is_inspect = line.get_name() == "inspect";
    let line = line.mut_args(|arg| of_arg(arg, is_inspect, request));
    line.mut_subcommands(|it| with_values(it, request))
}

fn of_arg(arg: Arg, is_inspect: bool, request: &Arc<Request>) -> Arg {
    let name = arg.get_value_names().and_then(|it| it.first()).map_or("", |it| it.as_str());
    let list: fn(&Request) -> Vec<CompletionCandidate> = match (name, arg.get_id().as_str()) {
        ("RUN", _) => runs,
        ("CODE", _) => codes,
        ("NAME=VALUE", "params") => params,
        ("NAME", "name") if is_inspect => names,
        ("FILE", "file" | "files") if arg.is_positional() => {
            let is_script = |it: &Path| it.extension().is_some_and(|it| it == "svc");
            return arg.add(ArgValueCompleter::new(PathCompleter::any().filter(is_script)));
        }
        _ => return arg,
    };
    let request = request.clone();
    arg.add(ArgValueCompleter::new(move |typed: &OsStr| beginning(list(&request), typed)))
}

/// The candidates that begin with the typed text.
fn beginning(all: Vec<CompletionCandidate>, typed: &OsStr) -> Vec<CompletionCandidate> {
    let typed = typed.to_string_lossy();
    all.into_iter().filter(|it| it.get_value().to_string_lossy().starts_with(&*typed)).collect()
}

fn candidate(value: impl Into<OsString>, help: &str) -> CompletionCandidate {
    // Shells draw it as it is, and it may come from the script of someone else.
    let help = visible_line(help.lines().next().unwrap_or_default()).into_owned();
    let help = (!help.is_empty()).then(|| StyledStr::from(help));
    CompletionCandidate::new(value).help(help)
}

/// Components, ops, modules, and words of the language.
fn names(request: &Request) -> Vec<CompletionCandidate> {
    let components = request.engine.registry().components();
    let ops = components
        .iter()
        .flat_map(|component| component.ops.iter().map(move |op| OpRef { component, op }));
    let modules = stdlib::ALL.iter().map(|it| candidate(format!("std:{}", it.name), it.summary()));
    let words = constructs::all()
        .flat_map(|construct| construct.words.iter().map(|it| candidate(*it, construct.summary)));
    let components = components.iter().map(|it| candidate(it.name, it.summary));
    let ops = ops.map(|it| candidate(it.script_name(), it.op.summary()));
    let mut all: Vec<CompletionCandidate> =
        components.chain(ops).chain(modules).chain(words).collect();
    all.sort_by(|a, b| a.get_value().cmp(b.get_value()));
    all.dedup_by(|a, b| a.get_value() == b.get_value());
    all
}

fn codes(_: &Request) -> Vec<CompletionCandidate> {
    Explanation::all().map(|it| candidate(it.code, it.title)).collect()
}

/// The latest runs.
fn runs(request: &Request) -> Vec<CompletionCandidate> {
    let Some(store) = keeping::default_store(request.engine.host()) else { return Vec::new() };
    let runs = store.latest(MOST_RUNS).unwrap_or_default();
    let last = (!runs.is_empty()).then(|| candidate("last", "the latest run"));
    let named = runs
        .iter()
        .map(|it| candidate(it.id.to_string(), &format!("{}, {}", it.script, it.state.word())));
    last.into_iter().chain(named).collect()
}

/// The params of the script on the command line, and the values of those that have few.
fn params(request: &Request) -> Vec<CompletionCandidate> {
    let is_script = |it: &&OsString| Path::new(it).extension().is_some_and(|it| it == "svc");
    let Some(file) = request.typed.iter().find(is_script) else { return Vec::new() };
    let Ok(source) = script::read(request.engine.host(), Path::new(file)) else {
        return Vec::new();
    };
    let Ok(program) = request.engine.check(source) else { return Vec::new() };
    program.inputs.iter().filter(|it| !matches!(it.ty, Type::Secret)).flat_map(of_input).collect()
}

fn of_input(input: &Input) -> Vec<CompletionCandidate> {
    let values: Vec<String> = match input.ty.required() {
        Type::Bool => vec!["true".to_owned(), "false".to_owned()],
        Type::Enum(of) if of.variants.iter().all(|it| is_plain(it)) => {
            of.variants.iter().map(ToString::to_string).collect()
        }
        _ => {
            let help = match input.doc.lines().next() {
                Some(doc) => format!("{}: {doc}", input.ty),
                None => input.ty.to_string(),
            };
            return vec![candidate(format!("{}=", input.name), &help)];
        }
    };
    values.iter().map(|it| candidate(format!("{}={it}", input.name), &input.doc)).collect()
}

/// Whether a shell takes a word as it is: a script of someone else must not write a command line.
fn is_plain(word: &str) -> bool {
    word.chars().all(|it| it.is_alphanumeric() || "_-.,:/+@%".contains(it))
}

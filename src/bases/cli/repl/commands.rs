//! The commands that begin with a colon: those of the prompt, and every command of `svc`.

use std::ffi::OsString;

use svc_assist::{
    Callable,
    session::{ANSWER, Statement},
};
use svc_contract::value::Type;
use svc_engine::Error;
use svc_lang::{constructs::Construct, diag::visible, plan::Plan, syntax::RESERVED};

use super::{
    super::{
        Cli, command_line, construct_text,
        exit::{FAILED, Failure, INVALID, OK, Result, USAGE},
        run::reader,
        show::Reader,
        terminal::{self, Ink},
    },
    chart, files,
    session::{Outcome, Repl},
    settings, tune,
};

/// The commands of the prompt: name, arguments and description.
pub(super) const ALL: [(&str, &str, &str); 20] = [
    (
        "help",
        "[NAME]",
        "lists the commands, or explains a command, a component, a word or an error",
    ),
    ("type", "EXPR", "shows the type of an expression, or the signature of a component"),
    ("plan", "[EXPR]", "shows what would run, its effects and its estimate"),
    ("bounds", "[EXPR]", "shows the estimate alone: minimum, expected and maximum"),
    ("names", "", "lists the names of the session, with their types"),
    ("set", "[KEY VALUE]", "changes a cap or how values are shown; without a key, lists all"),
    (
        "tune",
        "[NAME VALUE]",
        "changes a default of a component; without a name, lists the changed ones",
    ),
    ("param", "NAME VALUE", "changes the value of a param of the session"),
    ("more", "", "shows the next lines of a long value"),
    ("all", "", "shows all remaining lines of a long value"),
    ("tree", "[NAME]", "shows the last value, or another one, as a tree"),
    ("json", "[NAME]", "shows the last value, or another one, as JSON"),
    (
        "chart",
        "[MARK] [X] [Y]",
        "draws the last value; `color=COLUMN` splits it, `of=NAME` draws another one, FILE.svg saves it",
    ),
    ("script", "", "shows the script for the last answer"),
    ("save", "FILE", "checks and saves that script; `:save! FILE` replaces a file"),
    ("load", "FILE [NAME=VALUE]", "enters all statements of a script"),
    ("forget", "NAME", "forgets a name"),
    ("reset", "", "forgets everything"),
    ("history", "[N]", "lists the last lines, including those of earlier sessions"),
    ("quit", "", "quits, like Ctrl-D; `exit`, `quit` and `help` need no colon"),
];

/// Short names, as in other prompts.
const ALIASES: [(&str, &str); 7] = [
    ("q", "quit"),
    ("exit", "quit"),
    ("h", "help"),
    ("?", "help"),
    ("t", "type"),
    ("l", "load"),
    ("vars", "names"),
];

/// The command of a line without a colon: `exit`, `quit`, `help`, and `help` with one name.
pub(super) fn plain(text: &str) -> Option<&str> {
    let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
    let is_name = |it: char| it.is_ascii_alphanumeric() || "_.:".contains(it);
    match word {
        "exit" | "quit" if rest.is_empty() => Some(word),
        "help" if rest.trim().chars().all(is_name) => Some(word),
        _ => None,
    }
}

/// Commands of `svc` about a run; here their default is the run of the last line.
const OF_RUNS: [&str; 5] = ["why", "tap", "show", "replay", "resume"];

/// Commands of `svc` that make no sense at the prompt.
const NOT_HERE: [&str; 4] = ["repl", "lsp", "completions", "man"];

/// Executes a command, given without its colon.
pub(super) async fn run_command(repl: &mut Repl, command: &str) -> Result<Outcome> {
    let command = command.trim();
    let (word, rest) = command.split_once(char::is_whitespace).unwrap_or((command, ""));
    let rest = rest.trim();
    let word = ALIASES.iter().find(|(it, _)| *it == word).map_or(word, |(_, it)| it);
    let done = match word {
        "quit" => return Ok(Outcome::Leave),
        "load" => files::load(repl, rest).await,
        "help" if rest.is_empty() => help(repl),
        "help" => page(repl, rest).await,
        "type" => type_of(repl, rest),
        "plan" | "bounds" => plan(repl, rest, word == "plan"),
        "names" => names(repl),
        "set" => set(repl, rest),
        "tune" => tune::tune(repl, rest),
        "param" => param(repl, rest),
        "more" | "all" => more(repl, word == "all"),
        "tree" | "json" => picture(repl, rest, word),
        "chart" => chart::chart(repl, rest).await,
        "script" => files::script(repl),
        "save" | "save!" => files::save(repl, rest, word == "save!"),
        "forget" => forget(repl, rest),
        "reset" => Ok(reset(repl)),
        "history" => files::history(repl, rest),
        _ => svc(repl, word, rest).await,
    };
    match done {
        Ok(outcome) => Ok(outcome),
        // The reader closed the pipe.
        Err(failure) if failure.code == OK => Err(failure),
        Err(failure) => Ok(Outcome::Failed(failure.report(repl.session.terminal))),
    }
}

fn help(repl: &Repl) -> Result<Outcome> {
    let out = repl.session.terminal.out;
    let mut text = String::from(
        "A pipeline runs, and its value becomes `ans`; a line that begins with `>>` continues from it.\n\
         `let` and `flow` bind names for the lines that follow.\n\n",
    );
    for (name, args, does) in ALL {
        text += &format!(
            "  {}{}  {does}\n",
            out.paint(&format!(":{name}"), Ink::Bold),
            pad(name, args)
        );
    }
    text += "\nThe commands of `svc` work as well; if they need a run, it is the last line:\n";
    let others = of_svc();
    let others: Vec<String> = others.iter().map(|it| format!(":{it}")).collect();
    text += &format!("  {}\n", others.join(" "));
    terminal::print(terminal::styled(&text))?;
    Ok(Outcome::Done)
}

/// The arguments, padded to the width of the column.
fn pad(name: &str, args: &str) -> String {
    const COLUMN: usize = 24;
    let args = if args.is_empty() { String::new() } else { format!(" {args}") };
    let width = COLUMN.saturating_sub(name.len() + 1);
    format!("{args:<width$}")
}

/// The commands of `svc` that work here.
pub(super) fn of_svc() -> Vec<String> {
    let line = command_line();
    let names = line.get_subcommands().map(|it| it.get_name().to_owned());
    let own =
        |it: &String| ALL.iter().any(|(name, ..)| name == it) || NOT_HERE.contains(&it.as_str());
    names.filter(|it| !own(it)).collect()
}

/// Shows the help of a command, a name of the session, an error, a component or a word of the
/// language. A word that is also a command, such as `type`, is explained as both.
async fn page(repl: &mut Repl, name: &str) -> Result<Outcome> {
    let command = name.trim_start_matches(':');
    let is_command =
        ALL.iter().any(|(it, ..)| *it == command) || of_svc().contains(&command.to_owned());
    if let Some(construct) = Construct::find(name).filter(|_| is_command) {
        let page = construct_text::page(construct, repl.session.terminal.out);
        terminal::print(terminal::styled(&(page + "\n")))?;
    }
    if let Some((name, args, does)) = ALL.iter().find(|(it, ..)| *it == command) {
        terminal::print(format!(":{name} {args}").trim_end())?;
        terminal::print(&format!("\n  {does}\n"))?;
        return Ok(Outcome::Done);
    }
    if let Some(own) = repl.entered.bindings().into_iter().find(|it| it.name.as_ref() == name) {
        terminal::print(&format!("{}\n", own.text))?;
        return Ok(Outcome::Done);
    }
    let is_code = name.len() == 4
        && name.starts_with(['E', 'e'])
        && name[1..].bytes().all(|it| it.is_ascii_digit());
    if of_svc().iter().any(|it| it == command) {
        return svc(repl, command, "--help").await;
    }
    svc(repl, if is_code { "explain" } else { "inspect" }, name).await
}

fn type_of(repl: &Repl, text: &str) -> Result<Outcome> {
    let facts = repl.entered.analyse(text).1.facts;
    if let Some(callable) = Callable::named(text, &facts, repl.session.engine.registry()) {
        terminal::print(&format!("{}\n", callable.signature()))?;
        return Ok(Outcome::Done);
    }
    match planned(repl, text)? {
        Ok(plan) => {
            let ty = plan.program().main.as_ref().map_or(Type::Unknown, |it| it.ty.clone());
            terminal::print(&format!("{ty}\n"))?;
            Ok(Outcome::Done)
        }
        Err(outcome) => Ok(outcome),
    }
}

fn plan(repl: &Repl, text: &str, whole: bool) -> Result<Outcome> {
    let plan = match planned(repl, text)? {
        Ok(plan) => plan,
        Err(outcome) => return Ok(outcome),
    };
    let style = repl.session.terminal.out.style();
    let drawn = match reader(&repl.session) {
        _ if !whole => plan.render_totals(style),
        Reader::Terminal { width, .. } => plan.render_within(style, width.into()),
        Reader::Pipe => plan.render(style),
    };
    terminal::print(terminal::styled(&drawn))?;
    Ok(Outcome::Done)
}

/// Plans a text, or the last answer, with the values and caps of the session.
fn planned(repl: &Repl, text: &str) -> Result<std::result::Result<Plan, Outcome>> {
    let text = if text.is_empty() { ANSWER } else { text };
    let answer = repl.entered.answer_text().filter(|_| text == ANSWER);
    let statements = match repl.entered.read(answer.as_deref().unwrap_or(text)) {
        Ok((statements, _)) => statements,
        Err(report) => return Ok(Err(repl.refuse(&report))),
    };
    let Some(last) = statements.into_iter().rfind(Statement::runs) else {
        let help = "add an expression, as in `:type 1 + 1`";
        return Err(Failure::new(USAGE, "there is nothing to run").help(help));
    };
    let plan = repl.entered.plan(&last);
    let engine = &repl.session.engine;
    match plan.map_err(Error::Check).and_then(|it| repl.request(engine, it).plan()) {
        Ok(plan) => Ok(Ok(plan)),
        Err(error) => {
            let error = repl.entered.placed(error, &last);
            terminal::print_err(terminal::styled(&error.render(repl.session.terminal.err.style())));
            Ok(Err(Outcome::Failed(INVALID)))
        }
    }
}

fn names(repl: &Repl) -> Result<Outcome> {
    for binding in repl.entered.bindings() {
        let line = match &binding.value {
            Some((ty, _)) => format!("{}: {ty}", binding.name),
            None => binding.text.lines().find(|it| !it.starts_with('#')).unwrap_or("").to_owned(),
        };
        let first: String = visible(&line).lines().next().unwrap_or_default().to_owned();
        terminal::print(&(first + "\n"))?;
    }
    Ok(Outcome::Done)
}

fn set(repl: &mut Repl, rest: &str) -> Result<Outcome> {
    let Some((key, value)) = rest.split_once(char::is_whitespace) else {
        return show_settings(repl, rest);
    };
    let set = repl.settings.set(key, value.trim().trim_start_matches('=').trim());
    set.map_err(|why| Failure::new(USAGE, why))?;
    Ok(Outcome::Done)
}

fn show_settings(repl: &Repl, only: &str) -> Result<Outcome> {
    let wanted = settings::KEYS.iter().filter(|(key, _)| only.is_empty() || *key == only);
    let lines: Vec<String> = wanted
        .map(|(key, does)| format!("  {key:<11} {:<9} {does}\n", repl.settings.shown(key)))
        .collect();
    if lines.is_empty() {
        return Err(Failure::new(USAGE, format!("unknown setting `{only}`")));
    }
    terminal::print(&lines.concat())?;
    let spent = repl.spent;
    repl.remark(&format!("spent so far: {}, {} tokens", spent.cost, spent.tokens))?;
    Ok(Outcome::Done)
}

fn param(repl: &mut Repl, rest: &str) -> Result<Outcome> {
    let Some((name, value)) = rest.split_once([' ', '=']) else {
        return Err(Failure::new(USAGE, "expected `:param NAME VALUE`"));
    };
    repl.entered.give(name, value.trim());
    Ok(Outcome::Done)
}

fn more(repl: &mut Repl, all: bool) -> Result<Outcome> {
    if !repl.has_rest() {
        repl.remark("no more lines of the last value")?;
    }
    let rows = if all { usize::MAX } else { repl.settings.rows() };
    repl.show_rest(rows)?;
    Ok(Outcome::Done)
}

/// Shows a value in another view than that of the settings.
fn picture(repl: &mut Repl, name: &str, view: &str) -> Result<Outcome> {
    let name = if name.is_empty() { ANSWER } else { name };
    let mut bindings = repl.entered.bindings().into_iter();
    let bound = bindings.find(|it| it.name.as_ref() == name).and_then(|it| it.value);
    let (_, value) = bound.ok_or_else(|| Failure::new(FAILED, format!("`{name}` has no value")))?;
    let before = repl.settings.clone();
    repl.settings.set("view", view).map_err(|why| Failure::new(USAGE, why))?;
    let shown = repl.show_value(&value);
    repl.settings = before;
    shown.map(|()| Outcome::Done)
}

fn forget(repl: &mut Repl, name: &str) -> Result<Outcome> {
    if repl.entered.forget(name) {
        Ok(Outcome::Done)
    } else {
        Err(Failure::new(FAILED, format!("unknown name `{name}`")))
    }
}

fn reset(repl: &mut Repl) -> Outcome {
    repl.entered.reset();
    Outcome::Done
}

/// Runs a command of `svc` with the engine and the store of this session.
async fn svc(repl: &mut Repl, word: &str, rest: &str) -> Result<Outcome> {
    if !of_svc().iter().any(|it| it == word) {
        let known = ALL.iter().map(|(it, ..)| (*it).to_owned()).chain(of_svc());
        let known: Vec<String> = known.collect();
        let near = svc_contract::registry::nearest(word, known.iter().map(String::as_str));
        let help = match near {
            Some(near) => format!("did you mean `:{near}`? list all commands with `:help`"),
            None if RESERVED.contains(&word) => "enter statements without a colon".to_owned(),
            None => "list all commands with `:help`".to_owned(),
        };
        return Err(Failure::new(USAGE, format!("unknown command `:{word}`")).help(help));
    }
    let words = shlex::split(rest).ok_or_else(|| Failure::new(USAGE, "unclosed quote"))?;
    let line = with_run(repl, word, words);
    match Cli::read(line) {
        Ok(cli) => {
            let code = Box::pin(cli.command.execute(&repl.session)).await?;
            Ok(Outcome::of(code))
        }
        Err(err) => {
            terminal::usage(&err);
            Ok(Outcome::of(u8::try_from(err.exit_code()).unwrap_or(USAGE)))
        }
    }
}

/// The command line of a command, with the last line and the store of this session as defaults.
fn with_run(repl: &Repl, word: &str, mut words: Vec<String>) -> Vec<OsString> {
    let takes_store = command_line()
        .find_subcommand(word)
        .is_some_and(|it| it.get_arguments().any(|it| it.get_id() == "store"));
    let is_run = |it: &String| it == "last" || repl.session.engine.kept_run(it).is_ok();
    if OF_RUNS.contains(&word)
        && !words.first().is_some_and(is_run)
        && !words.contains(&"--help".to_owned())
    {
        words.insert(0, "last".to_owned());
    }
    if let Some(store) = repl.store.as_ref().filter(|_| takes_store) {
        words.extend(["--store".to_owned(), store.display().to_string()]);
    }
    let line = ["svc".to_owned(), word.to_owned()].into_iter().chain(words);
    line.map(OsString::from).collect()
}

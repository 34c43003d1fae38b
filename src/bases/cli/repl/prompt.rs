//! The interactive prompt, with line editing and history.

use std::path::PathBuf;

use rustyline::{
    ColorMode, CompletionType, Config, Editor, error::ReadlineError, history::FileHistory,
};
use svc_contract::host::Host;
use svc_lang::{diag::is_hidden, syntax};

use super::{
    super::exit::{FAILED, Failure, OK, Result},
    files,
    helper::Assistant,
    session::{Outcome, Repl},
};

const PROMPT: &str = "svc> ";

/// The prompt for the next line of an unfinished statement.
const MORE: &str = "...> ";

/// The maximum number of lines in the history.
const MOST_LINES: usize = 10_000;

/// Reads and executes lines until the user quits, and returns the exit code.
pub(super) async fn converse(repl: &mut Repl) -> Result<u8> {
    let mut lines = Lines::open(repl)?;
    greet(repl)?;
    // The lines of a statement that is not finished.
    let mut open = String::new();
    loop {
        let helper = assistant(repl, &open);
        lines.editor.set_helper(Some(helper));
        match lines.editor.readline(if open.is_empty() { PROMPT } else { MORE }) {
            Ok(line) if open.is_empty() && line.trim().is_empty() => {}
            Ok(line) => {
                open.push_str(&line);
                if goes_on(repl, &open, &line) {
                    open.push('\n');
                    continue;
                }
                if entered(&mut lines, repl, &std::mem::take(&mut open)).await? == Outcome::Leave {
                    return Ok(OK);
                }
            }
            // The statement is discarded, and the next one begins.
            Err(ReadlineError::Interrupted) => open.clear(),
            Err(ReadlineError::Eof) if !open.is_empty() => open.clear(),
            Err(ReadlineError::Eof) => return Ok(OK),
            Err(err) => {
                return Err(Failure::new(FAILED, format!("cannot read the terminal: {err}")));
            }
        }
    }
}

/// Whether the statement is unfinished. An empty line ends it in any case.
fn goes_on(repl: &Repl, open: &str, line: &str) -> bool {
    let is_over = line.trim().is_empty() || repl.command(open).is_some();
    !is_over && !syntax::is_whole(open)
}

async fn entered(lines: &mut Lines, repl: &mut Repl, text: &str) -> Result<Outcome> {
    if text.contains(is_hidden) {
        let note = format!("the line contains hidden characters: {}", text.trim());
        repl.session.terminal.note(&note);
    }
    lines.remember(text.trim_end_matches('\n'), repl);
    repl.execute(text).await
}

fn assistant(repl: &Repl, open: &str) -> Assistant {
    Assistant::new(repl.entered.clone(), open.to_owned(), repl.session.terminal.out.colour)
}

fn greet(repl: &Repl) -> Result<()> {
    let count = repl.session.engine.registry().components().len();
    let version = env!("CARGO_PKG_VERSION");
    repl.remark(&format!(
        "svc {version}, {count} components · Tab completes, :help lists the commands"
    ))
}

/// The line editor and its history.
struct Lines {
    editor: Editor<Assistant, FileHistory>,
    file: Option<PathBuf>,
}

impl Lines {
    fn open(repl: &mut Repl) -> Result<Self> {
        let config = Config::builder()
            .completion_type(CompletionType::List)
            .completion_show_all_if_ambiguous(true)
            .max_history_size(MOST_LINES)
            .and_then(|it| it.history_ignore_dups(true))
            .map_err(|err| unusable(&err))?
            .history_ignore_space(true)
            // The helper decides about colour; with this mode off, its output would be ignored.
            .color_mode(ColorMode::Enabled)
            .tab_stop(4)
            .build();
        let mut editor = Editor::with_config(config).map_err(|err| unusable(&err))?;
        let host = repl.session.engine.host();
        let file = files::history_file(host).filter(|it| is_usable(host, it));
        if let Some(file) = &file {
            // An unreadable history counts as empty.
            let _ = editor.load_history(file);
        }
        repl.lines = editor.history().iter().cloned().collect();
        Ok(Self { editor, file })
    }

    /// Adds a line to the history at once, because running it may end the process.
    fn remember(&mut self, line: &str, repl: &mut Repl) {
        let added = self.editor.add_history_entry(line).unwrap_or(false);
        if !added {
            return;
        }
        repl.lines.push(line.to_owned());
        if let Some(file) = &self.file
            && self.editor.append_history(file).is_err()
        {
            let message = format!("cannot write `{}`: no history is saved", file.display());
            repl.session.terminal.note(&message);
            self.file = None;
        }
    }
}

/// Creates the folder of the history if it does not exist.
fn is_usable(host: &dyn Host, file: &std::path::Path) -> bool {
    host.stat(file).is_ok() || host.write(file, b"#V2\n").is_ok()
}

fn unusable(err: &ReadlineError) -> Failure {
    Failure::new(FAILED, format!("cannot use the terminal: {err}"))
}

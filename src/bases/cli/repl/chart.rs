//! `:chart`: a value as a picture, on the screen or in a file.

use std::path::Path;

use svc_api::charts::{self, ChartAsked, Glyph, Letters, MARKS};
use svc_assist::session::ANSWER;
use svc_contract::{registry::OpError, value::Value};
use svc_lang::diag::visible_line;

use super::{
    super::{
        exit::{FAILED, Failure, Result, USAGE},
        run::reader,
        screen,
        show::Reader,
        terminal,
    },
    session::{Outcome, Repl},
};

/// The pixels of a letter.
const LETTER: (usize, usize) = (8, 16);

/// The size of a picture on the screen, in letters; a pipe has no width of its own.
const WIDTH_OF_PIPE: usize = 80;
const HIGHEST: usize = 24;
const LOWEST: usize = 8;
const WIDEST: usize = 160;
const NARROWEST: usize = 20;

/// The size of a picture in a file, in pixels.
const SIZE_OF_FILE: (usize, usize) = (800, 480);

/// The codes of the colours of series: the dark ones, then the same in bold.
const COLOURS: [&str; 10] = ["34", "33", "32", "35", "36", "31", "1;34", "1;33", "1;35", "1;36"];

/// What was entered behind `:chart`.
#[derive(Debug, Default)]
struct Entered {
    asked: ChartAsked,
    name: Option<String>,
    file: Option<String>,
}

/// Draws a value.
pub(super) async fn chart(repl: &Repl, rest: &str) -> Result<Outcome> {
    let words = shlex::split(rest).ok_or_else(|| Failure::new(USAGE, "unclosed quote"))?;
    let mut entered = read(words)?;
    let value = value(repl, entered.name.as_deref().unwrap_or(ANSWER))?;
    let size = screen_size(repl);
    entered.asked.size = match entered.file {
        Some(_) => SIZE_OF_FILE,
        None => (size.0 * LETTER.0, size.1 * LETTER.1),
    };
    let svg = charts::svg(&value, &entered.asked, &repl.session.engine).await;
    let svg = svg.map_err(Failure::reading)?;
    match &entered.file {
        Some(file) => save(repl, Path::new(file), &svg).await?,
        None => draw(repl, &svg)?,
    }
    Ok(Outcome::Done)
}

/// The words of the command: a mark, columns, `color=COLUMN`, `of=NAME`, and a file.
fn read(words: Vec<String>) -> Result<Entered> {
    let mut entered = Entered::default();
    for word in words {
        if let Some(color) = word.strip_prefix("color=") {
            entered.asked.color = Some(color.to_owned());
        } else if let Some(name) = word.strip_prefix("of=") {
            entered.name = Some(name.to_owned());
        } else if is_picture(&word) && entered.file.is_none() {
            entered.file = Some(word);
        } else if MARKS.contains(&word.as_str())
            && entered.asked.mark.is_none()
            && entered.asked.columns.is_empty()
        {
            entered.asked.mark = Some(word);
        } else if entered.asked.columns.len() < 2 {
            entered.asked.columns.push(word);
        } else {
            let help = "write `:chart [MARK] [X] [Y] [color=COLUMN] [FILE.svg]`";
            return Err(Failure::new(USAGE, format!("unexpected `{word}`")).help(help));
        }
    }
    Ok(entered)
}

fn is_picture(word: &str) -> bool {
    let word = word.to_lowercase();
    [".svg", ".png"].iter().any(|it| word.ends_with(it))
}

fn value(repl: &Repl, name: &str) -> Result<Value> {
    let bound = repl.entered.bindings().into_iter().find(|it| it.name.as_ref() == name);
    let value = bound.and_then(|it| it.value).map(|it| it.1);
    value.ok_or_else(|| {
        let help = "enter an expression first, or name a value with `of=NAME`";
        Failure::new(FAILED, format!("`{name}` has no value")).help(help)
    })
}

/// The columns and rows of a picture on the screen.
fn screen_size(repl: &Repl) -> (usize, usize) {
    let width = match reader(&repl.session) {
        Reader::Terminal { width, .. } => usize::from(width).saturating_sub(1),
        Reader::Pipe => WIDTH_OF_PIPE,
    };
    let is_terminal = repl.session.terminal.out.is_terminal;
    let height = if is_terminal { screen::size().1.saturating_sub(4) } else { HIGHEST };
    (width.clamp(NARROWEST, WIDEST), height.clamp(LOWEST, HIGHEST))
}

fn draw(repl: &Repl, svg: &str) -> Result<()> {
    let colour = repl.session.terminal.out.colour;
    let letters = charts::letters(svg, !colour).ok_or_else(|| {
        Failure::new(FAILED, "this SVG has no width and height")
            .help("save it with `:chart FILE.svg`")
    })?;
    let text = if colour { coloured(&letters) } else { plain(&letters) };
    terminal::print(terminal::styled(&text))
}

fn plain(lines: &Letters) -> String {
    let line = |line: &Vec<Glyph>| line.iter().map(|it| it.letter).collect::<String>() + "\n";
    lines.iter().map(line).collect()
}

/// The lines with the colours of their series.
fn coloured(lines: &Letters) -> String {
    let mut text = String::new();
    for line in lines {
        for same in line.chunk_by(|a, b| a.series == b.series) {
            let letters: String = same.iter().map(|it| it.letter).collect();
            match same[0].series {
                Some(series) => {
                    let code = COLOURS[series % COLOURS.len()];
                    text += &format!("\x1b[{code}m{letters}\x1b[0m");
                }
                None => text += &letters,
            }
        }
        text.push('\n');
    }
    text
}

async fn save(repl: &Repl, file: &Path, svg: &str) -> Result<()> {
    let engine = &repl.session.engine;
    let is_png = file.extension().is_some_and(|it| it.eq_ignore_ascii_case("png"));
    let written = if is_png {
        charts::png(svg, file, engine).await
    } else {
        engine.host().write(file, svg.as_bytes()).map_err(|err| OpError::io(err, file))
    };
    written.map_err(Failure::reading)?;
    repl.remark(&format!("saved {}", visible_line(&file.display().to_string())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Result<Entered> {
        read(text.split(' ').filter(|it| !it.is_empty()).map(str::to_owned).collect())
    }

    #[test]
    fn words_are_a_mark_columns_and_a_file() {
        let all = words("bar city n color=kind of=rows out/x.SVG").unwrap();
        assert_eq!(all.asked.mark.as_deref(), Some("bar"));
        assert_eq!(all.asked.columns, ["city", "n"]);
        assert_eq!(all.asked.color.as_deref(), Some("kind"));
        assert_eq!((all.name.as_deref(), all.file.as_deref()), (Some("rows"), Some("out/x.SVG")));
        // A column may be called as a mark is.
        assert_eq!(words("bar bar point").unwrap().asked.columns, ["bar", "point"]);
        assert_eq!(words("n").unwrap().asked.mark, None);
        assert_eq!(words("a b c").unwrap_err().message, "unexpected `c`");
    }

    #[test]
    fn series_have_colours() {
        let glyph = |letter, series| Glyph { letter, series };
        let line =
            vec![glyph('a', None), glyph('█', Some(0)), glyph('█', Some(0)), glyph('▄', Some(11))];
        assert_eq!(coloured(&vec![line.clone()]), "a\x1b[34m██\x1b[0m\x1b[33m▄\x1b[0m\n");
        assert_eq!(plain(&vec![line]), "a██▄\n");
    }
}

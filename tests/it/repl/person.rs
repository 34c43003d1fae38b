//! A person at a terminal.

use super::{Place, pty::Screen};

const TAB: &str = "\t";
const CTRL_C: &str = "\u{3}";
const CTRL_D: &str = "\u{4}";
const CTRL_R: &str = "\u{12}";
const UP: &str = "\u{1b}[A";

#[test]
fn from_a_question_to_a_saved_script_that_checks() {
    let place = Place::new();
    let mut screen = Screen::new(&place, &["repl"]);
    screen.sees("svc> ");
    // Completion knows the type of the previous stage.
    screen.press(&format!("search(\"cap\", source: \"docs\") >> summ{TAB}"));
    screen.sees("summary");
    screen.cancels();
    screen.line("search(\"cap\", source: \"docs\")");
    screen.sees("ans: [Hit; max 10]");
    screen.line(">> take(n: 1) >> summary");
    screen.sees("[1] docs/");
    screen.sees("ans: Summary");
    screen.line(":save found.svc");
    screen.sees("saved found.svc; it checks");
    screen.leaves();
    let wanted = "search(\"cap\", source: \"docs\") >> take(n: 1) >> summary\n";
    assert_eq!(place.read("found.svc"), wanted);
    let checked = place.svc(&["check", "found.svc"]).output().unwrap();
    assert!(checked.status.success());
}

#[test]
fn a_saved_script_says_which_params_its_run_needs() {
    let place = Place::new();
    let mut screen = Screen::new(&place, &["repl"]);
    screen.sees("svc> ");
    screen.line("param name: string");
    screen.line(":param name Ada Lovelace");
    screen.line("upper(name)");
    screen.sees("ADA LOVELACE");
    screen.line(":save loud.svc");
    screen.sees("svc run loud.svc -p 'name=Ada Lovelace'");
    screen.leaves();
}

#[test]
fn what_is_open_goes_on_in_the_next_line() {
    let place = Place::new();
    let mut screen = Screen::new(&place, &["repl"]);
    screen.sees("svc> ");
    screen.line("flow twice(x: int) -> int {");
    screen.sees("\n...> ");
    screen.line("  x * 2");
    screen.sees("\n...> ");
    screen.line("}");
    screen.sees("`twice` is declared");
    screen.line("4 >>");
    // Completion and hints know the lines above.
    screen.sees("\n...> ");
    screen.press(&format!("twi{TAB}"));
    screen.sees("twice");
    screen.press("\r");
    screen.sees("8");
    screen.sees("ans: int");
    // The end of a type is not a comparison.
    screen.line("type Row = { n: int }");
    screen.line("'{\"n\": 4}' >> parse_json<Row>");
    screen.sees("ans: Row");
    // An empty line ends an incomplete statement, and Ctrl-C or Ctrl-D discards it.
    screen.line("[1, 2");
    screen.sees("\n...> ");
    screen.line("");
    screen.sees("`[` is never closed");
    for key in [CTRL_C, CTRL_D] {
        screen.sees("\nsvc> ");
        screen.line("[1, 2");
        screen.sees("\n...> ");
        screen.press(key);
    }
    screen.sees("\nsvc> ");
    // A statement of several lines is one entry of the history.
    screen.line("[1,");
    screen.line("2] >> sum");
    screen.sees("ans: int");
    screen.press(&format!("{UP}\r"));
    screen.sees("2] >> sum");
    screen.sees("ans: int");
    screen.line("help");
    screen.sees(":bounds [EXPR]");
    screen.line("exit");
    screen.ends();
}

#[test]
fn ctrl_c_ends_the_line_that_runs_and_no_more() {
    let place = Place::new();
    let mut screen = Screen::new(&place, &["repl"]);
    screen.sees("svc> ");
    screen.line("let kept = 41");
    screen.sees("kept: int");
    for _ in 0..2 {
        screen.line("wait(1, duration: 10m)");
        screen.sees("0 of 1 call");
        screen.press(CTRL_C);
        screen.sees("interrupted after");
    }
    screen.line("kept + 1");
    screen.sees("42");
    screen.leaves();
}

#[test]
fn lines_outlive_a_crash_and_are_found_again() {
    let place = Place::new();
    let mut screen = Screen::new(&place, &["repl"]);
    screen.sees("svc> ");
    screen.line("\"remembered\" >> upper");
    screen.sees("REMEMBERED");
    screen.line("1 + 1");
    screen.sees("ans: int");
    screen.kill();

    let mut screen = Screen::new(&place, &["repl"]);
    screen.sees("svc> ");
    screen.press(UP);
    screen.sees("1 + 1");
    screen.cancels();
    screen.press(&format!("{CTRL_R}remem"));
    screen.sees("\"remembered\" >> upper");
    screen.press("\r");
    screen.sees("REMEMBERED");
    screen.leaves();
}

#[test]
fn what_is_longer_than_the_screen_is_shown_in_parts() {
    let place = Place::new();
    let mut screen = Screen::new(&place, &["repl"]);
    screen.sees("svc> ");
    screen.line("range(1, 101)");
    screen.sees("more lines: `:more` shows the next");
    screen.sees("ans: ");
    screen.line(":set rows 10");
    screen.line(":more");
    screen.sees("more lines");
    screen.line(":all");
    screen.sees("100");
    screen.line(":more");
    screen.sees("no more lines of the last value");
    screen.line("{ a: { b: [1, 2] } }");
    screen.sees("└─ a: {…}");
    screen.sees("└─ b: [1,2]");
    screen.leaves();
}

#[test]
fn the_prompt_helps_while_a_line_is_written() {
    let place = Place::new();
    let mut screen = Screen::new(&place, &["repl", "--no-store"]);
    screen.sees("svc> ");
    screen.press("[1, 2, 3] >> ");
    screen.sees("# [int; max 3]");
    screen.press("take(");
    screen.sees("n: int");
    screen.cancels();
    screen.press(&format!("[1] >> tak{TAB}"));
    screen.sees("take");
    screen.cancels();
    screen.press(&format!("search(\"x\", source: \"do{TAB}"));
    screen.sees("docs/");
    screen.cancels();
    screen.press(&format!(":set max_{TAB}"));
    screen.sees("max_tokens");
    screen.sees("svc> :set max_");
    screen.cancels();
    screen.line("\"a\" >> uper");
    screen.sees("did you mean `upper`?");
    screen.leaves();
}

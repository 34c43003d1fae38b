//! The real memory of processes: the peak of each, as counted by the system.
//!
//! `SVC_SHAPES=all` also runs those that take long in an unoptimized program.

use std::{
    fs,
    path::Path,
    process::{Child, Command, Stdio},
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
    thread,
    time::{Duration, Instant},
};

/// In bytes.
const BOUND: u64 = 200_000_000;

/// A text that repeats `begin` two to the power of `doublings` times.
fn text(begin: &str, doublings: u32) -> String {
    format!("(\"{begin}\" >> repeat {doublings} {{ it + it }} until false else {{ it }})")
}

/// Scripts that exceed the bound, or could, each in a different way.
fn shapes() -> Vec<(&'static str, String)> {
    let large = "y".repeat(150);
    let many = "range(0, 100000)";
    let pile = |code: &str| format!("range(0, 2000) >> each {{ let n = it\n{code} }} >> len");
    let slow = if std::env::var_os("SVC_SHAPES").is_some() {
        vec![
            ("upper", format!("{} >> upper >> len", text("ΐΐΐΐΐΐΐΐΐΐΐΐΐΐΐΐ", 21))),
            (
                "to_json of what is shared",
                format!(
                    "let a = {many}\n{many} >> take(n: 300) >> each {{ a }} >> to_json(pretty: true) >> len"
                ),
            ),
            (
                "show of what is shared",
                format!("let a = {many}\n{many} >> take(n: 900) >> each {{ a }} >> show >> len"),
            ),
            ("find_all", format!("{} >> find_all(pattern: \"x\") >> len", text("x ", 22))),
            (
                "find_all in each",
                format!(
                    "let a = {}\nrange(0, 100) >> each {{ a >> find_all(pattern: \"x\") }} >> len",
                    text("x ", 17)
                ),
            ),
            ("parse_csv", format!("{} >> parse_csv >> len", text("x,y\\n", 22))),
            ("tables", "range(0, 100) >> each { read_jsonl(path: \"large.jsonl\") } >> len".into()),
            ("where of where", pile(&format!("{many} >> where {{ it > n }}"))),
            ("rhai", pile("n >> rhai(n: int) -> [int] { let a = []; a.pad(90000, n); a }")),
        ]
    } else {
        Vec::new()
    };
    let mut shapes = vec![
        ("each of lists", "range(0, 200000) >> each { range(0, 10000) } >> len".into()),
        ("each of each", pile("range(0, 1000) >> each { { a: it, b: n } }")),
        ("each of strings", "range(0, 3000000) >> each { \"${it} and some more text\" } >> len".into()),
        ("strings in records", format!("{many} >> each {{ {{ a: \"${{it}} {large}{large}{large}\", b: [it] }} }} >> each {{ {{ ...it, c: \"${{it.a}}${{it.a}}${{it.a}}${{it.a}}\" }} }} >> len")),
        ("doubling by plus", format!("{} >> len", text("abcdefgh", 40))),
        ("doubling by text", "\"abcdefgh\" >> repeat 40 { \"${it}${it}\" } until false else { it } >> len".into()),
        ("lists in a loop", "param x: [int] = [1]\nx >> repeat 40 { it + it } until false else { it } >> len".into()),
        ("split", format!("{} >> split(sep: \",\") >> len", text("a,", 24))),
        ("lines", format!("{} >> lines >> len", text("a\\n", 24))),
        ("group", "range(0, 3000000) >> group { it } >> len".into()),
        ("sort", "range(0, 6000000) >> sort { 0 - it } >> len".into()),
        ("unique", "range(0, 6000000) >> unique >> len".into()),
        ("chunk", "range(0, 4000000) >> chunk(size: 1) >> len".into()),
        ("enumerate", "range(0, 4000000) >> enumerate >> len".into()),
        ("a result that is shared", format!("let a = {many}\n{many} >> take(n: 900) >> each {{ a }}")),
        ("parse_json", format!("let a = {} >> slice(to: -1)\n\"[${{a}}]\" >> parse_json >> len", text("{},", 24))),
        ("flatten", format!("let a = {many}\n{many} >> take(n: 100) >> each {{ a }} >> flatten >> len")),
        ("join", format!("let a = {}\n{many} >> take(n: 100) >> each {{ a }} >> join >> len", text("x", 21))),
        ("replace", format!("{} >> replace(from: \"x\", to: \"{large}\") >> len", text("x", 20))),
        ("replace_pattern", format!("{} >> replace_pattern(pattern: \"x+,\", with: \"{}\") >> len", text("xxxxxxxxxx,", 17), large.repeat(12))),
        ("parallel", "parallel { a: range(0, 4000000), b: range(0, 4000000), c: range(0, 4000000) } >> len".into()),
        ("lets", "let a = range(0, 4000000)\nlet b = a >> each { it + 1 }\nlet c = a >> each { it + 2 }\nlen(a) + len(b) + len(c)".into()),
        ("flows", "flow f(n: int) -> [[int]] { [range(0, n), range(0, n), range(0, n)] }\nrange(0, 100) >> each { f(100000) } >> len".into()),
        ("variables of rhai", format!("1 >> rhai(n: int) -> int {{ let s = \"xxxxxxxxxxxxxxxx\"; for i in 0..19 {{ s += s; }} {} s.len() }}", (0..60).map(|it| format!("let v{it} = s + \"{it}\";")).collect::<Vec<_>>().join(" "))),
        ("files", "range(0, 100) >> each { read_text(path: \"large.txt\") >> lines } >> len".into()),
        ("a fallback", "range(0, 2000) >> each { ((range(0, 50000)) fallback []) } >> len".into()),
        ("casts", pile("let xs: [float] = range(0, 10000)\nxs")),
    ];
    shapes.extend(slow);
    shapes
}

/// The peak memory of a process, measured until it ends.
fn peak(child: &mut Child) -> u64 {
    let status = format!("/proc/{}/status", child.id());
    let mut most = 0;
    while child.try_wait().unwrap().is_none() {
        let known = fs::read_to_string(&status).unwrap_or_default();
        let line = known.lines().find_map(|it| it.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|it| it.trim().strip_suffix(" kB")?.parse::<u64>().ok());
        most = most.max(kilobytes.unwrap_or(0) * 1024);
        thread::sleep(Duration::from_millis(1));
    }
    most
}

/// Starts a script with the bound.
fn started(folder: &Path, name: &str, script: &str) -> Child {
    let file = folder.join(format!("{name}.svc"));
    fs::write(&file, script).unwrap();
    Command::new(env!("CARGO_BIN_EXE_svc"))
        .args(["run", "--no-store", "--max-memory", "200MB"])
        .arg(&file)
        .current_dir(folder)
        .stdout(Stdio::null())
        .stderr(fs::File::create(folder.join(format!("{name}.err"))).unwrap())
        .spawn()
        .unwrap()
}

fn run(folder: &Path, name: &str, script: &str, program: u64) -> Result<String, String> {
    let begun = Instant::now();
    let mut child = started(folder, name, script);
    let most = peak(&mut child).saturating_sub(program);
    let code = child.wait().unwrap().code();
    let message = fs::read_to_string(folder.join(format!("{name}.err"))).unwrap();
    let share = format!("{most} bytes, {}% of the bound", most * 100 / BOUND);
    let took = begun.elapsed();
    let is_expected = match code {
        // A run that fits shows nothing about the bound, unless it needs much of it.
        Some(0) => most * 2 > BOUND,
        Some(1) => message.contains("[E410]") && message.contains("200MB"),
        _ => false,
    };
    let share =
        format!("{share}, {} after {took:.1?}", if code == Some(0) { "fits" } else { "exhausted" });
    if is_expected && most * 3 <= 4 * BOUND {
        Ok(share)
    } else {
        Err(format!("{name}: {share}, ended with {code:?}\n{message}"))
    }
}

/// What the pages of the program itself take depends on how it was built, and not on the script: most of
/// them are code, which the system can drop.
#[test]
fn no_shape_of_script_takes_more_than_a_third_above_its_bound() {
    let folder = tempfile::tempdir().unwrap();
    let mut idle = started(folder.path(), "idle", "1 >> wait(duration: 300ms)");
    let program = peak(&mut idle);
    assert!(program > 10_000_000 && idle.wait().unwrap().success(), "{program}");
    fs::write(folder.path().join("large.txt"), "a line of text\n".repeat(40_000)).unwrap();
    fs::write(folder.path().join("large.jsonl"), "{\"a\":1,\"b\":[1,2]}\n".repeat(20_000)).unwrap();
    let (shapes, next) = (shapes(), AtomicUsize::new(0));
    let work = || {
        let mut wrong = Vec::new();
        while let Some((name, script)) = shapes.get(next.fetch_add(1, Relaxed)) {
            match run(folder.path(), name, script, program) {
                Ok(share) => say(&format!("{name}: {share}")),
                Err(why) => wrong.push(why),
            }
        }
        wrong
    };
    let wrong: Vec<String> = thread::scope(|scope| {
        let threads: Vec<_> = (0..2).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|it| it.join().unwrap()).collect()
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[expect(clippy::print_stderr, reason = "the figures are for people who read the output")]
fn say(line: &str) {
    eprintln!("{line}");
}

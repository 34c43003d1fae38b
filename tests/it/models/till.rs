//! Processes that are killed at any moment and resumed, with a server that keeps accounts: no cap
//! is overshot.
#![cfg(unix)]

use std::{
    collections::BTreeMap,
    path::Path,
    process::{Child, Command},
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use fastrand::Rng;
use svc_contract::store::Store as _;
use svc_store::SqliteStore;

use super::{
    PRICES,
    kills::svc,
    provider::finishes,
    server::{Reply, Request, Server},
};

/// The number of killed processes; `SVC_CAP_KILLS=2000` kills more.
const KILLS: usize = 12;

/// The cost of an answer: 100 input and 20 output tokens.
const ANSWER: u64 = 100 * 3_000 + 20 * 15_000;

/// The payments to the server, in billionths of a dollar, under each bound that prompts name.
#[derive(Default)]
struct Books {
    spent: BTreeMap<String, u64>,
    wrong: Option<String>,
    seed: u64,
}

impl Books {
    /// Counts a request in full until it is answered. The prompt names the bounds around it, and
    /// their caps: `file:9000000 item0:4000000`.
    fn ask(&mut self, request: &Request) -> Reply {
        let body = &request.body;
        let prompt = body["messages"][0]["content"].as_str().unwrap();
        let output = body["max_tokens"].as_u64().unwrap();
        let full = (512 + prompt.len() as u64) * 3_000 + output * 15_000;
        self.seed += 1;
        let mut rng = Rng::with_seed(self.seed);
        let answer = finishes("openai", "yes");
        let (reply, used) = match rng.u8(0..8) {
            0 => (answer.first_half().cut(), full),
            1 => (answer.in_pieces_of(40).slowly(Duration::from_millis(rng.u64(1..200))), ANSWER),
            2 => (Reply::nothing(), full),
            // Refused requests are not charged.
            3 => (Reply::new(500, "{}"), 0),
            _ => (answer, ANSWER),
        };
        let named = prompt.split(' ').filter_map(|it| it.split_once(':'));
        for (name, cap) in named.chain([("all", "")]) {
            let spent = self.spent.entry(name.to_owned()).or_default();
            let cap = cap.parse().unwrap_or(u64::MAX);
            if *spent + full > cap {
                let wrong = format!("`{name}` has spent {spent} of {cap}, and {full} more");
                self.wrong.get_or_insert(wrong);
            }
            *spent += used;
        }
        reply
    }
}

/// A script, its caps, and the number of its edits.
struct Script {
    file: u64,
    item: u64,
    edits: usize,
}

impl Script {
    fn text(&self) -> String {
        let Self { file, item, edits } = self;
        let dollars = |it: &u64| format!("${}.{:09}", it / 1_000_000_000, it % 1_000_000_000);
        let prompt = |idx: usize| format!("\"file:{file} item{idx}:{item} {edits}\"");
        let items: Vec<String> = (0..4).map(prompt).collect();
        format!(
            "svc 1 within {{ max_cost: {}, max_parallel: 2 }}\n[{}]
                >> each? {{ (ask(max_tokens: 100) >> upper) within {{ max_cost: {}, max_retries: 1 }} }}
                >> compact >> join(sep: \"\")",
            dollars(file),
            items.join(", "),
            dollars(item)
        )
    }
}

/// Lets a process run for a while, and ends it. Returns whether it was killed.
fn disturbed(mut child: Child, server: &Server, rng: &mut Rng, longest: u64) -> bool {
    let (asked, since) = (server.requests().len(), Instant::now());
    let waits = Duration::from_millis(rng.u64(1..longest));
    // Half of them are killed during a request.
    let until_asked = rng.bool();
    while child.try_wait().unwrap().is_none() {
        let has_asked = until_asked && server.requests().len() > asked;
        if has_asked || since.elapsed() > waits * if until_asked { 20 } else { 1 } {
            break;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    let runs = child.try_wait().unwrap().is_none();
    if runs && rng.u8(0..6) == 0 {
        Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
        child.wait().unwrap();
        return false;
    }
    // A process that has ended meanwhile was not killed.
    child.kill().unwrap();
    child.wait().unwrap().code().is_none()
}

/// One script, until it has ended or was disturbed often enough. Returns the number of kills.
fn history(seed: u64, longest: u64) -> usize {
    let (mut rng, place) = (Rng::with_seed(seed), tempfile::tempdir().unwrap());
    let books = Arc::new(Mutex::new(Books { seed: seed * 1_000, ..Books::default() }));
    let kept = books.clone();
    let server = Server::answering(move |request| kept.lock().unwrap().ask(request));
    let (file, item) = (rng.u64(7_000_000..24_000_000), rng.u64(4_000_000..9_000_000));
    let mut script = Script { file, item, edits: 0 };
    let write =
        |script: &Script| std::fs::write(place.path().join("a.svc"), script.text()).unwrap();
    std::fs::write(place.path().join("prices.toml"), PRICES).unwrap();
    write(&script);
    let mut killed = 0;
    for turn in 0..rng.usize(3..8) {
        let mut args = if turn == 0 { vec!["run", "a.svc"] } else { vec!["resume", "last"] };
        if turn > 0 && rng.u8(0..3) == 0 {
            script.edits += 1;
            write(&script);
            args.extend(["--with", "a.svc"]);
        }
        let child = svc(place.path(), &server, &args);
        killed += usize::from(disturbed(child, &server, &mut rng, longest));
        let books = books.lock().unwrap();
        let spent = books.spent.get("all").copied().unwrap_or_default();
        assert_eq!(books.wrong, None, "{seed}: {:?}\n{}", books.spent, script.text());
        let shown = shown(place.path());
        assert!(shown >= spent, "{seed}: {spent} was paid, the store says {shown}");
    }
    killed
}

/// The spending that the latest run reports.
fn shown(folder: &Path) -> u64 {
    let store = SqliteStore::open(&folder.join("runs.db"), 0).unwrap();
    store.run("last").map_or(0, |it| it.used.cost.nanos().unsigned_abs())
}

#[test]
fn no_cap_is_overshot_by_processes_that_are_killed() {
    let wanted = std::env::var("SVC_CAP_KILLS").ok().and_then(|it| it.parse().ok());
    let (wanted, mut killed, mut seed) = (wanted.unwrap_or(KILLS), 0, 0);
    let began = Instant::now();
    // The duration of an undisturbed run on this machine.
    let place = tempfile::tempdir().unwrap();
    let script = Script { file: 90_000_000, item: 9_000_000, edits: 0 };
    std::fs::write(place.path().join("a.svc"), script.text()).unwrap();
    std::fs::write(place.path().join("prices.toml"), PRICES).unwrap();
    let server = Server::start(vec![finishes("openai", "yes")]);
    assert!(svc(place.path(), &server, &["run", "a.svc"]).wait().unwrap().success());
    let longest = u64::try_from(began.elapsed().as_millis()).unwrap().max(2) * 2;
    while killed < wanted {
        killed += history(seed, longest);
        seed += 1;
        assert!(seed < 20 + wanted as u64 * 10, "{killed} of {seed} were killed");
    }
}

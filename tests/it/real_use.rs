//! A script in real use: `examples/sales-by-day.svc` with an API in pages, a CSV file and git, under a
//! policy that allows just that. It is killed in the middle and resumed.
#![cfg(unix)]

use std::{
    fs,
    path::Path,
    process::{Command, Output, Stdio},
    sync::{Arc, Condvar, Mutex},
    time::Duration,
};

use svc_contract::store::{NodeState, Store as _};
use svc_store::SqliteStore;

use crate::models::server::{Reply, Request, Server};

const SCRIPT: &str = include_str!("../../examples/sales-by-day.svc");

const PAGES: usize = 5;

/// Date, product, units and price.
const ORDERS: [(&str, &str, u32, f64); 9] = [
    ("2026-03-02", "tea", 3, 4.5),
    ("2026-03-02", "cup", 1, 12.25),
    ("2026-03-01", "tea", 1, 4.5),
    ("2026-03-04", "pot", 1, 30.0),
    ("2026-03-04", "tin", 2, 6.0),
    ("2026-03-04", "tea", 1, 4.5),
    ("2026-03-05", "jam", 5, 3.2),
    ("2026-03-05", "mug", 1, 9.0),
    ("2026-03-07", "cup", 2, 12.25),
];

/// The products in the order of their first sale.
const PRODUCTS: [&str; 6] = ["tea", "cup", "pot", "tin", "jam", "mug"];

/// The products that are described before the others make the client wait.
const QUICK: [&str; 2] = ["tea", "cup"];

/// The script asks for so many products at once.
const AT_ONCE: usize = 4;

/// What the server was asked for, and what it answered.
#[derive(Default)]
struct Seen {
    asked: Vec<String>,
    answered: Vec<String>,
    is_open: bool,
}

#[derive(Default)]
struct Shop {
    seen: Mutex<Seen>,
    changed: Condvar,
}

impl Shop {
    /// A server that keeps requests for most products waiting until it is opened.
    fn start() -> (Arc<Self>, Server) {
        let shop = Arc::new(Self::default());
        let shared = shop.clone();
        (shop, Server::answering(move |request| shared.answer(request)))
    }

    fn answer(&self, request: &Request) -> Reply {
        let target = request.head.split(' ').nth(1).unwrap().to_owned();
        let mut seen = self.seen.lock().unwrap();
        seen.asked.push(target.clone());
        self.changed.notify_all();
        let product = target.strip_prefix("/api/products/");
        if product.is_some_and(|it| !QUICK.contains(&it)) {
            let was_open = seen.is_open;
            seen = self.changed.wait_while(seen, |it| !it.is_open).unwrap();
            if !was_open {
                // Its client was killed meanwhile.
                return Reply::nothing();
            }
        }
        seen.answered.push(target.clone());
        Reply::new(200, &product.map_or_else(|| page(&target), description))
    }

    fn open(&self) {
        self.seen.lock().unwrap().is_open = true;
        self.changed.notify_all();
    }

    /// Waits until so many requests have arrived.
    fn wait_for(&self, requests: usize) {
        let seen = self.seen.lock().unwrap();
        let patience = Duration::from_mins(1);
        let is_short = |it: &mut Seen| it.asked.len() < requests;
        let (seen, waited) = self.changed.wait_timeout_while(seen, patience, is_short).unwrap();
        assert!(!waited.timed_out(), "only {:?}", seen.asked);
    }

    fn asked(&self) -> Vec<String> {
        self.seen.lock().unwrap().asked.clone()
    }

    /// The answered requests, sorted.
    fn answered(&self) -> Vec<String> {
        let mut answered = self.seen.lock().unwrap().answered.clone();
        answered.sort();
        answered
    }
}

/// A page of orders, with the address of the next one.
fn page(target: &str) -> String {
    let number = target.split_once("page=").map_or(1, |(_, it)| it.parse().unwrap());
    let orders: Vec<String> = ORDERS
        .chunks(ORDERS.len().div_ceil(PAGES))
        .nth(number - 1)
        .unwrap_or_default()
        .iter()
        .map(|(date, product, units, price)| {
            format!(r#"{{"date":"{date}","product":"{product}","units":{units},"price":{price}}}"#)
        })
        .collect();
    let next = if number < PAGES { format!(r#""?page={}""#, number + 1) } else { "null".into() };
    format!(r#"{{"orders":[{}],"next":{next}}}"#, orders.join(","))
}

fn description(id: &str) -> String {
    format!(r#"{{"id":"{id}","name":"Größe {id}"}}"#)
}

/// All requests of one whole run, sorted.
fn whole() -> Vec<String> {
    let pages = (2..=PAGES).map(|it| format!("/api/orders?page={it}"));
    let products = PRODUCTS.iter().map(|it| format!("/api/products/{it}"));
    let mut all: Vec<String> = ["/api/orders".to_owned()].into_iter().chain(pages).collect();
    all.extend(products);
    all.sort();
    all
}

/// The rules that the script needs, each alone.
fn rules(server: &Server) -> [String; 4] {
    let place = server.url.trim_start_matches("http://");
    [
        format!("reads web:{place}"),
        "reads fs:data/campaigns.csv".into(),
        "runs cmd:git".into(),
        "writes fs:out".into(),
    ]
}

/// A folder with the script, its data, a policy, and a repository with three commits.
fn place(rules: &[String]) -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    fs::create_dir(folder.join("data")).unwrap();
    fs::write(folder.join("sales.svc"), SCRIPT).unwrap();
    let campaigns = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/campaigns.csv");
    fs::copy(campaigns, folder.join("data/campaigns.csv")).unwrap();
    fs::write(folder.join("policy.toml"), format!("allow = {rules:?}\n")).unwrap();
    git(folder, "2026-03-01T12:00:00Z", &["init", "--quiet", "shop"]);
    let commits = [
        ("2026-03-02T09:00:00Z", "Show prices"),
        ("2026-03-04T23:30:00Z", "Ünïcode, \"quotes\" and | bars"),
        // Another day in UTC.
        ("2026-03-06T23:30:00-02:00", "Cups in two colours"),
    ];
    for (time, subject) in commits {
        git(&folder.join("shop"), time, &["commit", "--quiet", "--allow-empty", "-m", subject]);
    }
    place
}

fn git(folder: &Path, time: &str, args: &[&str]) {
    let done = Command::new("git")
        .args(["-c", "user.name=Ann", "-c", "user.email=ann@example.com"])
        .args(["-c", "commit.gpgsign=false"])
        .args(args)
        .current_dir(folder)
        .env("GIT_AUTHOR_DATE", time)
        .env("GIT_COMMITTER_DATE", time)
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

fn svc(folder: &Path, args: &[&str]) -> Command {
    let mut svc = Command::new(assert_cmd::cargo::cargo_bin!("svc"));
    svc.args(args)
        .args(["--store", "runs.db", "--policy", "policy.toml"])
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    svc
}

fn run(folder: &Path, server: &Server) -> Command {
    let api = format!("{}/api", server.url);
    svc(folder, &["run", "sales.svc", &api, "-p", "repo=shop", "-p", "out=out"])
}

fn succeeds(done: &Output) {
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

/// Waits until the answers that the server has sent are recorded.
fn recorded(folder: &Path, requests: usize) {
    let count = || {
        let store = SqliteStore::open_reading(&folder.join("runs.db"), 0).ok()?;
        let nodes = store.nodes(&store.run("last").ok()?.id).ok()?;
        let done = nodes.iter().filter(|it| it.state == NodeState::Done);
        Some(done.filter(|it| it.path.ends_with("/request")).count())
    };
    for _ in 0..6_000 {
        if count() == Some(requests) {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("the run never recorded {requests} answers");
}

fn results(folder: &Path) -> (String, String) {
    let read = |name: &str| fs::read_to_string(folder.join("out").join(name)).unwrap();
    (read("sales.md"), read("sales.csv"))
}

#[test]
fn a_killed_run_asks_only_for_what_was_not_answered() {
    let (shop, server) = Shop::start();
    let place = place(&rules(&server));
    let mut killed = run(place.path(), &server).spawn().unwrap();
    let before = PAGES + QUICK.len() + AT_ONCE;
    shop.wait_for(before);
    recorded(place.path(), QUICK.len());
    killed.kill().unwrap();
    assert_eq!(killed.wait().unwrap().code(), None, "it was killed by a signal");
    assert!(!place.path().join("out/sales.md").exists(), "it was killed in the middle");
    assert_eq!((shop.asked().len(), shop.answered().len()), (before, PAGES + QUICK.len()));

    shop.open();
    succeeds(&svc(place.path(), &["resume", "last"]).output().unwrap());
    assert_eq!(shop.answered(), whole(), "every answer was sent once");
    // Those that were under way when the run was killed had no answer.
    assert_eq!(shop.asked().len(), whole().len() + AT_ONCE);

    let (report, table) = results(place.path());
    assert!(report.starts_with("# Sales by day\n\n5 days, 126.25 in total.\n"), "{report}");
    let day = "## 2026-03-02\n\nOrders: 2. Total: 25.75. Most sold: Größe tea. \
               Campaign: Spring newsletter ($120.00).\n\n- Show prices\n\n## 2026-03-04\n";
    assert!(report.contains(day), "{report}");
    assert!(report.contains("- Ünïcode, \"quotes\" and | bars\n"), "{report}");
    let rows = "\u{feff}date,orders,total,best,campaign,commits\n\
                2026-03-01,1,4.50,Größe tea,,0\n\
                2026-03-02,2,25.75,Größe tea,Spring newsletter,1\n\
                2026-03-04,3,46.50,Größe tin,\"Tea, two for one\",1\n\
                2026-03-05,2,25.00,Größe jam,,0\n\
                2026-03-07,1,24.50,Größe cup,Poster at the station,1\n";
    assert_eq!(table, rows);

    // Nothing is left to do, and an undisturbed run writes the same.
    succeeds(&svc(place.path(), &["resume", "last"]).output().unwrap());
    assert_eq!(shop.answered(), whole());
    let other = self::place(&rules(&server));
    succeeds(&run(other.path(), &server).output().unwrap());
    assert_eq!(results(other.path()), (report, table));
}

/// A policy that allows one thing less refuses the script before it has done anything.
#[test]
fn a_policy_that_allows_less_refuses_the_script() {
    let (shop, server) = Shop::start();
    shop.open();
    for (idx, missing) in rules(&server).iter().enumerate() {
        let mut others = rules(&server).to_vec();
        others.remove(idx);
        let place = place(&others);
        let done = run(place.path(), &server).output().unwrap();
        let message = String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(7), "{message}");
        assert!(message.contains("error[E315]"), "{message}");
        assert!(message.contains(missing.split(':').next().unwrap()), "{missing}: {message}");
        assert!(!place.path().join("out").exists(), "{missing}");
    }
    assert_eq!(shop.asked(), Vec::<String>::new());
}

/// The policy that comes with the example allows the example.
#[test]
fn the_policy_of_the_example_is_enough() {
    let refused = |api: &str| {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/sales-by-day.svc");
        let done = Command::new(assert_cmd::cargo::cargo_bin!("svc"))
            .args(["plan", script.to_str().unwrap(), api, "-p", "repo=."])
            .args(["--policy", script.with_extension("toml").to_str().unwrap()])
            .output()
            .unwrap();
        (done.status.code(), String::from_utf8(done.stderr).unwrap())
    };
    assert_eq!(refused("https://shop.example/api"), (Some(0), String::new()));
    let (code, message) = refused("https://shop.example.net/api");
    assert_eq!(code, Some(7), "{message}");
    assert!(message.contains("web:shop.example.net"), "{message}");
}

//! No cap is overshot, however often a run is killed, cancelled, fails, is resumed, and is resumed
//! with an edited script: according to the accounts of the provider.

mod script;
mod till;

use std::{
    path::{Path, PathBuf},
    pin::pin,
    sync::Arc,
    task::Poll,
    time::Duration,
};

use fastrand::Rng;
use svc::{Engine, Error};
use svc_contract::{registry::Usage, store::Store as _, value::Money};
use svc_host_os::test::TestHost;
use svc_store::SqliteStore;
use tokio_util::sync::CancellationToken;

use script::Script;
use till::Most;

use crate::proofs::{Trace, Watch};

/// The number of runs; `SVC_CAP_RUNS=100000` sets another one, and `SVC_CAP_SEED` the first seed.
const RUNS: u64 = 400;

/// The external events of a run.
#[derive(Clone, Copy, Debug)]
enum Fate {
    Ends,
    /// Killed after this many steps; committed data remains.
    Killed(usize),
    Cancelled(usize),
}

/// A script and all its runs.
struct History {
    seed: u64,
    rng: Rng,
    script: Script,
    folder: tempfile::TempDir,
    stores: usize,
    most: Most,
    /// A protocol of everything that happened, to be shown on failure.
    shown: String,
    was_killed: bool,
    runs: u64,
    /// What an observer sees of the current start, and of all of them.
    watch: Arc<Watch>,
    /// Whether the current start has an edited script.
    edits: bool,
    trace: Trace,
}

/// A folder in memory, if possible.
fn folder() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() {
        tempfile::tempdir_in(memory).unwrap()
    } else {
        tempfile::tempdir().unwrap()
    }
}

/// Advances time quickly, but not while the store writes, because that would be a wait for another
/// thread.
async fn clock() {
    loop {
        let waits = tokio::task::spawn_blocking(|| std::thread::sleep(Duration::from_micros(100)));
        waits.await.unwrap();
        tokio::time::advance(Duration::from_millis(50)).await;
    }
}

impl History {
    fn new(seed: u64) -> Self {
        let mut rng = Rng::with_seed(seed);
        let script = Script::random(&mut rng);
        let (most, shown) = (Most::default(), String::new());
        Self {
            seed,
            rng,
            script,
            folder: folder(),
            stores: 0,
            most,
            shown,
            was_killed: false,
            runs: 0,
            watch: Arc::default(),
            edits: false,
            trace: Trace::default(),
        }
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join(format!("{}.db", self.stores))
    }

    fn engine(&mut self) -> (Engine, Arc<SqliteStore>) {
        let host = TestHost::new().seeded(self.rng.u64(..));
        let store = Arc::new(SqliteStore::open(&self.file(), 0).unwrap());
        let engine = svc::engine().with(&[&till::COMPONENT]).with_host(Arc::new(host));
        (engine.with_store(store.clone()).with_observer(self.watch.clone()), store)
    }

    /// A run, and its continuations.
    fn happen(&mut self) {
        till::open(self.rng.f64() * 0.5, self.rng.f64() * 0.4);
        let mut begun = self.go(false, false);
        for _ in 0..self.rng.usize(1..6) {
            if !begun {
                return;
            }
            let edits = self.rng.u8(0..3) == 0;
            begun = self.go(true, edits);
        }
    }

    /// One run. Returns whether it can be resumed.
    fn go(&mut self, resumes: bool, edits: bool) -> bool {
        let before = self.script.clone();
        self.edits = edits;
        if edits {
            self.script.edit(&mut self.rng);
        }
        let ((engine, store), text) = (self.engine(), self.script.text());
        let request = match (resumes, edits) {
            (false, _) => Ok(engine.run(text.as_str())),
            (true, false) => engine.resume("last"),
            (true, true) => engine.resume_with("last", text.as_str()),
        };
        // A run that was killed too early does not exist.
        let Ok(mut request) = request else { return false };
        let mut most = self.most;
        if self.rng.u8(0..3) == 0 {
            most.cents = Some(self.rng.u64(5..90));
        }
        if self.rng.u8(0..6) == 0 {
            most.tokens = Some(self.rng.u64(50..1_500));
        }
        if let Some(cents) = most.cents {
            request = request.max_cost(Money::cents(i64::try_from(cents).unwrap()));
        }
        if let Some(tokens) = most.tokens {
            request = request.max_tokens(tokens);
        }
        till::cap(most);
        let fate = match self.rng.u8(0..4) {
            0 => Fate::Ends,
            1 => Fate::Cancelled(self.rng.usize(1..40)),
            _ => Fate::Killed(self.rng.usize(1..40)),
        };
        let ended = self.ended(request, &store, fate);
        let how = match &ended {
            None => "it is gone".to_owned(),
            Some(Ok(_)) => "it ended well".to_owned(),
            Some(Err(err)) => err.to_string(),
        };
        let did = if edits { &text } else { "" };
        let first = if resumes { did } else { &text };
        self.shown += &format!("{fate:?} under {most:?}: {how}; paid {}\n{first}", till::total());
        if let Some(wrong) = till::wrong() {
            panic!("{}: {wrong}\n{}", self.seed, self.shown);
        }
        match ended {
            // It would not have run: nothing has changed.
            Some(Err(Error::Check(_))) => {
                self.script = before;
                resumes
            }
            Some(Err(Error::Run { error, .. })) if error.kind().name() == "bug" => {
                panic!("{}: {error}\n{}", self.seed, self.shown)
            }
            ended => {
                self.runs += 1;
                self.most = most;
                self.compare(store, ended.is_none());
                true
            }
        }
    }

    fn ended(
        &mut self,
        request: svc::Request<'_>,
        store: &SqliteStore,
        fate: Fate,
    ) -> Option<Result<svc::Response, Error>> {
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
        let cancel = CancellationToken::new();
        let request = request.cancelled_by(cancel.clone());
        let mut steps = 0;
        let (file, mut is_gone) =
            (self.folder.path().join(format!("{}.db", self.stores + 1)), false);
        let ended = runtime.unwrap().block_on(async {
            let mut run = pin!(std::future::IntoFuture::into_future(request));
            let driven = std::future::poll_fn(|cx| {
                steps += 1;
                match fate {
                    Fate::Killed(at) if at == steps => {
                        // The data committed now is what a crash leaves.
                        store.backup(&file).unwrap();
                        is_gone = true;
                        return Poll::Ready(None);
                    }
                    Fate::Cancelled(at) if at == steps => cancel.cancel(),
                    _ => {}
                }
                run.as_mut().poll(cx).map(Some)
            });
            tokio::select! {
                biased;
                ended = driven => ended,
                () = clock() => None,
            }
        });
        if is_gone {
            self.stores += 1;
            self.was_killed = true;
        }
        ended
    }

    /// The reported spending of the run equals the payments; after a kill it may be more, but never
    /// less.
    fn compare(&mut self, store: Arc<SqliteStore>, is_gone: bool) {
        let store =
            if is_gone { Arc::new(SqliteStore::open(&self.file(), 0).unwrap()) } else { store };
        let caps = (self.most.caps(), till::caps_of as crate::proofs::Named);
        self.trace.add(&self.watch, &*store, caps, self.edits);
        let paid = till::total();
        let Ok(run) = store.run("last") else {
            assert_eq!(paid, Usage::default(), "{}: {}", self.seed, self.shown);
            return;
        };
        let counted = store
            .payments(&run.id)
            .unwrap()
            .iter()
            .fold(Usage::default(), |sum, it| sum.plus(it.counts()));
        let why =
            || format!("{}: the run says {}, {paid} was paid\n{}", self.seed, run.used, self.shown);
        assert_eq!(run.used, counted, "{}", why());
        let is_enough = counted.tokens >= paid.tokens && counted.cost >= paid.cost;
        assert!(if self.was_killed { is_enough } else { counted == paid }, "{}", why());
    }
}

#[expect(clippy::print_stdout, reason = "long rounds say how much they did")]
#[test]
fn no_cap_is_overshot_by_runs_that_are_killed_and_go_on() {
    let asked = |name| std::env::var(name).ok().and_then(|it| it.parse().ok());
    let wanted = asked("SVC_CAP_RUNS").unwrap_or(RUNS);
    let (mut runs, mut seed, mut calls) = (0, asked("SVC_CAP_SEED").unwrap_or(0), 0);
    while runs < wanted {
        let mut history = History::new(seed);
        history.happen();
        (runs, seed, calls) = (runs + history.runs, seed + 1, calls + till::calls() as u64);
    }
    println!("{runs} runs, {calls} calls");
    assert!(calls > runs, "{calls} calls were paid in {runs} runs");
}

/// What happened in the runs of as many histories.
pub(crate) fn traces(histories: u64, seed: u64) -> Vec<Trace> {
    let history = |seed| {
        let mut history = History::new(seed);
        history.happen();
        history.trace
    };
    (seed..seed + histories).map(history).collect()
}

/// The places of a scope in a script.
const PLACES: &[&str] = &[
    "HEAD >> SCOPE",
    "HEAD >> parallel { a: SCOPE, b: it }",
    "HEAD >> parallel { a?: SCOPE, b: it }",
    "HEAD >> parallel { a?: parallel { b?: SCOPE, c: it }, d: it }",
    "[HEAD] >> each { SCOPE }",
    "[HEAD] >> each? { SCOPE }",
    "HEAD >> repeat 1 { SCOPE } until it == \"\" else { it }",
    "HEAD >> repeat 1 { it } until it == \"\" else { SCOPE }",
    "HEAD >> repeat 2 { repeat 1 { it } until it == \"\" else { SCOPE } } until it == \"\" else { it }",
    "HEAD >> repeat 1 { it } until it == \"\" else { it } >> repeat 1 { it } until it == \"\" else { SCOPE }",
    "HEAD >> if len(it) > 0 { SCOPE } else { it }",
    "HEAD >> match it { \"\" => it, _ => SCOPE }",
    "HEAD >> (it >> fail) fallback (\"run\" >> SCOPE)",
    "flow f(x: string) -> string { x >> SCOPE }\nHEAD >> f",
    "flow f(x: string) -> string { x >> SCOPE }\nHEAD >> parallel { a?: f, b: it }",
    "flow f(x: string) -> string { x >> SCOPE }\nHEAD >> twice(flow: f)",
];

#[test]
fn spending_stays_with_a_scope_when_an_edit_moves_it() {
    for place in PLACES {
        let is_run_twice = place.contains("twice") || place.contains("repeat 2");
        let calls = if is_run_twice { 2 } else { 1 };
        assert_eq!(paid_after_an_edit(place, 49), 49 * calls, "{place}");
        assert_eq!(paid_after_an_edit(place, 50), 0, "{place}");
    }
}

/// The payments in a scope of 90 tokens that has spent 41, after an edit that puts another scope
/// before it.
fn paid_after_an_edit(place: &str, tokens: u64) -> u64 {
    let mut history = History::new(0);
    till::open(0.0, 1.0);
    let scope =
        |tokens| format!("(it >> pay(cents: 0, tokens: {tokens})) within {{ max_tokens: 90 }}");
    let script = |stages: &str| place.replace("HEAD", "\"run\"").replace("SCOPE", stages);
    let before = script(&scope(41));
    let after = script(&format!("((it >> back) within {{ max_tokens: 8 }} >> {})", scope(tokens)));
    let ((engine, _), runtime) =
        (history.engine(), tokio::runtime::Builder::new_current_thread().enable_all().build());
    runtime.unwrap().block_on(async {
        engine.run(before.as_str()).await.unwrap();
        let paid = till::total().tokens;
        let request = engine.resume_with("last", after.as_str()).unwrap();
        if let Err(Error::Check(problems)) = request.await {
            panic!("{after}: {problems:?}");
        }
        till::total().tokens - paid
    })
}

/// A race runs the branch that won before, and if it fails, the others: a bound inside counts both runs.
#[test]
fn spending_stays_with_a_scope_when_its_race_is_run_again() {
    let mut history = History::new(0);
    let ((engine, _), runtime) =
        (history.engine(), tokio::runtime::Builder::new_current_thread().enable_all().build());
    let script = |input: &str, branch: &str| {
        let pays = "pay(cents: 0, tokens: 40) within { max_retries: 0 }";
        let branch = branch.replace("PAYS", pays);
        format!(
            "flow f(x: string) -> string within {{ max_tokens: 90 }} {{ x >> {pays} }}\n\
             \"{input}\" >> race {{ a: {branch}, b: fail(\"no\") }}"
        )
    };
    for (branch, calls) in
        [("(it >> PAYS) within { max_tokens: 90 }", 1), ("f", 1), ("twice(flow: f)", 2)]
    {
        runtime.as_ref().unwrap().block_on(async {
            till::open(0.0, 1.0);
            engine.run(script("run", branch).as_str()).await.unwrap();
            assert_eq!(till::total().tokens, 40 * calls, "{branch}");
            // Now every call fails after it was paid.
            till::open(1.0, 1.0);
            let edited = script("run/other", branch);
            engine.resume_with("last", edited.as_str()).unwrap().await.unwrap_err();
            assert_eq!(till::total().tokens, 40 * calls, "{branch}: 40 of 90 were left");
        });
    }
}

/// What is paid by a run, and then by one with an edited script, which must end well or not. Every
/// call reports what it has reserved.
fn paid_before_and_after(before: &str, after: &str, ends_well: bool) -> (u64, u64) {
    let mut history = History::new(0);
    till::open(0.0, 1.0);
    let ((engine, _), runtime) =
        (history.engine(), tokio::runtime::Builder::new_current_thread().enable_all().build());
    runtime.unwrap().block_on(async {
        engine.run(before).await.unwrap();
        let paid = till::total().tokens;
        let ended = engine.resume_with("last", after).unwrap().await;
        assert_eq!(ended.is_ok(), ends_well, "{after}: {:?}", ended.err());
        (paid, till::total().tokens - paid)
    })
}

/// The second call of a flow by an op is known as the second one, if what it gets has changed.
#[test]
fn spending_stays_with_a_callback_whose_input_changes() {
    let script = |input: &str, tokens: u64| {
        format!(
            "flow f(x: string) -> string {{ (x >> pay(cents: 0, tokens: {tokens})) within {{ max_tokens: 90 }} }}\n\
             \"{input}\" >> twice(flow: f)"
        )
    };
    let paid = |tokens, ends_well| {
        paid_before_and_after(&script("run", 45), &script("run/other", tokens), ends_well)
    };
    assert_eq!(paid(45, true), (90, 90));
    assert_eq!(paid(46, false), (90, 0), "45 of 90 are left of each");
}

/// A winner that fails now after a call that it has paid for does not make that call again.
#[test]
fn a_race_does_not_pay_for_its_former_winner_twice() {
    let script = |input: &str| {
        let a = "it >> pay(cents: 0, tokens: 40) >> if contains(it, \"other\") { fail(\"no\") } else { it }";
        format!("\"{input}\" >> race {{ a: ({a}), b: fail(\"no\") }}")
    };
    assert_eq!(paid_before_and_after(&script("run"), &script("run/other"), false), (40, 40));
}

//! A clock that is set back, between runs and during a run.

use std::{
    future::Future,
    io::{self, Read},
    path::{Path, PathBuf},
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use svc::Engine;
use svc_contract::{
    host::{DirEntry, Host, Stat, http},
    store::{Filter, RunId, RunState, Store as _},
};
use svc_host_os::test::TestHost;
use svc_store::SqliteStore;

use crate::{components, meter::Meter};

/// A machine whose clock is controlled by the test, and goes back by an hour at each reading.
struct Clock {
    host: TestHost,
    now: AtomicI64,
    back: i64,
}

const NOON: i64 = 1_800_000_000_000;
const HOUR: i64 = 3_600_000;

impl Clock {
    fn at(now: i64, back: i64) -> Arc<Self> {
        Arc::new(Self { host: TestHost::new(), now: AtomicI64::new(now), back })
    }
}

impl Host for Clock {
    fn now(&self) -> i64 {
        self.now.fetch_sub(self.back, Ordering::SeqCst)
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn Read + Send>> {
        self.host.open(path)
    }

    fn stat(&self, path: &Path) -> io::Result<Stat> {
        self.host.stat(path)
    }

    fn walk(&self, root: &Path) -> Box<dyn Iterator<Item = io::Result<DirEntry>> + Send> {
        self.host.walk(root)
    }

    fn write(&self, path: &Path, content: &[u8]) -> io::Result<()> {
        self.host.write(path, content)
    }

    fn current_dir(&self) -> io::Result<PathBuf> {
        self.host.current_dir()
    }

    fn cache_dir(&self) -> io::Result<PathBuf> {
        self.host.cache_dir()
    }

    fn env(&self, name: &str) -> Option<String> {
        Host::env(&self.host, name)
    }

    fn http(&self, request: http::Request) -> http::Answer {
        self.host.http(request)
    }

    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        self.host.sleep(duration)
    }

    fn chance(&self) -> f64 {
        self.host.chance()
    }
}

fn engine(store: &Arc<SqliteStore>, clock: Arc<Clock>, meter: &Arc<Meter>) -> Engine {
    let engine = svc::engine().with(components::ALL).with_host(clock);
    engine.with_observer(meter.clone()).with_store(store.clone())
}

const SCRIPT: &str =
    r#"["a", "b"] >> each { paid(max_tokens: 10) } >> join(sep: "-") >> append_log"#;

#[tokio::test(start_paused = true)]
async fn runs_keep_their_order_when_the_clock_is_set_back() {
    let store = Arc::new(SqliteStore::in_memory().unwrap());
    let meter = Arc::new(Meter::default());
    let mut began = Vec::new();
    for hours in [0, -1, -20, -20, 0, 3, -400_000, -700_000] {
        let engine = engine(&store, Clock::at(NOON + hours * HOUR, 0), &meter);
        let request = engine.run("1 + 1");
        began.push(request.id().unwrap().clone());
        request.await.unwrap();
        assert_eq!(store.run("last").unwrap().id, *began.last().unwrap(), "the latest is `last`");
    }
    assert!(began.is_sorted() && began.windows(2).all(|it| it[0] != it[1]), "{began:?}");
    let listed: Vec<RunId> =
        store.runs(&Filter::default()).unwrap().into_iter().map(|it| it.id).collect();
    began.reverse();
    assert_eq!(listed, began);
}

#[tokio::test(start_paused = true)]
async fn a_run_goes_on_before_it_began() {
    let store = Arc::new(SqliteStore::in_memory().unwrap());
    let meter = Arc::new(Meter::default());
    // The clock goes back during the run, and is far back when it resumes.
    let first = engine(&store, Clock::at(NOON, HOUR), &meter);
    first.run(SCRIPT).await.map(|it| it.value).unwrap_err();
    for clock in [Clock::at(NOON - 100 * HOUR, HOUR), Clock::at(-5, 0), Clock::at(i64::MIN, 0)] {
        let again = engine(&store, clock, &meter);
        let resumed = again.resume("last").unwrap().retry_write("append_log");
        resumed.await.map(|it| it.value).unwrap_err();
        assert_eq!(meter.counted().attempts, 2, "no call was paid for twice");
        let run = store.run("last").unwrap();
        assert_eq!(run.state, RunState::Failed);
        assert!(run.ended.unwrap() >= run.started, "{run:?}");
    }
    assert_eq!(store.runs(&Filter::default()).unwrap().len(), 1);
    assert_eq!(store.check().unwrap().problems, [""; 0]);
}

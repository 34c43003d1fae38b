//! Shared helpers for the tests of this cluster.

use std::{
    io::{self, Read},
    path::{Path, PathBuf},
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use svc_contract::{
    host::{DirEntry, Host, Stat, http},
    registry::{Compute, Cx, Meter, Monitor, OpError, ParamDefault},
    value::{Value, json},
};
use svc_host_os::test::TestHost;
use tokio_util::sync::CancellationToken;

struct Quiet;

impl Monitor for Quiet {
    fn progress(&self, _: &str, _: u64, _: Option<u64>) {}
    fn notice(&self, _: &str) {}
}

/// A context with an empty world.
pub(super) fn cx() -> Cx {
    let cancel = CancellationToken::new();
    Cx::new("test", Arc::new(TestHost::new()), cancel, Arc::new(Quiet), Meter::default())
}

/// A world without files, in which each look at the clock takes some milliseconds.
struct Ticking {
    now: AtomicI64,
    step: i64,
}

impl Host for Ticking {
    fn open(&self, _: &Path) -> io::Result<Box<dyn Read + Send>> {
        Err(io::ErrorKind::NotFound.into())
    }

    fn stat(&self, _: &Path) -> io::Result<Stat> {
        Err(io::ErrorKind::NotFound.into())
    }

    fn walk(&self, _: &Path) -> Box<dyn Iterator<Item = io::Result<DirEntry>> + Send> {
        Box::new(std::iter::empty())
    }

    fn write(&self, _: &Path, _: &[u8]) -> io::Result<()> {
        Err(io::ErrorKind::NotFound.into())
    }

    fn current_dir(&self) -> io::Result<PathBuf> {
        Ok(PathBuf::new())
    }

    fn cache_dir(&self) -> io::Result<PathBuf> {
        Ok(PathBuf::new())
    }

    fn env(&self, _: &str) -> Option<String> {
        None
    }

    fn http(&self, _: http::Request) -> http::Answer {
        Box::pin(std::future::ready(Err(io::ErrorKind::NotFound.into())))
    }

    fn now(&self) -> i64 {
        self.now.fetch_add(self.step, Ordering::Relaxed)
    }

    fn sleep(&self, _: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(std::future::ready(()))
    }

    fn chance(&self) -> f64 {
        0.0
    }
}

/// A context in which each look at the clock takes some milliseconds.
pub(super) fn ticking(step: i64) -> Cx {
    let host = Arc::new(Ticking { now: AtomicI64::new(0), step });
    Cx::new("test", host, CancellationToken::new(), Arc::new(Quiet), Meter::default())
}

/// A context whose call was cancelled.
pub(super) fn cancelled() -> Cx {
    let cx = cx();
    cx.cancel.cancel();
    cx
}

/// Calls an op with an input and other arguments, all as values.
pub(super) fn call<O: Compute>(
    input: Value,
    args: &[(&str, Value)],
    cx: &Cx,
) -> Result<Value, OpError> {
    let value = |it: &svc_contract::registry::Param| {
        let given = args.iter().find(|(name, _)| *name == it.name).map(|it| it.1.clone());
        given.or_else(|| it.default.map(ParamDefault::value)).unwrap_or_default()
    };
    let mut all: Vec<Value> = O::PARAMS.iter().map(value).collect();
    all[0] = input;
    O::decode(&mut all)?.run(cx)
}

/// The value of a JSON text.
pub(super) fn read(text: &str) -> Value {
    json::read(text).expect("the test has valid JSON")
}

/// A number in a result, by its path, such as `posterior.rate.mean` or `posterior.rate.ci95.0`.
pub(super) fn number(value: &Value, path: &str) -> f64 {
    let inner =
        path.split('.').fold(value.clone(), |it, part| match (&it, part.parse::<usize>()) {
            (Value::List(items), Ok(at)) => items.get(at).cloned().unwrap_or_default(),
            (Value::Record(record), _) => record.get(part).cloned().unwrap_or_default(),
            _ => panic!("no `{part}` of `{path}` in {value}"),
        });
    match inner {
        Value::Float(it) => it,
        #[expect(clippy::cast_precision_loss, reason = "test data are small")]
        Value::Int(it) => it as f64,
        other => panic!("`{path}` is {other} in {value}"),
    }
}

//! Calls ops as the engine does, with positional arguments, for the unit tests.

use std::sync::{Arc, Mutex};

use svc_contract::{
    host::Host,
    registry::{Compute, Cx, Inline, Meter, Monitor, OpError, Params},
    value::{Value, json},
};
use svc_host_os::test::TestHost;
use tokio_util::sync::CancellationToken;

mod contract;

/// Calls an inline op with the arguments in a JSON array, and compares the result as JSON text,
/// which distinguishes `1` from `1.0`.
pub(super) fn gives<O: Inline>(args: &str, wanted: &str) {
    gives_with::<O>(&list(args), wanted);
}

pub(super) fn gives_with<O: Inline>(args: &[Value], wanted: &str) {
    let value = call::<O>(args.to_vec()).unwrap_or_else(|err| panic!("{args:?}: {err}"));
    assert_eq!(json::write(&value), wanted, "of {args:?}");
}

/// The error of an inline op that should fail.
pub(super) fn fails<O: Inline>(args: &str) -> OpError {
    fails_with::<O>(list(args))
}

pub(super) fn fails_with<O: Inline>(args: Vec<Value>) -> OpError {
    call::<O>(args).expect_err("the call should fail")
}

/// Calls an inline op.
pub(super) fn call<O: Inline>(args: Vec<Value>) -> Result<Value, OpError> {
    O::decode(&mut complete::<O>(args))?.run()
}

/// Like [`gives`], for `Compute` ops.
pub(super) fn computes<O: Compute>(args: &str, wanted: &str) {
    let value =
        World::default().call::<O>(list(args)).unwrap_or_else(|err| panic!("{args}: {err}"));
    assert_eq!(json::write(&value), wanted, "of {args}");
}

/// The error of a `Compute` op that should fail.
pub(super) fn fails_to_compute<O: Compute>(args: &str) -> OpError {
    fails_to_compute_with::<O>(list(args))
}

pub(super) fn fails_to_compute_with<O: Compute>(args: Vec<Value>) -> OpError {
    World::default().call::<O>(args).expect_err("the call should fail")
}

/// The items of a JSON array.
pub(super) fn list(text: &str) -> Vec<Value> {
    match json::read(text).expect("the test has valid JSON") {
        Value::List(items) => items.into_vec(),
        other => panic!("{other} is not a list"),
    }
}

/// A list that repeats the same value.
pub(super) fn many(count: usize, value: Value) -> Value {
    vec![value; count].into()
}

/// Adds the defaults of the parameters that have no argument.
fn complete<O: Params>(mut args: Vec<Value>) -> Vec<Value> {
    for param in &O::PARAMS[args.len()..] {
        let default = param.default.unwrap_or_else(|| panic!("`{}` has no argument", param.name));
        args.push(default.value());
    }
    args
}

/// A host in memory, and the notices and progress that were reported.
#[derive(Default)]
pub(super) struct World {
    pub(super) host: Arc<TestHost>,
    pub(super) cancel: CancellationToken,
    notices: Arc<Notices>,
}

#[derive(Default)]
struct Notices(Mutex<Vec<String>>);

impl Monitor for Notices {
    fn progress(&self, _: &str, _: u64, _: Option<u64>) {}

    fn notice(&self, message: &str) {
        self.0.lock().unwrap().push(message.to_owned());
    }
}

impl World {
    pub(super) fn new(host: TestHost) -> Self {
        Self { host: Arc::new(host), ..Self::default() }
    }

    pub(super) fn cx(&self) -> Cx {
        self.cx_of(self.host.clone())
    }

    /// A context with another host.
    pub(super) fn cx_of(&self, host: Arc<dyn Host>) -> Cx {
        Cx::new("test", host, self.cancel.clone(), self.notices.clone(), Meter::default())
    }

    pub(super) fn call<O: Compute>(&self, args: Vec<Value>) -> Result<Value, OpError> {
        O::decode(&mut complete::<O>(args))?.run(&self.cx())
    }

    pub(super) fn notices(&self) -> Vec<String> {
        self.notices.0.lock().unwrap().clone()
    }
}

/// A host whose worker processes are this binary, so that PDFs can be read.
pub(super) fn working_host() -> TestHost {
    TestHost::new().working_in_test("testing::works_where_it_is_a_worker")
}

/// Not a test: the work of a process that [`working_host`] starts.
#[test]
fn works_where_it_is_a_worker() {
    let work = |asked: &[u8]| svc_documents::serve(asked.get(1..).unwrap_or_default());
    if svc_host_os::is_worker(work) {
        std::process::exit(0);
    }
}

//! Shared helpers for the tests of this cluster.

use std::sync::{Arc, Mutex};

use svc_contract::{
    registry::{Cx, Field, Meter, Monitor, ParamDefault, Params, documents::Hit},
    value::Value,
};
use svc_host_os::test::TestHost;
use tokio_util::sync::CancellationToken;

/// The notices of a call.
#[derive(Default)]
pub(super) struct Notices(Mutex<Vec<String>>);

impl Monitor for Notices {
    fn progress(&self, _: &str, _: u64, _: Option<u64>) {}

    fn notice(&self, message: &str) {
        self.0.lock().unwrap().push(message.to_owned());
    }
}

impl Notices {
    pub(super) fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

/// A context with a host, and the notices of its calls.
pub(super) fn noticed(host: TestHost) -> (Cx, Arc<Notices>) {
    let notices = Arc::new(Notices::default());
    let token = CancellationToken::new();
    (Cx::new("test", Arc::new(host), token, notices.clone(), Meter::default()), notices)
}

/// A context with an empty world.
pub(super) fn cx() -> Cx {
    with_token(CancellationToken::new())
}

/// The context of a cancelled call.
pub(super) fn cancelled() -> Cx {
    let token = CancellationToken::new();
    token.cancel();
    with_token(token)
}

fn with_token(token: CancellationToken) -> Cx {
    let notices = Arc::new(Notices::default());
    Cx::new("test", Arc::new(TestHost::new()), token, notices, Meter::default())
}

/// The test that is the worker process of the others.
pub(super) const WORKER: &str = "testing::works_where_it_is_a_worker";

/// Not a test: the work of a process that a host of a test starts.
#[test]
fn works_where_it_is_a_worker() {
    let work = |asked: &[u8]| svc_documents::serve(asked.get(1..).unwrap_or_default());
    if svc_host_os::is_worker(work) {
        std::process::exit(0);
    }
}

/// Decodes the op from `input` and `args`, with defaults for the rest.
pub(super) fn decode<P: Params>(input: Value, args: &[(&str, Value)]) -> P {
    let given = |name: &str| args.iter().find(|(it, _)| *it == name).map(|(_, it)| it.clone());
    let rest = P::PARAMS.iter().filter(|it| !it.is_input);
    let rest =
        rest.map(|it| given(it.name).or(it.default.map(ParamDefault::value)).unwrap_or_default());
    let mut all: Vec<Value> = std::iter::once(input).chain(rest).collect();
    P::decode(&mut all).unwrap()
}

/// A hit whose text is all of its file.
pub(super) fn hit(id: &str, title: &str, text: &str, query: &str, score: f64) -> Value {
    Hit {
        id: id.into(),
        title: title.into(),
        path: id.into(),
        text: text.into(),
        query: query.into(),
        score,
        snippet: "".into(),
        start: 0,
        end: text.len().try_into().unwrap(),
        page: None,
        meta: None,
    }
    .encode()
}

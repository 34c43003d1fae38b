//! Tests of searches through the op, over files in memory and an index in a real folder.
#![expect(clippy::disallowed_methods, reason = "the tests damage the index's directory")]

use std::{
    fs,
    sync::{Arc, Mutex},
};

use svc_contract::{
    host::Host as _,
    registry::{Meter, Monitor, ParamDefault, Params as _},
    value::Type,
};
use svc_host_os::test::TestHost;
use tokio_util::sync::CancellationToken;

use super::*;

mod answers;
mod collection;
mod index;
mod languages;
mod meaning;
mod meta;
mod records;

#[derive(Default)]
struct Watch {
    notices: Mutex<Vec<String>>,
    indexed: Mutex<u64>,
    encoded: Mutex<u64>,
}

impl Monitor for Watch {
    fn progress(&self, what: &str, done: u64, _: Option<u64>) {
        let count = match what {
            "indexing" => &self.indexed,
            "encoding texts" => &self.encoded,
            other => panic!("{other}"),
        };
        *count.lock().unwrap() = done;
    }

    fn notice(&self, message: &str) {
        self.notices.lock().unwrap().push(message.to_owned());
    }
}

struct World {
    host: Arc<TestHost>,
    cancel: CancellationToken,
}

struct Answer {
    hits: Result<Vec<Hit>, OpError>,
    notices: Vec<String>,
    /// The number of files that were read.
    indexed: u64,
    /// The number of texts whose vectors were computed.
    encoded: u64,
}

impl World {
    fn new(host: TestHost) -> Self {
        Self { host: Arc::new(host), cancel: CancellationToken::new() }
    }

    fn with(files: &[(&str, &str)]) -> Self {
        let host = files.iter().fold(TestHost::new(), |host, (path, text)| host.file(path, *text));
        Self::new(host)
    }

    fn ask(&self, query: &str, source: &str, top_k: i64, syntax: &str) -> Answer {
        let path = Value::Path(source.into());
        self.call(vec![Value::text(query), path, top_k.into(), Value::text(syntax)], None)
    }

    /// Searches with these arguments, for metadata of a type.
    fn call(&self, mut args: Vec<Value>, meta: Option<Type>) -> Answer {
        let watch = Arc::new(Watch::default());
        let (cancel, meter) = (self.cancel.clone(), Meter::default());
        let cx = Cx::new("ctx_search", self.host.clone(), cancel, watch.clone(), meter);
        let cx = cx.wanting(meta);
        for param in &Infer::PARAMS[args.len()..] {
            args.push(param.default.map(ParamDefault::value).unwrap_or_default());
        }
        let found = Infer::decode(&mut args).and_then(|it| it.run(&cx));
        let hits = found.map(|it| Vec::<Hit>::decode(it).unwrap());
        let notices = watch.notices.lock().unwrap().clone();
        let indexed = *watch.indexed.lock().unwrap();
        let encoded = *watch.encoded.lock().unwrap();
        Answer { hits, notices, indexed, encoded }
    }

    fn search(&self, query: &str) -> Answer {
        self.ask(query, ".", 10, "words")
    }

    fn cache(&self) -> std::path::PathBuf {
        self.host.cache_dir().unwrap().join("search")
    }

    /// The files of all indexes whose names end with `ending`.
    fn index_files(&self, ending: &str) -> Vec<std::path::PathBuf> {
        let places = fs::read_dir(self.cache()).unwrap();
        let files = places.flat_map(|it| fs::read_dir(it.unwrap().path().join("index")).unwrap());
        let files = files.map(|it| it.unwrap().path());
        files.filter(|it| it.to_string_lossy().ends_with(ending)).collect()
    }
}

impl Answer {
    fn hits(&self) -> &[Hit] {
        self.hits.as_ref().unwrap()
    }

    fn ids(&self) -> Vec<&str> {
        self.hits().iter().map(|it| it.id.as_ref()).collect()
    }

    fn error(&self) -> (ErrorKind, &str) {
        let err = self.hits.as_ref().unwrap_err();
        (err.kind, &err.message)
    }
}

const PETS: &[(&str, &str)] = &[
    ("cats.md", "# Cats\n\nA cat sleeps. Cats sleep.\n"),
    ("sub/dogs.txt", "A dog barks at a cat."),
    ("birds.html", "<title>Birds</title><p>A bird sings."),
];

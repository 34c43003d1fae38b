//! Whole evolutions of a component made for it, with books in files.
#![expect(
    clippy::disallowed_methods,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "tests of processes that are killed"
)]

mod applied;
mod component;
mod evolutions;
#[cfg(target_os = "linux")]
mod failpoints;
mod kills;
mod memory;
mod principles;
mod slow;
mod strategies;

use std::{path::Path, sync::Arc};

use component::TRAP;
use svc_bias::{Biases, Config, Step, Work};
use svc_contract::{
    registry::Registry,
    value::{Value, json},
};
use svc_engine::Engine;
use svc_host_os::test::TestHost;
use svc_store::book::Book;

const NAME: &str = "trap";

/// An engine with the component and these cases of the project.
fn engine(cases: &str) -> Engine {
    let host = TestHost::new().file("cases/trap.jsonl", cases);
    Engine::new(Registry::default(), Arc::new(host)).with(&[&TRAP])
}

/// The work on the book in a folder.
fn work(folder: &Path, cases: &str) -> Work {
    let engine = engine(cases);
    let book = Book::open(folder, engine.host()).unwrap();
    Work::new(Arc::new(Biases::new(Arc::new(book), Some("token".to_owned()))), engine)
}

fn config(text: &str) -> Config {
    Config::default().with(Some(&json::read(text).unwrap())).unwrap()
}

async fn evolved(work: &Work, config: &Config) -> Value {
    work.evolve(NAME, None, config, None, &mut |_: &Step| {}).await.unwrap().0
}

fn field<'v>(value: &'v Value, path: &str) -> &'v Value {
    path.split('.')
        .fold(value, |it, name| it.as_record().unwrap().get(name).unwrap_or(&Value::Null))
}

/// The active bias with other params.
fn candidate(work: &Work, params: &[(&str, Value)]) -> Value {
    let mut text: Value = work.bias(NAME).unwrap();
    for (name, value) in params {
        text = with(&text, &["evolvable_params", name, "value"], value);
    }
    text
}

/// The value with another one at a path.
fn with(value: &Value, path: &[&str], new: &Value) -> Value {
    let Some((first, rest)) = path.split_first() else { return new.clone() };
    let record = value.as_record().unwrap();
    let fields = record.iter().map(|(name, it)| {
        let own = if **name == **first { with(it, rest, new) } else { it.clone() };
        (name.clone(), own)
    });
    Value::Record(fields.collect())
}

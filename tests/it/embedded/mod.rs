//! Requests as an embedding program makes them: only names that `svc` exports.

mod columns;
mod editor;
mod events;
mod files;
mod plans;
mod policies;
mod reports;
mod runtimes;
mod threads;

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use svc::{
    Engine,
    host::TestHost,
    registry::{
        Bias, Component, Compute, Cx, Effect, ErrorKind, Example, Io, Op, OpError, Scheme, Scope,
        compute, io,
    },
    value::{Text, Value},
};

/// Counts what the components of these tests did.
#[derive(Debug, Default)]
struct Seen {
    begun: AtomicU32,
    dropped: AtomicU32,
}

impl Seen {
    fn begun(&self) -> u32 {
        self.begun.load(Ordering::SeqCst)
    }

    fn dropped(&self) -> u32 {
        self.dropped.load(Ordering::SeqCst)
    }
}

const SLOW: Component = Component {
    name: "slow",
    cluster: "test",
    summary: "Waits, and computes.",
    version: 1,
    bias: Bias::NONE,
    aliases: &[],
    ops: &[io::<Forever>(), io::<Echo>(), compute::<Chatty>()],
};

svc::params! {
    /// Waits for a call that never ends.
    struct Forever {
        /// Anything.
        text: Text,
    }
}

/// Notes when a call is dropped.
struct Dropped(Arc<Seen>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.dropped.fetch_add(1, Ordering::SeqCst);
    }
}

impl Op for Forever {
    const NAME: &'static str = "forever";
    const YIELDS: Scheme = Scheme::Text;
    const EFFECTS: &'static [Effect] = &[Effect::Reads(Scope::Named("queue"))];
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Unsupported];
    const SAYS: &'static [&'static str] = &["wait forever", "never end", "hang on a call"];
    const EXAMPLES: &'static [Example] = &[];
}

impl Io for Forever {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let seen = cx.lent::<Seen>()?;
        let _dropped = Dropped(seen.clone());
        seen.begun.fetch_add(1, Ordering::SeqCst);
        std::future::pending::<()>().await;
        Ok(self.text.into())
    }
}

svc::params! {
    /// Returns its text after an I/O operation.
    struct Echo {
        /// The text.
        text: Text,
    }
}

impl Op for Echo {
    const NAME: &'static str = "echo";
    const YIELDS: Scheme = Scheme::Text;
    const EFFECTS: &'static [Effect] = &[Effect::Reads(Scope::Named("queue"))];
    const SAYS: &'static [&'static str] = &["repeat a text", "say it again", "return the input"];
    const EXAMPLES: &'static [Example] = &[];
}

impl Io for Echo {
    async fn run(self, _: &Cx) -> Result<Value, OpError> {
        tokio::time::sleep(Duration::from_millis(1)).await;
        match &*self.text {
            "" => Err(OpError::invalid_input("the text is empty").help("write something")),
            _ => Ok(self.text.into()),
        }
    }
}

svc::params! {
    /// Reports progress many times.
    struct Chatty {
        /// The number of reports.
        times: i64,
    }
}

impl Op for Chatty {
    const NAME: &'static str = "chatty";
    const YIELDS: Scheme = Scheme::Int;
    const SAYS: &'static [&'static str] = &["report progress", "talk a lot", "count reports"];
    const EXAMPLES: &'static [Example] = &[];
}

impl Compute for Chatty {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        for done in 0..self.times.unsigned_abs() {
            cx.progress("reports", done, None);
        }
        Ok(Value::Int(self.times))
    }
}

fn engine() -> Engine {
    let host = TestHost::new().file("docs/a.md", "# Caps\n\nA cap is kept.");
    svc::engine().with(&[&SLOW]).with_host(Arc::new(host))
}

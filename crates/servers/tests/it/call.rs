//! Calls as a component makes them.

use std::sync::Arc;

use svc_contract::{
    registry::{Cx, ErrorKind, Meter, Monitor, OpError},
    value::{List, Secret, Value, json},
};
use svc_host_os::OsHost;
use svc_servers::Database;
use tokio_util::sync::CancellationToken;

struct Quiet;

impl Monitor for Quiet {
    fn progress(&self, _: &str, _: u64, _: Option<u64>) {}

    fn notice(&self, _: &str) {}
}

/// One caller of a server.
#[derive(Clone)]
pub(crate) struct Caller {
    pub(crate) url: String,
    pub(crate) ca: Option<String>,
    pub(crate) cancel: CancellationToken,
}

impl Caller {
    pub(crate) fn of(url: String) -> Self {
        Self { url, ca: None, cancel: CancellationToken::new() }
    }

    fn cx(&self) -> Cx {
        let host = Arc::new(OsHost::default());
        Cx::new("database", host, self.cancel.clone(), Arc::new(Quiet), Meter::default())
    }

    /// The rows of a query, as JSON.
    pub(crate) async fn rows(&self, sql: &str, params: &str) -> Result<String, OpError> {
        self.most(sql, params, 10_000).await
    }

    pub(crate) async fn most(
        &self,
        sql: &str,
        params: &str,
        most: usize,
    ) -> Result<String, OpError> {
        let rows = self.found(sql, json::read(params).unwrap(), most).await?;
        Ok(json::write(&rows))
    }

    pub(crate) async fn found(
        &self,
        sql: &str,
        params: Value,
        most: usize,
    ) -> Result<Value, OpError> {
        let address = Secret::new(self.url.as_str());
        let database = Database { address: &address, ca: self.ca.as_deref() };
        let found = svc_servers::query(&self.cx(), &database, sql, &params, most).await;
        found.map(|it| Value::List(List::from(it))).map_err(|err| self.without_password(err))
    }

    pub(crate) async fn execute(&self, sql: &str, params: &str) -> Result<i64, OpError> {
        let address = Secret::new(self.url.as_str());
        let database = Database { address: &address, ca: self.ca.as_deref() };
        let params = json::read(params).unwrap();
        let done = svc_servers::execute(&self.cx(), &database, sql, &params).await;
        done.map_err(|err| self.without_password(err))
    }

    /// The message of a query that fails, with its kind and help.
    pub(crate) async fn fails(&self, sql: &str, params: &str) -> String {
        shown(self.rows(sql, params).await.map(|it| format!("{sql} gave {it}")))
    }

    pub(crate) async fn refuses(&self, sql: &str, params: &str) -> String {
        shown(self.execute(sql, params).await.map(|it| format!("{sql} changed {it}")))
    }

    /// Every error of every test: no part of it contains the password.
    fn without_password(&self, err: OpError) -> OpError {
        let all = format!("{err:?} {err}");
        for it in [super::started::PASSWORD, super::started::ENCODED, &self.url] {
            assert!(!all.contains(it), "a password is shown: {all}");
        }
        err
    }
}

fn shown(done: Result<String, OpError>) -> String {
    let err = done.unwrap_err();
    assert!(err.kind != ErrorKind::Bug, "{err:?}");
    let help = err.help.map(|it| format!(" | {it}")).unwrap_or_default();
    format!("{}: {}{help}", err.kind, err.message)
}

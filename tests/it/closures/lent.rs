//! Services that a program lends to its closures.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use svc::{
    host::TestHost,
    registry::{
        Bias, Component, Cx, ErrorKind, Example, InlineCx, InlineWith, Op, OpError, Scheme,
        inline_with,
    },
    value::Value,
};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

/// A pool of connections.
struct Pool {
    free: Semaphore,
    open: AtomicUsize,
    most: AtomicUsize,
}

/// A connection in use; dropping it returns it to the pool.
struct Lease<'a> {
    pool: &'a Pool,
    _permit: tokio::sync::SemaphorePermit<'a>,
}

impl Pool {
    fn new(size: usize) -> Arc<Self> {
        let (open, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Arc::new(Self { free: Semaphore::new(size), open, most })
    }

    async fn lease(&self) -> Lease<'_> {
        let permit = self.free.acquire().await.unwrap();
        let open = self.open.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(open, Ordering::SeqCst);
        Lease { pool: self, _permit: permit }
    }
}

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        self.pool.open.fetch_sub(1, Ordering::SeqCst);
    }
}

/// 64 runs share four connections, and every third is cancelled: no lease is lost.
#[tokio::test(start_paused = true)]
async fn no_lease_is_lost() {
    let pool = Pool::new(4);
    let find = svc::io_op("crm.find", async |cx: Cx, id: i64| -> Result<i64, OpError> {
        let pool = cx.lent::<Pool>()?;
        let _lease = pool.lease().await;
        tokio::time::sleep(Duration::from_millis(20)).await;
        Ok(id * 2)
    });
    let engine = svc::engine().lend(pool.clone()).with_ops([find.effect("reads crm")]).unwrap();
    let mut tasks = tokio::task::JoinSet::new();
    for id in 0..64_i64 {
        let (engine, cancel) = (engine.clone(), CancellationToken::new());
        tasks.spawn(async move {
            let ends = cancel.clone();
            if id % 3 == 0 {
                let time = Duration::from_millis(u64::try_from(id).unwrap() * 5);
                tokio::spawn(async move {
                    tokio::time::sleep(time).await;
                    ends.cancel();
                });
            }
            let script = "param id: int  [id, id, id] >> each { crm.find } >> sum";
            let ended = engine.run(script).param("id", id).cancelled_by(cancel).await;
            ended.map(|it| it.get::<i64>().unwrap() == id * 6).map_err(|it| it.kind())
        });
    }
    let ended = tasks.join_all().await;
    assert!(ended.contains(&Err(Some(ErrorKind::Cancelled))));
    assert!(ended.iter().filter(|it| **it == Ok(true)).count() >= 42, "{ended:?}");
    assert!(!ended.contains(&Ok(false)));
    assert_eq!(pool.most.load(Ordering::SeqCst), 4, "all connections were used");
    assert_eq!((pool.open.load(Ordering::SeqCst), pool.free.available_permits()), (0, 4));
}

/// The data of one tenant.
struct Tenant(&'static str);

fn tenants() -> svc::Engine {
    let host = Arc::new(TestHost::new());
    svc::engine()
        .with_host(host)
        .with(&[&TENANT])
        .with_ops([
            svc::op("of.compute", |cx: Cx| tenant(cx.lent::<Tenant>())),
            svc::io_op("of.io", async |cx: Cx| tenant(cx.lent::<Tenant>())),
            svc::inline_op("of.inline", |cx: InlineCx| tenant(cx.lent::<Tenant>())),
        ])
        .unwrap()
}

fn tenant(it: Result<Arc<Tenant>, OpError>) -> Result<String, OpError> {
    it.map(|it| it.0.to_owned())
}

const TENANT: Component = Component {
    name: "tenant",
    cluster: "test",
    summary: "Names the tenant.",
    version: 1,
    bias: Bias::NONE,
    aliases: &[],
    ops: &[inline_with::<Named>()],
};

svc::params! {
    /// Names the tenant.
    struct Named {}
}

impl Op for Named {
    const NAME: &'static str = "infer";
    const YIELDS: Scheme = Scheme::Text;
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Unsupported];
    const SAYS: &'static [&'static str] =
        &["which tenant is it", "name the tenant", "who owns this run"];
    const EXAMPLES: &'static [Example] = &[];
}

impl InlineWith for Named {
    fn run(self, cx: &InlineCx) -> Result<Value, OpError> {
        Ok(tenant(cx.lent::<Tenant>())?.into())
    }
}

const SCRIPT: &str = "[(of.compute()), (of.io()), of.inline(), tenant()]";

/// Each clone of an engine lends its own services, to ops of all kinds.
#[tokio::test]
async fn each_clone_lends_its_own_services() {
    let engine = tenants();
    let [a, b] = ["a", "b"].map(|it| engine.clone().lend(Arc::new(Tenant(it))));
    for (name, engine) in [("a", &a), ("b", &b)] {
        let names: Vec<String> = engine.run(SCRIPT).await.unwrap().get().unwrap();
        assert_eq!(names, [name; 4]);
    }
    let plan = a.plan(SCRIPT).unwrap();
    let names: Vec<String> = b.run_plan(plan).await.unwrap().get().unwrap();
    assert_eq!(names, ["b"; 4], "a plan runs with the services of the engine that runs it");

    for op in ["of.compute", "of.io", "of.inline", "tenant"] {
        let err = engine.run(format!("{op}()")).await.map(|it| it.value).unwrap_err();
        assert_eq!(err.kind(), Some(ErrorKind::Unsupported), "{op}: {err}");
        assert!(err.to_string().contains("Tenant"), "{err}");
    }
}

/// A plan of an op that another engine does not have cannot run there.
#[tokio::test]
async fn a_plan_needs_its_closures() {
    let plan = tenants().plan("of.compute()").unwrap();
    let err = svc::engine().run_plan(plan).await.map(|it| it.value).unwrap_err();
    assert_eq!(err.kind(), Some(ErrorKind::Unsupported));
    assert!(err.to_string().contains("no closure for `of.compute`"), "{err}");
}

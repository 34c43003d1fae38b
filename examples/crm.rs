//! A CRM whose users write scripts: what a program around the engine does, feature by feature.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use svc::{
    Engine, Error, Happened, Policy,
    editor::{Edit as _, Position},
    host::MemoryFiles,
    plan::Plan,
    registry::{Callback, Cx, Flow, OpError},
    value::Money,
};

/// The invariant of every lock.
const LOCKED: &str = "no holder of the lock panics";

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// A customer, as scripts see it.
#[derive(Clone, Debug, PartialEq, svc::Record)]
struct Customer {
    name: String,
    orders: i64,
}

/// Stands for a pool of connections to a database.
struct Pool(Vec<Customer>);

impl Pool {
    async fn find(&self, prefix: &str) -> std::io::Result<Vec<Customer>> {
        tokio::time::sleep(Duration::from_millis(1)).await;
        Ok(self.0.iter().filter(|it| it.name.starts_with(prefix)).cloned().collect())
    }
}

/// 1. The ops of the CRM: a search by the pool of a tenant, a rating by a flow of the script, mail,
///    and handlers of events.
fn engine(handlers: &Handlers) -> Result<Engine> {
    let find = async |cx: Cx, prefix: String| {
        let found = cx.lent::<Pool>()?.find(&prefix).await;
        found.map_err(|err| OpError::failed(err.to_string()))
    };
    let rate = async |customers: Vec<Customer>, rate: Flow<Customer, f64>| {
        let mut rates = Vec::new();
        for customer in customers {
            rates.push(rate.call(customer).await?);
        }
        Ok::<_, OpError>(rates)
    };
    let kept = handlers.clone();
    let on = move |event: String, on: On| kept.lock().expect(LOCKED).push((event, on.call));
    let engine = svc::engine().types::<Customer>().with_ops([
        svc::io_op("crm.find", find).params(["prefix"]).effect("reads crm"),
        svc::io_op("crm.rate", rate).params(["customers", "rate"]),
        svc::op("crm.mail", |_: String| ()).params(["text"]).effect("writes mail"),
        svc::op("crm.on", on).params(["event"]),
    ])?;
    Ok(engine)
}

/// 10. What a script passes to `crm.on`.
type Handlers = Arc<Mutex<Vec<(String, Callback<Customer, String>)>>>;

svc::params! {
    /// The handler of an event.
    struct On {
        /// The flow to call.
        call: Callback<Customer, String>,
    }
}

fn tenant(engine: &Engine, customers: &[(&str, i64)]) -> Engine {
    let customer =
        |(name, orders): &(&str, i64)| Customer { name: (*name).into(), orders: *orders };
    engine.clone().lend(Arc::new(Pool(customers.iter().map(customer).collect())))
}

/// 2. A hundred scripts of users at once: each may read the CRM, and has a second and a cent.
async fn many(engine: &Engine) -> Result<Vec<i64>> {
    let policy = Policy::closed().allow("reads crm")?;
    let script = "param prefix: string  prefix >> crm.find >> len";
    let runs = (0..100).map(|idx| {
        let prefix = if idx % 2 == 0 { "a" } else { "b" };
        let run = engine.run(script).param("prefix", prefix).with_policy(policy.clone());
        run.timeout(Duration::from_secs(1)).max_cost(Money::cents(1)).start()
    });
    let mut counts = Vec::new();
    for run in runs.collect::<Vec<_>>() {
        counts.push(run.await?.get()?);
    }
    Ok(counts)
}

/// 3. Results with the types of the program.
async fn typed(engine: &Engine) -> Result<(Vec<Customer>, Vec<f64>)> {
    let found = engine.run(r#""a" >> crm.find"#).gives::<Vec<Customer>>().await?.get()?;
    let script = r#"
        flow rating(customer: Customer) -> float { customer.orders * 0.5 }
        "a" >> crm.find >> crm.rate(rate: rating)
    "#;
    Ok((found, engine.run(script).await?.get()?))
}

/// 4. Files that exist only in memory.
async fn files(engine: &Engine) -> Result<Option<String>> {
    let files = MemoryFiles::from([("templates/hello.md", "Hello, NAME!")]);
    let script = r#"read_text(path: "templates/hello.md")
        >> replace(from: "NAME", to: "ada") >> write_file(to: "out/ada.md")"#;
    engine.clone().with_files(&files).run(script).await?;
    Ok(files.text("out/ada.md"))
}

/// 5. A script that is replaced while the program runs; a wrong one does not replace it.
struct Live(Mutex<Arc<Plan>>);

impl Live {
    fn reload(&self, engine: &Engine, script: &str) -> std::result::Result<(), Error> {
        *self.0.lock().expect(LOCKED) = Arc::new(engine.plan(script)?);
        Ok(())
    }

    async fn run(&self, engine: &Engine, n: i64) -> Result<i64> {
        let plan = self.0.lock().expect(LOCKED).clone();
        Ok(engine.run_plan(plan).param("n", n).await?.get()?)
    }
}

/// 6. A call from a thread without a runtime.
fn synchronous(engine: &Engine) -> Result<i64> {
    Ok(engine.run("param n: int  n * 2").param("n", 21).blocking()?.get()?)
}

/// 7. What happens in a run, while it runs.
async fn events(engine: &Engine) -> Result<Vec<String>> {
    let mut running = engine.run(r#"["a", "b"] >> each { crm.find >> len }"#).start();
    let mut calls = Vec::new();
    while let Some(event) = running.events().next().await {
        if let Happened::Finished { component, .. } = event.what {
            calls.push(format!("{}: {component}", event.path));
        }
    }
    running.await?;
    Ok(calls)
}

/// 8. An error, as a page can show it: where it belongs, and what it says.
fn shown(error: &Error) -> String {
    let report = error.report();
    let problem = &report.problems[0];
    let place = match (&report.param, &problem.effect, &problem.span) {
        (Some(param), ..) => format!("field {param}"),
        (_, Some(effect), _) => format!("no permission that it {}", effect.verb),
        (_, _, Some(span)) => format!("line {}", span.line),
        _ => "script".to_owned(),
    };
    format!("{place}: {}", report.message)
}

/// 9. An editor in a browser: marks, completions and help, under the policy of the user.
fn editor(engine: &Engine) -> Result<(Vec<Position>, Vec<String>, String)> {
    let engine = engine.clone().with_policy(Policy::closed().allow("reads crm")?);
    let doc = engine.edit("let found = \"a\" >> crm.find\nfound >> len >> crm.mial");
    let marks = doc.problems().iter().map(|it| doc.range(it.span()).start).collect();
    let choices = doc.complete(doc.offset(Position::new(0, 23))).ok_or("nothing fits")?;
    let hover = doc.hover(doc.offset(Position::new(0, 24))).ok_or("no help")?;
    Ok((marks, choices.all.into_iter().map(|it| it.label).collect(), hover.text))
}

/// 10. A handler that a script has registered is called later, as a run of its own.
async fn fire(engine: &Engine, handlers: &Handlers, event: &str) -> Result<Vec<String>> {
    let registered = handlers.lock().expect(LOCKED).clone();
    let mut said = Vec::new();
    for (_, handler) in registered.iter().filter(|(it, _)| it == event) {
        let ada = Customer { name: "ada".into(), orders: 3 };
        said.push(engine.call(handler, ada).await?.get()?);
    }
    Ok(said)
}

#[tokio::main]
pub(crate) async fn main() -> Result<()> {
    let handlers = Handlers::default();
    let base = engine(&handlers)?;
    let crm = tenant(&base, &[("ada", 3), ("amy", 1), ("bo", 2)]);

    let counts = many(&crm).await?;
    assert_eq!((counts.len(), counts.iter().sum::<i64>()), (100, 150));
    let (found, rates) = typed(&crm).await?;
    assert_eq!((found.len(), rates), (2, vec![1.5, 0.5]));
    assert_eq!(files(&crm).await?.as_deref(), Some("Hello, ada!"));

    let live = Live(Mutex::new(Arc::new(crm.plan("param n: int  n + 1")?)));
    assert_eq!(live.run(&crm, 1).await?, 2);
    live.reload(&crm, "param n: int  n + 10")?;
    let wrong = live.reload(&crm, "param n: int  n + nothing").expect_err("it is wrong");
    assert_eq!(live.run(&crm, 1).await?, 11);
    assert_eq!(shown(&wrong), "line 1: unknown name `nothing`");

    let other = crm.clone();
    let ran = std::thread::spawn(move || synchronous(&other).map_err(|it| it.to_string()));
    assert_eq!(ran.join().expect("it does not panic")?, 42);
    let calls = events(&crm).await?;
    assert!(calls.iter().any(|it| it == "each[1]/crm.find: crm.find"), "{calls:?}");

    let missing = crm.run("param name: string  name").await.expect_err("it is wrong");
    assert_eq!(shown(&missing), "field name: the script needs `name: string`");
    let refused =
        crm.run(r#""x" >> crm.mail"#).with_policy(Policy::closed()).await.expect_err("it is wrong");
    assert!(shown(&refused).starts_with("no permission that it writes: "), "{}", shown(&refused));

    let (marks, labels, help) = editor(&crm)?;
    assert_eq!(marks, [Position::new(1, 16)]);
    assert!(labels.iter().any(|it| it == "find") && !labels.iter().any(|it| it == "mail"));
    assert!(help.contains("prefix: string"), "{help}");

    let script = r#"
        flow greet(customer: Customer) -> string { "hello, ${customer.name}" }
        "hit" >> crm.on(call: greet)
    "#;
    crm.run(script).await?;
    assert_eq!(fire(&crm, &handlers, "hit").await?, ["hello, ada"]);
    Ok(())
}

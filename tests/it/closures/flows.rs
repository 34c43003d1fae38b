//! Ops that call flows: their types, and how often they call them.

use svc::{
    Engine, Error,
    diag::Style,
    registry::{ErrorKind, Flow, Limits, OpError, Price, Var},
    value::{Money, Value},
};

fn rated() -> Engine {
    let rate = async |names: Vec<String>, rate: Flow<String, f64>| -> Result<Vec<f64>, OpError> {
        let mut all = Vec::new();
        for name in names {
            all.push(rate.call(name).await? * 2.0);
        }
        Ok(all)
    };
    let op = svc::io_op("crm.rate", rate).params(["names", "rate"]);
    svc::engine().with_ops([op]).unwrap()
}

const RATE: &str = "flow length(name: string) -> int { name >> len }\n[\"ada\", \"grace\"] >> ";

#[tokio::test]
async fn a_flow_is_called_with_its_types() {
    let engine = rated();
    let script = format!("{RATE}crm.rate(rate: length)");
    let rates: Vec<f64> = engine.run(script).await.unwrap().get().unwrap();
    assert_eq!(rates, [6.0, 10.0], "the int of the flow is a float here");
}

/// The names of the parameters are those in messages, help and editors.
#[test]
fn a_flow_of_another_type_does_not_check() {
    let engine = rated();
    let refused = |script: &str| engine.check(script).unwrap_err().render(Style::Plain);
    let other = "flow twice(n: int) -> int { n * 2 }\n[\"a\"] >> crm.rate(rate: twice)";
    let result = "[\"a\"] >> crm.rate(rate: upper)";
    let missing = "[\"a\"] >> crm.rate";
    let input = "param n: int  n >> crm.rate(rate: len)";
    insta::assert_snapshot!([other, result, missing, input].map(refused).join("\n"));
    let op = engine.registry().resolve("crm.rate").unwrap().op;
    let params: Vec<String> = op.params.iter().map(svc::registry::Param::signature).collect();
    assert_eq!(params, ["names: [string]", "rate: flow<string -> float>"]);
}

/// A range that only the run can test is tested, with the name of the parameter.
#[tokio::test]
async fn a_value_out_of_range_is_named() {
    let op = svc::op("crm.vote", |stars: u8| stars).params(["stars"]);
    let engine = svc::engine().with_ops([op]).unwrap();
    let err = engine.run("param n: int  n >> crm.vote").param("n", 300).await.unwrap_err();
    assert_eq!(err.kind(), Some(ErrorKind::InvalidInput));
    assert!(err.to_string().contains("0..255"), "{err}");
}

svc::params! {
    /// The number of calls.
    struct Rounds {
        /// How often the flow is called.
        #[range(1..=5)]
        rounds: i64 = 2,
    }
}

/// No call is repeated, so that the costs are those of single calls.
const ONCE: Limits = Limits { max_retries: 0, ..Limits::DEFAULT };

/// An op that calls its flow `times` times, or as often as its argument says.
fn repeated(times: u64) -> Engine {
    let once = move |text: String, by: Flow<String, String>| async move {
        let mut text = text;
        for _ in 0..times {
            text = by.call(text).await?;
        }
        Ok::<_, OpError>(text)
    };
    let rounds = async |text: String, by: Flow<String, String>, rounds: Rounds| {
        let mut text = text;
        for _ in 0..rounds.rounds {
            text = by.call(text).await?;
        }
        Ok::<_, OpError>(text)
    };
    let paid = svc::io_op("paid.mark", async |text: String| format!("{text}!"));
    let paid = paid.price(Price::Fixed(Money::cents(1))).effect("reads shop").limits(ONCE);
    let ops = [
        svc::io_op("mark.thrice", once).params(["text", "by"]).calls("by", 3).limits(ONCE),
        svc::io_op("mark.rounds", rounds).params(["text", "by"]).calls("by", "rounds").limits(ONCE),
        paid,
    ];
    svc::engine().with_ops(ops).unwrap()
}

#[tokio::test]
async fn the_number_of_calls_is_estimated_and_kept() {
    let engine = repeated(3);
    let most = |script: &str| engine.plan(script).unwrap().envelope().cost.max;
    let thrice = r#""a" >> mark.thrice(by: paid.mark)"#;
    assert_eq!(most(thrice), Some(Money::cents(3)));
    assert_eq!(most(r#""a" >> mark.rounds(by: paid.mark, rounds: 4)"#), Some(Money::cents(4)));
    let response = engine.run(thrice).await.unwrap();
    assert_eq!((response.value, response.usage.cost), (Value::from("a!!!"), Money::cents(3)));
    let text = r#""a" >> mark.rounds(by: paid.mark)"#;
    assert_eq!(engine.run(text).await.unwrap().value, Value::from("a!!"));

    let often = repeated(4).run(thrice).await.unwrap_err();
    assert_eq!(often.kind(), Some(ErrorKind::Bug));
    assert!(often.to_string().contains("more often than it declares"), "{often}");
}

/// An op handles the failure of a call, and passes on a result whose type only the script knows.
#[tokio::test]
async fn failures_of_calls_can_be_handled() {
    let first = async |items: Vec<String>, by: Flow<String, Var<'B'>>| {
        for item in items {
            if let Ok(found) = by.call(item).await {
                return Ok(Some(found));
            }
        }
        Ok::<_, OpError>(None)
    };
    let engine = svc::engine().with_ops([svc::io_op("find.first", first)]).unwrap();
    let script = "flow number(text: string) -> int { text >> to_int }\n\
                  [\"a\", \"7\", \"8\"] >> find.first(flow: number)";
    let found: i64 = engine.run(script).await.unwrap().get().unwrap();
    assert_eq!(found, 7);
}

/// An op without a result returns null, also with an error, and a flow may as well.
#[tokio::test]
async fn an_op_can_return_nothing() {
    let seen = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let log = seen.clone();
    let ops = [
        svc::op("crm.log", move |line: String| log.lock().unwrap().push(line)).effect("writes log"),
        svc::op("crm.verify", |n: i64| match n {
            0 => Err(OpError::failed("it is zero")),
            _ => Ok(()),
        }),
        svc::io_op("crm.visit", async |names: Vec<String>, by: Flow<String, ()>| {
            for name in names {
                by.call(name).await?;
            }
            Ok::<_, OpError>(())
        }),
    ];
    let engine = svc::engine().with_ops(ops).unwrap();
    let none: () =
        engine.run(r#"["a", "b"] >> crm.visit(flow: crm.log)"#).await.unwrap().get().unwrap();
    assert_eq!(((), vec!["a".to_owned(), "b".to_owned()]), (none, seen.lock().unwrap().clone()));
    assert_eq!(engine.run("1 >> crm.verify").await.unwrap().value, Value::Null);
    assert_eq!(engine.run("0 >> crm.verify").await.unwrap_err().kind(), Some(ErrorKind::Failed));
    engine.run("1 >> crm.verify").gives::<()>().await.unwrap();
    let err = engine.run("1 >> crm.verify >> upper").await.unwrap_err();
    assert!(matches!(err, Error::Check(_)), "{err}");
    assert!(err.to_string().contains("null"), "{err}");
    let err = engine.run("1").gives::<()>().await.unwrap_err();
    assert!(err.to_string().contains("expected null, found int"), "{err}");
}

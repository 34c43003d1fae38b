//! Any value as a param.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use proptest::prelude::*;
use svc::{
    Policy,
    blocks::{ComponentRegistry, PipelineStep, ResourceBounds, blocking},
    host::TestHost,
    registry::ErrorKind,
    value::{Money, Record, Value},
};

/// An op that returns its input, whatever that is.
fn echo() -> ComponentRegistry {
    let op = svc::inline_op("echo.value", |it: Value| it);
    ComponentRegistry::new(svc::engine().with_ops([op]).unwrap())
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        Just("${it} \" \\ \n it.step1 param".to_owned()),
        Just("x".repeat(10_000)),
    ]
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        Just(Value::Int(i64::MIN)),
        (-1e300..1e300_f64).prop_map(Value::from),
        any_text().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            proptest::collection::btree_map("[a-z]{1,3}", inner.clone(), 0..6).prop_map(record),
            proptest::collection::btree_map(any_text(), inner, 0..4).prop_map(record),
        ]
    })
}

fn record(fields: BTreeMap<String, Value>) -> Value {
    let fields = fields.into_iter().map(|(name, value)| (name.into(), value));
    Value::Record(fields.collect::<Record>())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_value_arrives_as_it_is(value in any_value()) {
        let registry = echo();
        let step = PipelineStep::new("echo", "value");
        let first = step.clone().param("input", value.clone());
        let run = async {
            registry.run_pipeline([first, step]).await
        };
        let results = blocking(run).map_err(|err| TestCaseError::fail(format!("{err:?}")))?;
        prop_assert_eq!(&results[0], &value);
        prop_assert_eq!(&results[1], &value);
    }
}

#[tokio::test]
async fn values_that_are_not_json_arrive_as_they_are() {
    let registry = ComponentRegistry::new(svc::engine());
    let bytes = Value::Bytes(vec![0_u8, 255].into());
    for value in [
        bytes.clone(),
        Value::Path("a b/c".into()),
        Value::Size(u64::MAX >> 1),
        Duration::from_nanos(1_500_000_001).into(),
        Money::from_dollars(-0.000_000_001).unwrap().into(),
        vec![bytes].into(),
    ] {
        let params = [("value", value.clone()), ("duration", Duration::ZERO.into())];
        let found = registry.invoke("control", "wait", params).await.unwrap();
        assert_eq!(found.value, value);
    }
}

#[tokio::test]
async fn a_flow_is_given_by_its_name() {
    let registry = ComponentRegistry::new(svc::engine());
    let case = |a: &str, b: &str| {
        record([("input".into(), a.into()), ("expected".into(), b.into())].into())
    };
    let cases: Value = vec![case("a", "A"), case("b", "b")].into();
    let flow = |name: &str| [("cases", cases.clone()), ("flow", name.into())];
    let response = registry.invoke("align_eval", "infer", flow("upper")).await.unwrap();
    assert_eq!(response.value.as_record().unwrap().get("passed"), Some(&1.into()));
    for wrong in ["uper", "Upper", "upper) >> fail(", "", "text."] {
        let err = registry.invoke("align_eval", "infer", flow(wrong)).await.unwrap_err();
        assert!(
            [ErrorKind::InvalidInput, ErrorKind::NotFound].contains(&err.kind),
            "{wrong}: {err:?}"
        );
        assert!(!err.message.contains("unexpected"), "{wrong}: {err}");
    }
}

/// Every op of every component, with every param of every kind: there is a result or an error of
/// the kinds of an op, and never a text that cannot be parsed.
#[tokio::test]
async fn no_value_breaks_an_op() {
    let policy = Policy::default().deny("asks").unwrap().deny("runs").unwrap();
    let policy = policy.deny("writes").unwrap().deny("reads web").unwrap();
    let engine = svc::engine().with_host(Arc::new(TestHost::new())).with_policy(policy);
    let bounds = ResourceBounds::default().with_timeout_sec(1).with_max_retries(0);
    let registry = ComponentRegistry::new(engine).within(bounds);
    let values: [Value; 8] = [
        Value::Null,
        true.into(),
        7.into(),
        "${x}".into(),
        Vec::<Value>::new().into(),
        vec![Value::from(1), "a".into()].into(),
        record(BTreeMap::new()),
        record([("a b".to_owned(), 1.into())].into()),
    ];
    for component in registry.list_all() {
        let ops = component.ops.iter().map(|it| it.name).chain(["learn", "save", "load"]);
        for op in ops {
            let known = registry.engine().registry().find_op(component.name, op).unwrap();
            for value in &values {
                let params = known.op.params.iter().map(|it| (it.name, value.clone()));
                if let Err(err) = registry.invoke(component.name, op, params).await {
                    let shown = format!("{known} of {value}: {err:?}");
                    assert_ne!(err.kind, ErrorKind::Bug, "{shown}");
                    assert!(!err.message.contains("unexpected"), "{shown}");
                }
            }
        }
    }
}

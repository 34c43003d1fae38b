//! The events of a run, under a policy and a cap.

#[tokio::main(flavor = "current_thread")]
pub(crate) async fn run() -> Result<(), Box<dyn std::error::Error>> {
    let (engine, cap) = (svc::engine(), svc::value::Money::cents(5));
    let script = r#""how are budgets enforced?" >> search(source: "docs") >> len"#;
    // block: Events, cancellation and runtimes, 1
    assert!(response.get::<i64>()? > 0);
    Ok(())
}

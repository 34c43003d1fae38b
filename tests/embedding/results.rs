//! The type of the result that a program needs.

#[tokio::main(flavor = "current_thread")]
pub(crate) async fn run() -> Result<(), Box<dyn std::error::Error>> {
    let (engine, script) = (svc::engine(), "[1, 2] >> sum");
    // block: The type of the result, 1
    assert_eq!(total, 3);
    let other = engine.run(r#""a" >> upper"#).gives::<i64>().await.unwrap_err().to_string();
    assert!(other.contains("expected int, found string"), "{other}");
    Ok(())
}

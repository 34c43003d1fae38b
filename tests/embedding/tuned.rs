//! A param that can be tuned, and the change of one.

use svc::registry::Params as _;

// block: Strategy, assumptions and tunables, 1

#[tokio::main(flavor = "current_thread")]
pub(crate) async fn run() -> Result<(), Box<dyn std::error::Error>> {
    assert!(Infer::PARAMS[1].is_tunable() && Infer::PARAMS[1].is_evolvable);
    let (engine, script) = (svc::engine(), "1 + 1");
    // block: Strategy, assumptions and tunables, 2
    assert_eq!(response.get::<i64>()?, 2);
    Ok(())
}

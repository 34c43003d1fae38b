//! A script with a name and a folder.

#[tokio::main(flavor = "current_thread")]
pub(crate) async fn run() -> Result<(), Box<dyn std::error::Error>> {
    let (engine, text) = (svc::engine(), "param topic: string  topic >> upper");
    // block: Running a script, 2
    assert_eq!(value, "BOUNDS".into());
    Ok(())
}

//! A pipeline composed in Rust.

#[tokio::main(flavor = "current_thread")]
pub(crate) async fn run() -> Result<(), Box<dyn std::error::Error>> {
    let engine = svc::engine();
    // block: Composing components in Rust, 1
    assert_eq!(response.value.kind().to_string(), "record");
    Ok(())
}

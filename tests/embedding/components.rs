//! A component, and its use.

// block: Writing a component, 1

#[tokio::main(flavor = "current_thread")]
pub(crate) async fn run() -> Result<(), Box<dyn std::error::Error>> {
    // block: Writing a component, 2
    Ok(())
}

//! Files in memory.

#[tokio::main(flavor = "current_thread")]
pub(crate) async fn run() -> Result<(), Box<dyn std::error::Error>> {
    // block: Files in memory, 1
    Ok(())
}

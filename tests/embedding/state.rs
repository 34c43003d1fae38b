//! A closure with state of the program.

#[tokio::main(flavor = "current_thread")]
pub(crate) async fn run() -> Result<(), Box<dyn std::error::Error>> {
    // block: State, 1
    Ok(())
}

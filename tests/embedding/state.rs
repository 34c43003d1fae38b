//! A closure with state of the program.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

#[tokio::main(flavor = "current_thread")]
pub(crate) async fn run() -> Result<(), Box<dyn std::error::Error>> {
    // block: State, 1
    Ok(())
}

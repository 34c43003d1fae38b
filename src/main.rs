//! The `svc` program.

use std::{io, process::ExitCode};

fn main() -> io::Result<ExitCode> {
    // Before anything is set up that a worker does not need.
    if svc::is_worker() {
        return Ok(ExitCode::SUCCESS);
    }
    let mut threads = tokio::runtime::Builder::new_multi_thread();
    let runtime = threads.enable_all().thread_stack_size(8 << 20).build()?;
    let code = runtime.block_on(svc::bases::main(svc::engine()));
    // A computation that ignores its cancellation must not keep the process.
    runtime.shutdown_background();
    Ok(code)
}

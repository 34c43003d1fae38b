//! The `svc` program.

use std::{io, process::ExitCode};

use svc::bases::{
    cli::{self, Servers},
    lsp,
};

fn main() -> io::Result<ExitCode> {
    let mut threads = tokio::runtime::Builder::new_multi_thread();
    let runtime = threads.enable_all().thread_stack_size(8 << 20).build()?;
    let servers = Servers { lsp: lsp::serve };
    let code = runtime.block_on(cli::main(servers));
    // A computation that ignores its cancellation must not keep the process.
    runtime.shutdown_background();
    Ok(code)
}

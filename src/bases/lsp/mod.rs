//! The language server: the checker, for editors.
//!
//! It speaks the Language Server Protocol over standard input and output. Messages are
//! answered one after the other, in their order. A change is taken in at once, and the
//! problems of a text are looked for when no message waits; so a text that was changed
//! again is never checked, and no answer comes out of order.
//!
//! Everything that is told comes from [`Engine::analyse_with`]: open documents stand for
//! their files, also for the scripts that use them.

mod actions;
mod capabilities;
mod colours;
mod completion;
mod diagnostics;
mod documents;
mod edits;
mod failure;
mod hover;
mod lines;
mod message;
mod names;
mod outline;
mod rename;
mod requests;
mod server;
mod signature;
mod uri;
mod wire;

use std::io;

use svc_engine::Engine;

use server::{End, Server};
use wire::{Inbox, Outbox};

/// Serves the client at standard input and output; gives the exit code: 0 when the client
/// said `shutdown` and `exit`, else 1.
#[expect(clippy::print_stderr, reason = "a client that cannot be understood may not listen")]
pub fn serve(engine: &Engine) -> u8 {
    let inbox = Inbox::new(io::BufReader::new(io::stdin()));
    let outbox = Outbox::new(io::BufWriter::new(io::stdout().lock()));
    match Server::new(engine, inbox, outbox).serve() {
        Ok(End::Proper) => 0,
        Ok(End::Lost(why)) => {
            eprintln!("svc lsp: {why}");
            1
        }
        // Nobody is left who could be told why.
        Ok(End::Abrupt) | Err(_) => 1,
    }
}

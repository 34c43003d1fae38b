//! The language server.
//!
//! The server speaks the Language Server Protocol over standard input and output. It answers
//! messages one after the other, in order. It applies a change at once, but checks a text only when
//! no message waits; so outdated texts are never checked, and responses keep their order.
//!
//! All answers come from [`Engine::analyse_with`]. Open documents take precedence over their files,
//! also for the scripts that import them.

mod actions;
mod capabilities;
mod colours;
mod completion;
mod diagnostics;
mod documents;
mod edits;
mod failure;
mod hover;
mod inlays;
mod lenses;
mod library;
mod lines;
mod links;
mod message;
mod names;
mod outline;
mod rename;
mod requests;
mod selections;
mod server;
mod signature;
mod uri;
mod wire;
mod workspace;

use std::io;

use svc_engine::Engine;

use server::{End, Server};
use wire::{Inbox, Outbox};

/// Serves the client on standard input and output, and returns the exit code: 0 after `shutdown`
/// and `exit`, otherwise 1.
#[expect(clippy::print_stderr, reason = "a client that cannot be understood may not listen")]
pub(super) fn serve(engine: &Engine) -> u8 {
    let inbox = Inbox::new(io::BufReader::new(io::stdin()));
    let outbox = Outbox::new(io::BufWriter::new(io::stdout().lock()));
    match Server::new(engine, inbox, outbox).serve() {
        Ok(End::Proper) => 0,
        Ok(End::Lost(why)) => {
            eprintln!("svc lsp: {why}");
            1
        }
        // The client is gone, so the reason cannot be reported.
        Ok(End::Abrupt) | Err(_) => 1,
    }
}

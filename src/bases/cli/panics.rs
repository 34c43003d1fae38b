//! The message for a panic: its place, but none of the data.

use std::panic::{self, PanicHookInfo};

use super::terminal;

/// Limits the message of a panic to what anyone may read: its place, and its text if that is a
/// literal of the program. The run that it ends reports the rest.
pub fn panics_are_brief() {
    panic::set_hook(Box::new(|it| terminal::print_err(&render(it))));
}

fn render(panic: &PanicHookInfo<'_>) -> String {
    let place = panic.location().map(ToString::to_string).unwrap_or_default();
    // A literal is part of the program; any other message may contain data, even a secret.
    match panic.payload().downcast_ref::<&'static str>() {
        Some(why) => format!("bug: a panic at {place}: {why}\n"),
        None => format!("bug: a panic at {place}\n"),
    }
}

//! What is said of a mistake in the program: where it is, but not what it worked with.

use std::panic::{self, PanicHookInfo};

use super::terminal;

/// Lets a panic say no more than anybody may read: its place, and its message where that is a
/// literal of the program. The run that it ends tells the rest.
pub fn are_brief() {
    panic::set_hook(Box::new(|it| terminal::tell(&told(it))));
}

fn told(panic: &PanicHookInfo<'_>) -> String {
    let place = panic.location().map(ToString::to_string).unwrap_or_default();
    // A literal is part of the program; any other message may hold data, and so a secret.
    match panic.payload().downcast_ref::<&'static str>() {
        Some(why) => format!("bug: a panic at {place}: {why}\n"),
        None => format!("bug: a panic at {place}\n"),
    }
}

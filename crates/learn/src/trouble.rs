//! What cannot be computed, and why.

use std::fmt;

/// A problem with the data or the params, and what to do.
#[derive(Clone, Debug, PartialEq)]
pub struct Trouble {
    pub message: String,
    pub help: Option<String>,
    /// The caller asked to stop; the message says nothing then.
    pub is_stopped: bool,
}

impl Trouble {
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), help: None, is_stopped: false }
    }

    #[must_use]
    pub fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Trouble {}

/// Asks the caller whether to go on.
pub struct Stop<'a>(pub &'a dyn Fn() -> bool);

impl Stop<'_> {
    /// Never stops.
    pub const NEVER: Stop<'static> = Stop(&|| false);

    /// # Errors
    /// The caller wants to stop.
    pub fn check(&self) -> Result<(), Trouble> {
        if (self.0)() {
            return Err(Trouble { is_stopped: true, ..Trouble::new("stopped") });
        }
        Ok(())
    }
}

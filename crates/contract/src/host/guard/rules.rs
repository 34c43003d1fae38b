//! What a guard lets through: files by their real paths, and hosts of the web.

use std::path::{Path, PathBuf};

use crate::host::address::Address;

/// What may be touched.
#[derive(Clone, Debug)]
pub struct Rules {
    pub by: By,
    pub reads: Fence,
    pub writes: Fence,
    pub web: Web,
}

/// Whose rules they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum By {
    /// Whoever runs the script.
    Policy,
    /// The same, of the files that a script uses.
    Use,
    /// One call, which touches what its arguments name: these paths. What the author named
    /// may be anything, also a symbolic link or a pipe.
    Call(Vec<PathBuf>),
}

/// The files that may be touched, by their real paths; a folder is everything below it.
#[derive(Clone, Debug, Default)]
pub struct Fence {
    /// Nothing is outside where this is nothing.
    pub inside: Option<Vec<PathBuf>>,
    pub except: Vec<PathBuf>,
}

/// The hosts that open requests may go to.
#[derive(Clone, Debug, Default)]
pub struct Web {
    /// All of the open internet where this is nothing.
    pub inside: Option<Vec<Site>>,
    pub except: Vec<Site>,
}

/// A host, or all names below one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// In the spelling of [`Address`].
    pub host: String,
    /// Whether it stands for the names below it: `*.example.com`.
    pub below: bool,
    /// Every port where this is nothing.
    pub port: Option<u16>,
}

impl Fence {
    /// Lets nothing but these paths be touched.
    pub fn around(inside: Vec<PathBuf>) -> Self {
        Self { inside: Some(inside), except: Vec::new() }
    }

    pub(super) fn allows(&self, real: &Path) -> bool {
        let is_below = |all: &[PathBuf]| all.iter().any(|it| real.starts_with(it));
        self.inside.as_deref().is_none_or(is_below) && !is_below(&self.except)
    }
}

impl Site {
    /// Every host.
    pub fn any() -> Self {
        Self { host: String::new(), below: true, port: None }
    }

    pub fn holds(&self, host: &str) -> bool {
        if self.host.is_empty() {
            return true;
        }
        match host.strip_suffix(&self.host) {
            Some("") => !self.below,
            Some(name) => self.below && name.ends_with('.'),
            None => false,
        }
    }

    fn holds_address(&self, address: &Address) -> bool {
        self.holds(address.host()) && self.port.is_none_or(|it| it == address.port())
    }
}

impl Web {
    pub(super) fn allows(&self, address: &Address) -> bool {
        let is_one = |all: &[Site]| all.iter().any(|it| it.holds_address(address));
        self.inside.as_deref().is_none_or(is_one) && !is_one(&self.except)
    }

    /// Whether the operator wrote exactly this address, with its port. Such an address is
    /// configured, so it may also be one of this machine.
    pub(super) fn names(&self, address: &Address) -> bool {
        let mut all = self.inside.iter().flatten();
        all.any(|it| it.port.is_some() && !it.below && it.holds_address(address))
    }
}

//! The rules of a guard: files by their real paths, and web hosts.

use std::path::{Path, PathBuf};

/// The allowed files and hosts.
#[derive(Clone, Debug)]
pub struct Rules {
    pub by: By,
    pub reads: Fence,
    pub writes: Fence,
    /// The hosts for requests that read.
    pub web: Web,
    /// The hosts for requests that may change something: all but GET, HEAD and OPTIONS.
    pub web_writes: Web,
}

/// The origin of the rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum By {
    /// The user who runs the script.
    Policy,
    /// The user too, for the files that a script uses.
    Use,
    /// One call, which may access the paths named by its arguments. A path named by the author
    /// may be anything, including a symbolic link or a pipe.
    Call(Vec<PathBuf>),
}

/// The allowed files, by their real paths; a folder includes everything below it.
#[derive(Clone, Debug, Default)]
pub struct Fence {
    /// `None` allows everything.
    pub inside: Option<Vec<PathBuf>>,
    pub except: Vec<PathBuf>,
}

/// The hosts allowed for open requests.
#[derive(Clone, Debug, Default)]
pub struct Web {
    /// `None` allows all of the open internet.
    pub inside: Option<Vec<Site>>,
    pub except: Vec<Site>,
}

/// A host, or all names below a domain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// Normalised like an [`Address`](crate::host::address::Address).
    pub host: String,
    /// Whether it means the names below it: `*.example.com`.
    pub below: bool,
    /// `None` allows every port.
    pub port: Option<u16>,
}

impl Fence {
    /// Allows only these paths.
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

    fn holds_port(&self, host: &str, port: u16) -> bool {
        self.holds(host) && self.port.is_none_or(|it| it == port)
    }
}

impl Web {
    pub(super) fn allows(&self, host: &str, port: u16) -> bool {
        let is_one = |all: &[Site]| all.iter().any(|it| it.holds_port(host, port));
        self.inside.as_deref().is_none_or(is_one) && !is_one(&self.except)
    }

    /// Whether the user allowed exactly this address, with its port. Such an address counts as
    /// configured, so it may also be on this machine.
    pub(super) fn names(&self, host: &str, port: u16) -> bool {
        let mut all = self.inside.iter().flatten();
        all.any(|it| it.port.is_some() && !it.below && it.holds_port(host, port))
    }
}

//! The standard library: flows and templates that are part of the binary, as `std:NAME`.
//!
//! Its files stand in `stdlib/`. Each begins with a comment that says what it is for, with
//! an example in it; those in Rhai have their tests in a script beside them.

mod describe;

pub use describe::Flow;

use crate::diag::Source;

/// What the names of modules begin with where a script uses them.
pub const PREFIX: &str = "std:";

/// How the files of modules end: those with flows, and those with templates.
pub const SUFFIXES: [&str; 2] = [".svc", ".rhai"];

/// A file of the standard library.
#[derive(Clone, Copy, Debug)]
pub struct Module {
    /// Its name behind `std:`.
    pub name: &'static str,
    /// The name of its file.
    pub file: &'static str,
    pub text: &'static str,
    /// The script with its tests, where it cannot have them itself, and the name of that.
    tests: Option<(&'static str, &'static str)>,
}

/// A module of flows: its file has its tests.
macro_rules! flows {
    ($name:literal) => {
        Module {
            name: $name,
            file: concat!($name, ".svc"),
            text: include_str!(concat!("../../../../stdlib/", $name, ".svc")),
            tests: None,
        }
    };
}

/// A module of templates, and the script beside it with its tests.
macro_rules! templates {
    ($name:literal) => {
        Module {
            name: $name,
            file: concat!($name, ".rhai"),
            text: include_str!(concat!("../../../../stdlib/", $name, ".rhai")),
            tests: Some((
                concat!($name, ".test.svc"),
                include_str!(concat!("../../../../stdlib/", $name, ".test.svc")),
            )),
        }
    };
}

/// All modules, in the order in which they are listed.
pub const ALL: &[Module] = &[
    flows!("summary"),
    flows!("cite"),
    flows!("compare"),
    templates!("refine"),
    flows!("panel"),
    flows!("best_of"),
    templates!("retry"),
    flows!("batch"),
    templates!("extract"),
    flows!("table"),
];

/// The module of this name, which has no `std:` before it.
pub fn find(name: &str) -> Option<&'static Module> {
    ALL.iter().find(|it| it.name == name)
}

impl Module {
    /// Its text, as those have it who use it.
    pub fn source(&self) -> Source {
        Source::new(format!("{PREFIX}{}", self.file), self.text)
    }

    /// The script with its tests.
    pub fn tests(&self) -> Source {
        match self.tests {
            Some((file, text)) => Source::new(format!("{PREFIX}{file}"), text),
            None => self.source(),
        }
    }

    /// Whether its flows are templates.
    pub fn is_template(&self) -> bool {
        self.tests.is_some()
    }

    /// What it is for, in one line.
    pub fn summary(&self) -> &'static str {
        let first = self.text.lines().next().unwrap_or_default();
        first.trim_start_matches(['#', '/', ' '])
    }

    /// What it says of itself: the comment that it begins with, without the signs of one.
    pub fn docs(&self) -> String {
        let sign = if self.is_template() { "//" } else { "#" };
        let lines = self.text.lines().map_while(|it| it.strip_prefix(sign));
        let lines: Vec<&str> = lines.map(|it| it.strip_prefix(' ').unwrap_or(it)).collect();
        lines.join("\n")
    }

    /// The scripts in its documentation, each with the JSON that it gives.
    pub fn examples(&self) -> Vec<Example> {
        let mut examples = Vec::new();
        let mut script: Vec<String> = Vec::new();
        for line in self.docs().lines() {
            match (line.strip_prefix("  "), line.strip_prefix("Gives ")) {
                (Some(line), _) => script.push(line.to_owned()),
                (None, None) if line.is_empty() && !script.is_empty() => script.push(String::new()),
                (None, gives) => {
                    let text = std::mem::take(&mut script).join("\n").trim_end().to_owned();
                    if !text.is_empty() {
                        examples.push(Example { script: text, gives: gives.map(str::to_owned) });
                    }
                }
            }
        }
        examples
    }
}

/// A script in the documentation of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    pub script: String,
    /// What it gives, as JSON, where that is said.
    pub gives: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_says_what_it_is_for() {
        let text = "# Shouts.\n#\n# Like this:\n#\n#   use \"std:a\" as a\n#\n#   \"x\" >> a.b\n#\n\
            # Gives \"X\"\n\nsvc 1\n";
        let module = Module { name: "a", file: "a.svc", text, tests: None };
        assert_eq!(module.summary(), "Shouts.");
        let script = "use \"std:a\" as a\n\n\"x\" >> a.b".to_owned();
        assert_eq!(module.examples(), [Example { script, gives: Some("\"X\"".to_owned()) }]);
        assert_eq!(module.source().name(), "std:a.svc");
    }
}

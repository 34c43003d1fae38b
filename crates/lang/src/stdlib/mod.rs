//! The standard library: flows and templates that are part of the binary, as `std:NAME`.
//!
//! Its files are in `stdlib/`. Each begins with a comment that describes its purpose and
//! contains an example; those in Rhai have their tests in a separate script next to them.

mod describe;

pub use describe::FlowDoc;

use crate::diag::Source;

/// The prefix of module names in scripts.
pub const PREFIX: &str = "std:";

/// The extensions of module files: those with flows, and those with templates.
pub const SUFFIXES: [&str; 2] = [".svc", ".rhai"];

/// A file of the standard library.
#[derive(Clone, Copy, Debug)]
pub struct Module {
    /// Its name after `std:`.
    pub name: &'static str,
    /// The name of its file.
    pub file: &'static str,
    pub text: &'static str,
    /// The file name and text of the script with its tests, if they are not in the module itself.
    tests: Option<(&'static str, &'static str)>,
}

/// A module of flows, whose file contains its tests.
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

/// A module of templates, with its tests in a separate script.
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

/// All modules, in the order of listings.
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

/// The module of this name, without `std:`.
pub fn find(name: &str) -> Option<&'static Module> {
    ALL.iter().find(|it| it.name == name)
}

impl Module {
    /// Its source, as used by scripts.
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

    /// Its purpose, in one line.
    pub fn summary(&self) -> &'static str {
        let first = self.text.lines().next().unwrap_or_default();
        first.trim_start_matches(['#', '/', ' '])
    }

    /// Its documentation: the comment at the start, without comment signs.
    pub fn docs(&self) -> String {
        let sign = if self.is_template() { "//" } else { "#" };
        let lines = self.text.lines().map_while(|it| it.strip_prefix(sign));
        let lines: Vec<&str> = lines.map(|it| it.strip_prefix(' ').unwrap_or(it)).collect();
        lines.join("\n")
    }

    /// The scripts in its documentation, each with its result as JSON.
    pub fn examples(&self) -> Vec<Example> {
        let mut examples = Vec::new();
        let mut script: Vec<String> = Vec::new();
        for line in self.docs().lines() {
            match (line.strip_prefix("  "), line.strip_prefix("Result: ")) {
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
    /// Its documented result as JSON, if any.
    pub gives: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_says_what_it_is_for() {
        let text = "# Shouts.\n#\n# Like this:\n#\n#   use \"std:a\" as a\n#\n#   \"x\" >> a.b\n#\n\
            # Result: \"X\"\n\nsvc 1\n";
        let module = Module { name: "a", file: "a.svc", text, tests: None };
        assert_eq!(module.summary(), "Shouts.");
        let script = "use \"std:a\" as a\n\n\"x\" >> a.b".to_owned();
        assert_eq!(module.examples(), [Example { script, gives: Some("\"X\"".to_owned()) }]);
        assert_eq!(module.source().name(), "std:a.svc");
    }
}

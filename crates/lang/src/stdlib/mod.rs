//! The standard library: flows and templates that are part of the binary, as `std:NAME`.
//!
//! Its files are in `stdlib/`. Each begins with a comment that describes its purpose and
//! contains an example; those in Rhai have their tests in a separate script next to them.

mod describe;

pub use describe::FlowDoc;

use crate::diag::Source;

/// The prefix of module names in scripts.
pub const PREFIX: &str = "std:";

/// The file by which a folder is used.
pub const FOLDER: &str = "mod.svc";

/// Precedes the names of the user's own modules.
pub const USER: &str = "user:";

/// The extensions of module files: those with flows, and those with templates.
pub const SUFFIXES: [&str; 2] = [".svc", ".rhai"];

/// A file of flows or templates that scripts use: of the standard library, or of a user.
#[derive(Clone, Copy, Debug)]
pub struct Module<'a> {
    /// Its name, without `std:`.
    pub name: &'a str,
    /// The name of its file.
    pub file: &'a str,
    pub text: &'a str,
    /// The file name and text of the script with its tests, if they are not in the module itself.
    tests: Option<(&'a str, &'a str)>,
    /// Whether flows and types without documentation are shown, too.
    shows_all: bool,
}

/// A module of flows, whose file contains its tests.
macro_rules! flows {
    ($name:literal) => {
        Module {
            name: $name,
            file: concat!($name, ".svc"),
            text: include_str!(concat!("../../../../stdlib/", $name, ".svc")),
            tests: None,
            shows_all: false,
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
            shows_all: false,
        }
    };
}

/// All modules, in the order of listings.
pub const ALL: &[Module<'static>] = &[
    flows!("summary"),
    flows!("rewrite"),
    flows!("chat"),
    flows!("cite"),
    flows!("compare"),
    templates!("refine"),
    flows!("panel"),
    flows!("best_of"),
    templates!("retry"),
    flows!("batch"),
    templates!("extract"),
    flows!("table"),
    flows!("guide"),
];

/// The module of this name, without `std:`.
pub fn find(name: &str) -> Option<&'static Module<'static>> {
    ALL.iter().find(|it| it.name == name)
}

impl<'a> Module<'a> {
    /// A module of a user, with all its flows and types that other files can use.
    pub fn of_user(source: &'a Source) -> Self {
        let (folder, file) = source.name().rsplit_once('/').unwrap_or(("", source.name()));
        let folder = folder.rsplit('/').next().filter(|it| !it.is_empty());
        let name = match folder {
            Some(folder) if file == FOLDER => folder,
            _ => file.split_once('.').map_or(file, |(name, _)| name),
        };
        Self { name, file, text: source.text(), tests: None, shows_all: true }
    }

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
        self.file.ends_with(SUFFIXES[1])
    }

    /// Its purpose, in one line.
    pub fn summary(&self) -> &'a str {
        let first = self.text.lines().next().filter(|it| it.starts_with(['#', '/']));
        first.unwrap_or_default().trim_start_matches(['#', '/', ' '])
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
        let module = Module { name: "a", file: "a.svc", text, tests: None, shows_all: false };
        assert_eq!(module.summary(), "Shouts.");
        let script = "use \"std:a\" as a\n\n\"x\" >> a.b".to_owned();
        assert_eq!(module.examples(), [Example { script, gives: Some("\"X\"".to_owned()) }]);
        assert_eq!(module.source().name(), "std:a.svc");
    }
}

//! Policy files.

use std::path::Path;

use serde::Deserialize;
use toml::Spanned;

use super::{Policy, Rule};
use crate::diag::Source;

/// The contents of a policy file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    allow: Option<Vec<Spanned<String>>>,
    #[serde(default)]
    deny: Vec<Spanned<String>>,
}

impl Policy {
    /// Reads the rules of a TOML file, `allow = ["reads"]` and `deny = ["spends"]`. Their paths
    /// are relative to the folder of the file.
    pub fn read(file: &Source) -> Result<Self, String> {
        let at = |offset: usize, why: &str| {
            let (line, column) = file.position(offset);
            format!("{}:{line}:{column}: {why}", file.name())
        };
        let read: File = toml::from_str(file.text())
            .map_err(|err| at(err.span().map_or(0, |it| it.start), err.message()))?;
        let folder = file.folder().map_or(Path::new(""), |it| it.as_path());
        let rules = |all: Vec<Spanned<String>>| {
            let rule = |it: &Spanned<String>| {
                Rule::read(it.get_ref(), folder).map_err(|why| at(it.span().start, &why))
            };
            all.iter().map(rule).collect::<Result<Vec<_>, _>>()
        };
        let allow = read.allow.map(rules).transpose()?;
        Ok(Self { allow, deny: rules(read.deny)?, ..Self::default() })
    }
}

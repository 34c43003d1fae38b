//! The settings that apply to every line.

use std::time::Duration;

use clap::Args;
use svc_contract::{
    registry::Usage,
    value::{Money, units},
};
use svc_engine::Request;

use super::super::given;

/// The settings from the command line.
#[derive(Args)]
pub(super) struct Given {
    /// The maximum cost of one line.
    #[arg(long, value_name = "DOLLARS", value_parser = given::money)]
    max_cost: Option<Money>,
    /// The maximum number of tokens of one line.
    #[arg(long, value_name = "N", value_parser = given::tokens)]
    max_tokens: Option<u64>,
    /// The maximum duration of one line: `30s`, `5m`.
    #[arg(long, value_name = "TIME", value_parser = given::duration)]
    timeout: Option<Duration>,
    /// The maximum memory for the values of one line: `500MB`.
    #[arg(long, value_name = "SIZE", value_parser = given::size)]
    max_memory: Option<u64>,
    /// The maximum cost of all lines together.
    #[arg(long, value_name = "DOLLARS", value_parser = given::money)]
    budget: Option<Money>,
}

/// The current settings.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    max_cost: Option<Money>,
    max_tokens: Option<u64>,
    timeout: Option<Duration>,
    max_memory: Option<u64>,
    budget: Option<Money>,
    /// The number of lines of a value to show; all without a value.
    rows: Option<usize>,
    pub(super) view: View,
}

/// The form in which values are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum View {
    /// Tables for records, trees for nested values.
    Auto,
    Tree,
    Json,
}

/// The settings: name and description.
pub(super) const KEYS: [(&str, &str); 7] = [
    ("max_cost", "the maximum cost of one line: 0.10"),
    ("max_tokens", "the maximum number of tokens of one line: 50_000"),
    ("timeout", "the maximum duration of one line: 30s"),
    ("max_memory", "the maximum memory for the values of one line: 500MB"),
    ("budget", "the maximum cost of all lines together: 1.00"),
    ("rows", "the number of lines of a value to show: 20"),
    ("view", "the form in which values are shown: auto, tree or json"),
];

impl Settings {
    pub(super) fn new(given: &Given, is_prompt: bool) -> Self {
        Self {
            max_cost: given.max_cost,
            max_tokens: given.max_tokens,
            timeout: given.timeout,
            max_memory: given.max_memory,
            budget: given.budget,
            rows: is_prompt.then(screenful),
            view: View::Auto,
        }
    }

    /// The number of lines of a value to show.
    pub(super) fn rows(&self) -> usize {
        self.rows.unwrap_or(usize::MAX)
    }

    /// Sets one of [`KEYS`]; `off` takes a limit away.
    pub(super) fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        match key {
            "max_cost" => self.max_cost = limit(value, given::money)?,
            "max_tokens" => self.max_tokens = limit(value, given::tokens)?,
            "timeout" => self.timeout = limit(value, given::duration)?,
            "max_memory" => self.max_memory = limit(value, given::size)?,
            "budget" => self.budget = limit(value, given::money)?,
            "rows" => self.rows = limit(value, rows)?,
            "view" => self.view = view(value)?,
            _ => {
                let known = KEYS.map(|(it, _)| format!("`{it}`")).join(", ");
                return Err(format!("unknown setting `{key}`; the settings are {known}"));
            }
        }
        Ok(())
    }

    /// The current value of a setting as text.
    pub(super) fn shown(&self, key: &str) -> String {
        let none = || "off".to_owned();
        match key {
            "max_cost" => self.max_cost.map_or_else(none, |it| it.to_string()),
            "max_tokens" => self.max_tokens.map_or_else(none, |it| it.to_string()),
            "timeout" => self.timeout.map_or_else(none, units::show_duration),
            "max_memory" => self.max_memory.map_or_else(none, units::show_size),
            "budget" => self.budget.map_or_else(none, |it| it.to_string()),
            "rows" => self.rows.map_or_else(none, |it| it.to_string()),
            _ => self.view.name().to_owned(),
        }
    }

    /// Adds the caps of a line to a request, after `spent` was used by earlier lines.
    pub(super) fn give<'e>(&self, request: Request<'e>, spent: Usage) -> Request<'e> {
        let left = self.budget.map(|it| it.checked_sub(spent.cost).unwrap_or(Money::ZERO));
        let cost = self.max_cost.into_iter().chain(left.map(|it| it.max(Money::ZERO))).min();
        let request = cost.into_iter().fold(request, Request::max_cost);
        let request = self.max_tokens.into_iter().fold(request, Request::max_tokens);
        let request = self.max_memory.into_iter().fold(request, Request::max_memory);
        self.timeout.into_iter().fold(request, Request::timeout)
    }
}

impl View {
    fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Tree => "tree",
            Self::Json => "json",
        }
    }
}

/// The lines that fit on the screen together with the entered line and the next prompt.
fn screenful() -> usize {
    const OTHER_LINES: usize = 5;
    super::super::screen::size().1.saturating_sub(OTHER_LINES).max(OTHER_LINES)
}

fn limit<T>(text: &str, read: impl Fn(&str) -> Result<T, String>) -> Result<Option<T>, String> {
    if text == "off" { Ok(None) } else { read(text).map(Some) }
}

fn rows(text: &str) -> Result<usize, String> {
    let count = text.parse().ok().filter(|it| *it > 0);
    count.ok_or_else(|| "expected a number of lines such as `20`, or `off` for all".to_owned())
}

fn view(text: &str) -> Result<View, String> {
    let all = [View::Auto, View::Tree, View::Json];
    let named = all.into_iter().find(|it| it.name() == text);
    named.ok_or_else(|| "expected `auto`, `tree` or `json`".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_set_by_their_names() {
        let given = Given {
            max_cost: None,
            max_tokens: None,
            timeout: None,
            max_memory: None,
            budget: None,
        };
        let mut settings = Settings::new(&given, false);
        for (key, value) in [
            ("max_cost", "0.10"),
            ("max_tokens", "50_000"),
            ("timeout", "30s"),
            ("max_memory", "1GB"),
            ("budget", "$1"),
            ("rows", "20"),
            ("view", "tree"),
        ] {
            settings.set(key, value).unwrap();
        }
        let shown: Vec<String> = KEYS.iter().map(|(it, _)| settings.shown(it)).collect();
        assert_eq!(shown, ["$0.10", "50000", "30s", "1GB", "$1.00", "20", "tree"]);
        assert!(settings.set("rows", "0").is_err());
        assert!(settings.set("colour", "x").unwrap_err().contains("`max_cost`"));
        settings.set("budget", "off").unwrap();
        assert_eq!(settings.shown("budget"), "off");
    }
}

//! Reads `access.toml`. All mistakes are reported at once, each with its line and field.

mod oauth;

use std::{borrow::Cow, fmt, path::Path};

use svc_contract::{
    registry::{Tier, nearest},
    value::{Money, units},
};
use svc_lang::{diag::Source, plan::Rule};
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::{
    gcra::Pace,
    oauth::OAuth,
    patterns::{Pattern, Patterns},
    roles::{Role, TIERS},
};

/// The version of the format.
const VERSION: i64 = 1;

const FIELDS: [&str; 13] = [
    "tier",
    "tools",
    "ops",
    "allow",
    "deny",
    "per_minute",
    "burst",
    "per_day",
    "at_once",
    "max_cost",
    "max_cost_per_day",
    "max_result",
    "note",
];

/// A mistake in a policy file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyProblem {
    pub file: String,
    /// From 1, like the column.
    pub line: usize,
    pub column: usize,
    /// `roles.free.tools`; empty for the file as a whole.
    pub field: String,
    pub message: String,
    pub help: Option<String>,
}

impl fmt::Display for PolicyProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, column, field, message, help } = self;
        write!(f, "{file}:{line}:{column}: ")?;
        if !field.is_empty() {
            write!(f, "{field}: ")?;
        }
        f.write_str(message)?;
        help.as_ref().map_or(Ok(()), |it| write!(f, "; {it}"))
    }
}

/// The roles of a file, and the built-in ones that it does not name; and whose tokens are accepted.
pub(super) fn read(
    source: &Source,
    is_hosted: bool,
) -> Result<(Vec<Role>, Option<OAuth>), Vec<PolicyProblem>> {
    let mut reader = Reader { source, is_hosted, problems: Vec::new() };
    let found = match DeTable::parse(source.text()) {
        Ok(table) => reader.file(table.get_ref()),
        Err(err) => {
            let at = err.span().map_or(0, |it| it.start);
            reader.wrong(at, "", err.message(), None);
            (Vec::new(), None)
        }
    };
    let mut problems = reader.problems;
    if problems.is_empty() {
        return Ok(found);
    }
    problems.sort_by_key(|it| (it.line, it.column));
    Err(problems)
}

struct Reader<'a> {
    source: &'a Source,
    is_hosted: bool,
    problems: Vec<PolicyProblem>,
}

/// A value with its place.
#[derive(Clone, Copy)]
struct Given<'a> {
    value: &'a DeValue<'a>,
    at: usize,
    field: &'a str,
}

impl Reader<'_> {
    fn wrong(&mut self, at: usize, field: &str, message: impl Into<String>, help: Option<String>) {
        let (line, column) = self.source.position(at);
        self.problems.push(PolicyProblem {
            file: self.source.name().to_owned(),
            line,
            column,
            field: field.to_owned(),
            message: message.into(),
            help,
        });
    }

    fn misfit<T>(&mut self, given: Given<'_>, expected: &str) -> Option<T> {
        let found = found(given.value);
        self.wrong(given.at, given.field, format!("expected {expected}, found {found}"), None);
        None
    }

    fn unknown(&mut self, key: &Spanned<Cow<'_, str>>, inside: &str, known: &[&str]) {
        let name = key.get_ref();
        let help = match nearest(name, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("the fields are {}", known.join(", ")),
        };
        let message = format!("unknown field `{}`", name.escape_debug());
        self.wrong(key.span().start, inside, message, Some(help));
    }

    fn file(&mut self, table: &DeTable<'_>) -> (Vec<Role>, Option<OAuth>) {
        let mut roles: Vec<Role> =
            TIERS.iter().map(|it| Role::of_tier(*it, self.is_hosted)).collect();
        let mut has_version = false;
        for (key, value) in table {
            let at = value.span().start;
            match key.get_ref().as_ref() {
                "version" => {
                    has_version = true;
                    let given = Given { value: value.get_ref(), at, field: "version" };
                    if integer(given.value) != Some(VERSION) {
                        self.misfit::<()>(given, "`1`");
                    }
                }
                "roles" => {
                    let given = Given { value: value.get_ref(), at, field: "roles" };
                    match given.value {
                        DeValue::Table(table) => self.roles(table, &mut roles),
                        _ => drop(self.misfit::<()>(given, "a table of roles")),
                    }
                }
                // Read after the roles.
                "oauth" | "pricing" => {}
                _ => self.unknown(key, "", &["version", "roles", "oauth", "pricing"]),
            }
        }
        if !has_version {
            self.wrong(0, "", "missing `version`", Some("add `version = 1`".to_owned()));
        }
        roles.sort_by_key(|it| it.tier);
        if let Some(it) = table.get("pricing") {
            let given = Given { value: it.get_ref(), at: it.span().start, field: "pricing" };
            let page = self.address(given).map(str::to_owned);
            for role in &mut roles {
                role.pricing.clone_from(&page);
            }
        }
        let oauth = table.get("oauth").and_then(|it| {
            let given = Given { value: it.get_ref(), at: it.span().start, field: "oauth" };
            match given.value {
                DeValue::Table(table) => self.oauth(table, given.at, &roles),
                _ => self.misfit(given, "a table"),
            }
        });
        (roles, oauth)
    }

    fn roles(&mut self, table: &DeTable<'_>, roles: &mut Vec<Role>) {
        for (key, value) in table {
            let (name, at) = (key.get_ref().as_ref(), key.span().start);
            let field = format!("roles.{}", name.escape_debug());
            if !is_name(name) {
                let message = "invalid name of a role";
                let help = "use up to 32 lower-case letters, digits, `-` and `_`".to_owned();
                self.wrong(at, &field, message, Some(help));
                continue;
            }
            let given = Given { value: value.get_ref(), at: value.span().start, field: &field };
            let DeValue::Table(table) = given.value else {
                self.misfit::<()>(given, "a table");
                continue;
            };
            if let Some(role) = self.role(name, at, &field, table) {
                roles.retain(|it| it.name != name);
                roles.push(role);
            }
        }
    }

    fn role(&mut self, name: &str, at: usize, field: &str, table: &DeTable<'_>) -> Option<Role> {
        let own = TIERS.into_iter().find(|it| it.name() == name);
        let tier = match table.get("tier") {
            Some(value) => {
                let field = format!("{field}.tier");
                self.tier(Given { value: value.get_ref(), at: value.span().start, field: &field })
            }
            None if own.is_some() => own,
            None => {
                let help = "add `tier = \"free\"`, or `researcher`, `builder`, `admin`".to_owned();
                self.wrong(at, field, "missing `tier`", Some(help));
                None
            }
        };
        // Without a tier, the other fields are still read for their mistakes.
        let mut role = Role::of_tier(tier.unwrap_or(Tier::Free), self.is_hosted);
        name.clone_into(&mut role.name);
        let decides = ["allow", "deny"].iter().any(|it| table.contains_key(*it));
        if decides {
            role.deny.clear();
        }
        for (key, value) in table {
            let inside = format!("{field}.{}", key.get_ref().escape_debug());
            let given = Given { value: value.get_ref(), at: value.span().start, field: &inside };
            self.field(key, field, given, &mut role);
        }
        tier.map(|_| role)
    }

    fn field(
        &mut self,
        key: &Spanned<Cow<'_, str>>,
        inside: &str,
        given: Given<'_>,
        role: &mut Role,
    ) {
        match key.get_ref().as_ref() {
            "tier" => {}
            "tools" => role.tools = self.patterns(given),
            "ops" => role.ops = self.patterns(given),
            "allow" => role.allow = Some(self.rules(given)),
            "deny" => role.deny = self.rules(given),
            "per_minute" => {
                let burst = role.limits.pace.map_or(1, |it| it.burst);
                let per_minute = self.count(given, 1..=1_000_000).unwrap_or(1);
                role.limits.pace = Some(Pace { per_minute, burst });
            }
            "burst" => {
                let per_minute = role.limits.pace.map_or(1, |it| it.per_minute);
                let burst = self.count(given, 1..=1_000_000).unwrap_or(1);
                role.limits.pace = Some(Pace { per_minute, burst });
            }
            "per_day" => {
                role.limits.per_day = self.count(given, 0..=u32::MAX).map(u64::from);
            }
            "at_once" => role.limits.at_once = self.count(given, 1..=100_000),
            "max_cost" => role.limits.max_cost = self.money(given),
            "max_cost_per_day" => role.limits.max_cost_per_day = self.money(given),
            "max_result" => role.limits.max_result = self.size(given),
            "note" => drop(self.text(given)),
            _ => self.unknown(key, inside, &FIELDS),
        }
    }

    fn text<'a>(&mut self, given: Given<'a>) -> Option<&'a str> {
        match given.value {
            DeValue::String(text) => Some(text.as_ref()),
            _ => self.misfit(given, "text"),
        }
    }

    fn tier(&mut self, given: Given<'_>) -> Option<Tier> {
        let text = self.text(given)?;
        if let Some(tier) = TIERS.into_iter().find(|it| it.name() == text) {
            return Some(tier);
        }
        let help = match text {
            "bias" => Some("issue keys for tuning with `--bias`".to_owned()),
            _ => nearest(text, TIERS.map(Tier::name)).map(|it| format!("did you mean `{it}`?")),
        };
        let message = format!(
            "expected `free`, `researcher`, `builder` or `admin`, found `{}`",
            text.escape_debug()
        );
        self.wrong(given.at, given.field, message, help);
        None
    }

    fn texts<'a>(&mut self, given: Given<'a>) -> Vec<(usize, &'a str)> {
        let DeValue::Array(all) = given.value else {
            self.misfit::<()>(given, "a list of texts");
            return Vec::new();
        };
        let mut texts = Vec::new();
        for it in all {
            let at = it.span().start;
            texts.extend(self.text(Given { value: it.get_ref(), at, ..given }).map(|it| (at, it)));
        }
        texts
    }

    fn patterns(&mut self, given: Given<'_>) -> Patterns {
        let mut patterns = Vec::new();
        for (at, text) in self.texts(given) {
            match Pattern::read(text) {
                Ok(pattern) => patterns.push(pattern),
                Err(why) => {
                    let message = format!("invalid pattern `{}`: {why}", text.escape_debug());
                    self.wrong(at, given.field, message, None);
                }
            }
        }
        Patterns::new(patterns)
    }

    fn rules(&mut self, given: Given<'_>) -> Vec<Rule> {
        let folder = self.source.folder().map_or(Path::new(""), |it| it.as_path());
        let mut rules = Vec::new();
        for (at, text) in self.texts(given) {
            match Rule::read(text, folder) {
                Ok(rule) => rules.push(rule),
                Err(why) => {
                    let verb = text.split_whitespace().next().unwrap_or_default();
                    let verbs = ["reads", "writes", "runs", "spends", "asks"];
                    let near = nearest(verb, verbs).filter(|it| *it != verb);
                    let help = near.map(|it| format!("did you mean `{it}`?"));
                    self.wrong(at, given.field, why, help);
                }
            }
        }
        rules
    }

    fn count(&mut self, given: Given<'_>, range: std::ops::RangeInclusive<u32>) -> Option<u32> {
        let count = integer(given.value).and_then(|it| u32::try_from(it).ok());
        match count.filter(|it| range.contains(it)) {
            Some(count) => Some(count),
            None => {
                let (from, to) = range.into_inner();
                self.misfit(given, &format!("a whole number from {from} to {to}"))
            }
        }
    }

    fn money(&mut self, given: Given<'_>) -> Option<Money> {
        let read = |it: &str| it.starts_with('$').then(|| Money::read(it)).flatten();
        match given.value {
            DeValue::String(text) if read(text).is_some() => read(text),
            _ => self.misfit(given, "an amount such as `\"$0.05\"`"),
        }
    }

    fn size(&mut self, given: Given<'_>) -> Option<u64> {
        match given.value {
            DeValue::String(text) if units::parse_size(text).is_some() => units::parse_size(text),
            _ => self.misfit(given, "a size such as `\"10MiB\"`"),
        }
    }
}

fn integer(value: &DeValue<'_>) -> Option<i64> {
    match value {
        DeValue::Integer(it) => i64::from_str_radix(&it.as_str().replace('_', ""), it.radix()).ok(),
        _ => None,
    }
}

fn is_name(name: &str) -> bool {
    let is_sign =
        |it: char| it.is_ascii_lowercase() || it.is_ascii_digit() || matches!(it, '-' | '_');
    (1..=32).contains(&name.len()) && name.chars().all(is_sign)
}

/// A value in a message, not longer than a line.
fn found(value: &DeValue<'_>) -> String {
    const MOST: usize = 40;
    match value {
        DeValue::String(text) => {
            let shown: String = text.chars().take(MOST).collect();
            let more = if shown.len() < text.len() { ".." } else { "" };
            format!("`{:?}`", format!("{shown}{more}"))
        }
        DeValue::Integer(it) => {
            let text: String = it.to_string().chars().take(MOST).collect();
            format!("`{text}`")
        }
        DeValue::Float(_) => "a decimal number".to_owned(),
        DeValue::Boolean(it) => format!("`{it}`"),
        DeValue::Datetime(_) => "a time".to_owned(),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::Table(_) => "a table".to_owned(),
    }
}

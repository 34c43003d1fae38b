//! The stable name of a node: its place in the script, independent of time and order.

use std::fmt;

/// A path, linked from the inside out on the evaluating stack: `found/web/search`,
/// `each[3]/summary`, `!fallback/search`.
#[derive(Clone, Copy)]
pub(super) enum Path<'a> {
    Root,
    Name(&'a Path<'a>, &'a str),
    Item(&'a Path<'a>, &'a str, usize),
    /// One call of a flow made by an op, and its identifier.
    Callback(&'a Path<'a>, &'a str, &'a str),
}

impl<'a> Path<'a> {
    pub(super) fn name(&'a self, name: &'a str) -> Self {
        Self::Name(self, name)
    }

    pub(super) fn item(&'a self, name: &'a str, idx: usize) -> Self {
        Self::Item(self, name, idx)
    }

    /// The place of a call in the records, where each call of a flow by an op has a place of its own:
    /// `agent/post@4711.1/request`. It is the same when the run is resumed.
    pub(super) fn recorded(&self) -> String {
        by_input(&format!("{self:#}"))
    }
}

impl fmt::Display for Path<'_> {
    /// Collects the steps first: a path may be deeper than the stack. All calls of one flow by
    /// an op have the same path; `{:#}` also shows the identifier of the call.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut steps = Vec::new();
        let mut at = self;
        while let Self::Name(outer, _) | Self::Item(outer, _, _) | Self::Callback(outer, _, _) = at
        {
            steps.push(at);
            at = outer;
        }
        for (idx, step) in steps.iter().rev().enumerate() {
            let slash = if idx == 0 { "" } else { "/" };
            match step {
                Self::Root => {}
                Self::Name(_, name) => write!(f, "{slash}{name}")?,
                Self::Item(_, name, idx) => write!(f, "{slash}{name}[{idx}]")?,
                Self::Callback(_, name, which) if f.alternate() => {
                    write!(f, "{slash}{name}{CALLBACK}{which}")?;
                }
                Self::Callback(_, name, _) => write!(f, "{slash}{name}")?,
            }
        }
        Ok(())
    }
}

/// Precedes the identifier of a callback: its input, and the count of calls with that input.
/// Does not occur in names.
const CALLBACK: char = '@';

/// Precedes the number of a callback among all callbacks of its op.
const ORDER: char = '~';

/// The identifier of a callback.
pub(super) fn callback(input: &str, count: u32, number: u32) -> String {
    format!("{input}.{count}{ORDER}{number}")
}

/// A scope whose callbacks are identified by their input.
pub fn by_input(scope: &str) -> String {
    steps(scope, |step| step.split(ORDER).next().unwrap_or_default().to_owned())
}

/// A scope whose callbacks are identified by their order; `None` if it has no callbacks.
pub fn by_order(scope: &str) -> Option<String> {
    let number = |step: &str| match (step.split_once(CALLBACK), step.split_once(ORDER)) {
        (Some((name, _)), Some((_, number))) => format!("{name}{CALLBACK}{ORDER}{number}"),
        _ => step.to_owned(),
    };
    scope.contains(CALLBACK).then(|| steps(scope, number))
}

fn steps(scope: &str, of: impl Fn(&str) -> String) -> String {
    scope.split('/').map(of).collect::<Vec<_>>().join("/")
}

/// The place of a node or scope in the script, without the numbers of items, turns and callbacks:
/// `each[3]/summary` becomes `each[]/summary`, as in the plan.
pub fn place_of(path: &str) -> String {
    let mut place = String::with_capacity(path.len());
    let mut until = None;
    for it in path.chars() {
        until = until.filter(|end| it != *end);
        if it == CALLBACK && until.is_none() {
            until = Some('/');
        }
        if until.is_none() {
            place.push(it);
        }
        if it == '[' && until.is_none() {
            until = Some(']');
        }
    }
    place
}

#[cfg(test)]
mod tests {
    use super::{Path, by_input, by_order, callback, place_of};

    #[test]
    fn a_place_has_no_numbers() {
        assert_eq!(place_of("a/each[3]/repeat[12]/b#2"), "a/each[]/repeat[]/b#2");
        assert_eq!(place_of("agent/post@4711.1/each[3]/b@12.2"), "agent/post/each[]/b");
    }

    #[test]
    fn callbacks_have_one_path_and_scopes_of_their_own() {
        let each = Path::Root.item("each", 3);
        let which = callback("4711", 1, 2);
        let scope = Path::Callback(&each, "judge", &which);
        let scope = scope.name("within#2");
        assert_eq!(scope.to_string(), "each[3]/judge/within#2");
        assert_eq!(scope.recorded(), "each[3]/judge@4711.1/within#2");
        let scope = format!("{scope:#}");
        assert_eq!(by_input(&scope), "each[3]/judge@4711.1/within#2");
        assert_eq!(by_order(&scope).unwrap(), "each[3]/judge@~2/within#2");
        assert_eq!(by_order("each[3]/within"), None);
        assert_eq!(place_of(&scope), "each[]/judge/within#2");
    }

    #[test]
    fn paths_read_from_the_outside_in() {
        let each = Path::Root.item("each", 3);
        assert_eq!(each.name("summary").to_string(), "each[3]/summary");
    }
}

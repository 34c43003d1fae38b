//! What to do first: a few calls that run, for a task or for a look around.

use svc_contract::{
    registry::{Catalog, Ranked, Registry, Tier, record},
    value::{Text, Value},
};

/// The most suggested calls.
const MOST: usize = 5;

/// The longest task that calls repeat, in characters.
const LONGEST_TASK: usize = 120;

/// The longest script of a suggested call, in bytes: the whole answer is short.
const LONGEST_SCRIPT: usize = 120;

/// How many of the ops for a task are looked at for one whose example can be run.
const LOOKED_AT: usize = 8;

record! {
    /// A call to make next.
    pub struct NextCall {
        /// The tool.
        tool: Text,
        /// Why.
        why: Text,
        /// Its arguments, which run as they are.
        arguments: Value,
    }
}

record! {
    /// The first help for a program that knows nothing of this system.
    pub struct FirstHelp {
        /// The tier of the caller.
        tier: Text,
        /// What the caller can do, in one or two sentences.
        what_you_can_do: Text,
        /// Calls to make next, at most five.
        next: Vec<NextCall>,
        /// The groups of components.
        families: Vec<Text>,
    }
}

/// The first help for a caller of a tier, for a task if there is one.
pub fn first_call(task: Option<&str>, tier: Tier, catalog: &dyn Catalog) -> FirstHelp {
    let registry = catalog.registry();
    let task = task.map(str::trim).filter(|it| it.contains(char::is_alphanumeric)).map(brief);
    let mut next = Vec::new();
    let suggestions = match &task {
        Some(task) => for_task(task, tier, catalog),
        None => around(tier, catalog),
    };
    for (tool, why, arguments) in suggestions {
        let is_callable = registry.find_tool(tool).is_some_and(|it| it.tier() <= tier);
        if is_callable && next.len() < MOST {
            next.push(NextCall {
                tool: tool.into(),
                why: why.into(),
                arguments: object(arguments),
            });
        }
    }
    FirstHelp {
        tier: tier.name().into(),
        what_you_can_do: offer(registry, tier).into(),
        next,
        families: families(registry),
    }
}

fn offer(registry: &Registry, tier: Tier) -> String {
    let total = registry.tools().count();
    let callable = registry.tools().filter(|it| it.1.tier() <= tier).count();
    format!(
        "The tier {tier} includes {callable} of {total} tools. Find the one for a task, or run any \
         of its ops in a script, which is checked before it runs."
    )
}

type Suggestion = (&'static str, String, Vec<(&'static str, Value)>);

fn for_task(task: &str, tier: Tier, catalog: &dyn Catalog) -> Vec<Suggestion> {
    let given = |name| vec![(name, Value::from(task))];
    let mut all = vec![(
        "guide_find_tool",
        "names the ops for the task".to_owned(),
        vec![("task", Value::from(task)), ("limit", Value::Int(3))],
    )];
    let found = catalog.topics().find(task);
    all.extend(found.iter().take(LOOKED_AT).find_map(|it| tried(it, tier, catalog)));
    all.push((
        "decompose_goal",
        "splits it into steps, and says what is missing".into(),
        given("goal"),
    ));
    all.push(("guide_plan_workflow", "writes a script for it".into(), given("goal")));
    all.push(("guide_how_to", "explains how it is done".into(), given("task")));
    all
}

fn around(tier: Tier, catalog: &dyn Catalog) -> Vec<Suggestion> {
    let question = Value::from("how do I write a script?");
    let found = catalog.topics().find("make a title fit for a url");
    let mut all = vec![
        ("system_status", "says what you may call".to_owned(), Vec::new()),
        ("list_components", "shows what there is".into(), vec![("limit", Value::Int(20))]),
    ];
    all.extend(found.iter().take(LOOKED_AT).find_map(|it| tried(it, tier, catalog)));
    all.push(("guide_ask", "answers questions from the book".into(), vec![("query", question)]));
    let task = Value::from("summarise documents");
    all.push(("guide_find_tool", "finds the op for a task".into(), vec![("task", task)]));
    all
}

/// An example of an op that needs nothing but itself, as a call.
fn tried(found: &Ranked<'_>, tier: Tier, catalog: &dyn Catalog) -> Option<Suggestion> {
    let op = found.topic.op().filter(|it| it.op.is_pure() && it.tier() <= tier)?;
    let example = op.op.examples.iter().find(|it| {
        let is_alone = it.files.is_empty() && it.env.is_empty() && it.answers.is_empty();
        is_alone && it.yields.is_ok() && it.script.len() <= LONGEST_SCRIPT
    })?;
    let checked = catalog.tried(example.script);
    let is_allowed = checked.ops.iter().all(|it| it.tier() <= tier);
    let runs = checked.errors.is_empty() && checked.effects.is_empty() && is_allowed;
    let why = format!("tries `{}`, an op for such tasks", op.script_name());
    runs.then(|| ("run_pipeline", why, vec![("script", Value::from(example.script))]))
}

fn object(fields: Vec<(&'static str, Value)>) -> Value {
    Value::Record(fields.into_iter().map(|(name, it)| (name.into(), it)).collect())
}

/// The begin of a task, up to a space.
fn brief(task: &str) -> String {
    let Some((end, _)) = task.char_indices().nth(LONGEST_TASK) else { return task.to_owned() };
    let cut = task[..end].rfind(char::is_whitespace).unwrap_or(end);
    task[..cut].trim_end().to_owned()
}

fn families(registry: &Registry) -> Vec<Text> {
    let mut all: Vec<&str> = registry.components().iter().map(|it| it.cluster).collect();
    all.sort_unstable();
    all.dedup();
    all.into_iter().map(Into::into).collect()
}

#[cfg(test)]
mod tests {
    use super::brief;

    #[test]
    fn long_tasks_are_cut_between_words() {
        assert_eq!(brief("sum it up"), "sum it up");
        let long = "ä word ".repeat(40);
        let cut = brief(&long);
        assert!(cut.chars().count() <= 120 && cut.ends_with("word"), "{cut}");
        assert_eq!(brief(&"é".repeat(200)).chars().count(), 120);
    }
}

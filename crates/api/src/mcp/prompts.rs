//! Prompts: what a person can ask for in their client.

use std::collections::BTreeMap;

use svc_service::Fault;

/// A prompt.
#[derive(Clone, Copy, Debug)]
pub struct Prompt {
    pub name: &'static str,
    pub title: &'static str,
    pub description: &'static str,
    pub params: &'static [PromptParam],
}

/// A param of a prompt. Its value is text.
#[derive(Clone, Copy, Debug)]
pub struct PromptParam {
    pub name: &'static str,
    pub description: &'static str,
    pub is_required: bool,
}

const fn required(name: &'static str, description: &'static str) -> PromptParam {
    PromptParam { name, description, is_required: true }
}

const fn optional(name: &'static str, description: &'static str) -> PromptParam {
    PromptParam { name, description, is_required: false }
}

const ALL: [Prompt; 4] = [
    Prompt {
        name: "first_call",
        title: "Where to start",
        description: "Finds the tools for a task, and what the caller may do.",
        params: &[optional("task", "What you want to do.")],
    },
    Prompt {
        name: "plan_goal",
        title: "Plan a goal",
        description: "Makes a checked pipeline for a goal, and says what it can cost before it runs.",
        params: &[
            required("goal", "What the pipeline should do, in plain words."),
            optional("max_cost", "The most that a run may cost: $0.10."),
        ],
    },
    Prompt {
        name: "write_pipeline",
        title: "Write a pipeline",
        description: "Writes a script step by step, and checks it before it runs.",
        params: &[
            required("task", "What the script should do."),
            optional("component", "A component that it should use."),
        ],
    },
    Prompt {
        name: "debug_failure",
        title: "Find out why a run failed",
        description: "Explains a run that failed, and proposes a change.",
        params: &[required("run_id", "The run, or its job.")],
    },
];

/// All prompts.
pub fn prompts() -> &'static [Prompt] {
    &ALL
}

/// The text of a prompt with these values.
pub fn prompt(name: &str, values: &BTreeMap<String, String>) -> Result<String, Fault> {
    let Some(prompt) = ALL.iter().find(|it| it.name == name) else {
        let names: Vec<&str> = ALL.iter().map(|it| it.name).collect();
        return Err(Fault::not_found(format!("unknown prompt `{name}`"))
            .help(format!("the prompts are {}", names.join(", "))));
    };
    for param in prompt.params.iter().filter(|it| it.is_required) {
        if values.get(param.name).is_none_or(|it| it.trim().is_empty()) {
            return Err(Fault::field(param.name, "missing argument"));
        }
    }
    if let Some(other) = values.keys().find(|it| prompt.params.iter().all(|p| p.name != **it)) {
        return Err(Fault::field(other.clone(), "unknown argument"));
    }
    let value = |name: &str| values.get(name).map(|it| it.trim()).filter(|it| !it.is_empty());
    Ok(match name {
        "first_call" => match value("task") {
            Some(task) => format!(
                "Call svc_first_call_help_tool with this task, then do the first of its next \
                 calls.\n\nTask: {task}"
            ),
            None => "Call svc_first_call_help_tool, and say in a few lines what I can do here."
                .to_owned(),
        },
        "plan_goal" => {
            let cap = match value("max_cost") {
                Some(cap) => format!(" It must not cost more than {cap}: say so with `within`."),
                None => String::new(),
            };
            format!(
                "Call guide_plan_workflow for the goal below. Check the script with run_pipeline \
                 and dry_run: true, which is free, and correct it until it has no errors. Then show \
                 me the script, the most that it can cost and take, and its effects. Run it only \
                 after I agree.{cap}\n\nGoal: {}",
                value("goal").unwrap_or_default()
            )
        }
        "write_pipeline" => {
            let with = value("component").map(|it| format!(" Use the component {it}."));
            format!(
                "Write a script for svc for the task below. Look up components with nav_discover \
                 and nav_inspect; read the resource svc://docs/card for the language. Check it \
                 with run_pipeline and dry_run: true until it has no errors, and show it with its \
                 estimate.{}\n\nTask: {}",
                with.unwrap_or_default(),
                value("task").unwrap_or_default()
            )
        }
        _ => format!(
            "Read the resource svc://run/{0} and say which call failed first and why. Read the \
             script, propose the smallest change, and check the changed script with run_pipeline \
             and dry_run: true.\n\nRun: {0}",
            value("run_id").unwrap_or_default()
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_prompt_has_a_text_with_its_values() {
        for it in prompts() {
            let values = it.params.iter().map(|p| (p.name.to_owned(), format!("<{}>", p.name)));
            let text = prompt(it.name, &values.collect()).unwrap();
            for param in it.params {
                assert!(text.contains(&format!("<{}>", param.name)), "{}: {text}", it.name);
            }
            let missing = prompt(it.name, &BTreeMap::new());
            assert_eq!(missing.is_err(), it.params.iter().any(|it| it.is_required), "{}", it.name);
            let other = BTreeMap::from([("other".to_owned(), "a".to_owned())]);
            assert!(prompt(it.name, &other).is_err(), "{}", it.name);
        }
        assert!(prompt("other", &BTreeMap::new()).is_err());
    }
}

//! What users ask of the language: its words and signs, the flows of the standard library, and the
//! codes of problems.

use svc_contract::registry::{Subject, Topic};

use crate::{
    constructs::{self, Construct},
    diag::Explanation,
    stdlib::{self, FlowDoc, Module},
};

/// All topics of the language, for the index of what users ask for.
pub fn all() -> impl Iterator<Item = Topic> {
    let flows = |module: &'static Module<'static>| {
        module.flows().into_iter().map(move |it| of_flow(module, &it))
    };
    let constructs = constructs::all().map(of_construct);
    constructs.chain(stdlib::ALL.iter().flat_map(flows)).chain(Explanation::all().map(of_code))
}

fn of_construct(construct: &Construct) -> Topic {
    let Construct { words, says, summary, form, example, fails, .. } = *construct;
    Topic {
        subject: Subject::Construct,
        name: construct.name().to_owned(),
        other_names: words.join(" "),
        says: says.iter().map(|it| (*it).to_owned()).collect(),
        summary: summary.to_owned(),
        details: fails.to_owned(),
        signature: form.to_owned(),
        example: example.to_owned(),
    }
}

fn of_flow(module: &'static Module<'static>, flow: &FlowDoc) -> Topic {
    let name = format!("{}.{}", module.name, flow.name);
    let example = module.examples().into_iter().find(|it| it.script.contains(&name));
    Topic {
        subject: Subject::Flow(module.name),
        other_names: String::new(),
        says: flow.says.clone(),
        summary: flow.summary().to_owned(),
        details: format!("{} {}", flow.doc.trim_start_matches(flow.summary()), module.summary()),
        signature: format!("{}.{}", module.name, flow.signature()),
        example: example.map(|it| it.script).unwrap_or_default(),
        name,
    }
}

fn of_code(code: Explanation) -> Topic {
    Topic {
        subject: Subject::Code,
        name: code.code.to_owned(),
        other_names: String::new(),
        says: code.says().map(str::to_owned).collect(),
        summary: code.title.to_owned(),
        details: code.meaning.to_owned(),
        signature: String::new(),
        example: code.right.text.to_owned(),
    }
}

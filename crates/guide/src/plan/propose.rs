//! Scripts that a language model proposes: the checker decides, and reports the problems.

use svc_contract::registry::{Catalog, Index, OpError, OpRef, Param, Tried, Writer};

use super::{
    super::CARD,
    Workflow,
    finish::Wanted,
    output::{described, head},
};

/// The maximum number of ops in a prompt.
const MOST_OPS: usize = 24;

/// A goal, and the result without a writer.
pub struct Proposal<'a> {
    pub wanted: &'a Wanted,
    /// The script without a writer.
    pub own: Workflow,
    /// The maximum number of calls of the writer.
    pub rounds: usize,
}

impl Proposal<'_> {
    /// Returns the first script of the writer that passes the check, or the result without it.
    pub async fn written(
        self,
        writer: &Writer,
        catalog: &dyn Catalog,
    ) -> Result<Workflow, OpError> {
        let first = self.prompt(catalog);
        let mut prompt = first.clone();
        let mut why = String::new();
        for _ in 0..self.rounds {
            let answer = writer.write(&prompt).await?;
            let Some(script) = script_in(&answer) else {
                "no script in the answer".clone_into(&mut why);
                prompt = format!("{first}\nAnswer with the script in a ```svc block.\n");
                continue;
            };
            let tried = catalog.tried(script);
            let errors = self.errors(&tried, catalog);
            if errors.is_empty() {
                return Ok(self.taken(&tried, catalog));
            }
            why = errors.join("\n");
            prompt = format!(
                "{first}\nThis script does not check:\n```svc\n{}```\nWhat is wrong:\n{why}\n\
                 Write it again without these mistakes.\n",
                tried.text
            );
        }
        let mut own = self.own;
        own.notes.push(format!("the writer's script does not pass the check: {why}").into());
        Ok(own)
    }

    /// The problems of a proposal: all findings of the checker, or a wrong type.
    fn errors(&self, tried: &Tried, catalog: &dyn Catalog) -> Vec<String> {
        if !tried.errors.is_empty() {
            return tried.errors.clone();
        }
        let Some(gives) = &tried.gives else { return vec!["missing main pipeline".into()] };
        let wanted = self.wanted.output.as_deref();
        let misfit = wanted.filter(|it| !catalog.type_of(it).is_some_and(|ty| gives.fits(&ty)));
        misfit
            .map(|it| format!("expected a result of type {it}, found {gives}"))
            .into_iter()
            .collect()
    }

    fn taken(&self, tried: &Tried, catalog: &dyn Catalog) -> Workflow {
        let goal = &self.wanted.goal;
        let whole = catalog.tried(&format!("{}{}", head(goal, tried), tried.text));
        Workflow {
            verdict: "script".into(),
            ok: true,
            script: Some(whole.text.as_str().into()),
            notes: vec!["written by a language model; it passes the check".into()],
            ..described(goal, &whole)
        }
    }

    fn prompt(&self, catalog: &dyn Catalog) -> String {
        let found = Index::of(catalog.registry()).find(&self.wanted.goal);
        let ops: Vec<String> = found.iter().take(MOST_OPS).map(|it| op_line(it.op)).collect();
        let own = self.own.script.as_ref().map(|it| {
            format!(
                "\nA first draft, which checks and may serve only a part of it:\n```svc\n{it}```\n"
            )
        });
        let wanted = [("is given", &self.wanted.input), ("must give", &self.wanted.output)];
        let types =
            wanted.iter().filter_map(|(what, ty)| Some(format!("It {what} {}.\n", ty.as_ref()?)));
        format!(
            "You write scripts in svc, a pipeline language that is checked before it runs.\n\n\
             {CARD}\n\nSome components:\n{}\n{}\nGoal: {}\n{}\n\
             Write one script for the goal, in a ```svc block, with a comment for each stage.\n",
            ops.join("\n"),
            own.unwrap_or_default(),
            self.wanted.goal,
            types.collect::<String>(),
        )
    }
}

fn op_line(op: OpRef) -> String {
    let params: Vec<String> = op.op.params.iter().map(Param::signature).collect();
    let summary = op.op.summary().replace('\n', " ");
    format!("{}({}) -> {}: {summary}", op.script_name(), params.join(", "), op.op.yields.show())
}

/// The content of the first code block.
fn script_in(answer: &str) -> Option<&str> {
    let (_, rest) = answer.split_once("```")?;
    let (_, body) = rest.split_once('\n')?;
    body.split_once("```").map(|(script, _)| script)
}

#[cfg(test)]
mod tests {
    use super::script_in;

    #[test]
    fn a_script_stands_in_a_block_of_code() {
        assert_eq!(script_in("Here:\n```svc\n1\n```\nDone."), Some("1\n"));
        assert_eq!(script_in("no script"), None);
    }
}

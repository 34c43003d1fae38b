//! `svc plan`: what a script would run.

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use super::{Session, exit::Result, policy::Rules, script, terminal};
use crate::{
    engine::verdict::{self, Param},
    plan::{Node, Plan},
};

/// Show what a script would run: its nodes, their types and what they touch.
#[derive(Args)]
#[command(name = "plan", after_help = EXAMPLES)]
pub(super) struct Show {
    /// The script; `-` is standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Print the plan as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    rules: Rules,
}

const EXAMPLES: &str = "Examples:
  svc plan report.svc
  svc plan report.svc --deny writes
  svc plan --json report.svc | jq '.effects'";

#[derive(Serialize)]
struct PlanJson {
    file: String,
    inputs: Vec<Param>,
    nodes: Vec<NodeJson>,
    /// What the whole plan does to the world, each effect once.
    effects: Vec<String>,
    gives: Option<String>,
}

#[derive(Serialize)]
struct NodeJson {
    path: String,
    name: String,
    op: Option<String>,
    r#type: String,
    /// The paths of the nodes whose results it uses.
    needs: Vec<String>,
    effects: Vec<String>,
    bounds: serde_json::Map<String, serde_json::Value>,
    cost_class: Option<&'static str>,
}

impl Show {
    pub(super) fn execute(self, session: &Session) -> Result<u8> {
        let plan = script::plan(session, &self.file)?;
        if self.json {
            terminal::print_json(&PlanJson::new(&plan))?;
        } else {
            terminal::print(&plan.show())?;
        }
        self.rules.tell(&plan, session)
    }
}

impl PlanJson {
    fn new(plan: &Plan) -> Self {
        let program = plan.program();
        Self {
            file: program.source.name().to_owned(),
            inputs: verdict::inputs(program),
            nodes: plan.nodes().iter().map(|it| NodeJson::new(it, plan)).collect(),
            effects: plan.effects().iter().map(ToString::to_string).collect(),
            gives: verdict::gives(program),
        }
    }
}

impl NodeJson {
    fn new(node: &Node, plan: &Plan) -> Self {
        let needs = node.needs.iter().filter_map(|it| plan.nodes().get(*it));
        let bounds = node.bounds.iter().map(|(key, it)| ((*key).to_owned(), it.clone().into()));
        Self {
            path: node.path.clone(),
            name: node.name.clone(),
            op: node.op.clone(),
            r#type: node.ty.to_string(),
            needs: needs.map(|it| it.path.clone()).collect(),
            effects: node.effects.iter().map(ToString::to_string).collect(),
            bounds: bounds.collect(),
            cost_class: node.cost_class,
        }
    }
}

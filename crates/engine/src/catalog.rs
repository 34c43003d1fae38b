//! The engine, as advising ops see it.

use svc_contract::{
    registry::{Catalog, LibraryFlow, LibraryModule, OpRef, Registry, Topics, Tried, Way},
    value::Type,
};
use svc_lang::{
    check::{self, Analysis},
    diag::{Explanation, Problem, Source},
    stdlib, syntax, topics,
};

use super::{Engine, Unsaved, sketch};

/// The name of scripts that are only tried out.
const NAME: &str = "tried.svc";

impl Catalog for Engine {
    fn registry(&self) -> &Registry {
        self.registry()
    }

    fn topics(&self) -> &Topics {
        self.topics.get_or_init(|| Topics::of(self.registry(), topics::all()))
    }

    fn tried(&self, script: &str) -> Tried {
        let text = syntax::format(script).text;
        let source = Source::new(NAME, text.as_str()).in_folder(".");
        let (analysis, estimate) = self.analysis(&source, &Unsaved::default());
        let mut tried = Tried { ops: ops(&analysis), text, ..Tried::default() };
        match (&analysis.program, estimate) {
            (Some(program), Some(estimate)) => {
                tried.gives = program.main.as_ref().map(|it| it.ty.clone());
                tried.envelope = estimate.envelope.summary();
                tried.effects = estimate.effects.iter().map(ToString::to_string).collect();
            }
            _ => tried.errors = analysis.report.errors().map(one_line).collect(),
        }
        tried
    }

    fn fixed(&self, script: &str) -> String {
        let source = Source::new(NAME, script).in_folder(".");
        self.fix(source).source.text().to_owned()
    }

    fn sketched(&self, script: &str) -> Option<String> {
        sketch::of(script, |text| {
            let source = Source::new(NAME, text).in_folder(".");
            let (analysis, _) = self.analysis(&source, &Unsaved::default());
            analysis.report
        })
    }

    fn explained(&self, code: &str) -> Option<&'static str> {
        Explanation::find(code).map(|it| it.meaning)
    }

    fn way_to(&self, from: &Type, op: OpRef) -> Option<Way> {
        check::way_to(self.registry(), from, op)
    }

    fn way_between(&self, from: &Type, to: &Type) -> Option<Way> {
        check::way_between(self.registry(), from, to)
    }

    fn type_of(&self, written: &str) -> Option<Type> {
        let script = format!("param given: {written}\ngiven");
        let source = Source::new(NAME, script.as_str());
        let program = self.checked(source).ok()?;
        let [only] = program.inputs.as_slice() else { return None };
        Some(only.ty.clone())
    }

    fn library(&self) -> Vec<LibraryFlow> {
        let flows = stdlib::ALL.iter().flat_map(|module| {
            module.flows().into_iter().map(|it| LibraryFlow {
                module: module.name,
                summary: module.summary(),
                name: it.name,
                doc: it.doc,
                params: it.params,
            })
        });
        flows.collect()
    }

    fn modules(&self) -> Vec<LibraryModule> {
        let of = |module: &stdlib::Module<'static>| {
            if module.is_template() {
                return Vec::new();
            }
            let (analysis, _) = self.analysis(&module.source(), &Unsaved::default());
            ops(&analysis)
        };
        stdlib::ALL.iter().map(|it| LibraryModule { name: it.name, calls: of(it) }).collect()
    }
}

/// An error with its code and its help.
fn one_line(problem: &Problem) -> String {
    let help = problem.help.as_ref().map(|it| format!("; {it}")).unwrap_or_default();
    format!("{}: {problem}{help}", problem.code.as_str())
}

/// The ops that a script calls, each call once, in source order.
fn ops(analysis: &Analysis) -> Vec<OpRef> {
    let nodes = analysis.facts.nodes.iter();
    let mut calls: Vec<_> = nodes.filter_map(|it| Some((it.span, it.op?))).collect();
    calls.sort_by_key(|(span, _)| (span.end, span.start));
    calls.dedup_by_key(|(span, op)| (span.end, op.to_string()));
    calls.into_iter().map(|(_, op)| op).collect()
}

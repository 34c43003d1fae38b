//! Files that a script uses: `use "file" as name`.
//!
//! Each file is checked separately and once, and its problems refer to its own text.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet, HashMap},
    path::Path,
    sync::Arc,
};

use svc_contract::{
    host::Host,
    registry::{Advice, Near, OpDef, TunedRegistry, near},
    value::{Text, Type, paths},
};

use super::{
    Checker, TypedFlow,
    facts::{NameKind, Target},
    scope::Callable,
    templates::{Builder, check_templates, is_template},
};
use crate::{
    diag::{Code, Problem, Refused, Report, Source, Span},
    script::Failure,
    syntax::{
        Executor, InOrder,
        ast::{Item, ItemKind, Use, Word, is_private},
    },
};

/// Access to the files that scripts use.
pub trait Files: Send + Sync {
    /// Reads the file that a script names, or returns why it cannot be read.
    ///
    /// Two paths of the same file return sources with the same name.
    fn load(&self, from: &Source, file: &str) -> Result<Source, Unread>;

    /// The host, which knows the memory of the process, for templates that are run.
    fn host(&self) -> Option<Arc<dyn Host>> {
        None
    }

    /// Whether a call of an op can be allowed. Others are not suggested.
    fn admits(&self, _op: &OpDef) -> bool {
        true
    }

    /// Parses the parts of long files.
    fn executor(&self) -> &dyn Executor {
        &InOrder
    }
}

/// The reason why a file cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    pub why: String,
    /// A help line that replaces the usual one about the folder.
    pub help: Option<Advice>,
    /// The file most likely meant.
    pub meant: Option<String>,
    /// Whether only that file can be meant.
    pub is_sure: bool,
    /// Whether a policy refuses the file.
    pub is_refused: bool,
}

impl From<String> for Unread {
    fn from(why: String) -> Self {
        Self { why, help: None, meant: None, is_sure: false, is_refused: false }
    }
}

/// No files: scripts cannot use other files.
#[derive(Debug, Default)]
pub struct NoFiles;

impl Files for NoFiles {
    fn load(&self, _: &Source, file: &str) -> Result<Source, Unread> {
        Err(format!("cannot read `{file}`: no files are available here").into())
    }
}

/// The exports of a file.
#[derive(Debug)]
pub(super) struct Module {
    pub(super) source: Source,
    pub(super) flows: Vec<Arc<TypedFlow>>,
    pub(super) types: HashMap<Text, Type>,
    /// The names of its flows that other files cannot use.
    pub(super) private: BTreeSet<Text>,
    /// The places where its types are declared.
    pub(super) declared: HashMap<Text, Span>,
    /// The builder of its flows, if they are templates.
    pub(super) builder: Option<Builder>,
}

/// The files read so far by a check.
pub(super) struct Modules<'a> {
    files: &'a dyn Files,
    /// Checked files by the name of their source; `None` for a file with errors.
    done: RefCell<BTreeMap<Text, Option<Arc<Module>>>>,
    /// Files whose check is not finished: using one of them again is a cycle.
    open: RefCell<Vec<Text>>,
    /// The results of templates, by file, function and arguments.
    given: RefCell<HashMap<Text, Result<Text, Failure>>>,
    built: RefCell<HashMap<Text, Built>>,
    reports: RefCell<Vec<Report>>,
}

/// A flow built by a template, or the message of the first problem of its text.
pub(super) type Built = Result<Arc<TypedFlow>, String>;

/// The deepest nesting of files that use files.
const MOST_LEVELS: usize = 64;

impl<'a> Modules<'a> {
    pub(super) fn new(files: &'a dyn Files, script: &Source) -> Self {
        Self {
            files,
            done: RefCell::default(),
            // A path from outside may contain `./`; those of used files are normalised.
            open: RefCell::new(vec![paths::join(Path::new(""), script.name())]),
            given: RefCell::default(),
            built: RefCell::default(),
            reports: RefCell::default(),
        }
    }

    pub(super) fn host(&self) -> Option<Arc<dyn Host>> {
        self.files.host()
    }

    pub(super) fn executor(&self) -> &dyn Executor {
        self.files.executor()
    }

    /// Whether a call of an op can be allowed.
    pub(super) fn admits(&self, op: &OpDef) -> bool {
        self.files.admits(op)
    }

    /// Reports a problem of a file.
    pub(super) fn report(&self, source: &Source, problem: Problem) {
        let mut reports = self.reports.borrow_mut();
        match reports.iter_mut().find(|it| it.source.name() == source.name()) {
            Some(report) if report.problems.contains(&problem) => {}
            Some(report) => report.problems.push(problem),
            None => reports.push(Report::new(source.clone(), vec![problem])),
        }
    }

    /// The cached result of a template for a call, which is the same each time.
    pub(super) fn given(
        &self,
        call: &str,
        build: impl FnOnce() -> Result<Text, Failure>,
    ) -> Result<Text, Failure> {
        if let Some(known) = self.given.borrow().get(call) {
            return known.clone();
        }
        let given = build();
        self.given.borrow_mut().insert(call.into(), given.clone());
        given
    }

    /// The single flow of a text built by a template.
    pub(super) fn built(&self, source: &Source, registry: TunedRegistry<'_>) -> Built {
        let name: Text = source.name().into();
        if let Some(known) = self.built.borrow().get(&name) {
            return known.clone();
        }
        let (mut report, module) = super::check_module(source, registry, self);
        report.problems.retain(Problem::is_error);
        let built = match report.problems.first() {
            Some(problem) => Err(problem.message.clone()),
            None => module.flows.first().cloned().ok_or_else(String::new),
        };
        if report.has_errors() {
            self.reports.borrow_mut().push(report);
        }
        self.built.borrow_mut().insert(name, built.clone());
        built
    }

    /// The files without errors, by name.
    pub(super) fn sources(&self) -> Vec<Source> {
        self.done.borrow().values().flatten().map(|it| it.source.clone()).collect()
    }

    /// The reports of the files that were read.
    pub(super) fn into_reports(self) -> Vec<Report> {
        self.reports.into_inner()
    }

    fn check(&self, source: &Source, registry: TunedRegistry<'_>) -> Option<Arc<Module>> {
        let name: Text = source.name().into();
        if let Some(known) = self.done.borrow().get(&name) {
            return known.clone();
        }
        self.open.borrow_mut().push(name.clone());
        let check = if is_template(source) { check_templates } else { super::check_module };
        let (report, module) = check(source, registry, self);
        self.open.borrow_mut().pop();
        // The flows of a sketch have types, though the script cannot run.
        let is_typed = !report.has_errors() || report.is_sketch();
        let module = is_typed.then(|| Arc::new(module));
        if !report.problems.is_empty() {
            self.reports.borrow_mut().push(report);
        }
        self.done.borrow_mut().insert(name, module.clone());
        module
    }
}

impl Checker<'_> {
    /// Reads and checks the files used by the script.
    pub(super) fn declare_imports(&mut self, items: &[Item]) {
        for item in items {
            let ItemKind::Use(import) = &item.kind else { continue };
            if let Some(module) = self.import(import) {
                let (source, start) = (module.source.clone(), Span::new(0, 0));
                self.mention(import.file.span, || Target::There { source, defined: start });
                self.binds(import.name.span, NameKind::Import, &Type::Unknown);
                self.imports.insert(import.name.text.clone(), (import.name.span, module));
            } else {
                // Uses of names from this file are not reported.
                self.broken_names.insert(import.name.text.clone());
            }
        }
    }

    fn import(&mut self, import: &Use) -> Option<Arc<Module>> {
        if self.source.is_built() {
            // A template could build calls of itself without end.
            self.not_read(&import.file, "the pipeline of a template cannot use files".to_owned());
            return None;
        }
        let file = &import.file.text;
        let source = match self.modules.files.load(self.source, file) {
            Ok(source) => source,
            Err(why) => {
                self.not_read(&import.file, why);
                return None;
            }
        };
        let open = self.modules.open.borrow();
        if let Some(at) = open.iter().position(|it| it.as_ref() == source.name()) {
            let circle: Vec<&str> = open[at..].iter().map(AsRef::as_ref).collect();
            let circle = format!("{} → {}", circle.join(" → "), source.name());
            drop(open);
            self.circle(&import.file, &circle);
            return None;
        }
        if open.len() > MOST_LEVELS {
            drop(open);
            self.not_read(
                &import.file,
                format!("too many levels of files that use each other (limit {MOST_LEVELS})"),
            );
            return None;
        }
        drop(open);
        self.modules.check(&source, self.registry)
    }

    fn not_read(&mut self, file: &Word, why: impl Into<Unread>) {
        const USUAL: &str = "use a path relative to the folder of the script";
        let Unread { why, help, meant, is_sure, is_refused } = why.into();
        let message = format!("cannot use `{}`: {why}", file.text);
        let (code, label) =
            if is_refused { (Code::E315, "refused") } else { (Code::E225, "cannot be read") };
        let problem = Problem::error(code, file.span, message)
            .label(label)
            .help(help.unwrap_or_else(|| USUAL.into()));
        let place = Some(format!("fs:{}", file.text));
        let refused = is_refused.then_some(Refused { verb: "reads", place, rule: None });
        let problem = refused.into_iter().fold(problem, Problem::refused);
        self.report(match meant {
            Some(meant) => problem.fix(file.span, format!("\"{meant}\"")).suggested_if(!is_sure),
            None => problem,
        });
    }

    fn circle(&mut self, file: &Word, circle: &str) {
        self.report(
            Problem::error(Code::E213, file.span, format!("cyclic use of files: {circle}"))
                .label("part of the cycle")
                .help("move the shared definitions to a third file"),
        );
    }

    /// The flow or template `name` of the file that is imported as `module`.
    pub(super) fn imported_flow(&self, module: &str, name: &str) -> Option<Callable> {
        let (_, module) = self.imports.get(module)?;
        let flow = module.flows.iter().find(|it| it.name.as_ref() == name)?.clone();
        Some(match module.builder {
            Some(_) => Callable::Template(module.clone(), flow),
            None => Callable::Ready(flow),
        })
    }

    /// The type `name` of the file that is imported as `module`.
    pub(super) fn imported_type(&self, module: &str, name: &str) -> Option<Type> {
        let (_, module) = self.imports.get(module)?;
        module.types.get(name).cloned()
    }

    /// Reports a name that an imported file does not have.
    pub(super) fn not_imported(&mut self, name: &[Word]) {
        let Some((module, words)) = name.split_first() else { return };
        let Some((_, known)) = self.imports.get(&module.text) else { return };
        let flows = known.flows.iter().map(|it| it.name.as_ref());
        let types = known.types.keys().map(AsRef::as_ref);
        let names: Vec<&str> = flows.chain(types).collect();
        // In `lib.other.f`, the unknown name is `other`.
        let is_unknown = |it: &&Word| !names.contains(&it.text.as_ref());
        let Some(rest) = words.iter().find(is_unknown).or(words.last()) else { return };
        let file = known.source.name().to_owned();
        if is_private(&rest.text) {
            let declared = if known.private.contains(&rest.text) { "is" } else { "would be" };
            let problem = Problem::error(
                Code::E201,
                rest.span,
                format!("`{}` {declared} private to `{file}`", rest.text),
            );
            self.report(
                problem.label("begins with `_`").help(
                    "use a flow or type whose name does not begin with `_`, or rename it there",
                ),
            );
            return;
        }
        let all = names.iter().map(|it| format!("`{it}`")).collect::<Vec<_>>().join(", ");
        let problem =
            Problem::error(Code::E201, rest.span, format!("unknown name `{}`", rest.text))
                .label(format!("not a flow or type of `{file}`"));
        let problem = match near(&rest.text, names.iter().copied()) {
            Some(Near { name: meant, is_sure }) => problem
                .help(format!("did you mean `{meant}`?"))
                .fix(rest.span, meant)
                .suggested_if(!is_sure),
            None if names.is_empty() => {
                problem.help("choose another file: this one has no flows and no types")
            }
            None => problem.help(format!("use one of {all}")),
        };
        self.report(problem);
    }
}

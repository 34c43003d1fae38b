//! The scripts of a folder, as they are served: the last version of each that checks.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use svc_contract::{host, registry::nearest, value::Value};
use svc_engine::{Engine, LARGEST_SCRIPT};
use svc_lang::{
    diag::{Report, Source},
    plan::Plan,
};

use crate::{Fault, tools};

/// Changes of the folder are seen after this time.
const FRESH: Duration = Duration::from_millis(500);

/// The most scripts of a folder.
const MOST_SCRIPTS: usize = 1000;

/// A folder of scripts. Cheap to clone.
#[derive(Clone)]
pub struct Folder(Arc<Inner>);

struct Inner {
    root: PathBuf,
    engine: Engine,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    looked: Option<Instant>,
    /// By the name under which it is served.
    scripts: BTreeMap<String, Known>,
    unserved: BTreeMap<String, Unserved>,
    /// Changes with every change of what is served.
    version: u64,
}

struct Known {
    file: PathBuf,
    /// What the version on the disk looked like: each file that it consists of.
    stamps: Vec<(PathBuf, Stamp)>,
    served: Option<Arc<Served>>,
}

/// The size and the time of a file.
type Stamp = Option<(u64, i128)>;

/// A script that can be called.
#[derive(Debug)]
pub struct Served {
    pub name: String,
    /// Its path in the folder.
    pub path: String,
    pub plan: Arc<Plan>,
    /// The comment at its head.
    pub description: String,
    /// The JSON Schema of its params: a closed object.
    pub input_schema: Value,
    /// The JSON Schema of its result.
    pub output_schema: Value,
    /// The type of its result, as scripts write it.
    pub result: String,
    /// When its file was changed, in seconds since 1970.
    pub modified: i64,
    /// Why the version on the disk is not served; then this is an earlier one.
    pub problem: Option<String>,
}

/// A file that is not served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unserved {
    /// Its path in the folder.
    pub path: String,
    pub why: String,
}

impl Folder {
    pub(crate) fn new(root: PathBuf, engine: Engine) -> Self {
        Self(Arc::new(Inner { root, engine, state: Mutex::default() }))
    }

    pub fn root(&self) -> &Path {
        &self.0.root
    }

    /// The scripts, by name.
    pub fn scripts(&self) -> Vec<Arc<Served>> {
        let state = self.fresh();
        state.scripts.values().filter_map(|it| it.served.clone()).collect()
    }

    /// The files that are not served, and why.
    pub fn unserved(&self) -> Vec<Unserved> {
        self.fresh().unserved.values().cloned().collect()
    }

    /// Why the file that would have this name is not served, if there is one.
    pub fn why_unserved(&self, name: &str) -> Option<String> {
        self.fresh().unserved.get(name).map(|it| it.why.clone())
    }

    /// Changes whenever another set of scripts, or another version of one, is served.
    pub fn version(&self) -> u64 {
        self.fresh().version
    }

    /// The script of this name.
    pub fn find(&self, name: &str) -> Result<Arc<Served>, Fault> {
        let state = self.fresh();
        if let Some(served) = state.scripts.get(name).and_then(|it| it.served.clone()) {
            return Ok(served);
        }
        if let Some(unserved) = state.unserved.get(name) {
            let message = format!("the script `{name}` is not served: {}", unserved.why);
            return Err(Fault::not_found(message));
        }
        let names = state.scripts.iter().filter(|(_, it)| it.served.is_some());
        let meant = nearest(name, names.map(|(name, _)| name.as_str())).map(str::to_owned);
        let fault = Fault::not_found(format!("unknown script `{name}`"));
        Err(match meant {
            Some(meant) => fault.help(format!("did you mean `{meant}`?")),
            None => fault,
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fresh(&self) -> MutexGuard<'_, State> {
        let mut state = self.state();
        if state.looked.is_none_or(|at| at.elapsed() >= FRESH) {
            self.look(&mut state);
            state.looked = Some(Instant::now());
        }
        state
    }

    /// Reads the folder again, and checks what has changed.
    fn look(&self, state: &mut State) {
        let (files, unserved) = self.files();
        let before: Vec<String> = state.scripts.keys().cloned().collect();
        let gone = |name: &&String| !files.contains_key(*name);
        for name in before.iter().filter(gone) {
            state.scripts.remove(name);
            state.version += 1;
        }
        let mut all_unserved = unserved;
        for (name, file) in files {
            let known = state.scripts.remove(&name).filter(|it| it.file == file);
            let is_same = known.as_ref().is_some_and(|it| self.is_same(it));
            let (known, problem) = match known {
                Some(known) if is_same => {
                    let problem = known.served.as_ref().and_then(|it| it.problem.clone());
                    let none = known.served.is_none();
                    let old = none.then(|| state.unserved.get(&name).map(|it| it.why.clone()));
                    (known, old.flatten().or(problem))
                }
                other => {
                    state.version += 1;
                    self.checked(&name, &file, other.and_then(|it| it.served))
                }
            };
            if known.served.is_none() {
                let why = problem.unwrap_or_default();
                all_unserved.insert(name.clone(), Unserved { path: self.shown(&file), why });
            }
            state.scripts.insert(name, known);
        }
        state.unserved = all_unserved;
    }

    /// The scripts of the folder by their names, and the files that cannot have one.
    fn files(&self) -> (BTreeMap<String, PathBuf>, BTreeMap<String, Unserved>) {
        let mut files: BTreeMap<String, PathBuf> = BTreeMap::new();
        let mut unserved = BTreeMap::new();
        let host = self.0.engine.host();
        for entry in host.walk(&self.0.root).flatten() {
            if entry.stat.is_dir || entry.path.extension().is_none_or(|it| it != "svc") {
                continue;
            }
            let path = self.shown(&entry.path);
            let refuse = |why: String| Unserved { path: path.clone(), why };
            let Some(name) = name_of(&path) else {
                let why = "a name needs letters, digits, `_` or `-`, and begins with a letter";
                unserved.insert(path.clone(), refuse(why.to_owned()));
                continue;
            };
            if files.len() >= MOST_SCRIPTS {
                let why = format!("the folder has more than {MOST_SCRIPTS} scripts");
                unserved.insert(name, refuse(why));
            } else if self.0.engine.registry().find_tool(&name).is_some() {
                unserved.insert(name.clone(), refuse(format!("`{name}` is the name of a tool")));
            } else if let Some(other) = files.get(&name) {
                let why = format!("`{}` is served as `{name}`", self.shown(other));
                unserved.insert(path.clone(), refuse(why));
            } else {
                files.insert(name, entry.path);
            }
        }
        (files, unserved)
    }

    fn shown(&self, file: &Path) -> String {
        let path = file.strip_prefix(&self.0.root).unwrap_or(file);
        path.display().to_string()
    }

    fn is_same(&self, known: &Known) -> bool {
        known.stamps.iter().all(|(file, stamp)| self.stamp(file) == *stamp)
    }

    fn stamp(&self, file: &Path) -> Stamp {
        let stat = self.0.engine.host().stat(file).ok()?;
        Some((stat.size, stat.modified))
    }

    /// Checks the version on the disk. If it cannot be served, `earlier` stays.
    fn checked(
        &self,
        name: &str,
        file: &Path,
        earlier: Option<Arc<Served>>,
    ) -> (Known, Option<String>) {
        // Before it is read: a change while it is checked is seen the next time.
        let mut stamps = vec![(file.to_owned(), self.stamp(file))];
        let made = self.read(file).and_then(|source| self.made(name, file, source, &mut stamps));
        let (served, problem) = match made {
            Ok(served) => (Some(Arc::new(served)), None),
            Err(why) => {
                let kept = earlier.map(|it| Arc::new(it.with_problem(&why)));
                (kept, Some(why))
            }
        };
        (Known { file: file.to_owned(), stamps, served }, problem)
    }

    fn read(&self, file: &Path) -> Result<Source, String> {
        let host = self.0.engine.host();
        let bytes = host::read(host, file, LARGEST_SCRIPT).map_err(|err| err.to_string())?;
        let text = String::from_utf8(bytes).map_err(|err| {
            let at = err.utf8_error().valid_up_to();
            format!("not valid UTF-8 (invalid byte at offset {at})")
        })?;
        let folder = file.parent().unwrap_or(Path::new("."));
        Ok(Source::new(file.display().to_string(), text).in_folder(folder))
    }

    fn made(
        &self,
        name: &str,
        file: &Path,
        source: Source,
        stamps: &mut Vec<(PathBuf, Stamp)>,
    ) -> Result<Served, String> {
        let text = source.text().to_owned();
        let plan = self.0.engine.plan_before_inputs(source.clone());
        let mut plan = plan.map_err(|it| first(&it))?;
        if plan.program().inputs.is_empty() {
            // No params follow, so the policy can judge it now.
            plan = self.0.engine.plan(source).map_err(|it| first(&it))?;
        }
        let program = plan.program();
        for used in &program.used {
            let file = PathBuf::from(used.name());
            stamps.push((file.clone(), self.stamp(&file)));
        }
        let main = program.main.as_ref().ok_or("it only defines flows and types")?;
        let description = head_comment(&text);
        let input_schema = tools::params_schema(&program.inputs);
        let output_schema = tools::type_schema(&main.ty);
        let (result, path) = (main.ty.to_string(), self.shown(file));
        let modified =
            stamps.first().and_then(|(_, it)| *it).map_or(0, |(_, it)| it / 1_000_000_000);
        let plan = Arc::new(plan);
        let name = name.to_owned();
        Ok(Served {
            name,
            path,
            plan,
            description,
            input_schema,
            output_schema,
            result,
            modified: i64::try_from(modified).unwrap_or_default(),
            problem: None,
        })
    }
}

impl Served {
    fn with_problem(&self, why: &str) -> Self {
        Self {
            name: self.name.clone(),
            path: self.path.clone(),
            plan: self.plan.clone(),
            description: self.description.clone(),
            input_schema: self.input_schema.clone(),
            output_schema: self.output_schema.clone(),
            result: self.result.clone(),
            modified: self.modified,
            problem: Some(why.to_owned()),
        }
    }
}

/// The first problem of a check, with its place.
fn first(report: &Report) -> String {
    let Some(problem) = report.errors().next() else { return report.to_string() };
    let (line, column) = report.source.position(problem.span().start);
    let more = report.errors().count().saturating_sub(1);
    let more = if more > 0 { format!(" (and {more} more)") } else { String::new() };
    format!("{line}:{column}: {}: {}{more}", problem.code.as_str(), problem.message)
}

/// The name under which a file is served: `reports/by-day.svc` is `reports_by_day`.
fn name_of(path: &str) -> Option<String> {
    let stem = path.strip_suffix(".svc")?;
    let name: String =
        stem.chars().map(|it| if matches!(it, '/' | '\\' | '-') { '_' } else { it }).collect();
    let is_sign = |it: u8| it.is_ascii_lowercase() || it.is_ascii_digit() || it == b'_';
    let is_name = name.as_bytes().first()?.is_ascii_lowercase() && name.bytes().all(is_sign);
    (is_name && name.len() <= 64).then_some(name)
}

/// The first paragraph of the comment before everything else. The comment of a param is not one.
fn head_comment(text: &str) -> String {
    let lines = text.lines().map(str::trim);
    let is_header = |it: &&str| it.is_empty() || it.starts_with("svc ");
    let mut lines = lines.skip_while(is_header).peekable();
    let mut words: Vec<&str> = Vec::new();
    while let Some(line) = lines.peek().filter(|it| it.starts_with('#')) {
        words.push(line.trim_start_matches('#').trim());
        lines.next();
    }
    // Its first paragraph.
    let end = words.iter().position(|it| it.is_empty()).unwrap_or(words.len());
    let words = &words[..end];
    let is_of_param =
        lines.peek().is_some_and(|it| it.starts_with("param ") || it.starts_with("secret "));
    if is_of_param { String::new() } else { words.join(" ").trim().to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_from_paths() {
        assert_eq!(name_of("reports/by-day.svc").as_deref(), Some("reports_by_day"));
        assert_eq!(name_of("a.svc").as_deref(), Some("a"));
        for path in ["1.svc", "A.svc", "ä.svc", "a b.svc", "a.b.svc", "a.txt", ".svc"] {
            assert_eq!(name_of(path), None, "{path}");
        }
    }

    #[test]
    fn the_comment_of_a_param_is_not_that_of_the_script() {
        assert_eq!(head_comment("svc 1\n\n# Adds up\n# numbers.\n\n1 + 1"), "Adds up numbers.");
        assert_eq!(head_comment("## The name.\nparam name: string\nname"), "");
        assert_eq!(head_comment("1 + 1"), "");
    }
}

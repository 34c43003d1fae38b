//! A script with its templates expanded: `svc expand`.

use std::collections::BTreeMap;

use svc_engine::{Engine, Threads};
use svc_lang::{
    check::{Checked, Expansion, Facts, NameKind, Target},
    diag::{Report, Source, Span},
    syntax::{
        self,
        ast::{ItemKind, Use},
    },
};

/// The reason why a script cannot be expanded.
#[derive(Debug)]
pub enum ExpandError {
    /// The script has these errors.
    Invalid(Box<Report>),
    /// The expanded script has errors, although the script has none.
    SameName,
}

/// The text of a script in which each call of a template is replaced by the call of a flow.
pub fn expanded(engine: &Engine, source: &Source) -> Result<String, ExpandError> {
    let analysis = engine.analyse(source.clone());
    let Some(program) = analysis.program else {
        return Err(ExpandError::Invalid(Box::new(analysis.report)));
    };
    let text = Script::new(&program, &analysis.facts).expanded();
    let text = syntax::format(&text).text;
    match engine.check(source.with_text(text.as_str())) {
        Ok(_) => Ok(text),
        Err(_) => Err(ExpandError::SameName),
    }
}

/// A script, and the changes of its text.
struct Script<'a> {
    source: &'a Source,
    /// Sorted by place; a change inside a larger one comes after it.
    changes: Vec<(Span, Change<'a>)>,
    /// The types to append to the script, and the names of the appended flows by file and text.
    types: Vec<&'a str>,
    flows: BTreeMap<(&'a str, &'a str), (String, &'a Expansion)>,
}

enum Change<'a> {
    Removed,
    Called(&'a Expansion),
}

impl<'a> Script<'a> {
    fn new(program: &'a Checked, facts: &Facts) -> Self {
        let source = &program.source;
        let mut script =
            Self { source, changes: Vec::new(), types: Vec::new(), flows: BTreeMap::new() };
        script.remove_imports(program, facts);
        for it in &program.expanded {
            script.changes.push((it.span, Change::Called(it)));
            script.name(it);
            if !script.types.contains(&it.types.as_ref()) {
                script.types.push(&it.types);
            }
        }
        script.changes.sort_by_key(|(span, _)| (span.start, std::cmp::Reverse(span.end)));
        script
    }

    /// Removes the `use` of files whose templates are expanded, and all mentions of them.
    fn remove_imports(&mut self, program: &Checked, facts: &Facts) {
        for item in syntax::parse_with(self.source.text(), &Threads).program.items {
            let ItemKind::Use(import) = &item.kind else { continue };
            let file = file_of(import, facts);
            if !program.expanded.iter().any(|it| Some(it.file.name()) == file) {
                continue;
            }
            self.changes.push((item.span, Change::Removed));
            let is_use = |it: &Target| matches!(it, Target::Here { defined, kind: NameKind::Import, .. } if *defined == import.name.span);
            for it in facts.mentions.iter().filter(|it| is_use(&it.target)) {
                // Including the dot after the name.
                let span = Span::new(it.span.start, it.span.end + 1);
                self.changes.push((span, Change::Removed));
            }
        }
    }

    /// Chooses a name for a flow that does not occur in the script.
    fn name(&mut self, it: &'a Expansion) {
        let key = (it.file.name(), it.text.as_ref());
        if self.flows.contains_key(&key) {
            return;
        }
        let call = &self.source.text()[it.span.range()];
        let module = call.split('.').next().unwrap_or_default().trim();
        let is_free = |name: &String| {
            !self.source.text().contains(name.as_str())
                && !self.flows.values().any(|(taken, _)| taken == name)
        };
        let first = std::iter::once(format!("{module}_{}", it.flow));
        let others = (2..).map(|count| format!("{module}_{}{count}", it.flow));
        if let Some(name) = first.chain(others).find(is_free) {
            self.flows.insert(key, (name, it));
        }
    }

    fn expanded(&self) -> String {
        let mut text = self.written(Span::new(0, self.source.text().len()));
        for types in &self.types {
            text.push_str(&format!("\n{types}"));
        }
        for (name, it) in self.flows.values() {
            let flow = it.text.replacen(it.flow.as_ref(), name, 1);
            text.push_str(&format!("\n{flow}"));
        }
        text
    }

    /// A part of the script with its changes.
    fn written(&self, part: Span) -> String {
        let text = self.source.text();
        let (mut out, mut at) = (String::new(), part.start);
        for (span, change) in &self.changes {
            if span.start < at || span.end > part.end {
                continue;
            }
            out.push_str(&text[at..span.start]);
            if let Change::Called(it) = change {
                out.push_str(&self.call(it));
            }
            at = span.end;
        }
        out.push_str(&text[at..part.end]);
        out
    }

    fn call(&self, it: &Expansion) -> String {
        let name = self.flows.get(&(it.file.name(), it.text.as_ref()));
        let name = name.map_or(it.flow.as_ref(), |(name, _)| name);
        let kept = it.kept.iter().map(|(param, span)| match param {
            Some(param) => format!("{param}: {}", self.written(*span)),
            None => self.written(*span),
        });
        let kept: Vec<String> = kept.collect();
        let types = it.type_arg.map(|it| format!("<{}>", &self.source.text()[it.range()]));
        match (types, kept.is_empty()) {
            (None, true) => name.to_owned(),
            (types, _) => format!("{name}{}({})", types.unwrap_or_default(), kept.join(", ")),
        }
    }
}

/// The name of the imported file.
fn file_of<'a>(import: &Use, facts: &'a Facts) -> Option<&'a str> {
    facts.mentions.iter().find_map(|it| match &it.target {
        Target::There { source, .. } if it.span == import.file.span => Some(source.name()),
        _ => None,
    })
}

//! Completions after a dot: fields of a value, ops of a component, flows of a file.

use std::collections::HashSet;

use svc_contract::{registry::OpRef, value::Type};
use svc_lang::{
    check::{TypedFlow, Wants, fits},
    stdlib,
};

use super::{
    super::{Callable, place::Expected},
    Choices, Completion, Form, Probe, Sort, probe,
};

impl Completion<'_> {
    pub(super) fn members(&self, items: &mut Choices) {
        if self.place.is_selection() {
            if let Some(ty) = probe::selected(self.draft, self.place) {
                fields(&ty, items);
            }
            return;
        }
        let probe = self.probe();
        let words = self.place.words();
        let first = words.first().copied().unwrap_or("it");
        match probe.value(first) {
            Some(ty) => {
                let inner = words.iter().skip(1).try_fold(ty.clone(), |ty, it| field(&ty, it));
                if let Some(inner) = inner {
                    fields(&inner, items);
                }
            }
            None => {
                self.imported(&probe, first, items);
                self.ops(&probe, first, items);
            }
        }
    }

    /// The flows of an imported file.
    fn imported(&self, probe: &Probe, import: &str, items: &mut Choices) {
        let prefix = format!("{import}.");
        // Undocumented flows of the library are internal.
        let is_meant =
            |it: &TypedFlow| !it.doc.is_empty() || !it.source.name().starts_with(stdlib::PREFIX);
        let all = probe.facts.flows.iter();
        for (name, flow) in all.filter(|(_, it)| is_meant(it) && !self.refuses(it)) {
            if let Some(own) = name.strip_prefix(&prefix) {
                items.call(own, &Callable::Flow(name, flow), &flow.doc, Form::Stage);
            }
        }
        for (name, ty) in probe.facts.types.iter().filter(|_| self.expected == Expected::Type) {
            if let Some(own) = name.strip_prefix(&prefix) {
                items.value(own, &ty.to_string(), Sort::Type);
            }
        }
    }

    /// The ops of a component; after `>>` only those that accept the value.
    fn ops(&self, probe: &Probe, name: &str, items: &mut Choices) {
        let Some(found) = self.registry().find(name) else { return };
        let component = found.component();
        let is_stage = self.expected == Expected::Stage;
        let fitting: HashSet<String> = if is_stage {
            fits(&self.site(probe, Wants::Stage)).into_iter().map(|it| it.name).collect()
        } else {
            HashSet::new()
        };
        let form = if self.expected == Expected::Value { Form::Function } else { Form::Stage };
        items.expect(if is_stage { fitting.len() } else { component.ops.len() });
        for op in component.ops {
            let it = OpRef { component, op };
            if self.admits(it) && (!is_stage || fitting.contains(&it.script_name())) {
                items.call(op.name, &Callable::Op(it), op.summary(), form);
            }
        }
    }
}

fn field(ty: &Type, name: &str) -> Option<Type> {
    match ty.required() {
        Type::Record(of) => of.get(name).cloned(),
        _ => None,
    }
}

fn fields(ty: &Type, items: &mut Choices) {
    if let Type::Record(of) = ty.required() {
        of.fields.iter().for_each(|(name, ty)| items.field(name, ty));
    }
}

//! Candidates for a place in a script, best first: for holes, and for completion in editors.

use std::borrow::Cow;

use svc_contract::{
    registry::{Effect, OpRef, Registry, Scheme, Scope},
    value::{Text, Type},
};

use super::{
    Search, Wanted,
    search::MOST_STEPS,
    step::{Step, stages},
};
use crate::check::unify::Bindings;

/// A place in a script, and everything that is available there.
#[derive(Clone, Debug)]
pub struct Site<'a> {
    pub registry: &'a Registry,
    pub flows: Vec<Signature>,
    /// The values in scope, innermost last.
    pub names: Vec<(Text, Type)>,
    /// The types known to the script.
    pub types: Vec<Text>,
    /// The type of the incoming value, if there is one.
    pub entering: Option<Type>,
    /// The expected type, as far as known.
    pub expected: Option<Type>,
    pub wants: Wants,
}

/// The kind of thing that a place needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wants {
    /// After `>>`.
    Stage,
    /// At the head of a pipeline.
    Head,
    /// In an expression.
    Value,
}

/// A flow of the script.
#[derive(Clone, Debug)]
pub struct Signature {
    pub name: Text,
    pub doc: String,
    pub params: Vec<(Text, Type)>,
    /// The number of parameters without a default.
    pub required: usize,
    pub yields: Type,
}

/// A candidate that fits.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The text to write, as far as known: `.title`, `take`, `docs_to_text >> upper`.
    pub name: String,
    /// The op that it calls first, if it calls one.
    pub op: Option<OpRef>,
    /// The types of what calls no op: of a value, or of the parameters and result of a flow.
    types: String,
    /// A description of one line.
    pub doc: Cow<'static, str>,
    /// Lower is better. From [`Candidate::DETOUR`] on, more stages are needed after it.
    pub rank: u32,
    /// Whether `name` is complete and needs no arguments.
    pub is_whole: bool,
}

impl Candidate {
    /// The first rank of candidates that need more stages to reach the expected type.
    pub const DETOUR: u32 = 100;

    /// The types of its parameters and result. They are written when somebody asks, since a registry
    /// may have thousands of ops.
    pub fn signature(&self) -> String {
        self.op.map_or_else(|| self.types.clone(), op_signature)
    }

    /// Whether it returns the expected type without further stages.
    pub fn is_direct(&self) -> bool {
        self.rank < Self::DETOUR
    }
}

/// All candidates for a place, best first. Ties are in the order of the registry.
pub fn fits(site: &Site<'_>) -> Vec<Candidate> {
    let mut all = Vec::new();
    if site.wants != Wants::Stage {
        site.values(&mut all);
    }
    if let Some(entering) = site.entering.as_ref().filter(|_| site.wants != Wants::Value) {
        site.fields(entering, &mut all);
        let mut routes = Routes { site, known: Vec::new() };
        for flow in &site.flows {
            all.extend(routes.flow(flow, entering));
        }
        for component in site.registry.components() {
            for op in component.ops {
                all.extend(routes.op(OpRef { component, op }, entering));
            }
        }
    }
    all.sort_by_key(|it| it.rank);
    all
}

impl Site<'_> {
    /// The blocks that can change the incoming list into the expected one.
    pub(super) fn blocks(&self) -> &'static [&'static str] {
        let (Some(enters), Some(expected)) = (&self.entering, &self.expected) else { return &[] };
        let (Type::List(from, _), Type::List(to, _)) = (enters, expected) else { return &[] };
        if self.wants != Wants::Stage || from.is_unknown() || to.is_unknown() {
            return &[];
        }
        match (enters.fits(expected), from.fits(to)) {
            (true, _) => &["sort", "where"],
            (false, false) => &["each"],
            // The list is too long.
            (false, true) => &[],
        }
    }

    fn returns_expected(&self, ty: &Type) -> bool {
        self.expected.as_ref().is_none_or(|expected| ty.fits(expected))
    }

    /// Adds the incoming value, and the names in scope and their fields.
    fn values(&self, all: &mut Vec<Candidate>) {
        let it = self.entering.iter().map(|ty| (Text::from("it"), ty));
        let names = self.names.iter().rev().map(|(name, ty)| (name.clone(), ty));
        for (idx, (name, ty)) in it.chain(names).enumerate() {
            let distance = u32::try_from(idx).unwrap_or(u32::MAX).min(20);
            let mut add = |name: String, ty: &Type, rank: u32| {
                if self.returns_expected(ty) && !ty.is_unknown() {
                    all.push(value(name, ty, rank));
                }
            };
            add(name.to_string(), ty, distance);
            if let Type::Record(of) = ty {
                for (field, ty) in &of.fields {
                    add(format!("{name}.{field}"), ty, distance + 30);
                }
            }
        }
    }

    /// `.title`
    fn fields(&self, entering: &Type, all: &mut Vec<Candidate>) {
        let Type::Record(of) = entering else { return };
        let fitting = of.fields.iter().filter(|(_, ty)| self.returns_expected(ty));
        all.extend(fitting.map(|(name, ty)| value(format!(".{name}"), ty, 1)));
    }
}

fn value(name: String, ty: &Type, rank: u32) -> Candidate {
    let types = ty.to_string();
    Candidate { name, op: None, types, doc: Cow::Borrowed(""), rank, is_whole: true }
}

/// The chains from the results of candidates to the expected type, each searched for once.
struct Routes<'a> {
    site: &'a Site<'a>,
    known: Vec<(Type, Option<Vec<Step>>)>,
}

impl Routes<'_> {
    fn op(&mut self, op: OpRef, entering: &Type) -> Option<Candidate> {
        let [input, others @ ..] = *op.op.params else { return None };
        let mut bindings = Bindings::default();
        if !bindings.bind(input.scheme, entering) {
            return None;
        }
        // A secret only goes to a port for secrets.
        if *entering == Type::Secret && general(input.scheme) > 0 {
            return None;
        }
        let is_generic = op.op.generic.is_whole();
        // The types of results may be large, and without an expected one all of them fit.
        let (on, detour) = match self.site.expected {
            Some(_) => self.on(bindings.settled(*op.op.yields).as_ref(), is_generic)?,
            None => (String::new(), 0),
        };
        let required = others.iter().filter(|it| it.default.is_none()).count();
        let rank = detour + general(input.scheme) + effort(op) + arguments(required);
        Some(Candidate {
            name: format!("{}{on}", op.script_name()),
            op: Some(op),
            types: String::new(),
            doc: in_one_line(op.op.summary()),
            rank,
            is_whole: required == 0 && !is_generic,
        })
    }

    fn flow(&mut self, flow: &Signature, entering: &Type) -> Option<Candidate> {
        let (_, takes) = flow.params.first()?;
        if !entering.fits(takes) {
            return None;
        }
        let (on, detour) = self.on(Some(&flow.yields), false)?;
        let required = flow.required.saturating_sub(1);
        Some(Candidate {
            name: format!("{}{on}", flow.name),
            op: None,
            types: flow_signature(flow),
            doc: flow.doc.lines().next().unwrap_or_default().to_owned().into(),
            rank: detour + arguments(required),
            is_whole: required == 0,
        })
    }

    /// The stages from a type to the expected one, and their rank, or `None` if no way exists.
    fn on(&mut self, yields: Option<&Type>, is_generic: bool) -> Option<(String, u32)> {
        let Some(expected) = &self.site.expected else { return Some((String::new(), 0)) };
        let direct = Some((String::new(), 0));
        let yields = yields?;
        if yields.fits(expected) {
            return direct;
        }
        // The parsed value is tested for the expected type.
        if is_generic && matches!(yields, Type::Json) {
            return Some((String::new(), 10));
        }
        let steps = match self.known.iter().find(|(ty, _)| ty == yields) {
            Some((_, known)) => known.clone(),
            None => {
                let types = &self.site.types;
                let knows = |name: &str| types.iter().any(|it| it.as_ref() == name);
                let wanted = Wanted::Type(expected);
                let search =
                    Search { registry: self.site.registry, knows: &knows, wanted, port: "" };
                let found = search.chain(yields, MOST_STEPS - 1);
                self.known.push((yields.clone(), found.clone()));
                found
            }
        }?;
        let more = u32::try_from(steps.len()).unwrap_or(u32::MAX);
        Some((format!(" >> {}", stages(&steps)), Candidate::DETOUR.saturating_mul(more)))
    }
}

fn in_one_line(text: &'static str) -> Cow<'static, str> {
    if text.contains('\n') { text.replace('\n', " ").into() } else { text.into() }
}

/// Ranks an op for this type before one for all types.
fn general(scheme: Scheme) -> u32 {
    match scheme {
        Scheme::OneOf(_) => 2,
        Scheme::List(item, _) | Scheme::Map(item) | Scheme::Optional(item) => 1 + general(*item),
        Scheme::Amount(_) | Scheme::Ordered(_) => 3,
        Scheme::Var(_) => 6,
        _ => 0,
    }
}

/// Ranks pure ops before those that read, and these before those that act.
fn effort(op: OpRef) -> u32 {
    let acts = |it: &Effect| !matches!(it, Effect::Reads(_));
    match op.op.effects {
        [] => 0,
        // Authors of scripts rarely need the components that list components.
        [Effect::Reads(Scope::Named("components"))] => 16,
        all if all.iter().any(acts) => 8,
        _ => 4,
    }
}

fn arguments(required: usize) -> u32 {
    u32::try_from(required).unwrap_or(u32::MAX).saturating_mul(2).min(20)
}

/// `split(text: string, sep: string) -> [string]`
fn op_signature(op: OpRef) -> String {
    let param = |it: &svc_contract::registry::Param| {
        let mark = if it.default.is_some() { "?" } else { "" };
        format!("{}{mark}: {}", it.name, it.scheme.show())
    };
    let params: Vec<String> = op.op.params.iter().map(param).collect();
    format!("{}({}) -> {}", op.script_name(), params.join(", "), op.op.yields.show())
}

fn flow_signature(flow: &Signature) -> String {
    let params: Vec<String> =
        flow.params.iter().map(|(name, ty)| format!("{name}: {ty}")).collect();
    format!("{}({}) -> {}", flow.name, params.join(", "), flow.yields)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn registry() -> Registry {
        svc_components::registry()
    }

    fn after(entering: Type, expected: Option<Type>) -> Vec<Candidate> {
        let registry = registry();
        let site = Site {
            registry: &registry,
            flows: Vec::new(),
            names: Vec::new(),
            types: Vec::new(),
            entering: Some(entering),
            expected,
            wants: Wants::Stage,
        };
        fits(&site)
    }

    #[test]
    fn only_what_accepts_the_value_is_offered() {
        let names =
            |ty: Type| -> Vec<String> { after(ty, None).into_iter().map(|it| it.name).collect() };
        let text = names(Type::Text);
        assert!(text.contains(&"upper".to_owned()), "{text:?}");
        assert!(!text.contains(&"abs".to_owned()) && !text.contains(&"flatten".to_owned()));
        let ints = names(Type::list(Type::INT));
        assert!(ints.contains(&"sum".to_owned()) && !ints.contains(&"upper".to_owned()));
        let note = Type::record(vec![("title".into(), Type::Text), ("n".into(), Type::INT)]);
        assert_eq!(names(note)[..2], [".title", ".n"]);
    }

    #[test]
    fn matching_results_come_first() {
        let found = after(Type::Text, Some(Type::list(Type::Text)));
        assert!(found[0].is_direct() && found[0].is_whole, "{found:?}");
        let (last, first) = (found.last().unwrap(), &found[0]);
        assert!(first.rank <= last.rank);
        assert!(found.iter().any(|it| it.name == "lines"));
        assert!(found.iter().all(|it| it.name != "len"), "{found:?}");
    }
}

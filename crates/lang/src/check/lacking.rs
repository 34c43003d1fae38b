//! Arguments that a call lacks, and those that it does not take.

use svc_contract::registry::{Near, Scheme, near};

use super::{
    Checker,
    call::{Given, Port, Site},
    pipeline::Position,
    scope::Frame,
};
use crate::{
    diag::{Code, Problem, Span},
    syntax::{
        self,
        ast::{Arg, Word},
    },
};

impl Checker<'_> {
    pub(super) fn unknown_argument(&mut self, ports: &[Port], name: &Word, site: &Site<'_>) {
        let names = ports.iter().map(|it| it.name.as_ref());
        let message = format!("unknown argument `{}` of `{}`", name.text, site.name);
        let problem = Problem::error(Code::E202, name.span, message).label("unknown argument");
        let problem = match near(&name.text, names.clone()) {
            Some(Near { name: meant, is_sure }) => problem
                .help(format!("did you mean `{meant}`?"))
                .fix(name.span, meant)
                .suggested_if(!is_sure),
            None if ports.is_empty() => problem.help("remove it: no arguments are accepted"),
            None => {
                let all: Vec<String> = names.map(|it| format!("`{it}`")).collect();
                problem.help(format!("use one of {}", all.join(", ")))
            }
        };
        self.report(problem);
    }

    /// Reports parameters without a value.
    pub(super) fn missing(&mut self, ports: &[Port], given: &[Option<Given<'_>>], site: &Site<'_>) {
        let missing: Vec<&Port> = ports
            .iter()
            .zip(given)
            .filter(|(port, given)| given.is_none() && !port.has_default)
            .map(|(port, _)| port)
            .collect();
        let Some(first) = missing.first() else { return };
        // All params of a script are named, including the first.
        let is_main = site.name == "main";
        let is_input = !is_main && first.name == ports[0].name && site.position.is_some();
        let name = &site.name;
        if is_input {
            let giver = self.likely_giver();
            let shown_giver = giver.as_deref().unwrap_or("value");
            let problem =
                Problem::error(Code::E211, site.name_span, format!("`{name}` has no input here"))
                    .label(format!("expects {} for `{}`", shown(first), first.name))
                    .help(format!("write `{shown_giver} >> {name}`"));
            let before = Span::new(site.name_span.start, site.name_span.start);
            self.report(match giver {
                Some(giver) => problem.suggest(before, format!("{giver} >> ")),
                None => problem,
            });
            return;
        }
        let names: Vec<String> =
            missing.iter().map(|it| format!("`{}: {}`", it.name, shown(it))).collect();
        let s = if missing.len() == 1 { "" } else { "s" };
        let help = self.input_as_argument(&missing, ports, given, site).unwrap_or_else(|| {
            let list = site.args.map_or(&[][..], |it| &it.list);
            let written = list.iter().map(|it| {
                let start = it.name.as_ref().map_or(it.value.span.start, |it| it.span.start);
                self.source.text()[start..it.value.span.end].to_owned()
            });
            let all = written.chain(missing.iter().map(|it| format!("{}: ..", it.name)));
            let all = format!("{name}({})", all.collect::<Vec<_>>().join(", "));
            format!("write `{}`", syntax::quoted(&all))
        });
        self.report(
            Problem::error(
                Code::E205,
                site.span,
                format!("missing argument{s} {} of `{name}`", names.join(" and ")),
            )
            .label(format!("missing argument{s}"))
            .help(help),
        );
    }

    /// `wait(2s)`: help where the only argument became the input, but fits the missing parameter.
    fn input_as_argument(
        &self,
        missing: &[&Port],
        ports: &[Port],
        given: &[Option<Given<'_>>],
        site: &Site<'_>,
    ) -> Option<String> {
        let [missing] = missing else { return None };
        let [Arg { name: None, value }] = site.args?.list.as_slice() else { return None };
        let input = given.first()?.as_ref()?;
        let takes_any = ports[0].ty.is_unknown() && !missing.ty.is_unknown();
        if !takes_any || site.position == Some(Position::Later) || !input.term.ty.fits(&missing.ty)
        {
            return None;
        }
        let (name, written) = (&site.name, &self.source.text()[value.span.range()]);
        Some(format!(
            "`{written}` is passed for `{}`, the input; write `value >> {name}({}: {written})`",
            ports[0].name, missing.name
        ))
    }

    /// The first parameter of the current flow or script.
    fn likely_giver(&self) -> Option<String> {
        match self.frames.first()? {
            Frame::Params(params) => {
                params.iter().find(|it| !it.name.is_empty()).map(|it| it.name.to_string())
            }
            _ => None,
        }
    }
}

fn shown(port: &Port) -> String {
    let ty = port.declared.as_ref().unwrap_or(&port.ty);
    port.scheme.map_or_else(|| ty.to_string(), Scheme::show)
}

//! The modules of the standard library in `svc components` and `svc inspect`.

use svc_api::library::{CLUSTER, ModulePageJson};
use svc_contract::registry::nearest;
use svc_lang::diag::{visible, visible_line};
use svc_lang::stdlib::{self, FlowDoc, Module, PREFIX};

use super::{
    exit::{Failure, NOT_FOUND, Result},
    terminal::{self, Ink, Stream},
};

const WIDEST: usize = 96;

/// The module named `std:NAME`; `None` for names without `std:`.
pub(super) fn named(name: &str) -> Option<Result<&'static Module<'static>>> {
    let name = name.strip_prefix(PREFIX)?;
    Some(stdlib::find(name).ok_or_else(|| unknown(name)))
}

/// The failure for an unknown module, with the nearest name as help.
fn unknown(name: &str) -> Failure {
    let failure = Failure::new(NOT_FOUND, format!("unknown module `{PREFIX}{name}`"));
    match nearest(name, stdlib::ALL.iter().map(|it| it.name)) {
        Some(meant) => failure.help(format!("did you mean `{PREFIX}{meant}`?")),
        None => failure.help("list all modules with `svc components`"),
    }
}

/// Prints the documentation of a module.
pub(super) fn show(module: &Module<'_>, as_json: bool, out: Stream) -> Result<()> {
    if as_json {
        terminal::print_json(&ModulePageJson::new(module))
    } else {
        terminal::print(terminal::styled(&page(module, out)))
    }
}

/// The modules, each with its name, its summary and its flows.
pub(super) fn entries(modules: &[&Module<'_>], out: Stream) -> String {
    modules.iter().map(|it| entry(it, out)).collect()
}

fn entry(module: &Module<'_>, out: Stream) -> String {
    let name = out.paint(&format!("{PREFIX}{}", module.name), Ink::Bold);
    let flows: Vec<String> = module.flows().into_iter().map(|it| it.name).collect();
    format!("  {name}  {}\n      {}\n", module.summary(), flows.join(" "))
}

/// The documentation of a module as text.
fn page(module: &Module<'_>, out: Stream) -> String {
    let name = out.paint(&format!("{PREFIX}{}", module.name), Ink::Bold);
    let docs = module.docs();
    let rest = docs.split_once('\n').map_or("", |(_, rest)| rest).trim();
    let declared = declared(module, out);
    format!("{name}  {}\n{CLUSTER}\n\n{rest}\n{declared}", module.summary())
}

/// The documentation of a module of the user as text.
pub(super) fn page_of_file(module: &Module<'_>, path: &str, out: Stream) -> String {
    let name = out.paint(&visible_line(path), Ink::Bold);
    let docs = visible(module.docs().trim()).into_owned();
    let docs = if docs.is_empty() { docs } else { format!("\n{docs}\n") };
    format!("{name}\n{docs}{}", declared(module, out))
}

/// The types and flows of a module.
fn declared(module: &Module<'_>, out: Stream) -> String {
    let mut page = String::new();
    let types = module.types();
    if !types.is_empty() {
        page += &format!("\n{}\n", visible(&types.join("\n")));
    }
    for flow in module.flows() {
        page += &format!("\n{}\n", head(&flow, module, out));
        if !flow.doc.is_empty() {
            page += &format!("  {}\n", visible_line(&flow.doc));
        }
    }
    page
}

/// The signature of a flow, with one param per line if it is long.
fn head(flow: &FlowDoc, module: &Module<'_>, out: Stream) -> String {
    let name = format!("{}.{}", module.name, flow.name);
    let (generics, params, yields) = (flow.type_params(), &flow.params, &flow.yields);
    let params: Vec<_> = params.iter().map(|it| visible_line(it)).collect();
    let yields = visible_line(yields);
    let line = format!("{generics}({}) -> {yields}", params.join(", "));
    let painted = out.paint(&name, Ink::Cyan);
    if name.len() + line.len() <= WIDEST {
        return format!("{painted}{line}");
    }
    format!("{painted}{generics}(\n    {},\n) -> {yields}", params.join(",\n    "))
}

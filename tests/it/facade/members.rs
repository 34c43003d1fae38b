//! An item as text: its definition without bodies and documentation, and its public members.

use syn::{ImplItem, Item, ItemImpl, ItemMacro, TraitItem, Visibility, spanned::Spanned};

use super::sources::Crate;

/// The item of this name, a line for itself and one for each member.
pub(super) fn described(krate: &Crate, module: &[String], name: &str) -> String {
    let Some((file, item)) = krate.definition(module, name) else {
        return made_by_macro(krate, name);
    };
    let mut lines = own(item);
    // Another type of the crate may have the same name; its methods are in its own file.
    let is_unique = krate.count(name) == 1;
    let files = krate.files.iter().filter(|(path, _)| is_unique || path == file);
    let items = files.flat_map(|(_, file)| &file.items);
    for item in items {
        match item {
            Item::Impl(it) if is_of(it, name) => lines.extend(implemented(it)),
            _ => {}
        }
    }
    lines[1..].sort();
    lines.join("\n") + "\n"
}

/// The item itself, then its fields, variants or required methods.
fn own(item: &Item) -> Vec<String> {
    match item {
        Item::Struct(it) => {
            let fields = it.fields.iter().filter(|it| is_public(&it.vis));
            let field = |it: &syn::Field| match &it.ident {
                Some(name) => format!("  {name}: {}", text(&it.ty)),
                None => format!("  {}", text(&it.ty)),
            };
            let head = format!("{}struct {}{}", grows(&it.attrs), it.ident, text(&it.generics));
            [head].into_iter().chain(fields.map(field)).collect()
        }
        Item::Enum(it) => {
            let head = format!("{}enum {}{}", grows(&it.attrs), it.ident, text(&it.generics));
            let variant = |it: &syn::Variant| format!("  {}{}", it.ident, text(&it.fields));
            [head].into_iter().chain(it.variants.iter().map(variant)).collect()
        }
        Item::Trait(it) => {
            let head =
                format!("trait {}{}: {}", it.ident, text(&it.generics), text(&it.supertraits));
            [head].into_iter().chain(it.items.iter().map(required)).collect()
        }
        Item::Fn(it) => vec![text(&it.sig)],
        Item::Const(it) => vec![format!("const {}: {}", it.ident, text(&it.ty))],
        Item::Type(it) => {
            vec![format!("type {}{} = {}", it.ident, text(&it.generics), text(&it.ty))]
        }
        other => panic!("cannot describe {}", text(other)),
    }
}

/// Marks an item that may get more fields or variants.
fn grows(attributes: &[syn::Attribute]) -> &'static str {
    let is_open = attributes.iter().any(|it| it.path().is_ident("non_exhaustive"));
    if is_open { "#[non_exhaustive] " } else { "" }
}

fn required(item: &TraitItem) -> String {
    match item {
        TraitItem::Fn(it) => format!("  {}", text(&it.sig)),
        TraitItem::Const(it) => format!("  const {}: {}", it.ident, text(&it.ty)),
        TraitItem::Type(it) => format!("  type {}", it.ident),
        other => panic!("cannot describe {}", text(other)),
    }
}

fn is_of(block: &ItemImpl, name: &str) -> bool {
    let syn::Type::Path(ty) = &*block.self_ty else { return false };
    ty.path.segments.last().is_some_and(|it| it.ident == name)
}

/// The public methods and constants of an `impl`; only its head if it is that of a trait.
fn implemented(block: &ItemImpl) -> Vec<String> {
    if let Some((_, path, _)) = &block.trait_ {
        return vec![format!("  impl{} {}", text(&block.generics), text(path))];
    }
    let member = |it: &ImplItem| match it {
        ImplItem::Fn(it) if is_public(&it.vis) => Some(format!("  {}", text(&it.sig))),
        ImplItem::Const(it) if is_public(&it.vis) => {
            Some(format!("  const {}: {}", it.ident, text(&it.ty)))
        }
        _ => None,
    };
    block.items.iter().filter_map(member).collect()
}

/// A name that a macro defines: what the macro is given, and what it makes public.
fn made_by_macro(krate: &Crate, name: &str) -> String {
    if krate.derives(name) {
        return format!("derive macro {name}\n");
    }
    let items = krate.files.iter().flat_map(|(_, file)| &file.items);
    let macros: Vec<&ItemMacro> =
        items.filter_map(|it| if let Item::Macro(it) = it { Some(it) } else { None }).collect();
    if macros.iter().any(|it| it.ident.as_ref().is_some_and(|it| it == name)) {
        return format!("macro {name}!\n");
    }
    // Either the macro contains the name, or it is given the name.
    let has = |it: &ItemMacro| {
        text(&it.mac.tokens).split(|it: char| !it.is_alphanumeric()).any(|it| it == name)
    };
    let rules =
        |it: &&&ItemMacro| it.ident.is_some() && text(*it).contains(&format!("pub enum {name}"));
    let maker = macros.iter().find(rules).and_then(|it| it.ident.as_ref());
    let call = macros.iter().find(|it| match maker {
        Some(maker) => it.mac.path.is_ident(maker),
        None => it.ident.is_none() && has(it),
    });
    let call = call.unwrap_or_else(|| panic!("{name} is not an item that has a name of its own"));
    let made =
        macros.iter().find(|it| it.ident.as_ref().is_some_and(|it| call.mac.path.is_ident(it)));
    let made = made.and_then(|it| it.span().source_text()).unwrap_or_default();
    let public = made.lines().map(str::trim).filter(|it| it.starts_with("pub "));
    let (by, given) = (text(&call.mac.path), text(&call.mac.tokens));
    let mut lines = vec![format!("{name}, made by {by}! from:"), format!("  {given}")];
    lines.extend(public.map(|it| format!("  {}", it.trim_end_matches(" {"))));
    lines.join("\n") + "\n"
}

pub(super) fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

/// The source as one line, without comments and attributes.
pub(super) fn text(part: &impl Spanned) -> String {
    let source = part.span().source_text().unwrap_or_default();
    let lines = source.lines().map(str::trim);
    let code: Vec<&str> =
        lines.filter(|it| !it.starts_with("//") && !it.starts_with("#[")).collect();
    code.join(" ").replace("( ", "(").replace(", )", ")")
}

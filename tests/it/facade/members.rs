//! An item as text: its definition without bodies and documentation, and its public members.

use syn::{ImplItem, Item, ItemImpl, TraitItem, Visibility, spanned::Spanned};

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
    lines.iter().map(|it| format!("{it}\n")).collect()
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
            let head = format!("struct {}{}", it.ident, text(&it.generics));
            [head].into_iter().chain(fields.map(field)).collect()
        }
        Item::Enum(it) => {
            let head = format!("enum {}{}", it.ident, text(&it.generics));
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

/// A name that a macro defines: what the macro is given.
fn made_by_macro(krate: &Crate, name: &str) -> String {
    let items = krate.files.iter().flat_map(|(_, file)| &file.items);
    for item in items {
        let Item::Macro(it) = item else { continue };
        if it.ident.as_ref().is_some_and(|it| it == name) {
            return format!("macro {name}!\n");
        }
        let given = text(&it.mac.tokens);
        let mut words = given.split(|it: char| !it.is_alphanumeric());
        if it.ident.is_none() && words.any(|it| it == name) {
            return format!("{name}, made by {}! from:\n  {given}\n", text(&it.mac.path));
        }
    }
    panic!("{name} is not an item that has a name of its own");
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

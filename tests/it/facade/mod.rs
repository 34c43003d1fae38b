//! The public API: everything that `src/lib.rs` exports, with its fields, variants and methods.
//!
//! The names are read from the `pub use` of the library, and their definitions from the sources of
//! the crates.

mod members;
mod sources;

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    path::Path,
};

use syn::{Item, UseTree};

use members::{is_public, text};
use sources::{Crate, parse};

/// Names of other libraries that are part of the public API, by library.
const REEXPORTED: &[(&str, &str)] = &[("tokio_util", "CancellationToken")];

/// A name that the library exports.
struct Export {
    /// Its module in the library: `svc::value`.
    module: String,
    /// Where it comes from: `svc_contract`, `value`, `Text`; empty if the library defines it.
    path: Vec<String>,
    /// The name, or the signature of a function of the library itself.
    name: String,
}

#[test]
fn the_public_api_is_what_it_was() {
    let (mut exports, mut crates) = (Vec::new(), BTreeMap::new());
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    exports_of(
        &root.join("src/lib.rs"),
        &parse(&root.join("src/lib.rs")).items,
        "svc",
        &mut exports,
    );
    let mut modules: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for it in &exports {
        modules.entry(&it.module).or_default().insert(described(it, &mut crates));
    }
    let mut shown = String::new();
    for (module, items) in &modules {
        let items: Vec<&str> = items.iter().map(String::as_str).collect();
        writeln!(shown, "# {module}\n\n{}", items.join("\n")).unwrap();
    }
    let hidden = named_only(&shown, &exports, &crates);
    writeln!(shown, "# Named in these signatures, but not exported\n\n{hidden}").unwrap();
    insta::assert_snapshot!("public_api", shown);
}

/// Collects the exports of a file or of a module in it.
fn exports_of(file: &Path, items: &[Item], module: &str, exports: &mut Vec<Export>) {
    for item in items {
        match item {
            Item::Use(it) if is_public(&it.vis) => names(&it.tree, &[], module, exports),
            Item::Mod(it) if is_public(&it.vis) => {
                let module = format!("{module}::{}", it.ident);
                match &it.content {
                    Some((_, items)) => exports_of(file, items, &module, exports),
                    None => {
                        let file = file.with_file_name(format!("{}/mod.rs", it.ident));
                        exports_of(&file, &parse(&file).items, &module, exports);
                    }
                }
            }
            Item::Fn(it) if is_public(&it.vis) => exports.push(Export {
                module: module.to_owned(),
                path: Vec::new(),
                name: text(&it.sig),
            }),
            Item::Use(_) | Item::Mod(_) | Item::Fn(_) => {}
            other => panic!("the library defines nothing itself: {}", text(other)),
        }
    }
}

/// Collects the names of a `pub use`, which names each item.
fn names(tree: &UseTree, path: &[String], module: &str, exports: &mut Vec<Export>) {
    match tree {
        UseTree::Path(it) => {
            let path = [path, &[it.ident.to_string()]].concat();
            names(&it.tree, &path, module, exports);
        }
        UseTree::Group(it) => it.items.iter().for_each(|it| names(it, path, module, exports)),
        UseTree::Name(it) => {
            let name = it.ident.to_string();
            let path = [path, std::slice::from_ref(&name)].concat();
            exports.push(Export { module: module.to_owned(), path, name });
        }
        UseTree::Rename(_) | UseTree::Glob(_) => {
            panic!("export each name as it is: {}", text(tree))
        }
    }
}

/// The definition of an export, and its members.
fn described(export: &Export, crates: &mut BTreeMap<String, Crate>) -> String {
    let [first, inner @ .., _] = export.path.as_slice() else {
        return format!("{}\n", export.name);
    };
    if let Some((library, name)) = REEXPORTED.iter().find(|(_, it)| *it == export.name) {
        return format!("{name} of {library}\n");
    }
    // The other names are from modules of the library itself.
    let is_ours = first.starts_with("svc_");
    let name = if is_ours { first } else { "svc" };
    let krate = crates.entry(name.to_owned()).or_insert_with(|| Crate::read(name));
    if is_ours {
        return members::described(krate, inner, &export.name);
    }
    let outer = export.module.split("::").skip(1).map(str::to_owned);
    let module: Vec<String> = outer.chain([first.clone()]).chain(inner.iter().cloned()).collect();
    members::described(krate, &module, &export.name)
}

/// The types of our crates that the signatures mention, but that have no name in the library.
fn named_only(shown: &str, exports: &[Export], crates: &BTreeMap<String, Crate>) -> String {
    let exported: BTreeSet<&str> = exports.iter().map(|it| it.name.as_str()).collect();
    let ours: BTreeSet<String> = crates.values().flat_map(Crate::types).collect();
    // A line begins with what it defines, such as a variant.
    let lines = shown.lines().map(str::trim_start);
    let mentioned: BTreeSet<&str> =
        lines.flat_map(|it| it.split(|it: char| !it.is_alphanumeric()).skip(1)).collect();
    let hidden = mentioned.into_iter().filter(|it| ours.contains(*it) && !exported.contains(it));
    hidden.collect::<Vec<_>>().join("\n")
}

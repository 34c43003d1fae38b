//! The sources of a crate as trees.

use std::path::{Path, PathBuf};

use syn::{Ident, Item};

use super::members::is_public;

/// A crate of this workspace.
pub(super) struct Crate {
    /// The files, by their path below `src`.
    pub(super) files: Vec<(String, syn::File)>,
}

impl Crate {
    /// Reads a crate: `svc_host_os` is in `crates/host-os`, `svc` in the root.
    pub(super) fn read(name: &str) -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let src = match name.strip_prefix("svc_") {
            Some(name) => root.join("crates").join(name.replace('_', "-")).join("src"),
            None => root.join("src"),
        };
        let files = ignore::Walk::new(&src).map(|it| it.unwrap().into_path());
        let mut files: Vec<PathBuf> =
            files.filter(|it| it.extension().is_some_and(|it| it == "rs")).collect();
        files.sort();
        let named = |it: &PathBuf| it.strip_prefix(&src).unwrap().to_str().unwrap().to_owned();
        Self { files: files.iter().map(|it| (named(it), parse(it))).collect() }
    }

    /// The file with a public item of this name in this module, the item closest to the module.
    pub(super) fn definition(&self, module: &[String], name: &str) -> Option<(&str, &Item)> {
        let module = module.join("/");
        let inside = self.files.iter().filter(|(path, _)| path.starts_with(&module));
        let items = inside.flat_map(|(path, file)| file.items.iter().map(move |it| (path, it)));
        let found = items.filter(|(_, item)| {
            named(item).is_some_and(|(ident, vis)| ident == name && is_public(vis))
        });
        found
            .min_by_key(|(path, _)| path.matches('/').count())
            .map(|(path, item)| (path.as_str(), item))
    }

    /// Whether the crate defines a derive macro of this name.
    pub(super) fn derives(&self, name: &str) -> bool {
        let items = self.files.iter().flat_map(|(_, file)| &file.items);
        let attrs =
            items.filter_map(|it| if let Item::Fn(it) = it { Some(&it.attrs) } else { None });
        attrs.flatten().any(|it| {
            it.path().is_ident("proc_macro_derive")
                && it.parse_args::<Ident>().is_ok_and(|it| it == name)
        })
    }

    /// The number of types of this name, private ones included.
    pub(super) fn count(&self, name: &str) -> usize {
        let items = self.files.iter().flat_map(|(_, file)| &file.items);
        items.filter(|it| named(it).is_some_and(|(ident, _)| ident == name)).count()
    }

    /// The names of the public types.
    pub(super) fn types(&self) -> impl Iterator<Item = String> {
        let items = self.files.iter().flat_map(|(_, file)| &file.items);
        let types = items.filter_map(named).filter(|(_, vis)| is_public(vis));
        let names = types.map(|(ident, _)| ident.to_string());
        names.filter(|it| it.starts_with(char::is_uppercase) && it.contains(char::is_lowercase))
    }
}

pub(super) fn parse(file: &Path) -> syn::File {
    syn::parse_file(&std::fs::read_to_string(file).unwrap()).unwrap()
}

fn named(item: &Item) -> Option<(&Ident, &syn::Visibility)> {
    match item {
        Item::Struct(it) => Some((&it.ident, &it.vis)),
        Item::Enum(it) => Some((&it.ident, &it.vis)),
        Item::Trait(it) => Some((&it.ident, &it.vis)),
        Item::Type(it) => Some((&it.ident, &it.vis)),
        Item::Const(it) => Some((&it.ident, &it.vis)),
        Item::Fn(it) => Some((&it.sig.ident, &it.vis)),
        _ => None,
    }
}

//! Rules of the code base that the compiler does not check: dependencies between modules, and where
//! things belong.

mod known;
mod manifests;
mod source;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use known::{BINDINGS, EMBEDDED, HEAVY, LIGHT};
use manifests::{Lock, dependencies};
use source::{Source, Used, sources};

/// The modules of a crate whose order is a rule: one may use those before it. The order of the
/// crates is Cargo's.
const LAYERS: [(&str, &[&str]); 3] = [
    ("contract", &["value", "host", "registry", "store"]),
    ("lang", &["diag", "syntax", "script", "stdlib", "constructs", "topics", "check", "plan"]),
    ("engine", &["run"]),
];

/// The crates of this workspace that a base may use. Everything about runs and their store comes
/// from `svc_api`.
const OF_BASES: [&str; 7] = [
    "svc_api",
    "svc_assist",
    "svc_contract",
    "svc_engine",
    "svc_host_os",
    "svc_lang",
    "svc_service",
];

/// The only file of the api that knows the store, and the only one that opens it for the bases.
const OPENER: &str = "crates/api/src/store.rs";

/// The crates that know no operating system and start no threads.
const PURE: [&str; 10] = [
    "crates/text/",
    "crates/columns/",
    "crates/contract/",
    "crates/derive/",
    "crates/lang/",
    "crates/learn/src/",
    "crates/optimize/src/",
    "crates/openapi/src/",
    "crates/requests/",
    "crates/signatures/",
];

/// The only places that may reach for the operating system themselves: the host, the store's
/// and the index's own files, the server's connections, and where the process begins.
const DOORS: [&str; 10] = [
    // Its processes are killed, to see what they leave.
    "crates/bias/tests/",
    "crates/host-os/",
    "crates/servers/",
    // The host of an owner is tested on a real disk, with real links.
    "crates/service/src/owner/tests.rs",
    // What runs write into the folders of projects, and what a crash leaves there.
    "crates/service/src/desk/tests/",
    "crates/sqlite/",
    "crates/store/",
    "crates/components/context-retrieval/src/ctx_search/",
    "src/bases/http/",
    "src/main.rs",
];

/// The crates that access the network or the system.
const BEYOND: [&str; 6] =
    ["hyper", "hyper_util", "hyper_rustls", "rusqlite", "rustix", "tower_service"];

/// The modules that use the standard streams, with the reason. All others print through the first
/// one, which never lets output control the terminal.
const PROGRAMS: &str = "names the outputs of other programs";

const WRITERS: [(&str, &str); 22] = [
    ("crates/api/src/ci/git.rs", PROGRAMS),
    ("crates/bias/tests/it/failpoints.rs", "says what was done before it ended"),
    ("crates/bias/tests/it/kills.rs", "says that it has begun"),
    ("crates/bias/tests/it/memory.rs", "says how many questions were answered"),
    ("crates/components/core-infrastructure/src/exec/call.rs", PROGRAMS),
    ("crates/components/core-infrastructure/src/exec/mod.rs", PROGRAMS),
    ("crates/contract/src/host/program.rs", PROGRAMS),
    ("crates/host-os/src/browser.rs", PROGRAMS),
    ("crates/host-os/src/process.rs", "asks whether the output would wait"),
    ("crates/host-os/src/programs.rs", PROGRAMS),
    ("crates/host-os/src/programs/tests.rs", PROGRAMS),
    ("crates/host-os/src/workers/serve.rs", "answers the process that began this one"),
    ("crates/host-os/src/workers/worker.rs", "reads what such a process answers"),
    ("crates/host-os/src/ask.rs", "asks a person, with text that was made visible"),
    ("crates/mcp/src/connection.rs", PROGRAMS),
    ("crates/optimize/examples/ask_tell.rs", "speaks a protocol, which no person reads"),
    ("crates/servers/tests/it/started.rs", PROGRAMS),
    ("crates/service/src/access/tests/timing.rs", "prints what it measured"),
    ("src/bases/cli/screen.rs", "asks how large the terminal is"),
    ("src/bases/cli/terminal.rs", "the one writer"),
    ("src/bases/lsp/mod.rs", "speaks a protocol, which no person reads"),
    ("src/bases/mcp/streams.rs", "speaks a protocol, which no person reads"),
];

const LONGEST_FILE: usize = 600;

#[test]
fn modules_only_look_down() {
    let mut wrong = Vec::new();
    for source in sources() {
        let Some((_, layers)) = LAYERS.iter().find(|(name, _)| source.is_of(name)) else {
            continue;
        };
        let rank = |path: &[String]| {
            layers.iter().position(|it| Some(*it) == path.first().map(String::as_str))
        };
        let Some(own) = rank(&source.module) else { continue };
        for used in source.uses("crate").iter().filter(|it| !it.is_macro()) {
            // What is not in the list stands above all that is.
            if rank(&used.path).is_none_or(|it| it > own) {
                wrong.push(format!("{} must not know crate::{}", source.name, used.shown()));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn what_is_embedded_stays_light() {
    let wrong: Vec<String> = LIGHT
        .iter()
        .flat_map(|(name, allowed)| {
            let others =
                dependencies(name).into_iter().filter(|it| !allowed.contains(&it.as_str()));
            others.map(move |it| format!("crates/{name} must not depend on {it}"))
        })
        .collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn bindings_use_the_public_api_of_the_light_engine() {
    let root = manifests::manifest("");
    let built = root["workspace"]["default-members"].as_array().unwrap();
    for (name, allowed) in BINDINGS {
        let manifest = manifests::manifest(&format!("bindings/{name}"));
        let others: Vec<String> = manifests::needed(&manifest)
            .into_iter()
            .filter(|it| !allowed.contains(&it.as_str()))
            .collect();
        assert!(others.is_empty(), "bindings/{name} must not depend on {others:?}");
        let svc = manifest["dependencies"]["svc"].as_table().unwrap();
        assert_eq!(svc["default-features"].as_bool(), Some(false), "bindings/{name} is not light");
        let folder = toml::Value::from(format!("bindings/{name}"));
        assert!(!built.contains(&folder), "bindings/{name} is a default member");
    }
    // Its features would be those of every build.
    assert!(!built.contains(&"bindings/web".into()), "bindings/web is a default member");
}

#[test]
fn only_bindings_may_lower_the_lint_of_unsafe_code() {
    let root = manifests::manifest("");
    let lints = &root["workspace"]["lints"]["rust"];
    assert_eq!(lints["unsafe_code"].as_str(), Some("forbid"));
    for folder in root["workspace"]["members"].as_array().unwrap() {
        let folder = folder.as_str().unwrap();
        let manifest = manifests::manifest(folder);
        let lints = &manifest["lints"];
        if matches!(folder, "bindings/c" | "bindings/python" | "bindings/web") {
            assert_eq!(lints["rust"]["unsafe_code"].as_str(), Some("deny"), "{folder}");
        } else {
            assert_eq!(lints["workspace"].as_bool(), Some(true), "{folder}");
        }
    }
}

#[test]
fn what_is_embedded_stays_light_through_others() {
    let lock = Lock::read();
    let mut wrong = Vec::new();
    for name in EMBEDDED {
        let all = lock.dependencies_of(&format!("svc-{name}"));
        let heavy = all.iter().filter(|it| HEAVY.iter().any(|heavy| it.starts_with(heavy)));
        wrong.extend(heavy.map(|it| format!("crates/{name} depends on {it} through others")));
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    // The names are those of packages that the program as a whole has.
    let all = lock.dependencies_of("svc");
    for heavy in ["clap", "rustyline", "lsp-types", "tantivy", "rusqlite", "lopdf", "rustls"] {
        assert!(all.contains(heavy), "{heavy} is not found");
    }
}

#[test]
fn components_know_the_contract_and_plain_libraries() {
    for cluster in fs::read_dir(root().join("crates/components")).unwrap() {
        let cluster = cluster.unwrap().file_name().into_string().unwrap();
        if !root().join("crates/components").join(&cluster).join("Cargo.toml").exists() {
            continue;
        }
        let ours = dependencies(&format!("components/{cluster}"));
        let ours: Vec<&String> = ours.iter().filter(|it| it.starts_with("svc-")).collect();
        let known = [
            "svc-columns",
            "svc-contract",
            "svc-text",
            "svc-documents",
            "svc-encoder",
            "svc-guide",
            "svc-mcp",
            "svc-learn",
            "svc-openapi",
            "svc-optimize",
            "svc-requests",
            "svc-servers",
            "svc-signatures",
            "svc-sqlite",
        ];
        assert!(ours.iter().all(|it| known.contains(&it.as_str())), "{cluster} knows {ours:?}");
    }
}

#[test]
fn what_runs_anywhere_knows_no_system() {
    let system = |it: &Used| {
        let path: Vec<&str> = it.path.iter().map(String::as_str).collect();
        matches!(
            path[..],
            ["fs" | "net" | "process" | "thread" | "env", ..] | ["time", "Instant", ..]
        )
    };
    let wrong: Vec<String> = sources()
        .iter()
        .filter(|it| PURE.iter().any(|pure| it.name.starts_with(pure)))
        .flat_map(|source| {
            let used = source.uses("std").into_iter().filter(system);
            used.map(|it| format!("{} uses std::{}", source.name, it.shown()))
        })
        .collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn bases_do_not_know_each_other() {
    let of_bases = |it: &Source| it.name.starts_with("src/bases/");
    let wrong = strangers(of_bases, 1, |used| used.len() > 1 && used[0] == "bases");
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn bases_use_the_engine_and_the_api() {
    let bases: Vec<Source> =
        sources().into_iter().filter(|it| it.name.starts_with("src/bases/")).collect();
    let crates = bases.iter().flat_map(|source| {
        let ours = source.tokens.iter().filter(|it| it.starts_with("svc_"));
        let others = ours.filter(|it| !OF_BASES.contains(&it.as_str()));
        others.map(move |it| format!("{} must not know {it}", source.name))
    });
    // The root of this crate exports the same crates under other names.
    let roots = bases.iter().flat_map(|source| {
        let used = source.uses("crate").into_iter();
        let others =
            used.filter(|it| !matches!(it.path[0].as_str(), "bases" | "engine" | "is_worker"));
        others.map(move |it| format!("{} must not know crate::{}", source.name, it.shown()))
    });
    let shapes = bases.iter().filter(|it| it.tokens.iter().any(|token| token == "Serialize"));
    // The terminal writes any of them.
    let shapes = shapes.filter(|it| it.name != "src/bases/cli/terminal.rs");
    let shapes = shapes.map(|it| format!("{} defines JSON; that belongs to the api", it.name));
    let wrong: Vec<String> = crates.chain(roots).chain(shapes).collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn one_file_of_the_api_opens_a_store() {
    let sources = sources();
    let api = sources.iter().filter(|it| it.is_of("api"));
    let found: Vec<&str> = api
        .filter(|it| it.tokens.iter().any(|token| token == "svc_store"))
        .map(|it| it.name.as_str())
        .collect();
    assert_eq!(found, [OPENER]);
}

#[test]
fn components_do_not_know_each_other() {
    let components = components_on_disk();
    let of_components = |it: &Source| it.name.starts_with("crates/components/");
    let wrong = strangers(of_components, 0, |used| components.contains(&used[0]));
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn every_component_file_is_registered() {
    let on_disk = components_on_disk();
    let engine = svc::engine();
    let registered: BTreeSet<String> =
        engine.registry().components().iter().map(|it| it.name.to_owned()).collect();
    assert_eq!(on_disk, registered);
}

#[test]
fn no_alias_is_a_reserved_word() {
    let engine = svc::engine();
    for component in engine.registry().components() {
        for (alias, _) in component.aliases {
            assert!(!svc_lang::syntax::RESERVED.contains(alias), "`{alias}` is reserved");
        }
    }
}

#[test]
fn the_system_has_few_doors() {
    let system = |it: &Used| {
        // Addresses are data.
        let harmless = ["ExitCode", "exit", "IpAddr", "SocketAddr"];
        let harmless = it.path.get(1).is_some_and(|it| harmless.contains(&it.as_str()));
        matches!(it.path[0].as_str(), "fs" | "env" | "process" | "net") && !harmless
    };
    let wrong: Vec<String> = sources()
        .iter()
        .filter(|it| !DOORS.iter().any(|door| it.name.starts_with(door)))
        .flat_map(|source| {
            let used = [source.uses("std"), source.uses("tokio")].concat();
            let reached: Vec<Used> = used.into_iter().filter(|it| system(it)).collect();
            let named = reached.into_iter().map(|it| it.shown());
            let beyond = BEYOND.iter().filter(|it| source.tokens.iter().any(|token| token == *it));
            let all: Vec<String> = named.chain(beyond.map(|it| (*it).to_owned())).collect();
            all.into_iter().map(|it| format!("{} uses {it}", source.name))
        })
        .collect();
    assert!(wrong.is_empty(), "use the host\n{}", wrong.join("\n"));
}

#[test]
fn one_module_writes_to_the_terminal() {
    const STREAMS: [&str; 6] = ["stdout", "stderr", "println", "eprintln", "eprint", "dbg"];
    let writes = |it: &&Source| it.tokens.iter().any(|it| STREAMS.contains(&it.as_str()));
    let sources = sources();
    let found: BTreeSet<&str> = sources.iter().filter(writes).map(|it| it.name.as_str()).collect();
    let allowed: BTreeSet<&str> = WRITERS.iter().map(|(it, _)| *it).collect();
    assert_eq!(found, allowed, "print with `bases::cli::terminal`");
}

#[test]
fn no_file_is_too_long() {
    let long: Vec<String> = sources()
        .iter()
        .map(|it| (it.text.lines().count(), &it.name))
        .filter(|(lines, _)| *lines > LONGEST_FILE)
        .map(|(lines, name)| format!("{name} has {lines} lines"))
        .collect();
    assert!(long.is_empty(), "\n{}", long.join("\n"));
}

#[test]
fn public_types_of_a_crate_have_different_names() {
    let sources = sources();
    let mut known: BTreeMap<(&str, &str), &str> = BTreeMap::new();
    let mut twice = Vec::new();
    // Where a feature is off, a file of this name stands in for what it adds.
    for source in sources.iter().filter(|it| !it.name.ends_with("/absent.rs")) {
        let Some(folder) = source.crate_folder() else { continue };
        for name in source.public_types() {
            if let Some(other) = known.insert((folder, name), &source.name) {
                twice.push(format!("`{name}` is public in {other} and in {}", source.name));
            }
        }
    }
    assert!(known.len() > 100, "the types are found");
    assert!(twice.is_empty(), "\n{}", twice.join("\n"));
}

/// Uses of one part of a layer by another; parts are `depth` levels below the layer.
fn strangers(
    of: impl Fn(&Source) -> bool,
    depth: usize,
    counts: impl Fn(&[String]) -> bool,
) -> Vec<String> {
    let mut wrong = Vec::new();
    for source in sources().iter().filter(|it| of(it)) {
        let Some(own) = source.module.get(..=depth) else { continue };
        for used in [source.uses("crate"), source.uses("super")].concat() {
            let theirs = &used.path[..used.path.len().min(depth + 1)];
            if !own.starts_with(theirs) && counts(&used.path) {
                wrong.push(format!("{} must not know {}", source.name, used.shown()));
            }
        }
    }
    wrong
}

/// The cluster and the name of every file or folder of a component.
fn components_on_disk() -> BTreeSet<String> {
    let sources = sources();
    let clusters = sources.iter().filter(|it| {
        it.name.starts_with("crates/components/") && !it.name.starts_with("crates/components/src/")
    });
    let names = clusters.filter_map(|it| it.module.first());
    names
        .filter(|it| !["cells", "meaning", "rows", "testing", "worker"].contains(&it.as_str()))
        .cloned()
        .collect()
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

use std::{
    io::{self, Read},
    path::{Path, PathBuf},
    pin::Pin,
    sync::{Arc, atomic::AtomicI64},
    time::Duration,
};

use svc_contract::{
    host::{DirEntry, Host, Machine, Stat, http},
    registry::{Bias, Component, Registry, Tier},
    store::Store,
};
use svc_engine::Engine;
use svc_host_os::{OsHost, test::TestHost};
use svc_lang::plan::Policy;
use svc_store::SqliteStore;

use super::{
    checks::{ALL, Area, Found, Patient, Status, checked},
    reports,
};
use crate::components::{self, RolesFile};

/// A host whose machine is as a test says.
struct Sick {
    inner: TestHost,
    machine: Machine,
    memory: Option<(u64, u64)>,
    now: i64,
    /// The text of the file of roles, if it is there.
    roles: Option<&'static str>,
}

const NOW: i64 = 1_780_000_000_000;

const SOUND: Machine =
    Machine { free_space: Some(100 << 30), is_writable: Some(true), open_files: Some((20, 4096)) };

impl Sick {
    fn new() -> Self {
        let memory = Some((1 << 20, 1 << 30));
        Self { inner: TestHost::new(), machine: SOUND, memory, now: NOW, roles: None }
    }
}

impl Host for Sick {
    fn open(&self, path: &Path) -> io::Result<Box<dyn Read + Send>> {
        self.inner.open(path)
    }

    fn stat(&self, path: &Path) -> io::Result<Stat> {
        self.inner.stat(path)
    }

    fn walk(&self, root: &Path) -> Box<dyn Iterator<Item = io::Result<DirEntry>> + Send> {
        self.inner.walk(root)
    }

    fn write(&self, path: &Path, content: &[u8]) -> io::Result<()> {
        self.inner.write(path, content)
    }

    fn current_dir(&self) -> io::Result<PathBuf> {
        Ok("/srv/secret-place".into())
    }

    fn cache_dir(&self) -> io::Result<PathBuf> {
        Ok("/srv/secret-place/cache".into())
    }

    fn data_dir(&self) -> io::Result<PathBuf> {
        Ok("/srv/secret-place/data".into())
    }

    fn env(&self, name: &str) -> Option<String> {
        Host::env(&self.inner, name)
    }

    fn http(&self, request: http::Request) -> http::Answer {
        self.inner.http(request)
    }

    fn now(&self) -> i64 {
        self.now
    }

    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        self.inner.sleep(duration)
    }

    fn chance(&self) -> f64 {
        self.inner.chance()
    }

    fn memory(&self) -> Option<u64> {
        self.memory.map(|it| it.0)
    }

    fn memory_share(&self) -> Option<u64> {
        self.memory.map(|it| it.1)
    }

    fn random(&self, bytes: &mut [u8]) -> io::Result<()> {
        bytes.fill_with(|| fastrand::u8(..));
        Ok(())
    }

    fn machine(&self, _: &Path) -> Machine {
        self.machine
    }
}

fn engine(registry: Registry) -> Engine {
    Engine::new(registry.with(components::ALL), Arc::new(TestHost::new()))
}

fn sound_engine() -> Engine {
    engine(svc_components::registry())
}

/// The checks of a host.
fn of(host: &Sick, store: Option<&dyn Store>) -> Vec<Found> {
    of_engine(&sound_engine(), host, store, |it| crate::access::redact(it).into_owned())
}

fn of_engine(
    engine: &Engine,
    host: &Sick,
    store: Option<&dyn Store>,
    redact: fn(&str) -> String,
) -> Vec<Found> {
    let look = || Ok(());
    let latest = AtomicI64::new(NOW);
    let path = "/srv/secret-place/data/access.toml";
    let files = match host.roles {
        Some(text) => TestHost::new().file(path, text),
        None => TestHost::new(),
    };
    let roles = RolesFile { path: path.into(), is_hosted: false, host: Arc::new(files) };
    let patient =
        Patient { engine, host, store, roles: Some(&roles), redact, latest: &latest, look: &look };
    checked(Area::All, &patient).unwrap()
}

#[track_caller]
fn finds(found: &[Found], name: &str, status: Status, detail: &str) {
    let it = found.iter().find(|it| it.name == name).unwrap_or_else(|| panic!("{name}: {found:?}"));
    assert_eq!(it.status, status, "{it:?}");
    assert!(it.detail.contains(detail), "{it:?}");
    let others = found.iter().filter(|it| it.name != name && it.status == Status::Fail);
    assert_eq!(others.count(), 0, "{found:?}");
}

fn reader(tier: Tier) -> reports::Reader {
    reports::Reader { owner: "ann".into(), tier }
}

#[test]
fn a_sound_installation_has_no_findings() {
    let store = SqliteStore::in_memory().unwrap();
    let found = of(&Sick::new(), Some(&store));
    let names: Vec<&str> = found.iter().map(|it| it.name).collect();
    assert_eq!(names, ALL.iter().map(|it| it.0).collect::<Vec<_>>());
    assert_eq!(reports::worst(&found), Status::Ok, "{found:?}");
}

#[test]
fn every_fault_is_found_by_its_check() {
    let machine = |machine| Sick { machine, ..Sick::new() };
    let full = Machine { free_space: Some(1 << 20), ..SOUND };
    finds(&of(&machine(full), None), "free_space", Status::Fail, "is full");
    let little = Machine { free_space: Some(500 << 20), ..SOUND };
    finds(&of(&machine(little), None), "free_space", Status::Warn, "nearly full");
    let low = Machine { open_files: Some((10, 256)), ..SOUND };
    finds(&of(&machine(low), None), "open_files", Status::Warn, "ulimit");
    let used = Machine { open_files: Some((4000, 4096)), ..SOUND };
    finds(&of(&machine(used), None), "open_files", Status::Fail, "nearly all");
    let locked = of(&machine(Machine { is_writable: Some(false), ..SOUND }), None);
    for name in ["data_folder", "cache_folder"] {
        let it = locked.iter().find(|it| it.name == name).unwrap();
        assert_eq!(it.status, Status::Fail, "{it:?}");
    }
    let large = Sick { memory: Some((2 << 30, 1 << 30)), ..Sick::new() };
    finds(&of(&large, None), "memory", Status::Warn, "more than a run may use");
    let past = Sick { now: 1000, ..Sick::new() };
    finds(&of(&past, None), "clock", Status::Fail, "between 2025 and 2100");
    let back = Sick { now: NOW - 60_000, ..Sick::new() };
    finds(&of(&back, None), "clock", Status::Warn, "went back by 60000 ms");
    let keyless = Sick { inner: TestHost::new().env("SVC_MODEL", "openai/x"), ..Sick::new() };
    finds(&of(&keyless, None), "model", Status::Warn, "set `OPENAI_API_KEY`");
    let roles = Some("version = 1\n[roles.free]\ntier = \"fre\"\n");
    let wrong = Sick { roles, ..Sick::new() };
    finds(&of(&wrong, None), "access_file", Status::Fail, "1 mistakes");
    let open = of_engine(&sound_engine(), &Sick::new(), None, ToOwned::to_owned);
    finds(&open, "redaction", Status::Fail, "not hidden");
}

#[test]
fn a_broken_registry_and_an_idle_rule_are_found() {
    static NAMELESS: Component = Component {
        name: "nameless",
        cluster: "testing",
        summary: "",
        version: 1,
        bias: Bias::NONE,
        aliases: &[],
        ops: &[svc_contract::registry::OpDef {
            examples: &[],
            ..svc_contract::registry::inline::<super::ops::About>()
        }],
    };
    // The tool of the op is already taken, so it is left out.
    static TOOLLESS: Component = Component {
        ops: &[svc_contract::registry::OpDef { tool: None, ..NAMELESS.ops[0] }],
        ..NAMELESS
    };
    let engine = engine(svc_components::registry().with(&[&TOOLLESS]));
    let found = of_engine(&engine, &Sick::new(), None, |_| String::new());
    finds(&found, "registry", Status::Fail, "expected an example");
    let policy = Policy::closed().allow("reads moon").unwrap();
    let engine = sound_engine().with_policy(policy);
    let found = of_engine(&engine, &Sick::new(), None, |_| String::new());
    finds(&found, "effects", Status::Warn, "about nothing known");
}

/// A text that is stored as it is.
const INTACT: &str = "q7Zk2wXv9PmB4tRy8LcN6sHd";

#[test]
fn a_damaged_store_is_found() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("runs.db");
    let store = SqliteStore::open(&file, NOW).unwrap();
    let runner = Engine::new(svc_components::registry(), Arc::new(TestHost::new()));
    let runner = runner.with_store(Arc::new(store));
    let script = format!("\"{INTACT}\" >> hash");
    runner.run(script.as_str()).blocking().unwrap();
    drop(runner);
    let disk = OsHost::default();
    let mut bytes = Vec::new();
    disk.open(&file).unwrap().read_to_end(&mut bytes).unwrap();
    let places: Vec<usize> = (0..bytes.len() - INTACT.len())
        .filter(|it| bytes[*it..].starts_with(INTACT.as_bytes()))
        .collect();
    assert!(!places.is_empty(), "the script is in the file");
    for at in places {
        bytes[at] = b'Z';
    }
    disk.write(&file, &bytes).unwrap();
    let store = SqliteStore::open(&file, NOW).unwrap();
    finds(&of(&Sick::new(), Some(&store)), "store", Status::Fail, "is damaged");
}

#[test]
fn reports_are_kept_for_those_who_may_know_them() {
    let secret = "svc_live_abcdefghijkl_0123456789abcdefghijklmnopqrstuvABCDEF";
    let model = TestHost::new().env("SVC_MODEL", format!("ollama/{secret}"));
    let host = Sick { inner: model, ..Sick::new() };
    let found = of(&host, None);
    let free = reports::keep(Area::All, found.clone(), &reader(Tier::Free), &host).unwrap();
    let builder = reports::keep(Area::All, found, &reader(Tier::Builder), &host).unwrap();
    let text = reports::as_json(free.clone());
    assert!(!text.contains("/srv") && !text.contains("GB") && !text.contains("4096"), "{text}");
    let text = reports::as_markdown(&builder);
    assert!(text.contains("/srv/secret-place/data") && !text.contains("| store"), "{text}");
    assert!(!text.contains("0123456789abc") && text.contains("***"), "{text}");

    let again = reports::find(&free.report_id, &reader(Tier::Builder)).unwrap();
    assert!(reports::as_json(again).contains("/srv/secret-place"));
    let hidden = reports::find(&builder.report_id, &reader(Tier::Free)).unwrap_err();
    assert!(hidden.message.contains("unknown report"), "{hidden}");
    let other = reports::Reader { owner: "bob".into(), tier: Tier::Admin };
    assert!(reports::find(&free.report_id, &other).is_err(), "another owner knows nothing of it");
    let own = reports::latest(100, &reader(Tier::Free));
    assert!(own.iter().all(|it| it.report_id != builder.report_id));
    assert!(own.iter().any(|it| it.report_id == free.report_id));
    for _ in 0..70 {
        reports::keep(Area::Mcp, Vec::new(), &reader(Tier::Free), &host).unwrap();
    }
    assert_eq!(reports::latest(100, &reader(Tier::Builder)).len(), 64);
    assert!(reports::find(&free.report_id, &reader(Tier::Free)).is_err(), "the oldest go first");
}

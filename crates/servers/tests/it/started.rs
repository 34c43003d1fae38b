//! Servers of databases for one test, from the packages of the system.

use std::{
    fs,
    net::{TcpListener, TcpStream},
    os::unix::{
        fs::{PermissionsExt as _, chown},
        process::CommandExt as _,
    },
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use tempfile::TempDir;

/// The password of the user of every server. Its signs must be written as `%..` in an address.
pub(crate) const PASSWORD: &str = "p@ss/w:rd?1%";
pub(crate) const ENCODED: &str = "p%40ss%2Fw%3Ard%3F1%25";

/// A server that ends with the test.
pub(crate) struct Started {
    scheme: &'static str,
    user: &'static str,
    pub(crate) port: u16,
    /// The certificate of the authority that signed that of the server.
    pub(crate) ca: String,
    child: Child,
    folder: TempDir,
}

impl Started {
    /// The address, with settings such as `?sslmode=disable`.
    pub(crate) fn url(&self, settings: &str) -> String {
        self.address(ENCODED, "127.0.0.1", "shop", settings)
    }

    pub(crate) fn address(
        &self,
        password: &str,
        host: &str,
        database: &str,
        settings: &str,
    ) -> String {
        let Self { scheme, user, port, .. } = self;
        format!("{scheme}://{user}:{password}@{host}:{port}/{database}{settings}")
    }

    /// Ends the server at once, as a crash does.
    pub(crate) fn kill(&mut self) {
        // Its other processes end when they notice that.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        let signal = if self.scheme == "postgres" { "-INT" } else { "-TERM" };
        if matches!(self.child.try_wait(), Ok(None)) {
            let _ = Command::new("kill").args([signal, &self.child.id().to_string()]).status();
        }
        let begun = Instant::now();
        while matches!(self.child.try_wait(), Ok(None)) && begun.elapsed() < Duration::from_secs(5)
        {
            std::thread::sleep(Duration::from_millis(20));
        }
        self.kill();
    }
}

/// A user without rights, if this one is root: the servers refuse to run as root.
#[derive(Clone, Copy)]
struct Runner(Option<(u32, u32)>);

impl Runner {
    fn of(names: &[&str]) -> Option<Self> {
        let id = Command::new("id").arg("-u").output().ok()?;
        if String::from_utf8_lossy(&id.stdout).trim() != "0" {
            return Some(Self(None));
        }
        let users = fs::read_to_string("/etc/passwd").ok()?;
        names.iter().find_map(|name| {
            let line = users.lines().find(|it| it.starts_with(&format!("{name}:")))?;
            let mut ids = line.split(':').skip(2).map(str::parse);
            Some(Self(Some((ids.next()?.ok()?, ids.next()?.ok()?))))
        })
    }

    fn command(self, program: &Path, folder: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir(folder).stdin(Stdio::null()).env("LC_ALL", "C");
        // Servers that start at the same time use equal names there.
        command.env("TMPDIR", folder).process_group(0);
        if let Some((user, group)) = self.0 {
            command.uid(user).gid(group);
        }
        command
    }

    fn owns(self, path: &Path) {
        if let Some((user, group)) = self.0 {
            chown(path, Some(user), Some(group)).unwrap();
        }
    }
}

/// A program of a server: in a folder of a version, or on the path.
fn program(name: &str) -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = versions.map(|it| it.path().join("bin")).collect();
    folders.sort();
    folders.reverse();
    let path = std::env::var("PATH").unwrap_or_default();
    folders.extend(std::env::split_paths(&path));
    folders.push("/usr/sbin".into());
    folders.into_iter().map(|it| it.join(name)).find(|it| it.is_file())
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn run(mut command: Command) {
    let done = command.output().unwrap();
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{command:?}: {said}");
}

/// A certificate for `localhost`, and that of the authority which signed it.
fn certificates(folder: &Path, runner: Runner) -> String {
    use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
    let mut authority = CertificateParams::new(Vec::new()).unwrap();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = KeyPair::generate().unwrap();
    let root = authority.self_signed(&key).unwrap();
    let issuer = Issuer::new(authority, key);
    let own_key = KeyPair::generate().unwrap();
    let own = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
    let own = own.signed_by(&own_key, &issuer).unwrap();
    for (name, text) in [("server.crt", own.pem()), ("server.key", own_key.serialize_pem())] {
        let path = folder.join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        runner.owns(&path);
    }
    root.pem()
}

/// Waits until a server listens, or ends.
fn wait(child: &mut Child, port: u16, log: &Path) {
    let started = Instant::now();
    loop {
        if TcpStream::connect(("127.0.0.1", port)).is_ok() {
            return;
        }
        let said = || fs::read_to_string(log).unwrap_or_default();
        assert!(child.try_wait().unwrap().is_none(), "the server ended: {}", said());
        assert!(started.elapsed() < Duration::from_mins(1), "no server: {}", said());
        std::thread::sleep(Duration::from_millis(30));
    }
}

/// A folder of the user who runs the server, with a file for what it says.
fn folder(runner: Runner) -> (TempDir, PathBuf) {
    let folder = tempfile::Builder::new().prefix("svc-server-").tempdir_in("/tmp").unwrap();
    runner.owns(folder.path());
    let log = folder.path().join("log");
    (folder, log)
}

fn skipped(what: &str) -> Option<Started> {
    #[expect(clippy::print_stderr, reason = "a test that does not run says so")]
    {
        eprintln!("skipped: {what}");
    }
    None
}

/// A server of PostgreSQL with the database `shop`; without one, the reason is printed.
pub(crate) fn postgres(with_tls: bool) -> Option<Started> {
    let (Some(initdb), Some(server)) = (program("initdb"), program("postgres")) else {
        return skipped("PostgreSQL is not installed; apt install postgresql");
    };
    let Some(runner) = Runner::of(&["postgres", "daemon"]) else {
        return skipped("no user to run PostgreSQL as");
    };
    let (folder, log) = folder(runner);
    let place = folder.path();
    let (data, password) = (place.join("data"), place.join("password"));
    fs::write(&password, PASSWORD).unwrap();
    runner.owns(&password);
    let mut init = runner.command(&initdb, place);
    init.args(["--no-sync", "-U", "ann", "-A", "scram-sha-256", "-E", "UTF8", "--locale=C"]);
    init.arg("--pwfile").arg(&password).arg("-D").arg(&data);
    run(init);
    let ca = certificates(place, runner);
    let port = free_port();
    let mut start = runner.command(&server, place);
    start.arg("-D").arg(&data).args(["-c", "fsync=off", "-c", "listen_addresses=127.0.0.1"]);
    start.args(["-c", &format!("port={port}"), "-c", "unix_socket_directories="]);
    if with_tls {
        let file = |it: &str| place.join(it).display().to_string();
        start.args(["-c", "ssl=on", "-c", &format!("ssl_cert_file={}", file("server.crt"))]);
        start.args(["-c", &format!("ssl_key_file={}", file("server.key"))]);
    }
    start.stdout(Stdio::null()).stderr(fs::File::create(&log).unwrap());
    let mut child = start.spawn().unwrap();
    wait(&mut child, port, &log);
    let started = Started { scheme: "postgres", user: "ann", port, ca, child, folder };
    started.create_shop(&program("psql").expect("psql comes with the server"));
    Some(started)
}

impl Started {
    fn create_shop(&self, psql: &Path) {
        let begun = Instant::now();
        loop {
            let url = self.address(ENCODED, "127.0.0.1", "postgres", "");
            let done = Command::new(psql)
                .args([&url, "-c", "create database shop"])
                .current_dir(self.folder.path())
                .output()
                .unwrap();
            if done.status.success() {
                return;
            }
            // It listens before it has started.
            let said = String::from_utf8_lossy(&done.stderr);
            assert!(begun.elapsed() < Duration::from_secs(30), "{said}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

/// A server of MariaDB with the database `shop`; without one, the reason is printed.
pub(crate) fn mariadb(with_tls: bool) -> Option<Started> {
    let (Some(install), Some(server)) = (program("mariadb-install-db"), program("mariadbd")) else {
        return skipped("MariaDB is not installed; apt install mariadb-server");
    };
    let Some(runner) = Runner::of(&["mysql", "daemon"]) else {
        return skipped("no user to run MariaDB as");
    };
    let (folder, log) = folder(runner);
    let place = folder.path();
    let (data, first) = (place.join("data"), place.join("first.sql"));
    let mut init = runner.command(&install, place);
    init.args(["--no-defaults", "--auth-root-authentication-method=normal", "--skip-test-db"]);
    init.arg(format!("--datadir={}", data.display()));
    run(init);
    // One statement a line.
    let user = ["127.0.0.1", "localhost"].map(|host| {
        let user = format!("ann@'{host}'");
        format!(
            "create user {user} identified by '{PASSWORD}';\ngrant all on shop.* to {user};\n\
             grant file, process on *.* to {user};\n"
        )
    });
    let user = format!("create database shop;\n{}", user.concat());
    fs::write(&first, user).unwrap();
    runner.owns(&first);
    let ca = certificates(place, runner);
    let port = free_port();
    let mut start = runner.command(&server, place);
    start.args(["--no-defaults", "--bind-address=127.0.0.1", "--innodb-flush-log-at-trx-commit=0"]);
    start.arg(format!("--datadir={}", data.display())).arg(format!("--port={port}"));
    start.arg(format!("--socket={}", place.join("socket").display()));
    start.arg(format!("--init-file={}", first.display()));
    if with_tls {
        let file = |it: &str| place.join(it).display().to_string();
        start.arg(format!("--ssl-cert={}", file("server.crt")));
        start.arg(format!("--ssl-key={}", file("server.key")));
    }
    start.stdout(Stdio::null()).stderr(fs::File::create(&log).unwrap());
    let mut child = start.spawn().unwrap();
    // It listens after the first statements.
    wait(&mut child, port, &log);
    Some(Started { scheme: "mysql", user: "ann", port, ca, child, folder })
}

//! Programs in other languages that tests use. If one is not available, the test prints a message
//! on the terminal and passes.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{Mutex, PoisonError},
};

/// Prevents two tests from installing into one place at the same time.
static INSTALLING: Mutex<()> = Mutex::new(());

/// Prints that a test was skipped, bypassing the test runner's capture.
pub(crate) fn skipped(test: &str, why: &str) {
    let _ = writeln!(std::io::stderr(), "skipped: {test}: {why}");
}

/// A Python with the packages of a list, which is installed once.
pub(crate) fn python(requirements: &Path) -> Result<PathBuf, String> {
    let _alone = INSTALLING.lock().unwrap_or_else(PoisonError::into_inner);
    let place = place_of("python", requirements.parent());
    let python = place.join("bin/python");
    let wanted = fs::read_to_string(requirements).unwrap();
    let mark = place.join("has.txt");
    if fs::read_to_string(&mark).is_ok_and(|it| it == wanted) {
        return Ok(python);
    }
    run(Command::new("python3").args(["-m", "venv"]).arg(&place))?;
    let list = requirements.to_str().unwrap();
    run(Command::new(&python).args(["-m", "pip", "install", "--quiet", "-r", list]))?;
    fs::write(mark, wanted).unwrap();
    Ok(python)
}

/// A folder with the packages of `package.json` and its lock file, which is installed once.
pub(crate) fn node(package: &Path) -> Result<PathBuf, String> {
    let _alone = INSTALLING.lock().unwrap_or_else(PoisonError::into_inner);
    let place = place_of("node", package.parent());
    let wanted = fs::read_to_string(package.join("package-lock.json")).unwrap();
    let mark = place.join("has.txt");
    if fs::read_to_string(&mark).is_ok_and(|it| it == wanted) {
        return Ok(place);
    }
    fs::create_dir_all(&place).unwrap();
    for file in ["package.json", "package-lock.json"] {
        fs::copy(package.join(file), place.join(file)).unwrap();
    }
    run(Command::new("npm").args(["ci", "--silent", "--ignore-scripts"]).current_dir(&place))?;
    fs::write(mark, wanted).unwrap();
    Ok(place)
}

/// A folder for what the tests in a folder need.
fn place_of(language: &str, folder: Option<&Path>) -> PathBuf {
    let name = folder.and_then(Path::file_name).unwrap_or_default().to_string_lossy();
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{language}-{name}"))
}

fn run(command: &mut Command) -> Result<(), String> {
    let done =
        command.stdin(Stdio::null()).output().map_err(|err| format!("{command:?}: {err}"))?;
    if done.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    Err(format!("{command:?}: {}", said.lines().last().unwrap_or("it failed")))
}

/// The output of a program for an input; a failure of the program fails the test.
pub(crate) fn answer(command: &mut Command, input: &str) -> String {
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let done = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}

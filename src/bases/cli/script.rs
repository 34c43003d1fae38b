//! Reads and writes scripts, from files or standard input.

use std::{
    io::{self, Read},
    path::{Path, PathBuf},
};

use svc_contract::{
    host::{self, Host},
    registry::OpError,
    value::units,
};
use svc_engine::LARGEST_SCRIPT;
use svc_lang::{
    diag::Source,
    plan::Plan,
    stdlib::{Module, PREFIX},
};

use super::{
    Session,
    exit::{FAILED, Failure, INVALID, Result, USAGE},
    library, terminal,
};

/// Reads a script; `-` is standard input, `std:panel` a module of the standard library.
pub(super) fn read(host: &dyn Host, file: &Path) -> Result<Source> {
    if let Some(module) = library::named(&file.to_string_lossy()) {
        return flows_of(module?);
    }
    if is_stdin(file) {
        return Ok(Source::new(
            "<stdin>",
            text("standard input", read_stdin(LARGEST_SCRIPT)?, INVALID)?,
        ));
    }
    let bytes = host::read(host, file, LARGEST_SCRIPT).map_err(|err| unreadable(err, file))?;
    let name = file.display().to_string();
    let folder = file.parent().filter(|it| !it.as_os_str().is_empty());
    let text = text(&format!("`{name}`"), bytes, INVALID)?;
    Ok(Source::new(name, text).in_folder(folder.unwrap_or(Path::new("."))))
}

/// Writes a script to its file. Follows symbolic links.
pub(super) fn write(host: &dyn Host, file: &Path, text: &str) -> Result<()> {
    let real = host.real_path(file).unwrap_or_else(|_| file.to_owned());
    let written = host.write(&real, text.as_bytes());
    written.map_err(|err| Failure::reading(OpError::io(err, file)))
}

/// The script that contains the tests: the script itself, except for modules with templates.
pub(super) fn read_tests(host: &dyn Host, file: &Path) -> Result<Source> {
    match library::named(&file.to_string_lossy()) {
        Some(module) => Ok(module?.tests()),
        None => read(host, file),
    }
}

fn flows_of(module: &Module<'_>) -> Result<Source> {
    if !module.is_template() {
        return Ok(module.source());
    }
    let name = format!("{PREFIX}{}", module.name);
    let message = format!("`{name}` contains templates, which are checked where they are used");
    Err(Failure::new(USAGE, message).help(format!("run its tests with `svc test {name}`")))
}

/// Plans a script whose inputs follow; prints its problems to standard error.
pub(super) fn plan(session: &Session, file: &Path) -> Result<Plan> {
    let source = read(session.engine.host(), file)?;
    session.engine.plan_before_inputs(source).map_err(|report| {
        terminal::print_err(terminal::styled(&report.render(session.terminal.err.style())));
        Failure::shown(INVALID, report.into())
    })
}

pub(super) fn is_stdin(file: &Path) -> bool {
    file.as_os_str() == "-"
}

/// Whether the script comes from standard input, for commands that print the changed script.
pub(super) fn only_stdin(files: &[PathBuf]) -> Result<bool> {
    let from_stdin = files.iter().any(|it| is_stdin(it));
    if from_stdin && files.len() > 1 {
        let message = "cannot combine `-` with other files: its result goes to standard output";
        return Err(Failure::new(USAGE, message));
    }
    Ok(from_stdin)
}

/// Reads all of standard input as text, without a final line end.
pub(super) fn read_input() -> Result<String> {
    /// The largest input.
    const LARGEST: u64 = 1 << 30;
    let mut text = text("standard input", read_stdin(LARGEST)?, USAGE)?;
    if text.ends_with('\n') {
        text.pop();
        if text.ends_with('\r') {
            text.pop();
        }
    }
    Ok(text)
}

fn read_stdin(limit: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = io::stdin().lock().take(limit.saturating_add(1)).read_to_end(&mut bytes);
    read.map_err(|err| Failure::new(FAILED, format!("cannot read standard input: {err}")))?;
    if bytes.len() as u64 > limit {
        let limit = units::show_size(limit);
        return Err(Failure::new(FAILED, format!("standard input is larger than {limit}")));
    }
    Ok(bytes)
}

fn unreadable(err: io::Error, file: &Path) -> Failure {
    let kind = err.kind();
    let mut failure = Failure::reading(OpError::io(err, file));
    match kind {
        io::ErrorKind::NotFound if file.to_string_lossy().contains(">>") => {
            failure.help("pass the text of a script on standard input: echo '..' | svc run -")
        }
        io::ErrorKind::IsADirectory => {
            failure.code = USAGE;
            failure
        }
        _ => failure,
    }
}

/// Decodes UTF-8; the error names the first invalid byte.
fn text(name: &str, bytes: Vec<u8>, code: u8) -> Result<String> {
    String::from_utf8(bytes).map_err(|err| {
        let place = err.utf8_error().valid_up_to();
        let bytes = err.as_bytes();
        let line = bytes[..place].split(|it| *it == b'\n').count();
        let byte = bytes.get(place).copied().unwrap_or_default();
        let message = format!(
            "{name} is not valid UTF-8 (invalid byte 0x{byte:02x} at offset {place}, line {line})"
        );
        Failure::new(code, message).help("save it as UTF-8")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use svc_host_os::test::TestHost;

    #[test]
    fn a_script_knows_its_folder() {
        let host = TestHost::new().file("a/b.svc", "1").file("c.svc", "2");
        let folder = |file: &str| {
            let source = read(&host, Path::new(file)).unwrap();
            source.folder().unwrap().display().to_string()
        };
        assert_eq!(folder("a/b.svc"), "a");
        assert_eq!(folder("c.svc"), ".");
    }

    #[test]
    fn the_wrong_byte_is_named() {
        let host = TestHost::new().file("x.svc", b"1\n\"\xff\"".as_slice());
        let failure = read(&host, Path::new("x.svc")).unwrap_err();
        assert_eq!(failure.code, INVALID);
        assert_eq!(
            failure.message,
            "`x.svc` is not valid UTF-8 (invalid byte 0xff at offset 3, line 2)"
        );
    }
}

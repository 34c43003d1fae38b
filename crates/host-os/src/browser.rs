//! Opening a page in the browser of the person at this machine.

use std::{
    io,
    process::{Command, Stdio},
};

/// Opens an address in the user's browser, and does not wait for it. Fails without a display.
pub fn open_in_browser(address: &str) -> io::Result<()> {
    let mut command = opener(address)?;
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    Ok(())
}

#[cfg(target_os = "macos")]
fn opener(address: &str) -> io::Result<Command> {
    let mut command = Command::new("open");
    command.arg(address);
    Ok(command)
}

#[cfg(windows)]
fn opener(address: &str) -> io::Result<Command> {
    // `start` reads its first quoted argument as a title, and `&` as the end of a command.
    let mut command = Command::new("rundll32");
    command.args(["url.dll,FileProtocolHandler", address]);
    Ok(command)
}

#[cfg(not(any(target_os = "macos", windows)))]
fn opener(address: &str) -> io::Result<Command> {
    let has_display =
        ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|it| std::env::var_os(it).is_some());
    if !has_display {
        return Err(io::Error::new(io::ErrorKind::Unsupported, "no display was found"));
    }
    let mut command = Command::new("xdg-open");
    command.arg(address);
    Ok(command)
}

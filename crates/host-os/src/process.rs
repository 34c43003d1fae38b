//! Operating system settings of this process.

/// The arguments of this process, the program's name first.
pub fn command_line() -> Vec<std::ffi::OsString> {
    std::env::args_os().collect()
}

/// Whether a write of a few kilobytes to the standard output would return at once: its reader has
/// read what came before.
#[cfg(unix)]
pub fn output_is_free() -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    let output = std::io::stdout();
    let mut fds = [PollFd::new(&output, PollFlags::OUT)];
    let now = Timespec::default();
    poll(&mut fds, Some(&now)).is_ok_and(|it| it == 1) && fds[0].revents() == PollFlags::OUT
}

#[cfg(not(unix))]
pub fn output_is_free() -> bool {
    false
}

/// Prevents core dumps, so that memory, which may contain secrets, is not written to disk when
/// the process crashes.
#[cfg(unix)]
pub fn without_core_dumps() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    // A single byte is too little for a file, and makes Linux not pipe the dump to a program.
    let limit = Rlimit { current: Some(1), maximum: getrlimit(Resource::Core).maximum };
    // If even this limit is rejected, the existing one is lower.
    let _ = setrlimit(Resource::Core, limit);
}

#[cfg(not(unix))]
pub fn without_core_dumps() {}

/// Whether this process was started with a signal ignored, as with `nohup`. True if unknown.
#[cfg(unix)]
pub fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|it| it.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|it| u64::from_str_radix(it.trim(), 16).ok());
    ignored.is_none_or(|it| it >> (signal - 1) & 1 == 1)
}

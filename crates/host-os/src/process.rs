//! What the system does with this process.

/// The words that this process was started with, the program's own name first.
pub fn command_line() -> Vec<std::ffi::OsString> {
    std::env::args_os().collect()
}

/// Keeps what is in memory, secrets among it, out of the files that a system writes when a
/// process crashes.
#[cfg(unix)]
pub fn without_core_dumps() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    // A single byte is too little for a file, and tells Linux to hand nothing to a program.
    let limit = Rlimit { current: Some(1), maximum: getrlimit(Resource::Core).maximum };
    // A process that may not even have that has none.
    let _ = setrlimit(Resource::Core, limit);
}

#[cfg(not(unix))]
pub fn without_core_dumps() {}

/// Whether whoever started this process wants it to ignore a signal, as `nohup` does. Where
/// nobody can tell, it does.
#[cfg(unix)]
pub fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|it| it.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|it| u64::from_str_radix(it.trim(), 16).ok());
    ignored.is_none_or(|it| it >> (signal - 1) & 1 == 1)
}

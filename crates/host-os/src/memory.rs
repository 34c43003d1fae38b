//! The memory available to this process.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::OnceLock,
};

/// The default memory limit of a run: half of the machine's memory, or of the process's limit,
/// and never more than most of the free memory.
pub(super) fn share() -> Option<u64> {
    static SHARE: OnceLock<Option<u64>> = OnceLock::new();
    *SHARE.get_or_init(|| {
        let known = fs::read_to_string("/proc/meminfo").ok()?;
        let total = kilobytes(&known, "MemTotal:")?;
        let free = kilobytes(&known, "MemAvailable:").unwrap_or(total);
        let limit = limits().into_iter().min().unwrap_or(total).min(total);
        Some((limit / 2).min(free / 4 * 3))
    })
}

fn kilobytes(known: &str, name: &str) -> Option<u64> {
    let line = known.lines().find_map(|it| it.strip_prefix(name))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// The limits of the control groups of this process.
fn limits() -> Vec<u64> {
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let mut limits = Vec::new();
    for group in groups.lines() {
        let mut parts = group.splitn(3, ':').skip(1);
        let (Some(kinds), Some(path)) = (parts.next(), parts.next()) else { continue };
        let (root, file) = match kinds {
            "" => ("/sys/fs/cgroup", "memory.max"),
            it if it.split(',').any(|it| it == "memory") => {
                ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
            }
            _ => continue,
        };
        // Inside a container the group may be mounted as the root.
        let place = PathBuf::from(format!("{root}{path}"));
        let around = place.ancestors().take_while(|it| it.starts_with(root));
        limits.extend(around.filter_map(|it| limit(&it.join(file))));
    }
    limits
}

/// A limit; `max` means none.
fn limit(file: &Path) -> Option<u64> {
    fs::read_to_string(file).ok()?.trim().parse().ok()
}

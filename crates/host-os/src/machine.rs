//! What the system says of its disks and of the limits of this process.

use std::{fs, path::Path};

use rustix::{
    fs::{Access, access, statvfs},
    process::{Resource, getrlimit},
};
use svc_contract::host::Machine;

/// What is known below a folder, or below the first parent that exists.
pub(super) fn below(folder: &Path) -> Machine {
    let place = folder.ancestors().find(|it| it.exists());
    let space = place.and_then(|it| statvfs(it).ok());
    Machine {
        free_space: space.map(|it| it.f_bavail.saturating_mul(it.f_frsize)),
        is_writable: place.map(|it| access(it, Access::WRITE_OK | Access::EXEC_OK).is_ok()),
        open_files: open_files(),
    }
}

/// The open files of this process, and the most that it may have.
fn open_files() -> Option<(u64, u64)> {
    let open = fs::read_dir("/proc/self/fd").ok()?.count();
    let most = getrlimit(Resource::Nofile).current?;
    Some((u64::try_from(open).ok()?, most))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_is_known() {
        let place = tempfile::tempdir().unwrap();
        let is = below(&place.path().join("not/there"));
        assert_eq!(is.is_writable, Some(true));
        assert!(is.free_space.is_some_and(|it| it > 0));
        if let Some((open, most)) = is.open_files {
            assert!(open > 0 && open <= most);
        }
    }
}

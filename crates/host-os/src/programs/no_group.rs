//! On systems without process groups, only the program itself is ended.

use tokio::process::{Child, Command};

pub(super) struct Group;

impl Group {
    pub(super) fn prepare(command: &mut Command) {
        command.kill_on_drop(true);
    }

    pub(super) fn of(_: &Child) -> Self {
        Self
    }

    pub(super) fn ask_to_end(&self) {}

    pub(super) fn kill(&self) {}

    pub(super) fn close(&mut self) {}
}

/// The programs end with their runs.
pub fn kill_programs() {}

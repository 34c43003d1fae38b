//! The process group of a program.

use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::process::{Child, Command};

/// The groups of the running programs of this process.
static RUNNING: Mutex<Vec<Pid>> = Mutex::new(Vec::new());

fn running() -> MutexGuard<'static, Vec<Pid>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Kills all programs that this process runs: for an exit that waits for nothing.
pub fn kill_programs() {
    for group in std::mem::take(&mut *running()) {
        send(group, Signal::KILL);
    }
}

/// A process group, which is killed when it is dropped.
pub(super) struct Group(Option<Pid>);

impl Group {
    /// Makes a program start in a group of its own: so it gets no signals of the terminal, which
    /// are meant for this process.
    pub(super) fn prepare(command: &mut Command) {
        command.process_group(0);
    }

    /// The group of a program that was just started.
    pub(super) fn of(child: &Child) -> Self {
        let id = child.id().and_then(|it| i32::try_from(it).ok());
        let group = id.and_then(Pid::from_raw);
        running().extend(group);
        Self(group)
    }

    /// Asks all processes of the group to end. Stopped ones continue, so that they notice.
    pub(super) fn ask_to_end(&self) {
        for signal in [Signal::TERM, Signal::CONT] {
            self.0.into_iter().for_each(|it| send(it, signal));
        }
    }

    /// Kills all processes of the group.
    ///
    /// Also after its first process has ended: while others are left, the system does not use its
    /// number again, and if none are left, not before all other numbers had their turn.
    pub(super) fn kill(&self) {
        self.0.into_iter().for_each(|it| send(it, Signal::KILL));
    }

    /// Kills what is left of the group, and forgets it.
    pub(super) fn close(&mut self) {
        if let Some(group) = self.0.take() {
            send(group, Signal::KILL);
            running().retain(|it| *it != group);
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.close();
    }
}

/// Sends a signal. A group without processes has ended already.
fn send(group: Pid, signal: Signal) {
    let _ = kill_process_group(group, signal);
}

//! The signals that end a run: Ctrl-C, a request to end the process, and a terminal that closes.

/// The meaning of a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// A person at the terminal pressed Ctrl-C.
    Interrupt,
    /// Something else asks the process to end, possibly more than once.
    End,
    /// A server is asked to read its configuration again.
    Reload,
}

#[cfg(unix)]
pub(super) use unix::Signals;

#[cfg(unix)]
mod unix {
    use futures_util::future;
    use tokio::signal::unix::{Signal, SignalKind, signal};

    use super::Asked;
    use svc_host_os::{self as os};

    /// The signals received from now on.
    pub(in crate::bases::cli) struct Signals(Vec<(Asked, Signal)>);

    impl Signals {
        pub(in crate::bases::cli) fn new() -> Self {
            let mut kinds = vec![
                (Asked::Interrupt, SignalKind::interrupt()),
                (Asked::End, SignalKind::terminate()),
            ];
            // Under `nohup` the run must outlive the terminal.
            let hangup = SignalKind::hangup();
            if !os::is_ignored(hangup.as_raw_value()) {
                kinds.push((Asked::End, hangup));
            }
            let outcome =
                kinds.into_iter().filter_map(|(asked, it)| Some((asked, signal(it).ok()?)));
            Self(outcome.collect())
        }

        /// The same for a server: a hangup asks it to read its configuration again.
        pub(in crate::bases::cli) fn of_server() -> Self {
            let kinds = [
                (Asked::Interrupt, SignalKind::interrupt()),
                (Asked::End, SignalKind::terminate()),
                (Asked::Reload, SignalKind::hangup()),
            ];
            let outcome =
                kinds.into_iter().filter_map(|(asked, it)| Some((asked, signal(it).ok()?)));
            Self(outcome.collect())
        }

        /// Waits for the next signal; `None` if no signal can be received.
        pub(in crate::bases::cli) async fn next(&mut self) -> Option<Asked> {
            if self.0.is_empty() {
                return None;
            }
            let outcome = self
                .0
                .iter_mut()
                .map(|(asked, it)| Box::pin(async move { it.recv().await.map(|()| *asked) }));
            future::select_all(outcome).await.0
        }
    }
}

#[cfg(not(unix))]
pub(super) struct Signals;

#[cfg(not(unix))]
impl Signals {
    pub(super) fn new() -> Self {
        Self
    }

    pub(super) fn of_server() -> Self {
        Self
    }

    pub(super) async fn next(&mut self) -> Option<Asked> {
        tokio::signal::ctrl_c().await.ok().map(|()| Asked::Interrupt)
    }
}

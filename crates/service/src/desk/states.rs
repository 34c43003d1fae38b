//! The states of what the desktop keeps. Each has one function that says what may follow.

use svc_contract::registry::choices;

choices! {
    /// The state of a project.
    pub enum ProjectState { Active = "active", Archived = "archived" }
}

choices! {
    /// The state of a file.
    pub enum ResourceState { Ready = "ready", Removed = "removed" }
}

choices! {
    /// The state of a session.
    pub enum SessionState {
        Active = "active",
        Exhausted = "exhausted",
        Closed = "closed",
        Expired = "expired",
    }
}

/// What happens to a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionEvent {
    /// It has used all that its bounds allow.
    Exhausted,
    /// Its bounds allow more again.
    Extended,
    Closed,
    /// Its time is over.
    Expired,
}

choices! {
    /// The state of a message.
    pub enum MessageState {
        Pending = "pending",
        Generating = "generating",
        Complete = "complete",
        Failed = "failed",
        Cancelled = "cancelled",
    }
}

/// What happens to an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageEvent {
    /// Its job is queued.
    Begun,
    Completed,
    Failed,
    Cancelled,
}

choices! {
    /// The state of the question whether a script may run.
    pub enum ProposalState {
        Open = "open",
        Approved = "approved",
        Rejected = "rejected",
        Expired = "expired",
    }
}

choices! {
    /// The state of a worker.
    pub enum WorkerState {
        Starting = "starting",
        Idle = "idle",
        Busy = "busy",
        Draining = "draining",
        Stopped = "stopped",
        Failed = "failed",
        Lost = "lost",
    }
}

/// What happens to a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkerEvent {
    /// It is ready for work.
    Started,
    /// It takes work.
    Took,
    /// Its work has ended.
    Ended,
    /// It is to end after its work.
    Drained,
    /// It ends.
    Stopped,
    Failed,
    /// Its process is gone.
    Lost,
    /// It begins again after it was lost.
    Restarted,
}

impl SessionState {
    pub fn next(self, event: SessionEvent) -> Option<Self> {
        use SessionEvent as E;
        Some(match (self, event) {
            (Self::Active, E::Exhausted) => Self::Exhausted,
            (Self::Exhausted, E::Extended) => Self::Active,
            (Self::Active | Self::Exhausted, E::Closed) => Self::Closed,
            (Self::Active | Self::Exhausted, E::Expired) => Self::Expired,
            _ => return None,
        })
    }
}

impl MessageState {
    pub fn next(self, event: MessageEvent) -> Option<Self> {
        use MessageEvent as E;
        Some(match (self, event) {
            (Self::Pending, E::Begun) => Self::Generating,
            (Self::Pending | Self::Generating, E::Completed) => Self::Complete,
            (Self::Pending | Self::Generating, E::Failed) => Self::Failed,
            (Self::Pending | Self::Generating, E::Cancelled) => Self::Cancelled,
            _ => return None,
        })
    }

    pub fn is_over(self) -> bool {
        !matches!(self, Self::Pending | Self::Generating)
    }
}

impl ProposalState {
    /// The state after an answer, or after its time is over. The first one decides.
    pub fn next(self, answer: Option<bool>) -> Option<Self> {
        match (self, answer) {
            (Self::Open, Some(true)) => Some(Self::Approved),
            (Self::Open, Some(false)) => Some(Self::Rejected),
            (Self::Open, None) => Some(Self::Expired),
            _ => None,
        }
    }
}

impl WorkerState {
    pub fn next(self, event: WorkerEvent) -> Option<Self> {
        use WorkerEvent as E;
        Some(match (self, event) {
            (Self::Starting, E::Started) => Self::Idle,
            (Self::Idle, E::Took) => Self::Busy,
            (Self::Busy, E::Ended) => Self::Idle,
            (Self::Starting | Self::Idle | Self::Busy, E::Drained) => Self::Draining,
            (Self::Draining, E::Ended | E::Stopped) => Self::Stopped,
            (Self::Starting | Self::Idle | Self::Busy, E::Stopped) => Self::Stopped,
            (Self::Starting | Self::Idle | Self::Busy | Self::Draining, E::Failed) => Self::Failed,
            (Self::Starting | Self::Idle | Self::Busy | Self::Draining, E::Lost) => Self::Lost,
            (Self::Lost, E::Restarted) => Self::Starting,
            _ => return None,
        })
    }

    pub fn is_over(self) -> bool {
        matches!(self, Self::Stopped | Self::Failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All pairs that lead somewhere; every other one is refused.
    fn pairs<S: Copy + PartialEq + std::fmt::Debug, E: Copy + std::fmt::Debug>(
        states: &[S],
        events: &[E],
        next: impl Fn(S, E) -> Option<S>,
    ) -> Vec<String> {
        let mut all = Vec::new();
        for state in states {
            for event in events {
                if let Some(after) = next(*state, *event) {
                    all.push(format!("{state:?} {event:?} {after:?}"));
                }
            }
        }
        all
    }

    #[test]
    fn only_these_states_of_a_session_follow_each_other() {
        use SessionEvent as E;
        use SessionState as S;
        let states = [S::Active, S::Exhausted, S::Closed, S::Expired];
        let events = [E::Exhausted, E::Extended, E::Closed, E::Expired];
        let found = pairs(&states, &events, S::next);
        assert_eq!(
            found,
            [
                "Active Exhausted Exhausted",
                "Active Closed Closed",
                "Active Expired Expired",
                "Exhausted Extended Active",
                "Exhausted Closed Closed",
                "Exhausted Expired Expired",
            ]
        );
    }

    #[test]
    fn only_these_states_of_a_message_follow_each_other() {
        use MessageEvent as E;
        use MessageState as S;
        let states = [S::Pending, S::Generating, S::Complete, S::Failed, S::Cancelled];
        let events = [E::Begun, E::Completed, E::Failed, E::Cancelled];
        let found = pairs(&states, &events, S::next);
        assert_eq!(
            found,
            [
                "Pending Begun Generating",
                "Pending Completed Complete",
                "Pending Failed Failed",
                "Pending Cancelled Cancelled",
                "Generating Completed Complete",
                "Generating Failed Failed",
                "Generating Cancelled Cancelled",
            ]
        );
    }

    #[test]
    fn only_these_states_of_a_worker_follow_each_other() {
        use WorkerEvent as E;
        use WorkerState as S;
        let states = [S::Starting, S::Idle, S::Busy, S::Draining, S::Stopped, S::Failed, S::Lost];
        let events = [
            E::Started,
            E::Took,
            E::Ended,
            E::Drained,
            E::Stopped,
            E::Failed,
            E::Lost,
            E::Restarted,
        ];
        let found = pairs(&states, &events, S::next);
        assert_eq!(
            found,
            [
                "Starting Started Idle",
                "Starting Drained Draining",
                "Starting Stopped Stopped",
                "Starting Failed Failed",
                "Starting Lost Lost",
                "Idle Took Busy",
                "Idle Drained Draining",
                "Idle Stopped Stopped",
                "Idle Failed Failed",
                "Idle Lost Lost",
                "Busy Ended Idle",
                "Busy Drained Draining",
                "Busy Stopped Stopped",
                "Busy Failed Failed",
                "Busy Lost Lost",
                "Draining Ended Stopped",
                "Draining Stopped Stopped",
                "Draining Failed Failed",
                "Draining Lost Lost",
                "Lost Restarted Starting",
            ]
        );
    }

    #[test]
    fn the_first_answer_to_a_proposal_decides() {
        use ProposalState as S;
        let states = [S::Open, S::Approved, S::Rejected, S::Expired];
        let found = pairs(&states, &[Some(true), Some(false), None], S::next);
        assert_eq!(
            found,
            ["Open Some(true) Approved", "Open Some(false) Rejected", "Open None Expired"]
        );
    }
}

//! The states of jobs and of approvals. Each has one function that decides what may follow.

/// The most often that a job is taken again after the process that ran it has died.
pub const MOST_DEATHS: u32 = 3;

/// The state of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum JobState {
    /// It waits for a worker.
    Queued,
    Running,
    /// It waits for the answer of a person.
    Waiting,
    Ok,
    Failed,
    Cancelled,
    /// The process that ran it has died too often.
    Stuck,
    /// It has ended, and is not listed any more.
    Archived,
}

/// What happens to a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobEvent {
    /// A worker takes it.
    Taken,
    /// Its run has ended for now, since a person has to answer.
    Asked,
    Succeeded,
    Failed,
    Cancelled,
    /// Its worker gives it back without having failed.
    Released,
    /// Its worker has died; whether that was once too often.
    Died {
        too_often: bool,
    },
    Archived,
}

impl JobState {
    pub const ALL: [Self; 8] = [
        Self::Queued,
        Self::Running,
        Self::Waiting,
        Self::Ok,
        Self::Failed,
        Self::Cancelled,
        Self::Stuck,
        Self::Archived,
    ];

    /// The state after an event; `None` if it cannot happen in this state.
    pub fn next(self, event: JobEvent) -> Option<Self> {
        use JobEvent as E;
        Some(match (self, event) {
            (Self::Queued | Self::Waiting, E::Taken) => Self::Running,
            (Self::Running, E::Asked) => Self::Waiting,
            (Self::Running, E::Succeeded) => Self::Ok,
            (Self::Running, E::Failed) => Self::Failed,
            (Self::Running, E::Released | E::Died { too_often: false }) => Self::Queued,
            (Self::Running, E::Died { too_often: true }) => Self::Stuck,
            (Self::Queued | Self::Running | Self::Waiting, E::Cancelled) => Self::Cancelled,
            (Self::Ok | Self::Failed | Self::Cancelled | Self::Stuck, E::Archived) => {
                Self::Archived
            }
            _ => return None,
        })
    }

    /// Whether nothing happens to it any more by itself.
    pub fn is_over(self) -> bool {
        !matches!(self, Self::Queued | Self::Running | Self::Waiting)
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Waiting => "waiting",
            Self::Ok => "ok",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Stuck => "stuck",
            Self::Archived => "archived",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.name() == name)
    }
}

/// The state of an approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApprovalState {
    Open,
    Approved,
    Rejected,
    /// No one answered in time, or the job has ended without the answer.
    Expired,
}

/// What happens to an approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApprovalEvent {
    Approved,
    Rejected,
    Expired,
}

impl ApprovalState {
    pub const ALL: [Self; 4] = [Self::Open, Self::Approved, Self::Rejected, Self::Expired];

    /// The state after an event. The first one decides.
    pub fn next(self, event: ApprovalEvent) -> Option<Self> {
        match (self, event) {
            (Self::Open, ApprovalEvent::Approved) => Some(Self::Approved),
            (Self::Open, ApprovalEvent::Rejected) => Some(Self::Rejected),
            (Self::Open, ApprovalEvent::Expired) => Some(Self::Expired),
            _ => None,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Approved => "approved",
            Self::Rejected => "rejected",
            Self::Expired => "expired",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVENTS: [JobEvent; 9] = [
        JobEvent::Taken,
        JobEvent::Asked,
        JobEvent::Succeeded,
        JobEvent::Failed,
        JobEvent::Cancelled,
        JobEvent::Released,
        JobEvent::Died { too_often: false },
        JobEvent::Died { too_often: true },
        JobEvent::Archived,
    ];

    #[test]
    fn every_pair_of_a_job_is_decided() {
        // One column an event, in their order.
        let table = [
            (JobState::Queued, "running - - - cancelled - - - -"),
            (JobState::Running, "- waiting ok failed cancelled queued queued stuck -"),
            (JobState::Waiting, "running - - - cancelled - - - -"),
            (JobState::Ok, "- - - - - - - - archived"),
            (JobState::Failed, "- - - - - - - - archived"),
            (JobState::Cancelled, "- - - - - - - - archived"),
            (JobState::Stuck, "- - - - - - - - archived"),
            (JobState::Archived, "- - - - - - - - -"),
        ];
        assert_eq!(table.map(|it| it.0), JobState::ALL);
        for (state, row) in table {
            let next: Vec<&str> =
                EVENTS.into_iter().map(|it| state.next(it).map_or("-", JobState::name)).collect();
            assert_eq!(next.join(" "), row, "{state:?}");
        }
    }

    #[test]
    fn every_pair_of_an_approval_is_decided() {
        let events = [ApprovalEvent::Approved, ApprovalEvent::Rejected, ApprovalEvent::Expired];
        let next = events.map(|it| ApprovalState::Open.next(it));
        let after = [ApprovalState::Approved, ApprovalState::Rejected, ApprovalState::Expired];
        assert_eq!(next, after.map(Some));
        for state in after {
            assert_eq!(events.map(|it| state.next(it)), [None; 3], "{state:?}");
        }
    }

    #[test]
    fn names_are_read_back() {
        assert!(JobState::ALL.iter().all(|it| JobState::parse(it.name()) == Some(*it)));
        assert!(ApprovalState::ALL.iter().all(|it| ApprovalState::parse(it.name()) == Some(*it)));
        assert_eq!((JobState::parse("done"), ApprovalState::parse("")), (None, None));
    }
}

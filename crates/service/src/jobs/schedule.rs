//! Jobs that are queued at the times of a cron pattern.

use std::str::FromStr as _;

use croner::Cron;
use jiff::{Timestamp, tz::TimeZone};
use svc_store::book::{Fired, MOST_SCHEDULES, ScheduleRow};

use super::{Jobs, NewWork};
use crate::{Fault, Service, Why};

impl Jobs {
    /// Adds a schedule for work that is resolved and planned now, and judged again whenever it
    /// starts. The pattern has five fields, or six with seconds, in UTC.
    pub async fn schedule(
        &self,
        service: &Service,
        owner: &str,
        times: &str,
        work: NewWork,
    ) -> Result<ScheduleRow, Fault> {
        let now = self.now();
        let next = next(times, now)?;
        super::queue::tested(service, &work)?;
        let job = work.row(owner, String::new(), self.0.worker.clone(), now);
        let row = ScheduleRow {
            id: self.new_id("sch_"),
            owner: owner.to_owned(),
            kind: job.kind,
            name: job.name,
            input: job.input,
            bounds: job.bounds,
            times: times.to_owned(),
            next,
            created: now,
            last: None,
        };
        if self.book().add_schedule(row.clone()).await? {
            return Ok(row);
        }
        let message = format!("too many schedules (limit {MOST_SCHEDULES})");
        Err(Fault::new(Why::Conflict, message).help("remove one first"))
    }

    /// The schedules of an owner, the first one first.
    pub fn schedules(&self, owner: &str) -> Result<Vec<ScheduleRow>, Fault> {
        Ok(self.book().schedules(owner)?)
    }

    /// Removes a schedule. Jobs that it has queued stay.
    pub async fn unschedule(&self, owner: &str, id: &str) -> Result<(), Fault> {
        if self.book().remove_schedule(owner.to_owned(), id.to_owned()).await? {
            return Ok(());
        }
        Err(Fault::not_found(format!("unknown schedule `{id}`"))
            .help("`svc jobs schedule` lists them"))
    }

    /// Queues the jobs of all schedules whose time has come. Times that were missed count once.
    pub(super) async fn fire_due(&self) -> Result<(), Fault> {
        let now = self.now();
        for due in self.book().due_schedules(now)? {
            // A pattern that has no further time stays as it is, far away.
            let next = next(&due.times, now).unwrap_or(i64::MAX);
            // One that cannot be read does not keep the others.
            let Ok(work) = NewWork::scheduled(&due) else { continue };
            let run = self.runs().new_id(now);
            let job = work.row(&due.owner, self.new_id("job_"), run, now);
            if let Fired::Queued(_) = self.book().fire(due, next, job).await? {
                self.tell();
            }
        }
        Ok(())
    }
}

/// The first time of a pattern after `now`, in milliseconds since 1970.
pub(crate) fn next(times: &str, now: i64) -> Result<i64, Fault> {
    let wrong = |why: String| {
        Fault::field("times", format!("expected a cron pattern, found `{times}`: {why}"))
            .help("write minute, hour, day, month and weekday in UTC, such as `0 6 * * 1-5`")
    };
    let pattern = Cron::from_str(times).map_err(|err| wrong(err.to_string()))?;
    let now = Timestamp::from_millisecond(now).map_err(|err| wrong(err.to_string()))?;
    let found = pattern.find_next_occurrence(&now.to_zoned(TimeZone::UTC), false);
    let found = found.map_err(|err| wrong(err.to_string()))?;
    Ok(found.timestamp().as_millisecond())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> i64 {
        text.parse::<Timestamp>().unwrap().as_millisecond()
    }

    #[test]
    fn the_next_time_of_a_pattern_is_found() {
        for (times, now, expected) in [
            ("0 6 * * *", "2026-03-01T05:59:59Z", "2026-03-01T06:00:00Z"),
            ("0 6 * * *", "2026-03-01T06:00:00Z", "2026-03-02T06:00:00Z"),
            ("*/15 * * * *", "2026-12-31T23:50:00Z", "2027-01-01T00:00:00Z"),
            ("0 0 29 2 *", "2026-03-01T00:00:00Z", "2028-02-29T00:00:00Z"),
            ("0 9 * * 1", "2026-11-25T12:00:00Z", "2026-11-30T09:00:00Z"),
            ("* * * * * *", "2026-03-01T06:00:00Z", "2026-03-01T06:00:01Z"),
        ] {
            assert_eq!(next(times, at(now)).unwrap(), at(expected), "{times}");
        }
        for wrong in ["", "daily", "61 * * * *", "* * *", "0 0 31 2 *", "* * * * * * * *"] {
            let fault = next(wrong, at("2026-03-01T06:00:00Z")).unwrap_err();
            assert_eq!(fault.fields[0].field, "times", "{wrong}: {fault}");
        }
    }
}

//! Schedules of jobs, as a table shows them.

use svc_contract::value::Value;
use svc_service::jobs::ScheduleRow;

use svc_text::dates::time;

use crate::runs::row;

/// A schedule as a row of a table.
pub fn schedule_row(it: &ScheduleRow) -> Value {
    row([
        ("schedule", it.id.as_str().into()),
        ("times", it.times.as_str().into()),
        ("job", it.name.as_str().into()),
        ("next", time(it.next).into()),
    ])
}

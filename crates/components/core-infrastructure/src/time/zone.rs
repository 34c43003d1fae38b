//! Time zones, and the instants of local times in them.

use std::sync::LazyLock;

use jiff::{
    Timestamp, ToSpan,
    civil::{Date, DateTime},
    fmt::temporal::DateTimeParser,
    tz::{AmbiguousOffset, TimeZone, TimeZoneDatabase},
};
use svc_contract::{
    registry::{Foreseen, KnownCall, OpError},
    value::Text,
};

use super::{Disambiguation, beyond_calendar};

/// The database that is part of the program: results are the same on every machine.
pub(super) fn database() -> &'static TimeZoneDatabase {
    static DATABASE: LazyLock<TimeZoneDatabase> = LazyLock::new(TimeZoneDatabase::bundled);
    &DATABASE
}

/// Looks up the zone of a call, if it is written out.
pub(super) fn check(call: &KnownCall<'_>) -> Foreseen {
    call.test("zone", |it: Text| zone(&it))
}

/// The time zone of a name, such as `Europe/Berlin` or `UTC`, or of an offset from UTC, such as
/// `+05:30`.
pub(super) fn zone(name: &str) -> Result<TimeZone, OpError> {
    let found = if name.starts_with(['+', '-']) {
        DateTimeParser::new().parse_time_zone_with(database(), name)
    } else {
        database().get(name)
    };
    found.map_err(|_| {
        OpError::invalid_input(format!("unknown time zone {:?}", super::super::excerpt(name)))
            .help("use a name of the IANA database such as `Europe/Berlin`, `UTC`, or an offset such as `+05:30`")
    })
}

/// The instant of a local time. `how` decides where a change of the clock skips or repeats it.
pub(super) fn instant(
    zone: &TimeZone,
    local: DateTime,
    how: Disambiguation,
) -> Result<Timestamp, OpError> {
    let ambiguous = zone.to_ambiguous_timestamp(local);
    if how == Disambiguation::Reject && ambiguous.is_ambiguous() {
        return Err(ambiguous_error(local, ambiguous.offset()));
    }
    ambiguous.disambiguate(how.into()).map_err(|_| beyond_calendar())
}

fn ambiguous_error(local: DateTime, offset: AmbiguousOffset) -> OpError {
    let does = match offset {
        AmbiguousOffset::Gap { .. } => "skips",
        _ => "repeats",
    };
    OpError::invalid_input(format!("the clock {does} {local} in this time zone"))
        .help("choose one with `disambiguation`: \"earlier\", \"later\" or \"compatible\"")
}

/// The first instant at which the clock shows this local time, or a later one if it skips it.
pub(super) fn first_instant(zone: &TimeZone, local: DateTime) -> Result<Timestamp, OpError> {
    let ambiguous = zone.to_ambiguous_timestamp(local);
    let offset = match ambiguous.offset() {
        AmbiguousOffset::Unambiguous { offset } => offset,
        AmbiguousOffset::Fold { before, .. } | AmbiguousOffset::Gap { before, .. } => before,
    };
    let time = offset.to_timestamp(local).map_err(|_| beyond_calendar())?;
    if !matches!(ambiguous.offset(), AmbiguousOffset::Gap { .. }) {
        return Ok(time);
    }
    // By the offset before the gap it is at the change of the clock or after it.
    let after = time.checked_add(1.nanosecond()).map_err(|_| beyond_calendar())?;
    Ok(zone.preceding(after).next().map_or(time, |it| it.timestamp()))
}

/// The first instant of a day.
pub(super) fn start_of_day(zone: &TimeZone, date: Date) -> Result<Timestamp, OpError> {
    first_instant(zone, date.at(0, 0, 0, 0))
}

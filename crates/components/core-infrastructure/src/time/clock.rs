//! The clock of the host.

use svc_contract::{
    registry::{
        CheckCall, Compute, Cx, Effect, ErrorKind, Example, Op, OpError, Scheme, Scope, params,
    },
    value::{Text, Value},
};

use super::{
    of_millis,
    zone::{self, zone},
};

/// The time is not an argument, so reading it is an effect.
const EFFECTS: &[Effect] = &[Effect::Reads(Scope::Named("clock"))];

params! {
    /// Returns the current time, to the millisecond.
    ///
    /// A resumed or replayed run has the time of the first one. In a test, mock it: `mock now =
    /// ..`.
    pub(super) struct Now {}
}

impl Op for Now {
    const NAME: &'static str = "now";
    const YIELDS: Scheme = Scheme::Time;
    const EFFECTS: &'static [Effect] = EFFECTS;
    const SAYS: &'static [&'static str] = &[
        "what time is it",
        "the current time",
        "read the clock",
        "date and time right now",
        "datetime of the current instant",
        "what's the clock showing",
        "now in utc",
        "current hour and minute",
    ];
    const EXAMPLES: &'static [Example] =
        &[Example::ok("After a day that is over", r#"(now()) > "2001-01-01T00:00:00Z""#, "true")];
}

impl Compute for Now {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        Ok(of_millis(cx.host().now()).into())
    }
}

params! {
    /// Returns the current date in a time zone.
    ///
    /// A resumed or replayed run has the date of the first one.
    pub(super) struct Today {
        /// The time zone: a name such as `Europe/Berlin`, `UTC`, or an offset such as `+05:30`.
        zone: Text,
    }
}

impl Op for Today {
    const NAME: &'static str = "today";
    const YIELDS: Scheme = Scheme::Date;
    const CHECK: Option<CheckCall> = Some(zone::check);
    const EFFECTS: &'static [Effect] = EFFECTS;
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::InvalidInput];
    const SAYS: &'static [&'static str] = &[
        "what day is it today",
        "the current date",
        "today's date in Berlin",
        "which day of the calendar it is now",
        "which date is it now",
        "calendar date of the present day",
        "what's the date",
        "what is the date today",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("After a day that is over", r#"(today("UTC")) > "2001-01-01""#, "true"),
        Example::err("An unknown zone", r#"today("Mars/Olympus")"#, "unknown time zone"),
    ];
}

impl Compute for Today {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let zone = zone(&self.zone)?;
        Ok(zone.to_datetime(of_millis(cx.host().now())).date().into())
    }
}

//! Zones, limits and clocks that the examples do not show.

use svc_contract::{
    registry::{ErrorKind, Inline, Param},
    value::{Value, json},
};
use svc_host_os::test::TestHost;

use super::{
    calendar::{Between, Shift},
    clock::{Now, Today},
    dates::{AddMonths, BetweenDates, Dates, FirstDay},
    forms::{FormatTime, ParseDate, ParseTime},
    local::{InZone, TimeAt},
    rounding::{Floor, StartOf},
};
use crate::testing::{World, call, fails_with, list};

/// Calls an inline op with the arguments in a JSON array, as times and dates where it expects
/// them.
fn gives<O: Inline>(args: &str, wanted: &str) {
    let value = call::<O>(typed::<O>(args)).unwrap_or_else(|err| panic!("{args}: {err}"));
    assert_eq!(json::write(&value), wanted, "of {args}");
}

fn fails<O: Inline>(args: &str) -> (ErrorKind, String) {
    let err = fails_with::<O>(typed::<O>(args));
    (err.kind, err.message)
}

fn typed<O: Inline>(args: &str) -> Vec<Value> {
    let typed = |(it, param): (Value, &Param)| {
        it.cast(&param.scheme.plain()).expect("the test has fitting arguments")
    };
    list(args).into_iter().zip(O::PARAMS).map(typed).collect()
}

#[test]
fn the_clock_is_that_of_the_host() {
    // Then it is 2026-11-23T08:00:00.123Z.
    let world = World::new(TestHost::new().at(5_420_800_123));
    let now = world.call::<Now>(Vec::new()).unwrap().to_string();
    let today = |zone: &str| world.call::<Today>(vec![zone.into()]).unwrap().to_string();
    assert_eq!((now.as_str(), today("UTC").as_str()), ("2026-11-23T08:00:00.123Z", "2026-11-23"));
    assert_eq!(today("Pacific/Pago_Pago"), "2026-11-22");
}

#[test]
fn a_zone_is_a_name_or_an_offset() {
    for (zone, wanted) in [
        ("UTC", "08:00:00 UTC"),
        ("europe/berlin", "09:00:00 CET"),
        ("+05:45", "13:45:00 +0545"),
        ("-03", "05:00:00 -03"),
    ] {
        let args = format!(r#"["2026-11-23T08:00:00Z", "%H:%M:%S", "{zone}"]"#);
        let shown = call::<FormatTime>(typed::<FormatTime>(&args)).unwrap().to_string();
        assert_eq!(shown, &wanted[..8], "{zone}");
    }
    for zone in ["", "Berlin", "+26:00", "+x", "CET-1CEST", "../etc/localtime", "ü"] {
        let (kind, message) = fails::<InZone>(&format!(r#"["2026-11-23T08:00:00Z", "{zone}"]"#));
        assert_eq!(kind, ErrorKind::InvalidInput);
        assert!(message.starts_with("unknown time zone"), "{message}");
    }
}

#[test]
fn a_day_starts_where_the_clock_continues() {
    // Midnight was skipped in São Paulo, and a whole day in Samoa.
    gives::<StartOf>(
        r#"["2018-11-04T12:00:00Z", "day", "America/Sao_Paulo"]"#,
        r#""2018-11-04T03:00:00Z""#,
    );
    gives::<TimeAt>(r#"["2011-12-30", "12:00", "Pacific/Apia"]"#, r#""2011-12-30T22:00:00Z""#);
    gives::<Floor>(
        r#"["2011-12-31T00:00:00Z", "1d", "Pacific/Apia"]"#,
        r#""2011-12-30T10:00:00Z""#,
    );
    // The hour from 2 to 3 is repeated.
    gives::<Floor>(
        r#"["2026-10-25T00:30:00Z", "1h", "Europe/Berlin"]"#,
        r#""2026-10-25T00:00:00Z""#,
    );
    gives::<Floor>(
        r#"["2026-10-25T01:30:00Z", "1h", "Europe/Berlin"]"#,
        r#""2026-10-25T01:00:00Z""#,
    );
    gives::<Floor>(
        r#"["2026-10-25T01:30:00Z", "1d", "Europe/Berlin"]"#,
        r#""2026-10-24T22:00:00Z""#,
    );
}

#[test]
fn text_is_read_in_its_form_only() {
    gives::<ParseTime>(
        r#"["2026-11-23 09:00:00", null, "Europe/Berlin"]"#,
        r#""2026-11-23T08:00:00Z""#,
    );
    gives::<ParseTime>(r#"["1795420800", "%s"]"#, r#""2026-11-23T08:00:00Z""#);
    gives::<ParseTime>(
        r#"["2026-11-23 09:00 +0100", "%Y-%m-%d %H:%M %z"]"#,
        r#""2026-11-23T08:00:00Z""#,
    );
    gives::<ParseTime>(
        r#"["2026-11-23 09:00 Europe/Berlin", "%Y-%m-%d %H:%M %Q"]"#,
        r#""2026-11-23T08:00:00Z""#,
    );
    gives::<ParseTime>(r#"["23.11.2026", "%d.%m.%Y", "UTC"]"#, r#""2026-11-23T00:00:00Z""#);
    gives::<ParseDate>(r#"["Monday, November 23, 2026", "%A, %B %d, %Y"]"#, r#""2026-11-23""#);
    let (_, message) = fails::<ParseTime>(r#"["23.11.2026", "%d.%m.%Y"]"#);
    assert!(message.starts_with("missing time zone"), "{message}");
    let (_, message) = fails::<ParseDate>(r#"["Sunday 2026-11-23", "%A %Y-%m-%d"]"#);
    assert!(message.contains("is not a date in the form"), "{message}");
    let long = format!(r#"["2026-11-23T08:00:00Z", "{}"]"#, "%Y".repeat(501));
    assert!(fails::<FormatTime>(&long).1.starts_with("too long `format`"));
    let wide = format!(r#"["2026-11-23T08:00:00Z", "{}"]"#, "%255Y".repeat(200));
    let widest =
        call::<FormatTime>(typed::<FormatTime>(&wide)).map_or(0, |it| it.to_string().len());
    assert!(widest <= 255 * 200, "{widest}");
}

#[test]
fn large_numbers_end_in_errors() {
    for number in [i64::MAX, i64::MIN, 1 << 40, 8_000_000] {
        for place in 0..3 {
            let mut numbers = [0; 3];
            numbers[place] = number;
            let [months, weeks, days] = numbers;
            let args = format!(r#"["2026-11-23T08:00:00Z", "UTC", {months}, {weeks}, {days}]"#);
            assert_eq!(fails::<Shift>(&args).0, ErrorKind::Failed, "{args}");
        }
        let (kind, _) = fails::<AddMonths>(&format!(r#"["2026-11-23", {number}]"#));
        assert_eq!(kind, ErrorKind::Failed);
    }
    gives::<Dates>(r#"["2026-11-23", "2026-11-24", "1000000d"]"#, r#"["2026-11-23"]"#);
    gives::<Dates>(r#"["2026-11-23", "2026-11-23"]"#, "[]");
    gives::<Dates>(r#"["9999-12-30", "9999-12-31"]"#, r#"["9999-12-30"]"#);
    assert_eq!(fails::<Dates>(r#"["2026-11-23", "2026-11-24", "0s"]"#).0, ErrorKind::InvalidInput);
    assert_eq!(fails::<Floor>(r#"["2026-11-23T08:00:00Z", "0s"]"#).0, ErrorKind::InvalidInput);
}

#[test]
fn the_ends_of_the_calendar_hold() {
    let (first, last) = ("-009999-01-02T01:59:59Z", "9999-12-30T22:00:00.999999999Z");
    for zone in ["UTC", "+14:00", "-12:00", "Europe/Berlin"] {
        for time in [first, last] {
            call::<InZone>(typed::<InZone>(&format!(r#"["{time}", "{zone}"]"#))).unwrap();
        }
        let args = |unit: &str| format!(r#"["{first}", "{last}", "{unit}", "{zone}"]"#);
        let counted = |unit: &str| call::<Between>(typed::<Between>(&args(unit))).unwrap();
        assert_eq!(counted("years"), Value::Int(19_998));
        assert!(counted("milliseconds").order(&Value::Int(0)) == Some(std::cmp::Ordering::Greater));
    }
    gives::<FirstDay>(r#"["-009999-01-01", "week"]"#, r#""-009999-01-01""#);
    gives::<BetweenDates>(r#"["-009999-01-01", "9999-12-31", "years"]"#, "19998");
    gives::<BetweenDates>(r#"["2024-02-29", "2023-02-28", "years"]"#, "-1");
    gives::<BetweenDates>(r#"["2026-01-31", "2026-02-28", "months"]"#, "1");
}

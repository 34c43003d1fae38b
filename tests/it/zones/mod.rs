//! Times in time zones, compared with Python's `zoneinfo`: offsets, floors, skipped and repeated
//! local times, months, and counted units.
//!
//! `cases.json` has 200 cases, most of them near a change of a clock. `cases.py` creates more;
//! `SVC_ZONES=cases.json` names the file to compare with instead.

use std::{env, fs, time::Duration};

use proptest::prelude::*;
use svc_contract::value::{
    Timestamp, Type, Value,
    arithmetic::{MathError, add, subtract},
    json,
};

/// A result that only the ends of the calendar can lack.
fn moved(result: Result<Value, MathError>) -> Option<Value> {
    result.map_err(|err| assert_eq!(err, MathError::BeyondCalendar)).ok()
}

proptest! {
    /// What a duration moves, the difference shows, and the other sign undoes it.
    #[test]
    fn durations_lie_between_times(second in -377_705_023_201..=253_402_207_200_i64, nanos in 0..1_000_000_000_i32, by in any::<u64>()) {
        let time = Value::Time(Timestamp::new(second, if second < 0 { -nanos } else { nanos }).unwrap());
        let by = Value::Duration(Duration::from_nanos(by));
        if let Some(later) = moved(add(time.clone(), by.clone())) {
            prop_assert_eq!(subtract(&later, &time).unwrap(), by.clone());
            prop_assert_eq!(subtract(&later, &by).unwrap(), time.clone());
            prop_assert_eq!(add(by.clone(), time.clone()).unwrap(), later.clone());
            let is_later = by != Value::Duration(Duration::ZERO);
            prop_assert_eq!(later.order(&time).unwrap().is_gt(), is_later);
            prop_assert_eq!(subtract(&time, &later).is_err(), is_later);
        }
        let text = json::write(&time);
        prop_assert_eq!(json::read(&text).unwrap().cast(&Type::Time).unwrap(), time);
    }

    #[test]
    fn whole_days_lie_between_dates(day in -4_371_587..=2_932_896_i64, by in 0..8_000_000_u64) {
        let epoch = Value::Date("1970-01-01".parse().unwrap());
        let days = |count: u64| Value::Duration(Duration::from_hours(24 * count));
        let date = if day < 0 { subtract(&epoch, &days(day.unsigned_abs())) } else { add(epoch, days(day.unsigned_abs())) };
        let date = date.unwrap();
        if let Some(later) = moved(add(date.clone(), days(by))) {
            prop_assert_eq!(subtract(&later, &date).unwrap(), days(by));
            prop_assert_eq!(subtract(&later, &days(by)).unwrap(), date.clone());
            prop_assert_eq!(later.order(&date).unwrap().is_gt(), by > 0);
        }
        let part = Value::Duration(Duration::from_hours(24 * by) + Duration::from_nanos(by + 1));
        prop_assert_eq!(add(date.clone(), part), Err(MathError::PartOfDay));
        let text = json::write(&date);
        prop_assert_eq!(json::read(&text).unwrap().cast(&Type::Date).unwrap(), date);
    }
}

#[tokio::test]
async fn times_are_those_of_zoneinfo() {
    let cases = match env::var("SVC_ZONES") {
        Ok(path) => fs::read_to_string(path).unwrap(),
        Err(_) => include_str!("cases.json").to_owned(),
    };
    let cases = json::read(&cases).unwrap();
    assert!(cases.as_list().unwrap().len() >= 200);
    let wrong = svc::engine().run(include_str!("compare.svc")).param("cases", cases).await.unwrap();
    let wrong = wrong.value.as_list().unwrap().clone();
    let some: Vec<String> = wrong.iter().take(5).map(Value::to_string).collect();
    assert!(wrong.is_empty(), "{} cases differ:\n{}", wrong.len(), some.join("\n"));
}

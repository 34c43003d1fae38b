//! Limits of calls and money, with threads and through restarts.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use svc_contract::{registry::Tier, value::Money};
use tokio::task::JoinSet;

use super::*;
use crate::access::{
    Pace,
    keys::DAY,
    rates::{Account, RateLimits, RateRefusal, Rates, Window},
    roles::Role,
};

fn account() -> Account {
    Account::new("ann", "free")
}

fn limits(tier: Tier) -> RateLimits {
    Role::of_tier(tier, false).limits
}

async fn admit(
    rates: &Rates,
    limits: &RateLimits,
    weight: u32,
    later: i64,
) -> Result<Option<Window>, RateRefusal> {
    rates.admit(&account(), limits, weight, NOW + later).await.unwrap()
}

#[tokio::test]
async fn a_minute_has_its_rate_and_its_burst() {
    let access = Access::in_memory(&host()).unwrap();
    let (rates, free) = (&access.rates, limits(Tier::Free));
    for left in (0..10).rev() {
        let window = admit(rates, &free, 1, 0).await.unwrap().unwrap();
        assert_eq!((window.limit, window.remaining), (30, left));
    }
    let refused = admit(rates, &free, 1, 0).await.unwrap_err();
    assert_eq!(refused.to_string(), "rate limit exceeded; retry in 2 seconds");
    assert_eq!((refused.retry_after(), refused.rule()), (2, "per_minute"));
    let headers = refused.window().unwrap().headers();
    let headers = headers.each_ref().map(|(name, value)| format!("{name}: {value}"));
    let expected = ["RateLimit-Limit: 30", "RateLimit-Remaining: 0", "RateLimit-Reset: 20"];
    assert_eq!(headers, expected);
    assert!(admit(rates, &free, 1, 2_000).await.is_ok());
    // Another account, and no limits at all.
    let other = Account::new("bob", "free");
    assert!(rates.admit(&other, &free, 10, NOW).await.unwrap().is_ok());
    assert_eq!(admit(rates, &RateLimits::NONE, 900, 2_000).await, Ok(None));
}

#[tokio::test]
async fn a_day_has_its_quota_whatever_the_pace() {
    let access = Access::in_memory(&host()).unwrap();
    let limits = RateLimits { pace: None, ..limits(Tier::Free) };
    for used in 1..=200_u64 {
        let window = admit(&access.rates, &limits, 5, 0).await.unwrap().unwrap();
        assert_eq!(window.remaining, 1_000 - 5 * used);
    }
    let refused = admit(&access.rates, &limits, 1, 0).await.unwrap_err();
    let until_midnight = ((DAY - NOW % DAY) / 1_000).cast_unsigned();
    assert_eq!((refused.rule(), refused.retry_after()), ("per_day", until_midnight));
    let at_midnight = DAY - NOW % DAY;
    assert!(admit(&access.rates, &limits, 1, at_midnight - 1).await.is_err());
    assert!(admit(&access.rates, &limits, 1, at_midnight).await.is_ok());
}

#[tokio::test]
async fn a_restart_forgets_no_call() {
    let folder = tempfile::tempdir().unwrap();
    let limits = RateLimits { pace: None, per_day: Some(300), ..RateLimits::NONE };
    let mut admitted = 0;
    for restart in 0..40 {
        let access = open(folder.path());
        for _ in 0..10 {
            admitted += i32::from(admit(&access.rates, &limits, 1, 0).await.is_ok());
        }
        if restart % 2 == 0 {
            // A crash: what was taken and not used is lost.
            std::mem::forget(access);
        }
    }
    assert!((250..=300).contains(&admitted), "{admitted}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 32)]
async fn threads_pass_no_quota() {
    let access = Access::in_memory(&host()).unwrap();
    let limits = RateLimits {
        pace: Some(Pace { per_minute: 600, burst: 400 }),
        per_day: Some(333),
        at_once: Some(5),
        ..RateLimits::NONE
    };
    let (admitted, running, most) =
        (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let mut tasks = JoinSet::new();
    for _ in 0..32 {
        let (rates, admitted) = (access.rates.clone(), admitted.clone());
        let (running, most) = (running.clone(), most.clone());
        tasks.spawn(async move {
            for _ in 0..30 {
                if admit(&rates, &limits, 1, 0).await.is_ok() {
                    admitted.fetch_add(1, Ordering::Relaxed);
                }
                if let Ok(slot) = rates.begin(&account(), &limits) {
                    let now = running.fetch_add(1, Ordering::SeqCst) + 1;
                    most.fetch_max(now, Ordering::SeqCst);
                    tokio::task::yield_now().await;
                    running.fetch_sub(1, Ordering::SeqCst);
                    drop(slot);
                }
            }
        });
    }
    tasks.join_all().await;
    assert_eq!(admitted.load(Ordering::Relaxed), 333);
    assert!((1..=5).contains(&most.load(Ordering::SeqCst)));
}

#[test]
fn a_slot_is_free_again_when_its_call_ends() {
    let access = Access::in_memory(&host()).unwrap();
    let free = limits(Tier::Free);
    let begin = || access.rates.begin(&account(), &free);
    let (first, _second) = (begin().unwrap(), begin().unwrap());
    let refused = begin().unwrap_err();
    assert_eq!(refused.to_string(), "too many calls at once (limit 2)");
    assert_eq!((refused.rule(), refused.retry_after()), ("at_once", 1));
    drop(first);
    begin().unwrap();
}

#[tokio::test]
async fn a_run_takes_the_least_of_its_caps() {
    let access = Access::in_memory(&host()).unwrap();
    let (researcher, rates) = (limits(Tier::Researcher), &access.rates);
    let cents = Money::cents;
    let reserve = async |run: &str, most: Option<i64>, cap: Option<i64>, later: i64| {
        let caps = (most.map(cents), cap.map(cents));
        rates.reserve(&account(), &researcher, run, caps, NOW + later).await.unwrap()
    };
    assert_eq!(reserve("a", None, None, 0).await, Ok(Some(cents(50))));
    assert_eq!(reserve("b", Some(30), None, 0).await, Ok(Some(cents(30))));
    assert_eq!(reserve("c", Some(30), Some(20), 0).await, Ok(Some(cents(20))));
    // A cap of zero means up to what the role allows, and a free run reserves nothing.
    assert_eq!(reserve("d", None, Some(0), 0).await, Ok(Some(cents(50))));
    assert_eq!(reserve("e", Some(0), None, 0).await, Ok(Some(cents(0))));
    rates.settle(&researcher, "a", cents(10)).await.unwrap();
    rates.settle(&researcher, "e", cents(0)).await.unwrap();
    let left = rates.money_left(&account(), &researcher, NOW).unwrap();
    assert_eq!(left, Some(cents(500 - 10 - 30 - 20 - 50)));
    for number in 0..7 {
        assert_eq!(reserve(&format!("f{number}"), None, None, 0).await, Ok(Some(cents(50))));
    }
    assert_eq!(reserve("g", None, None, 0).await, Ok(Some(cents(40))));
    let refused = reserve("h", Some(1), None, 0).await.unwrap_err();
    assert!(refused.to_string().starts_with("the budget of the day is used up (limit $5.00)"));
    assert_eq!(refused.rule(), "max_cost_per_day");
    assert!(reserve("h", Some(1), None, DAY).await.is_ok());
    let free = rates.reserve(&account(), &limits(Tier::Free), "i", (None, None), NOW).await;
    assert_eq!(free.unwrap(), Ok(Some(Money::ZERO)));
    let local = rates.reserve(&account(), &RateLimits::NONE, "j", (None, None), NOW).await;
    assert_eq!(local.unwrap(), Ok(None));
}

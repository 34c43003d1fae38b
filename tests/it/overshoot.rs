//! The benchmark of `benches/overshoot` on a small scale: a cap that is checked between steps is
//! overshot, ours is not.
//! overshot, ours is not.

#[path = "../../benches/overshoot/workload.rs"]
mod workload;

use workload::{CAP, checked_between_steps, reserved_before_steps, summary};

#[test]
fn only_reservations_keep_a_cap() {
    let usual = summary(10, checked_between_steps);
    assert!(usual.mean > CAP.dollars() / 2.0, "{usual:?}");
    let ours = summary(10, reserved_before_steps);
    assert!(ours.worst <= 0.0, "{ours:?}");
    assert!(ours.steps > 20.0 && ours.steps < usual.steps, "{ours:?}");
    assert!(ours.spent > CAP.dollars() * 0.9, "and little of it is left: {ours:?}");
}

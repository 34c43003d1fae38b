//! Comparisons with certified and with computed values.

mod nist;
mod peers;

/// Two observations leave one degree of freedom, whose density is largest at zero. The numbers are those of the
/// integral over the scale by the midpoint rule with 400,000 parts.
#[test]
fn the_power_of_two_observations_is_exact() {
    use crate::power::Test;
    for (test, effect, expected) in [
        (Test::OneSample, 0.5, 0.061_948_606_69),
        (Test::OneSample, 2.0, 0.175_707_411_09),
        (Test::TwoSamples, 1.0, 0.095_201_755_49),
    ] {
        let found = test.power(effect, 2, 0.05);
        assert!((found - expected).abs() < 1e-9, "{test:?} {effect}: {found}");
    }
    assert!(Test::OneSample.power(100.0, 2, 0.05) > 1.0 - 1e-12);
}

//! Quantities: converted, checked, propagated with their uncertainty, and found in texts.
//!
//! Units and exact arithmetic are those of `fend-core`, which [`fend`] keeps within bounds; the derivatives for uncertainties are those of
//! `svc-learn`; [`extract`] has its own grammar of quantities.

#[cfg(feature = "learn")]
mod dimensions;
mod extract;
#[cfg(feature = "learn")]
mod fend;
#[cfg(feature = "learn")]
mod letters;
mod propagate;
#[cfg(all(test, feature = "learn"))]
mod tests;

use svc_contract::{
    registry::{
        Bias, Component, Example, Field as _, Op, Scheme, Tool, compute, needs, params, record,
    },
    value::Text,
};
#[cfg(feature = "learn")]
use svc_contract::{
    registry::{Compute, Cx, OpError},
    value::Value,
};

pub(super) const COMPONENT: Component = Component {
    name: "adapt_units",
    cluster: "knowledge-grounding",
    summary: "Quantities: converts units, checks dimensions, propagates uncertainty, finds quantities in texts.",
    version: 1,
    bias: Bias::new(
        "exact rational arithmetic, first-order propagation",
        &[
            "uncertainties are independent standard deviations",
            "symbols of units are as in SI and in English",
        ],
    ),
    aliases: &[("in_unit", "infer")],
    ops: &[
        needs!("learn", compute::<Infer>()),
        needs!("learn", compute::<Check>()),
        needs!("learn", compute::<propagate::Propagate>()),
        compute::<extract::Extract>(),
    ],
};

record! {
    /// A quantity in a unit.
    struct Converted {
        /// The number.
        value: f64,
        /// The same number exactly: decimal digits if they end, else a fraction; an irrational one starts with `≈`, and has 15 digits after roots, powers and functions.
        exact: Text,
        /// The unit.
        unit: Text,
    }
}

params! {
    /// Converts a quantity to another unit.
    ///
    /// A quantity is a number with units, or an arithmetic expression of such: `5 km`, `3 ft 4 inches`, `9.81 m/s^2`, `60 W * 8 hours`, `37 °C`. Units have their symbols
    /// and English names, with the prefixes of SI and binary ones. Large and small letters matter: `mW` is a milliwatt, `MW` a megawatt, and `mw` an error; `T` is a tesla and `t` a tonne; `Cal` is
    /// a large calorie, `cal` a small one. `kcal a day` and `L/100 km` are quotients. Numbers are decimal: `0x10` is an error.
    /// `C` and `F` alone are degrees: write `coulomb` and `farad`. Arithmetic is exact, so that `exact` has all digits. Currencies are not converted, as
    /// their rates change.
    ///
    /// At most 500 bytes; what takes too long, such as towers of powers, is refused.
    struct Infer {
        /// The quantity.
        #[filled]
        quantity: Text,
        /// The unit.
        #[filled]
        to: Text,
    }
}

impl Op for Infer {
    const NAME: &'static str = "infer";
    const YIELDS: Scheme = Converted::SCHEME;
    const TOOL: Option<Tool> = Some(Tool::builder("convert_units"));
    const SAYS: &'static [&'static str] = &[
        "convert kilometres to miles",
        "how much is this in another unit",
        "fahrenheit to celsius",
        "unit conversion of a quantity",
        "pounds to kilograms",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "Miles",
            r#"let found = "5 km" >> in_unit(to: "miles")
[found.exact, "${round(found.value, digits: 3)} ${found.unit}"]"#,
            r#"["78125/25146","3.107 miles"]"#,
        ),
        Example::ok(
            "Energy",
            "let found = \"60 W * 8 hours\" >> in_unit(to: \"kWh\")\nfound.value",
            "0.48",
        ),
        Example::err(
            "Another dimension",
            r#""5 kg" >> in_unit(to: "m")"#,
            "cannot convert from kg to m: units 'kilogram' and 'meter' are incompatible",
        ),
        Example::err(
            "A unit with two meanings",
            r#""5 mw" >> in_unit(to: "W")"#,
            "`mw` in `quantity` may be `mW` or `MW`",
        ),
        Example::err(
            "An unknown unit",
            r#""5 blorps" >> in_unit(to: "m")"#,
            "unknown unit `blorps`",
        ),
    ];
}

record! {
    /// Whether a quantity makes sense.
    struct Checked {
        /// Whether it can be computed.
        ok: bool,
        /// What it measures, such as `length` or `speed`; `number` without a unit, `other` for a rare one, empty if it cannot be computed.
        dimension: Text,
        /// What is wrong with it.
        error: Option<Text>,
    }
}

params! {
    /// Says whether an expression of quantities can be computed, and what it measures.
    ///
    /// Adding metres to kilograms, unknown units and mistakes in the expression are a result with `ok: false`, not a failure.
    struct Check {
        /// The expression.
        quantity: Text,
    }
}

impl Op for Check {
    const NAME: &'static str = "check";
    const YIELDS: Scheme = Checked::SCHEME;
    const SAYS: &'static [&'static str] = &[
        "check the dimensions of a formula",
        "are these units compatible",
        "the dimension of a unit",
        "dimensional analysis",
        "is this quantity a speed or a force",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A speed",
            "let found = \"12 km / h\" >> adapt_units.check\nfound.dimension",
            r#""speed""#,
        ),
        Example::ok(
            "Apples and pears",
            r#""3 m + 2 kg" >> adapt_units.check"#,
            r#"{"ok":false,"dimension":"","error":"cannot convert from kg to m: units 'kilogram' and 'meter' are incompatible"}"#,
        ),
        Example::ok("Nothing", "let found = \"\" >> adapt_units.check\nfound.ok", "false"),
    ];
}

#[cfg(feature = "learn")]
impl Compute for Infer {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let (quantity, to) =
            (fend::tested(&self.quantity, "quantity", cx)?, fend::tested(&self.to, "to", cx)?);
        let plain = fend::evaluated(&format!("({quantity}) to {to}"), cx)?;
        let digits = fend::evaluated(&format!("({quantity}) to {to} to 25 sf"), cx)?;
        let (number, _) = fend::number(&digits)?;
        let exact = if plain.starts_with("approx") {
            let fraction = fend::evaluated(&format!("({quantity}) to {to} to fraction"), cx)?;
            if fraction.starts_with("approx") {
                let digits = if fend::is_rounded(&quantity) {
                    fend::evaluated(&format!("({quantity}) to {to} to 15 sf"), cx)?
                } else {
                    digits
                };
                format!("≈ {}", fend::number(&digits)?.1)
            } else {
                fend::number(&fraction)?.1
            }
        } else {
            fend::number(&plain)?.1
        };
        Ok(Converted { value: number, exact: exact.into(), unit: self.to.trim().into() }.encode())
    }
}

#[cfg(feature = "learn")]
impl Compute for Check {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let found = fend::tested(&self.quantity, "quantity", cx).and_then(|it| {
            fend::evaluated(&it, cx).and_then(|shown| fend::number(&shown)).map(|_| it)
        });
        cx.check()?;
        Ok(match found {
            Ok(quantity) => {
                Checked { ok: true, dimension: dimensions::of(&quantity, cx)?.into(), error: None }
            }
            Err(err) => {
                Checked { ok: false, dimension: "".into(), error: Some(err.message.into()) }
            }
        }
        .encode())
    }
}

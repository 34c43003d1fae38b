//! Calculating with numbers.

use svc_contract::registry::{Bias, Component, OpError, inline};

mod arithmetic;
mod rounding;

pub(super) const COMPONENT: Component = Component {
    name: "math",
    cluster: "core-infrastructure",
    summary: "Rounds, divides and limits numbers, and computes powers.",
    version: 1,
    bias: Bias::new(
        "checked arithmetic",
        &[
            "amounts overflow into errors, never wrap",
            "floats are close enough for roots and powers",
        ],
    ),
    aliases: &[
        ("abs", "abs"),
        ("round", "round"),
        ("floor", "floor"),
        ("ceil", "ceil"),
        ("sqrt", "sqrt"),
        ("pow", "pow"),
        ("div", "div"),
        ("clamp", "clamp"),
    ],
    ops: &[
        inline::<arithmetic::Abs>(),
        inline::<rounding::Round>(),
        inline::<rounding::Floor>(),
        inline::<rounding::Ceil>(),
        inline::<arithmetic::Sqrt>(),
        inline::<arithmetic::Pow>(),
        inline::<arithmetic::Div>(),
        inline::<arithmetic::Clamp>(),
    ],
};

/// Checks that a float is a finite number, as every float of the language is.
fn finite(it: f64) -> Result<f64, OpError> {
    if it.is_finite() { Ok(it) } else { Err(OpError::failed("the result is out of range")) }
}

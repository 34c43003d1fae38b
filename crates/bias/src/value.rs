//! Records of values, as the tools of this crate answer them.

use svc_contract::value::Value;

/// A record of these fields.
pub(crate) fn object<const N: usize>(fields: [(&str, Value); N]) -> Value {
    let fields = fields.into_iter().map(|(name, value)| (name.into(), value));
    Value::Record(fields.collect())
}

/// A list of texts.
pub(crate) fn texts(all: impl IntoIterator<Item = impl Into<svc_contract::value::Text>>) -> Value {
    Value::List(all.into_iter().map(|it| Value::Text(it.into())).collect())
}

/// A number as a float, if the value is one.
pub(crate) fn number(value: &Value) -> Option<f64> {
    match value {
        #[expect(clippy::cast_precision_loss, reason = "scores are not exact")]
        Value::Int(it) => Some(*it as f64),
        Value::Float(it) => Some(*it),
        _ => None,
    }
}

/// A number as a value, rounded to four places.
pub(crate) fn rounded(number: f64) -> Value {
    Value::Float(if number.is_finite() { (number * 1e4).round() / 1e4 } else { 0.0 })
}

//! `?` of an error that is not an `OpError`.

use svc::registry::OpError;

fn main() {
    let _ = svc::op("shop.parse", |text: String| -> Result<i64, OpError> { Ok(text.parse::<i64>()?) });
}

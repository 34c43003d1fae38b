//! A result with an error that does not convert to an `OpError`.

fn main() {
    let _ = svc::op("shop.parse", |text: String| text.parse::<i64>());
}

//! A result of a struct without `#[derive(svc::Record)]`.

struct Score(f64);

fn main() {
    let _ = svc::op("shop.score", |age: i64| Score(age as f64));
}

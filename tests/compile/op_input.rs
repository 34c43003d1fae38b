//! An input of a struct without `#[derive(svc::Record)]`.

struct Customer {
    age: i64,
}

fn main() {
    let _ = svc::op("shop.score", |customer: Customer| customer.age);
}

//! A parameter without a type.

fn main() {
    let _ = svc::op("shop.same", |it| it);
}

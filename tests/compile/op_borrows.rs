//! A closure that borrows what it captures.

fn main() {
    let factor = 3;
    let _ = svc::op("shop.scale", |it: i64| it * factor);
}

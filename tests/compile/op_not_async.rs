//! A closure that is not async for an op that waits.

fn main() {
    let _ = svc::io_op("shop.find", |id: i64| id + 1);
}

//! An async closure for an op that computes.

fn main() {
    let _ = svc::op("shop.find", async |id: i64| id + 1);
}

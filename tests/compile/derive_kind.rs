//! Types that are not structs with named fields.

#[derive(svc::Record)]
struct Point(f64, f64);

#[derive(svc::Record)]
enum State {
    Open,
}

#[derive(svc::Record)]
struct Page<T> {
    items: Vec<T>,
}

fn main() {}

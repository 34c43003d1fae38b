//! Something other than a struct.

svc::params! {
    enum First {
        Ten,
    }
}

fn main() {}

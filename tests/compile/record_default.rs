//! A default of a field.

svc::record! {
    /// A customer.
    struct Customer {
        /// The age.
        age: i64 = 18,
    }
}

fn main() {}

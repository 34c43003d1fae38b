//! A derive on a record.

svc::record! {
    /// A customer.
    #[derive(PartialEq)]
    struct Customer {
        /// The name.
        name: String,
    }
}

fn main() {}

//! The attributes of a param in another order.

svc::params! {
    /// Takes the first items.
    struct First {
        /// How many.
        #[range(1..=100)]
        #[tune]
        limit: i64 = 10,
    }
}

fn main() {}

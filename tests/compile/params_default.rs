//! A default of another type than its param.

svc::params! {
    /// Takes the first items.
    struct First {
        /// How many.
        limit: i64 = "ten",
    }
}

fn main() {}

//! A derive on params.

svc::params! {
    /// Takes the first items.
    #[derive(Clone)]
    struct First {
        /// How many.
        limit: i64 = 10,
    }
}

fn main() {}

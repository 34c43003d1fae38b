//! A range of a param that is not a number.

svc::params! {
    /// Takes the first items.
    struct First {
        /// How many.
        #[range(1..=100)]
        limit: String,
    }
}

fn main() {}

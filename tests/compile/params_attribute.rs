//! An attribute that a param does not have.

svc::params! {
    /// Takes the first items.
    struct First {
        /// How many.
        #[serde(default)]
        limit: i64 = 10,
    }
}

fn main() {}

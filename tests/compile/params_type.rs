//! A param of a type that the language does not have.

struct Limit(u32);

svc::params! {
    /// Takes the first items.
    struct First {
        /// How many.
        limit: Limit,
    }
}

fn main() {}

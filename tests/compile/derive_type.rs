//! A field of a type that the language does not have.

use std::collections::HashMap;

/// A customer.
#[derive(svc::Record)]
struct Customer {
    name: String,
    orders: HashMap<String, u32>,
}

fn main() {}

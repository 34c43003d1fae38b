//! A struct as a record type.

/// An order of a customer.
#[derive(Clone, Debug, PartialEq, svc::Record)]
struct Order {
    id: i64,
}

#[tokio::main(flavor = "current_thread")]
pub(crate) async fn run() -> Result<(), Box<dyn std::error::Error>> {
    let customer = Customer { name: "Ada".into(), age: 36, orders: vec![Order { id: 1 }] };
    // block: Record types, 1
    assert_eq!((older.age, older.orders), (37, vec![Order { id: 1 }]));
    Ok(())
}

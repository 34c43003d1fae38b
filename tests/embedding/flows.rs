//! Calls of flows, and of flows that an op keeps.

#[derive(Clone, svc::Record)]
struct Customer {
    name: String,
}

#[tokio::main(flavor = "current_thread")]
pub(crate) async fn run() -> Result<(), Box<dyn std::error::Error>> {
    // block: Calling flows, 1
    assert_eq!(said, "hello, ada");
    assert_eq!(loud.get::<String>()?, "HELLO, ada");
    let customers = [Customer { name: "bo".into() }];
    // block: Calling flows, 2
    kept().await
}

async fn kept() -> Result<(), Box<dyn std::error::Error>> {
    // block: Keeping callbacks, 1
    assert_eq!(said, "hello, ada");
    Ok(())
}

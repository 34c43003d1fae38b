//! A component that uses a pool of the program.

use svc::{
    registry::{Bias, Component, Effect, Example, Op, Scheme, Scope, io},
    value::Text,
};

/// Stands for a pool of connections to a database.
struct Pool;

impl Pool {
    async fn find(&self, name: &str) -> Result<String, String> {
        Ok(format!("{name} Lovelace"))
    }
}

const CUSTOMERS: Component = Component {
    name: "customers",
    cluster: "my-program",
    summary: "Finds customers.",
    version: 1,
    bias: Bias::NONE,
    aliases: &[],
    ops: &[io::<Infer>()],
};

svc::params! {
    /// Finds a customer.
    struct Infer {
        /// The first name.
        name: Text,
    }
}

impl Op for Infer {
    const NAME: &'static str = "infer";
    const YIELDS: Scheme = Scheme::Text;
    const EFFECTS: &'static [Effect] = &[Effect::Reads(Scope::Named("crm"))];
    const SAYS: &'static [&'static str] =
        &["find a customer", "look up a client by name", "the customer with this name"];
    const EXAMPLES: &'static [Example] = &[];
}

#[tokio::main(flavor = "current_thread")]
pub(crate) async fn run() -> Result<(), Box<dyn std::error::Error>> {
    let pool = Pool;
    // block: Writing a component, 3
    let found: String = engine.run(r#""Ada" >> customers"#).await?.get()?;
    assert_eq!(found, "Ada Lovelace");
    Ok(())
}

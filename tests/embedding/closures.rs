//! Ops from closures, with a model that they capture and a pool that the program lends.

use std::sync::Arc;

#[derive(Clone, svc::Record)]
struct Customer {
    name: String,
    visits: i64,
}

svc::params! {
    /// How to search.
    struct Search {
        /// The most customers.
        limit: i64 = 10,
    }
}

/// Stands for a trained model.
struct Model;

impl Model {
    fn score(&self, customer: &Customer) -> f64 {
        f64::from(i32::try_from(customer.visits).unwrap_or(i32::MAX)) / 10.0
    }
}

/// Stands for a pool of connections to a database.
struct Pool(Vec<Customer>);

impl Pool {
    async fn find(&self, name: &str, limit: i64) -> Result<Vec<Customer>, std::io::Error> {
        let found = self.0.iter().filter(|it| it.name == name).cloned();
        Ok(found.take(usize::try_from(limit).unwrap_or_default()).collect())
    }
}

fn pool() -> Arc<Pool> {
    Arc::new(Pool(vec![Customer { name: "ada".into(), visits: 5 }]))
}

#[tokio::main(flavor = "current_thread")]
pub(crate) async fn run() -> Result<(), Box<dyn std::error::Error>> {
    let (pool, model) = (pool(), Model);
    // block: Ops from closures, 1
    assert_eq!(scores, [0.5]);
    rated().await?;
    of_values().await?;
    tenants().await
}

async fn rated() -> Result<(), Box<dyn std::error::Error>> {
    // block: Flows as arguments, 1
    assert_eq!(rates, [1.5, 2.5]);
    Ok(())
}

/// Stands for a function of another language.
fn call(
    _: svc::registry::Cx,
    args: &[svc::value::Value],
) -> Result<svc::value::Value, svc::registry::OpError> {
    assert_eq!(args.len(), 2);
    Ok(args[1].clone())
}

async fn of_values() -> Result<(), Box<dyn std::error::Error>> {
    let customer = svc::value::Type::record(vec![("name".into(), svc::value::Type::Text)]);
    // block: Ops from closures, 2
    let weight: f64 = engine.run(r#"{ name: "ada" } >> crm.score(weight: 2.5)"#).await?.get()?;
    assert!((weight - 2.5).abs() < 1e-9);
    Ok(())
}

async fn tenants() -> Result<(), Box<dyn std::error::Error>> {
    let (tenant, script) = ("acme", r#""ada" >> crm.count"#);
    let pool_of = |_: &str| pool();
    let count = |cx: svc::registry::Cx, name: String| -> Result<i64, svc::registry::OpError> {
        let pool = cx.lent::<Pool>()?;
        Ok(pool.0.iter().filter(|it| it.name == name).count() as i64)
    };
    let ops = [svc::op("crm.count", count)];
    // block: Lent services, 1
    assert_eq!(response.get::<i64>()?, 1);
    Ok(())
}

//! A check, and the plans of a script and of a request.

pub(crate) fn run() -> Result<(), Box<dyn std::error::Error>> {
    let engine = svc::engine();
    script(&engine)?;
    request(&engine)?;
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(shared(&engine))
}

struct Order {
    price: f64,
    n: i64,
}

async fn shared(engine: &svc::Engine) -> Result<(), Box<dyn std::error::Error>> {
    let orders = [Order { price: 20.0, n: 2 }, Order { price: 1.5, n: 4 }];
    // block: Running a plan many times, 1
    assert!(!plan.varies());
    Ok(())
}

fn script(engine: &svc::Engine) -> Result<(), Box<dyn std::error::Error>> {
    // block: Checking and planning, 1
    assert!(plan.show().to_string().contains("upper"));
    Ok(())
}

fn request(engine: &svc::Engine) -> Result<(), Box<dyn std::error::Error>> {
    let (script, cap) = ("param topic: string  topic >> upper", svc::value::Money::cents(5));
    // block: Checking and planning, 2
    assert_eq!(most, Some(svc::value::Money::cents(0)));
    assert!(!plan.verdicts().is_empty());
    Ok(())
}

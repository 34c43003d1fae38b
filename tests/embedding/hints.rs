//! Help texts in words of the program.

use svc::Policy;

pub(crate) fn run() -> Result<(), Box<dyn std::error::Error>> {
    // block: Errors as data, 1
    let engine = svc::engine().with_hints(hints).with_policy(Policy::default().allow("asks")?);
    let report = engine.check(r#""x" >> search(source: "docs")"#).unwrap_err();
    let text = report.render(svc::diag::Style::Plain).replace("\n", " ");
    assert!(text.contains("ask an admin for `reads fs:"), "{text}");
    Ok(())
}

//! Completion and hover.

pub(crate) fn run() -> Result<(), Box<dyn std::error::Error>> {
    let engine = svc::engine();
    // block: Editors, 1
    assert!(labels.contains(&"first") && !labels.contains(&"round"), "{labels:?}");
    assert!(hover.expect("`split` has a hover").text.contains("split("));
    Ok(())
}

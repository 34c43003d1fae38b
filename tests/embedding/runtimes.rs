//! A runtime of the program, and none.

pub(crate) fn run() -> Result<(), Box<dyn std::error::Error>> {
    let engine = svc::engine();
    // block: What a runtime needs, 1
    assert_eq!(words, ["A", "B"]);
    Ok(())
}

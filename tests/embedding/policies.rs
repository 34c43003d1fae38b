//! A script that its policy refuses.

pub(crate) fn run() -> Result<(), Box<dyn std::error::Error>> {
    // block: Policies, 1
    assert!(report.to_string().contains("E315"), "{report}");
    Ok(())
}

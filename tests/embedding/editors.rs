//! A script in an editor.

pub(crate) fn run() -> Result<(), Box<dyn std::error::Error>> {
    // block: Editors, 1
    assert!(labels.contains(&"first") && !labels.contains(&"round"), "{labels:?}");
    assert!(hover.text.contains("split("));
    assert_eq!(doc.problems(), []);
    Ok(())
}

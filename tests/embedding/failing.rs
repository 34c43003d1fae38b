//! An op that fails.

use svc::registry::ErrorKind;

fn page() -> Result<String, svc::registry::OpError> {
    // block: Failing, 1
}

pub(crate) fn run() -> Result<(), Box<dyn std::error::Error>> {
    assert_eq!(page().unwrap_err().kind, ErrorKind::NotFound);
    Ok(())
}

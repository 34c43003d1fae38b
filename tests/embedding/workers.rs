//! A program that can be its own worker process.

// block: Worker processes, 1

pub(crate) fn run() -> Result<(), Box<dyn std::error::Error>> {
    main();
    Ok(())
}

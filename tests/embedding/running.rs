//! A whole program: a question to the documentation of this project.

// block: Running a script, 1

pub(crate) fn run() -> Result<(), Box<dyn std::error::Error>> {
    main()
}

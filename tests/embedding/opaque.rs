//! A value of the program in a script.

#[tokio::main(flavor = "current_thread")]
pub(crate) async fn run() -> Result<(), Box<dyn std::error::Error>> {
    // block: Values of the program, 1
    assert_eq!(greetings, ["hello, ada", "hello, bo"]);
    Ok(())
}

//! A program that embeds the language and its pure components, and nothing else:
//! `cargo run -p light`.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "an example")]

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let engine = svc::engine();

    let script = r#"param text: string  text >> split(sep: ",") >> each { trim >> upper }"#;
    let words: Vec<String> = engine.run(script).param("text", "a, b").await?.get()?;
    assert_eq!(words, ["A", "B"]);

    // A component that this program is compiled without is a mistake in the script.
    let report = engine.check(r#""rust" >> search"#).unwrap_err().to_string();
    assert_eq!(report, "script:1:11: error[E201]: unknown name `search`");

    // So is code in rhai.
    let report = engine.check("1 >> rhai(x: int) -> int { x }").unwrap_err();
    println!("{}", report.render(svc::diag::Style::Plain));

    println!("{}", words.join(" "));
    Ok(())
}

//! A program with its own component: `cargo run --example greeter -- Ada`.

use svc::{
    registry::{Bias, Component, Example, Inline, Op, OpError, Scheme, inline},
    value::{Text, Value},
};

/// The declaration of the component.
const GREETER: Component = Component {
    name: "greeter",
    cluster: "examples",
    summary: "Greets people.",
    version: 1,
    bias: Bias::NONE,
    aliases: &[("greet", "greet")],
    ops: &[inline::<Greet>()],
};

svc::params! {
    /// Greets a person by name.
    struct Greet {
        /// The name of the person.
        name: Text,
        /// The greeting.
        word: Text = "Hello".into(),
    }
}

impl Op for Greet {
    const NAME: &'static str = "greet";
    const YIELDS: Scheme = Scheme::Text;
    const SAYS: &'static [&'static str] =
        &["greet a person by name", "say hello to someone", "welcome a visitor"];
    const EXAMPLES: &'static [Example] =
        &[Example::ok("A friend", r#""Ada" >> greet"#, r#""Hello, Ada!""#)];
}

impl Inline for Greet {
    fn run(self) -> Result<Value, OpError> {
        Ok(Value::from(format!("{}, {}!", self.word, self.name)))
    }
}

#[expect(clippy::print_stdout, reason = "the greeting is the result")]
#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let name = std::env::args().nth(1).unwrap_or_else(|| "world".to_owned());
    let engine = svc::engine().with(&[&GREETER]);
    let script = r#"greet(word: "Good morning") >> upper"#;
    let greeting: String = engine.run(script).input(name).await?.get()?;
    println!("{greeting}");
    Ok(())
}

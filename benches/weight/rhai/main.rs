fn main() {
    let answer: i64 = rhai::Engine::new().eval("40 + 2").unwrap();
    println!("{answer}");
}

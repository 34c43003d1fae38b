fn main() {
    let answer: i64 = mlua::Lua::new().load("40 + 2").eval().unwrap();
    println!("{answer}");
}

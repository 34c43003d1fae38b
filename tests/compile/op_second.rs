//! A second parameter that is not a struct of `params!`.

fn main() {
    let _ = svc::op("shop.take", |words: Vec<String>, limit: i64| words[..limit as usize].to_vec());
}

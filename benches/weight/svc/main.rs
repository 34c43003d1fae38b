fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let answer: i64 = runtime.block_on(async {
        svc::engine().run("40 + 2").await.unwrap().get().unwrap()
    });
    println!("{answer}");
}

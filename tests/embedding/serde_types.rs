//! Types that the program already has.

#[tokio::main(flavor = "current_thread")]
pub(crate) async fn run() -> Result<(), Box<dyn std::error::Error>> {
    let engine = svc::engine();
    let script = "param question: { topic: string, limit: money, time: duration }\n\
        [{ n: len(question.topic), cost: question.limit }]";
    // block: Rust types, 1
    assert_eq!((rows[0].n, rows[0].cost), (6, svc::value::Money::cents(5)));
    Ok(())
}

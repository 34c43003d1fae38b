fn main() {
    for f in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&f).unwrap();
        let t = std::time::Instant::now();
        let p = svc::syntax::parse(&text);
        eprintln!(
            "{f}: {} items, {} problems in {:?}",
            p.program.items.len(),
            p.problems.len(),
            t.elapsed()
        );
        let r = svc::diag::Report::new(svc::diag::Source::new(f, text), p.problems);
        println!("{}", r.render(svc::diag::Style::Plain));
    }
}

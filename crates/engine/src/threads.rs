//! The threads that the engine lends to the language.

use std::{panic::resume_unwind, thread};

use svc_lang::syntax::{Executor, Part};

/// Uses all cores: each part but the first runs on a thread of its own.
#[derive(Clone, Copy, Debug, Default)]
pub struct Threads;

impl Executor for Threads {
    fn width(&self) -> usize {
        thread::available_parallelism().map_or(1, usize::from)
    }

    fn run(&self, parts: Vec<Part<'_>>) {
        let mut parts = parts.into_iter();
        let first = parts.next();
        thread::scope(|scope| {
            let others: Vec<_> = parts.map(|it| scope.spawn(it)).collect();
            if let Some(first) = first {
                first();
            }
            for other in others {
                other.join().unwrap_or_else(|it| resume_unwind(it));
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use svc_lang::syntax::{Executor as _, parse, parse_with};

    use super::Threads;

    #[test]
    fn a_long_text_is_the_same_tree_on_all_threads() {
        let mut text = String::new();
        while text.len() < 300 << 10 {
            let idx = text.len();
            writeln!(text, "let n{idx} = {idx} >> abs\nlet broken{idx} = (1 + \n").unwrap();
        }
        let [one, many] = [parse(&text), parse_with(&text, &Threads)];
        assert!(one.problems.len() > 1000);
        assert_eq!(format!("{:?}", one.program), format!("{:?}", many.program));
        assert_eq!(one.problems, many.problems);
    }

    #[test]
    #[should_panic(expected = "the second part")]
    fn a_panic_of_a_part_is_passed_on() {
        Threads.run(vec![Box::new(|| ()), Box::new(|| panic!("the second part"))]);
    }
}

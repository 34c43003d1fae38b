//! Who parses the parts of a long text.
//!
//! The language starts no threads: a program that has some lends them.

/// One of several independent parts of some work.
pub type Part<'a> = Box<dyn FnOnce() + Send + 'a>;

/// Does independent parts of some work, possibly at the same time.
pub trait Executor: Sync {
    /// The number of parts that can be done at the same time.
    fn width(&self) -> usize;

    /// Does all parts, and returns when the last one has ended. If a part panics, this panics.
    fn run(&self, parts: Vec<Part<'_>>);
}

/// Does one part after the other, on the thread of the caller.
#[derive(Clone, Copy, Debug, Default)]
pub struct InOrder;

impl Executor for InOrder {
    fn width(&self) -> usize {
        1
    }

    fn run(&self, parts: Vec<Part<'_>>) {
        for part in parts {
            part();
        }
    }
}

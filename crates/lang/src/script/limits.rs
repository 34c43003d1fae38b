//! How much inline code may use.

use std::time::Duration;

/// Operations: an expression, a statement, a turn of a loop, a call.
pub const OPERATIONS: u64 = 10_000_000;

/// Operations of a template: it builds a pipeline while somebody waits for a check.
pub const BUILDING: u64 = 1_000_000;

/// The bytes of what a template builds.
pub const TEMPLATE: usize = 256 << 10;

/// How long it may run where the script sets no time.
pub const TIME: Duration = Duration::from_secs(10);

/// Calls of its own functions inside each other.
pub const CALLS: usize = 64;

/// Expressions inside each other, in the code and in its functions.
pub const EXPRESSIONS: usize = 64;

/// The bytes of a string, or of all strings in one array or map.
pub const TEXT: usize = 16 << 20;

/// The items of an array, counted with those of all arrays in it.
pub const ITEMS: usize = 100_000;

/// The fields of a map, counted with those of all maps in it.
pub const FIELDS: usize = 100_000;

/// The variables that one function may have at the same time.
pub const VARIABLES: usize = 128;

/// The functions that it may define.
pub const FUNCTIONS: usize = 64;

/// How much the memory of the process may grow while code runs: each value stays below the
/// sizes above, but there may be many.
pub const MEMORY: u64 = 128 << 20;

/// The address space of a process that runs nothing but code: the program itself, the stack,
/// and what the code may have.
pub(super) const PROCESS: u64 = 1 << 30;

/// The most bytes of what such a process answers.
pub(super) const ANSWER: u64 = 256 << 20;

/// How deep lists and records of the result may be nested.
pub const DEPTH: usize = 64;

/// The bytes of the code.
pub const CODE: usize = 256 << 10;

/// The stack that code runs on. Values of the most items may be nested as deep, and rhai
/// measures, copies and frees them level by level.
pub(super) const STACK: usize = 128 << 20;

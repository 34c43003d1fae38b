//! The limits of inline code.

use std::time::Duration;

/// Operations: an expression, a statement, a turn of a loop, a call.
pub const OPERATIONS: u64 = 10_000_000;

/// Operations of a template: it builds a pipeline while the user waits for a check.
pub const BUILDING: u64 = 1_000_000;

/// The bytes of a pipeline built by a template.
pub const TEMPLATE: usize = 256 << 10;

/// The longest run, unless the script sets a `timeout`.
pub const TIME: Duration = Duration::from_secs(10);

/// The depth of nested function calls.
pub const CALLS: usize = 64;

/// The depth of nested expressions, in the code and in its functions.
pub const EXPRESSIONS: usize = 64;

/// The bytes of a string, or of all strings in an array or map.
pub const TEXT: usize = 16 << 20;

/// The items of an array, including those of nested arrays.
pub const ITEMS: usize = 100_000;

/// The fields of a map, including those of nested maps.
pub const FIELDS: usize = 100_000;

/// The variables that a function may have at the same time.
pub const VARIABLES: usize = 128;

/// The functions that it may define.
pub const FUNCTIONS: usize = 64;

/// The growth of the memory of the process while code runs: each value stays below the sizes
/// above, but there may be many values.
pub const MEMORY: u64 = 128 << 20;

/// The address space of a worker process that only runs code: the program, the stack, and the
/// memory of the code.
#[cfg(feature = "rhai")]
pub(super) const PROCESS: u64 = 1 << 30;

/// The most bytes of an answer of such a process.
#[cfg(feature = "rhai")]
pub(super) const ANSWER: u64 = 256 << 20;

/// The depth of nested lists and records in the result.
pub const DEPTH: usize = 64;

/// The bytes of the code.
pub const CODE: usize = 256 << 10;

/// The stack that code runs on. A value may be nested as deeply as it has items, and rhai
/// measures, copies and frees it recursively.
#[cfg(feature = "rhai")]
pub(super) const STACK: usize = 128 << 20;

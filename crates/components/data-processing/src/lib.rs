//! Data processing: formats of structured data, and tables.

use svc_contract::registry::Component;

mod adapt_convert;
mod adapt_dataframe;
mod adapt_quality;
mod cells;
mod rows;
#[cfg(test)]
mod testing;
mod worker;

pub use worker::PURPOSE;

pub const ALL: &[&Component] =
    &[&adapt_convert::COMPONENT, &adapt_dataframe::COMPONENT, &adapt_quality::COMPONENT];

/// What worker processes do for these components.
const TASKS: [(worker::Task, worker::Work); 2] =
    [(worker::Task::Jq, adapt_convert::run_jq), (worker::Task::Schema, adapt_quality::run_schema)];

/// Does a piece of work in a worker process: takes the bytes after [`PURPOSE`], and returns those of
/// the answer.
pub fn serve(asked: &[u8]) -> Vec<u8> {
    worker::serve(asked, &TASKS)
}

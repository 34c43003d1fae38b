//! The six protocols: what a thing can do, whatever it is.
//!
//! [`AIBlock`](super::AIBlock) has all of them; the types of a program may have some.

use svc_contract::value::Record;

use super::Result;

/// Accepts raw data: a file's content, a row, an answer of a service.
pub trait Ingestible<R> {
    /// What the raw data becomes.
    type Output;

    /// Reads raw data; an error of the kind `invalid_input` if it does not fit.
    fn ingest(&mut self, raw: R) -> impl Future<Output = Result<Self::Output>> + Send;
}

/// Passes data on: to a file, a service, a reader.
pub trait Emittable<D> {
    /// What was emitted, such as the text that was written.
    type Output;

    /// Emits data.
    fn emit(&self, data: D) -> impl Future<Output = Result<Self::Output>> + Send;
}

/// Has a state that can be kept in a file.
pub trait Storable {
    /// Saves the state to a file, and returns the path of the file.
    fn save(&self, path: &str) -> impl Future<Output = Result<String>> + Send;

    /// Loads the state from a file, and returns the path of the file. A file that is not such a
    /// state is an error, and the state stays what it is.
    fn load(&mut self, path: &str) -> impl Future<Output = Result<String>> + Send;
}

/// Computes a result of an input.
pub trait Inferrable<I> {
    /// The result.
    type Output;

    /// Computes the result of an input.
    fn infer(&self, input: I) -> impl Future<Output = Result<Self::Output>> + Send;
}

/// Learns from data.
pub trait Learnable<I> {
    /// What is learnt.
    type State;

    /// Learns from items, and returns the new state.
    fn learn(&mut self, data: Vec<I>) -> impl Future<Output = Result<Self::State>> + Send;
}

/// Knows the assumptions that it was built with.
pub trait InductiveBias {
    /// The bias as a record with the fields `name`, `type`, `strategy`, `assumptions`,
    /// `evolvable_params` and `version`.
    fn bias(&self) -> Record;
}

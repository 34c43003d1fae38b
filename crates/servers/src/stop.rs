//! Calls that are cancelled: their statement ends on the server, too.

use std::time::Duration;

use svc_contract::registry::{Cx, OpError};
use tokio::{runtime::Handle, time::timeout};

/// What is left of the second that a cancelled call has.
const LEFT: Duration = Duration::from_millis(700);

/// Waits for some work on a server; if the call is cancelled or dropped first, `stop` ends the statement
/// there.
pub(crate) async fn until_cancelled<T>(
    cx: &Cx,
    work: impl Future<Output = Result<T, OpError>>,
    stop: impl Future<Output = ()> + Send + 'static,
) -> Result<T, OpError> {
    let mut unfinished = Unfinished(Some(Box::pin(stop)));
    let done = cx.cancel.run_until_cancelled(work).await;
    let stop = unfinished.0.take();
    match (done, stop) {
        (Some(done), _) => done,
        (None, stop) => {
            if let Some(stop) = stop {
                // A server that does not answer in this time may be gone.
                let _ = timeout(LEFT, stop).await;
            }
            Err(OpError::cancelled())
        }
    }
}

/// What ends a statement whose call is dropped.
struct Unfinished<F: Future<Output = ()> + Send + 'static>(Option<std::pin::Pin<Box<F>>>);

impl<F: Future<Output = ()> + Send + 'static> Drop for Unfinished<F> {
    fn drop(&mut self) {
        if let (Some(stop), Ok(runtime)) = (self.0.take(), Handle::try_current()) {
            runtime.spawn(timeout(LEFT, stop));
        }
    }
}

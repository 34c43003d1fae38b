//! A future that cannot move to another thread.

use std::rc::Rc;

use svc::registry::Cx;

fn main() {
    let _ = svc::io_op("shop.find", async |cx: Cx, id: i64| {
        let shared = Rc::new(id);
        cx.host().sleep(std::time::Duration::from_millis(1)).await;
        *shared
    });
}

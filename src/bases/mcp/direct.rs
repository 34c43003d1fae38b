//! Plain calls of tools on the standard streams: no progress, no task, no question.

use std::sync::Arc;

use rmcp::model::{CallToolResult, ErrorData};
use svc_api::mcp::{self, Output};
use svc_service::{Args, Visitor};

use super::{convert, handler::Shared, refusal, streams::Calls};

/// Makes the calls of one caller.
pub(super) struct Direct {
    shared: Arc<Shared>,
    /// Whether each call is made here, and not first looked up in the short list or the fixtures.
    is_plain: bool,
    key: Option<String>,
}

impl Direct {
    pub(super) fn new(shared: Arc<Shared>, is_compact: bool, key: Option<String>) -> Self {
        let is_plain = !is_compact && !shared.has_fixtures;
        Self { shared, is_plain, key }
    }
}

impl Calls for Direct {
    fn takes(&self, name: &str) -> bool {
        self.is_plain && self.shared.rest.service.engine().registry().find_tool(name).is_some()
    }

    async fn call(&self, name: String, args: Args) -> Option<Result<CallToolResult, ErrorData>> {
        self.made(&name, args).await.transpose()
    }
}

impl Direct {
    /// Makes a call, if its client cannot be asked anything meanwhile.
    async fn made(&self, name: &str, args: Args) -> Result<Option<CallToolResult>, ErrorData> {
        let visitor = Visitor::here(self.key.as_deref(), "mcp");
        let entered = self.shared.rest.enter(visitor).await;
        let (rest, _) = entered.map_err(|it| refusal::error(&it.fault))?;
        let Some(call) = mcp::call(&rest, name, args) else {
            return Err(refusal::unknown_tool(name, &rest));
        };
        let Some(answered) = rest.service.call_if_brief(call).await else { return Ok(None) };
        let output = match answered {
            Ok(answer) => Output::of(answer.value),
            Err(fault) if refusal::is_before_the_call(&fault) => {
                return Err(refusal::error(&fault));
            }
            Err(fault) => Output::of_fault(&fault),
        };
        let mut result = convert::result(output);
        // Only the newest revision has it.
        result.result_type = None;
        Ok(Some(result))
    }
}

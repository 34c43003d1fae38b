//! The requests of the protocol, each for its caller.

use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicU8, Ordering},
};

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CacheScope, CallToolRequestParams, CallToolResponse, CancelTaskParams,
        CompleteRequestParams, CompleteResult, CompletionInfo, CustomRequest, CustomResult,
        ErrorCode, GetPromptRequestParams, GetPromptResponse, GetTaskParams, GetTaskResult,
        Implementation, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
        ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse,
        Reference, ServerCapabilities, ServerConfig, SetLevelRequestParams, SubscribeRequestParams,
        SubscriptionFilter, Tool, UnsubscribeRequestParams, UpdateTaskParams,
    },
    service::{NotificationContext, RequestContext, SubscriptionContext},
};
use svc_api::{
    mcp::{self, Compact, Definition, Definitions, INSTRUCTIONS},
    rest::Rest,
};
use svc_service::Visitor;

use super::{convert, fixtures, following, progress::is_new, refusal, tasks, watching::Watched};

/// The methods with params that are needed.
const METHODS: [&str; 12] = [
    "initialize",
    "tools/call",
    "prompts/get",
    "resources/read",
    "resources/subscribe",
    "resources/unsubscribe",
    "completion/complete",
    "logging/setLevel",
    "subscriptions/listen",
    "tasks/get",
    "tasks/update",
    "tasks/cancel",
];

/// Those of them that the newest revision does not have.
const REMOVED: [&str; 4] =
    ["initialize", "resources/subscribe", "resources/unsubscribe", "logging/setLevel"];

/// What all connections share.
pub(super) struct Shared {
    pub(super) rest: Rest,
    definitions: Definitions,
    /// The definitions as the protocol writes them.
    tools: Mutex<Vec<(Arc<Definition>, Tool)>>,
    pub(super) has_fixtures: bool,
}

/// How callers are let in.
pub(super) enum Door {
    /// The standard streams belong to one caller, with this key or without.
    Streams { key: Option<String> },
    /// Each request was let in by the layer before this one.
    Http,
}

/// The requests of a session.
pub(super) struct Handler {
    pub(super) shared: Arc<Shared>,
    is_compact: bool,
    door: Door,
    /// The least important level of messages that the client wants.
    pub(super) level: AtomicU8,
    watched: Watched,
}

impl Shared {
    pub(super) fn new(rest: Rest, has_fixtures: bool) -> Self {
        Self { rest, definitions: Definitions::default(), tools: Mutex::default(), has_fixtures }
    }

    /// The tools of the protocol for definitions, which are converted once.
    fn tools(&self, definitions: &[Arc<Definition>]) -> Vec<Tool> {
        let mut known = self.tools.lock().unwrap_or_else(PoisonError::into_inner);
        // What a changed folder does not offer any more is forgotten.
        known.retain(|(it, _)| Arc::strong_count(it) > 1);
        let of = |it: &Arc<Definition>| {
            let found = known.iter().find(|(known, _)| Arc::ptr_eq(known, it));
            if let Some((_, tool)) = found {
                return tool.clone();
            }
            let tool = convert::tool(it);
            known.push((it.clone(), tool.clone()));
            tool
        };
        definitions.iter().map(of).collect()
    }
}

impl Handler {
    pub(super) fn new(shared: Arc<Shared>, is_compact: bool, door: Door) -> Self {
        Self { shared, is_compact, door, level: AtomicU8::new(0), watched: Watched::default() }
    }

    /// The interface for the caller of a request.
    async fn entered(&self, context: &RequestContext<RoleServer>) -> Result<Rest, ErrorData> {
        match &self.door {
            Door::Streams { key } => {
                let visitor = Visitor::here(key.as_deref(), "mcp");
                let entered = self.shared.rest.enter(visitor).await;
                entered.map(|it| it.0).map_err(|it| refusal::error(&it.fault))
            }
            Door::Http => {
                let parts = context.extensions.get::<::http::request::Parts>();
                let rest = parts.and_then(|it| it.extensions.get::<Rest>());
                rest.cloned().ok_or_else(|| ErrorData::internal_error("no caller", None))
            }
        }
    }

    fn definitions(&self, rest: &Rest) -> Vec<Arc<Definition>> {
        if self.is_compact {
            Compact::of_caller(&self.shared.definitions, rest)
        } else {
            self.shared.definitions.of_caller(rest)
        }
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_logging()
            .enable_completions()
            .enable_prompts()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_resources_list_changed()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_tasks()
            .build();
        let version = self.shared.rest.version;
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("svc", version).with_title("svc"))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        asked: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        test_page(asked.as_ref())?;
        let rest = self.entered(&context).await?;
        let definitions = self.definitions(&rest);
        let mut tools = self.shared.tools(&definitions);
        if self.shared.has_fixtures {
            tools.extend(fixtures::tools());
        }
        let mut result = ListToolsResult::with_all_items(tools);
        result.cache_scope = Some(CacheScope::Private);
        Ok(result)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.shared.has_fixtures.then(|| fixtures::tool(name)).flatten()
    }

    async fn call_tool(
        &self,
        params: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let rest = self.entered(&context).await?;
        if self.shared.has_fixtures
            && let Some(answer) = fixtures::call(&params, &context).await
        {
            return answer;
        }
        following::called(self, &rest, params, context, self.is_compact).await
    }

    async fn list_prompts(
        &self,
        asked: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        test_page(asked.as_ref())?;
        let mut prompts: Vec<_> = mcp::prompts().iter().map(convert::prompt).collect();
        if self.shared.has_fixtures {
            prompts.extend(fixtures::prompts());
        }
        Ok(ListPromptsResult::with_all_items(prompts))
    }

    async fn get_prompt(
        &self,
        params: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        if self.shared.has_fixtures
            && let Some(answer) = fixtures::prompt(&params)
        {
            return answer;
        }
        let values = convert::texts(params.arguments)?;
        let text = mcp::prompt(&params.name, &values).map_err(|it| refusal::invalid(&it))?;
        Ok(convert::prompt_text(text).into())
    }

    async fn list_resources(
        &self,
        asked: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        test_page(asked.as_ref())?;
        let rest = self.entered(&context).await?;
        let mut all: Vec<_> = mcp::resources(&rest).iter().map(convert::resource).collect();
        if self.shared.has_fixtures {
            all.extend(fixtures::resources());
        }
        let mut result = ListResourcesResult::with_all_items(all);
        result.cache_scope = Some(CacheScope::Private);
        Ok(result)
    }

    async fn list_resource_templates(
        &self,
        asked: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        test_page(asked.as_ref())?;
        let mut all: Vec<_> = mcp::templates().iter().map(convert::template).collect();
        if self.shared.has_fixtures {
            all.extend(fixtures::templates());
        }
        Ok(ListResourceTemplatesResult::with_all_items(all))
    }

    async fn read_resource(
        &self,
        params: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let rest = self.entered(&context).await?;
        if self.shared.has_fixtures
            && let Some(answer) = fixtures::resource(&params.uri)
        {
            return Ok(answer.into());
        }
        let page = mcp::read(&rest, &params.uri).await;
        let page = page.map_err(|it| refusal::of_resource(&it, &params.uri))?;
        Ok(convert::page(page, &params.uri).into())
    }

    async fn complete(
        &self,
        params: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let rest = self.entered(&context).await?;
        let begun = params.argument.value.clone();
        let name = params.argument.name.clone();
        let completed = tokio::task::spawn_blocking(move || {
            let of = match &params.r#ref {
                Reference::Prompt(it) => mcp::Asked::Prompt(&it.name),
                Reference::Resource(it) => mcp::Asked::Template(&it.uri),
                _ => return (Vec::new(), 0),
            };
            mcp::completions(&rest, of, &name, &begun)
        });
        let (values, total) = completed.await.unwrap_or_default();
        let has_more = total > values.len();
        let mut info =
            CompletionInfo::new(values).map_err(|err| ErrorData::internal_error(err, None))?;
        info.total = u32::try_from(total).ok();
        info.has_more = Some(has_more);
        Ok(CompleteResult::new(info))
    }

    async fn set_level(
        &self,
        params: SetLevelRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.level.store(convert::rank(params.level), Ordering::Relaxed);
        Ok(())
    }

    async fn subscribe(
        &self,
        params: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let rest = self.entered(&context).await?;
        if !self.shared.has_fixtures || fixtures::resource(&params.uri).is_none() {
            let page = mcp::read(&rest, &params.uri).await;
            page.map_err(|it| refusal::of_resource(&it, &params.uri))?;
        }
        self.watched.subscribe(rest, params.uri, context.peer);
        Ok(())
    }

    async fn unsubscribe(
        &self,
        params: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.watched.unsubscribe(&params.uri);
        Ok(())
    }

    fn accepted_subscription_filter(
        &self,
        asked: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(asked.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let rest = self.entered(context.request_context()).await?;
        if self.shared.has_fixtures {
            fixtures::listens(context.sink().clone());
        }
        tokio::select! {
            () = context.cancelled() => {}
            () = super::watching::listen(&rest, &context) => {}
        }
        Ok(())
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.watched.follow_lists(self.shared.rest.clone(), context.peer);
    }

    /// What the SDK could not read as one of its requests: a known one has wrong params.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method = request.method;
        let is_removed = is_new(&context) && REMOVED.contains(&method.as_str());
        if METHODS.contains(&method.as_str()) && !is_removed {
            let message = format!("the params of `{method}` are missing or have a wrong type");
            return Err(ErrorData::invalid_params(message, None));
        }
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method, None))
    }

    async fn get_task(
        &self,
        params: GetTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        let rest = self.entered(&context).await?;
        tasks::get(&rest, &params.task_id).await
    }

    async fn update_task(
        &self,
        params: UpdateTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let rest = self.entered(&context).await?;
        tasks::update(&rest, &params.task_id, params.input_responses).await
    }

    async fn cancel_task(
        &self,
        params: CancelTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let rest = self.entered(&context).await?;
        tasks::cancel(&rest, &params.task_id).await
    }
}

/// Every list is one page, so no client has a cursor of this server.
fn test_page(asked: Option<&PaginatedRequestParams>) -> Result<(), ErrorData> {
    match asked.and_then(|it| it.cursor.as_deref()) {
        Some(_) => Err(ErrorData::invalid_params("unknown cursor: every list is one page", None)),
        None => Ok(()),
    }
}

//! The table of routes.

use svc_contract::{
    registry::{ErrorKind, Param, Tier},
    value::Value,
};
use svc_service::{Caller, Fault, Why};

use super::{
    Handled, Input, LARGEST_BODY, Reply, Rest, approvals, bias, bug, clusters, desk, hooks, invoke,
    openai, pipeline, runs, scripts, state, tools, workflow,
};

/// The method of a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    Get,
    Post,
    Put,
}

/// Who may call a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Anyone.
    Open,
    /// Anyone with a key, or the person at this machine.
    Key,
    /// An operator: a key of the tier `admin`, or the person at this machine.
    Admin,
    /// Anyone whose request is signed with the secret of a hook.
    Signed,
}

/// An endpoint.
pub struct Route {
    pub method: Method,
    /// With its params in braces: `/clusters/{slug}`.
    pub path: &'static str,
    /// The group in the document.
    pub tag: &'static str,
    pub summary: &'static str,
    pub access: Access,
    /// The params of the query.
    pub query: &'static [Param],
    /// The fields of the body; `None` without a body.
    pub body: Option<Body>,
    /// The JSON Schema of the answer.
    pub reply: fn() -> Value,
    /// The further statuses that it answers with, besides those of its access and its body.
    pub statuses: &'static [u16],
    /// The tool whose result is the answer, if it is one.
    pub tool: Option<&'static str>,
    pub answers: Answers,
    pub(crate) handle: Handle,
}

/// What a route does.
#[derive(Clone, Copy)]
pub(crate) enum Handle {
    /// In place, since it takes some microseconds.
    Now(fn(&Rest, &Input) -> Result<Reply, Fault>),
    /// On a thread that may wait for files and the store.
    Blocking(fn(&Rest, &Input) -> Result<Reply, Fault>),
    Io(for<'a> fn(&'a Rest, Input) -> Handled<'a>),
}

/// What a success contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answers {
    /// An object with the field `ok`.
    Object,
    /// JSON as it is.
    Bare,
    /// An object with the field `ok`, or events if the caller wants them.
    ObjectOrEvents,
    /// JSON as it is, or events if the body asks for them.
    BareOrEvents,
    Events,
    Page,
    /// Bytes of any type.
    File,
    /// Lines for another program.
    Lines,
}

/// What a body contains.
#[derive(Clone, Copy)]
pub enum Body {
    /// These fields.
    Fields(&'static [Param]),
    /// These fields, and others.
    AtLeast(&'static [Param]),
    /// A form with a file, or these fields.
    Upload(&'static [Param]),
    /// The arguments of this tool.
    Tool(&'static str),
    /// An object whose fields something else decides.
    Open,
}

/// What a path leads to.
pub enum Found {
    Route(&'static Route, Vec<String>),
    /// The path exists, with these methods.
    OtherMethods(Vec<Method>),
    Nothing,
}

/// All routes, in the order of the document.
pub fn routes() -> &'static [Route] {
    static ALL: std::sync::LazyLock<Vec<Route>> = std::sync::LazyLock::new(|| {
        let groups = [
            state::routes(),
            clusters::routes(),
            invoke::routes(),
            pipeline::routes(),
            workflow::routes(),
            tools::routes(),
            scripts::routes(),
            runs::routes(),
            approvals::routes(),
            bias::routes(),
            hooks::routes(),
            openai::routes(),
        ];
        groups.into_iter().flatten().collect()
    });
    &ALL
}

/// The routes that only the desktop has.
pub fn desktop_routes() -> &'static [Route] {
    desk::routes()
}

/// All routes of a server, with those of the desktop or without.
pub(super) fn routes_of(is_desktop: bool) -> impl Iterator<Item = &'static Route> {
    let own = if is_desktop { desktop_routes() } else { &[] };
    routes().iter().chain(own)
}

/// The route of a request. The parts of its path are decoded.
pub fn find(method: &str, path: &str, is_desktop: bool) -> Found {
    let mut others = Vec::new();
    for route in routes_of(is_desktop) {
        let Some(parts) = matched(route.path, path) else { continue };
        if route.method.name() == method {
            return Found::Route(route, parts);
        }
        others.push(route.method);
    }
    if others.is_empty() { Found::Nothing } else { Found::OtherMethods(others) }
}

/// The values of a path that fits a pattern. A fixed part is preferred by the order of the table.
fn matched(pattern: &str, path: &str) -> Option<Vec<String>> {
    let mut wanted = pattern.split('/');
    let mut parts = Vec::new();
    for given in path.split('/') {
        let wanted = wanted.next()?;
        if wanted.starts_with('{') {
            let decoded = percent_encoding::percent_decode_str(given).decode_utf8().ok()?;
            if decoded.is_empty() {
                return None;
            }
            parts.push(decoded.into_owned());
        } else if wanted != given {
            return None;
        }
    }
    wanted.next().is_none().then_some(parts)
}

impl Method {
    pub fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
        }
    }
}

impl Route {
    /// An endpoint that shows something with an id, to anyone with a key.
    pub(super) fn get(
        tag: &'static str,
        path: &'static str,
        summary: &'static str,
        reply: fn() -> Value,
        handle: Handle,
    ) -> Self {
        Self {
            method: Method::Get,
            path,
            tag,
            summary,
            access: Access::Key,
            query: &[],
            body: None,
            reply,
            statuses: &[404],
            tool: None,
            answers: Answers::Object,
            handle,
        }
    }

    /// The answer to a request.
    pub async fn answer(&self, rest: &Rest, input: Input) -> Result<Reply, Fault> {
        match self.handle {
            Handle::Now(handle) => handle(rest, &input),
            Handle::Io(handle) => handle(rest, input).await,
            Handle::Blocking(handle) => {
                let rest = rest.clone();
                let ended = tokio::task::spawn_blocking(move || handle(&rest, &input)).await;
                ended.unwrap_or_else(|err| Err(bug(&err)))
            }
        }
    }

    /// The largest body that it reads, in bytes.
    pub fn largest_body(&self) -> usize {
        desk::largest_body(self).unwrap_or(LARGEST_BODY)
    }

    /// Whether a caller may use it at all.
    pub fn admits(&self, caller: &Caller) -> Result<(), Fault> {
        let is_operator = caller.is_local() || caller.tier == Tier::Admin;
        if self.access != Access::Admin || is_operator {
            return Ok(());
        }
        let fault =
            Fault::new(Why::Op(ErrorKind::Denied), format!("`{}` is for operators", self.path));
        Err(fault.help("use a key of a role with the tier `admin`"))
    }

    /// Whether it runs a served script, whose params and result are those of the script.
    pub(crate) fn runs_script(&self) -> bool {
        self.answers == Answers::ObjectOrEvents
    }

    /// Whether its answer is made of the result of a run, in one of its shapes.
    pub(crate) fn gives_result(&self) -> bool {
        self.runs_script() || self.answers == Answers::BareOrEvents
    }

    /// The names of the params in its path.
    pub fn params(&self) -> impl Iterator<Item = &'static str> {
        let part = |it: &'static str| it.strip_prefix('{')?.strip_suffix('}');
        self.path.split('/').filter_map(part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_matched_part_by_part() {
        assert_eq!(matched("/a/{x}", "/a/b%20c"), Some(vec!["b c".to_owned()]));
        for path in ["/a", "/a/", "/a/b/c", "/b/c", "a/b"] {
            assert_eq!(matched("/a/{x}", path), None, "{path}");
        }
    }

    #[test]
    fn every_route_is_found_by_its_own_path() {
        for route in routes_of(true) {
            let path = route.path.replace(['{', '}'], "");
            match find(route.method.name(), &path, true) {
                Found::Route(found, _) => assert_eq!(found.path, route.path),
                _ => panic!("{path} is not found"),
            }
        }
    }
}

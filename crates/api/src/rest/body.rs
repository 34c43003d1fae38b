//! Bodies and queries as arguments.

use svc_contract::{
    registry::{Params, Scheme, params},
    value::{Type, Value, json},
};
use svc_service::{Args, Fault, Why, decode};

use super::Input;

/// The deepest nesting of a body.
const DEEPEST: usize = 64;

params! {
    struct Nothing {}
}

impl Input {
    /// The value at a place of the path.
    pub(super) fn part(&self, idx: usize) -> &str {
        self.path.get(idx).map_or("", String::as_str)
    }

    /// The body as an object; an empty one is an empty object.
    pub(super) fn object(&self) -> Result<Args, Fault> {
        if self.body.is_empty() {
            return Ok(Args::new());
        }
        decode::object(self.json()?, "")
    }

    /// The body as declared params.
    pub(super) fn read<P: Params>(&self) -> Result<P, Fault> {
        decode::decode(self.object()?)
    }

    /// The body of a request that says everything in its path.
    pub(super) fn nothing(&self) -> Result<(), Fault> {
        self.read().map(|Nothing {}| ())
    }

    /// The query as declared params. Text becomes what the param expects.
    pub(super) fn query<P: Params>(&self) -> Result<P, Fault> {
        let mut args = Args::new();
        for (name, text) in &self.query {
            let param = P::PARAMS.iter().find(|it| it.name == name);
            let value = match param.map(|it| it.scheme.required()) {
                None | Some(Scheme::Text) => Value::from(text.as_str()),
                // A shell would replace what follows the sign, so it may be left out.
                Some(Scheme::Money) if text.starts_with(|it: char| it.is_ascii_digit()) => {
                    Value::from_words(format!("${text}").as_str().into(), &Type::Money)
                }
                Some(scheme) => Value::from_words(text.as_str().into(), &scheme.plain()),
            };
            // A query has no null: `?max_tokens=null` is a text.
            let value = if value.is_null() { Value::from(text.as_str()) } else { value };
            if args.insert(name.clone(), value).is_some() {
                return Err(Fault::field(name, format!("duplicate query parameter `{name}`")));
            }
        }
        decode::decode(args)
    }

    pub(super) fn json(&self) -> Result<Value, Fault> {
        if let Some(found) = self.content_type.as_deref().filter(|it| !is_json(it)) {
            let message = format!("expected a body of the type application/json, found {found}");
            return Err(Fault::new(Why::Format, message));
        }
        let text = std::str::from_utf8(&self.body).map_err(|err| {
            let at = err.valid_up_to();
            malformed(format!("the body is not valid UTF-8 (invalid byte at offset {at})"))
        })?;
        if depth(text) > DEEPEST {
            return Err(malformed(format!("the body is nested too deeply (limit {DEEPEST})")));
        }
        json::read(text).map_err(|err| match err.classify() {
            serde_json::error::Category::Data => Fault::field("", err.to_string()),
            _ => malformed(format!("the body is not valid JSON: {err}")),
        })
    }
}

fn malformed(message: String) -> Fault {
    Fault::new(Why::Malformed, message)
}

fn is_json(content_type: &str) -> bool {
    let kind = content_type.split(';').next().unwrap_or_default().trim();
    kind.eq_ignore_ascii_case("application/json")
        || (kind.len() > 5 && kind[kind.len() - 5..].eq_ignore_ascii_case("+json"))
}

/// How deep brackets are nested, outside of strings.
fn depth(text: &str) -> usize {
    let (mut depth, mut deepest, mut in_string, mut escaped) = (0_usize, 0, false, false);
    for it in text.bytes() {
        match it {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_in_strings_do_not_nest() {
        assert_eq!(depth(r#"{"a":[1,"[[[\"{{"]}"#), 2);
        assert_eq!(depth(&"[".repeat(100)), 100);
    }

    #[test]
    fn only_json_is_read() {
        assert!(is_json("application/json; charset=utf-8") && is_json("application/ld+json"));
        assert!(!is_json("text/plain") && !is_json(""));
    }
}

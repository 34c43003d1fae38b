//! Results as content: text for a model, and the same as data.

use svc_contract::value::{Value, json, units::show_size};
use svc_service::{Fault, Live, access::redact};

use crate::rest::object;

/// A result.
#[derive(Clone, Debug)]
pub struct Output {
    /// What a model reads.
    pub text: String,
    /// The same as an object for programs; nothing for an error.
    pub data: Option<Value>,
    /// A picture, a sound or a file.
    pub file: Option<Content>,
    pub is_error: bool,
}

/// A file in a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    pub media_type: String,
    pub name: String,
    pub bytes: Vec<u8>,
}

impl Output {
    /// The result of a call. Anything but a record is the field `result` of an object.
    pub fn of(value: Value) -> Self {
        let file = file(&value);
        let text = match (&value, &file) {
            (Value::Text(it), _) => it.to_string(),
            (_, Some(it)) => {
                format!("{}: {}, {}", it.name, it.media_type, show_size(it.bytes.len() as u64))
            }
            (it, None) => json::write(it),
        };
        let data = match value {
            Value::Record(_) => value,
            other => object([("result", other)]),
        };
        Self { text, data: Some(data), file, is_error: false }
    }

    /// A call that failed: the model can read why, and what to do.
    pub fn of_fault(fault: &Fault) -> Self {
        Self { text: fault_text(fault), data: None, file: None, is_error: true }
    }

    /// An error as text.
    pub fn error(text: impl Into<String>) -> Self {
        Self { text: text.into(), data: None, file: None, is_error: true }
    }

    /// A run that goes on without its caller.
    pub fn later(
        run: &str,
        job: Option<&str>,
        state: &str,
        questions: &[(String, String)],
    ) -> Self {
        let mut text = match job {
            Some(job) => format!("The run goes on as the job {job}, its state is {state}."),
            None => format!("The run {run} goes on, its state is {state}."),
        };
        for (id, question) in questions {
            text.push_str(&format!("\nIt waits for an answer to {id}: {question}"));
        }
        text.push_str(match (questions.is_empty(), job) {
            (false, _) => "\nAnswer with approval_approve or approval_reject.",
            (true, Some(_)) => " job_get_result has its result.",
            (true, None) => "",
        });
        Self { text, data: Some(pending(run, job, state)), file: None, is_error: false }
    }

    /// The result of a run that was started.
    pub fn of_live(run: &Live) -> Self {
        match run.outcome() {
            Some(Ok(answer)) => Self::of(answer.value),
            Some(Err(fault)) => Self::of_fault(&fault),
            None => Self::later(run.id().as_str(), run.job_id(), run.word(), &[]),
        }
    }
}

/// What programs get of a run that goes on.
pub fn pending(run: &str, job: Option<&str>, state: &str) -> Value {
    let job = job.map(|it| ("job_id", Value::from(it)));
    let all = [("run_id", run.into()), ("state", state.into())];
    Value::Record(job.into_iter().chain(all).map(|(name, it)| (name.into(), it)).collect())
}

/// A record with the bytes of a file and its media type.
fn file(value: &Value) -> Option<Content> {
    let of = value.as_record()?;
    let text = |name: &str| of.get(name).and_then(Value::as_str).map(str::to_owned);
    let Some(Value::Bytes(bytes)) = of.get("bytes") else { return None };
    let media_type = text("media_type")?;
    let name = text("name").unwrap_or_else(|| "file".to_owned());
    Some(Content { media_type, name, bytes: bytes.to_vec() })
}

/// Why a call failed, with its wrong fields and what to do next. It has no secret of a key.
pub fn fault_text(fault: &Fault) -> String {
    let mut text = fault.message.clone();
    for it in &fault.fields {
        // One wrong field is the message itself.
        if !fault.message.contains(&it.message) {
            text.push_str(&format!("\n{}: {}", it.field, it.message));
        }
    }
    if let Some(help) = &fault.help {
        text.push_str(&format!("\nhelp: {help}"));
    }
    redact(&text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_text_and_an_object() {
        let of = |value: Value| {
            let output = Output::of(value);
            (output.text, output.data.map(|it| json::write(&it)).unwrap_or_default())
        };
        assert_eq!(of("a".into()), ("a".into(), r#"{"result":"a"}"#.into()));
        assert_eq!(of(1.into()), ("1".into(), r#"{"result":1}"#.into()));
        let record = object([("a", 1.into())]);
        assert_eq!(of(record), (r#"{"a":1}"#.into(), r#"{"a":1}"#.into()));
        assert_eq!(of(Value::Null).1, r#"{"result":null}"#);
    }

    #[test]
    fn a_picture_is_content_of_its_own() {
        let record = object([
            ("name", "a.png".into()),
            ("media_type", "image/png".into()),
            ("bytes", Value::Bytes(vec![1, 2].into())),
        ]);
        let output = Output::of(record);
        let file = output.file.unwrap();
        assert_eq!((file.media_type.as_str(), file.bytes.len()), ("image/png", 2));
        assert!(output.text.starts_with("a.png: image/png"), "{}", output.text);
    }

    #[test]
    fn an_error_says_what_to_do() {
        let fault = Fault::field("limit", "expected an int").help("give a number");
        assert_eq!(fault_text(&fault), "limit: expected an int\nhelp: give a number");
    }
}

//! The protocols for vectors of texts.

use serde::{Deserialize, Serialize};
use svc_contract::{host::http::Request, registry::OpError};

use super::{
    failure,
    model::{Model, Provider},
    openai,
    question::body,
};

/// The vectors of a request, in the order of its texts.
#[derive(Debug)]
pub(super) struct Vectors {
    pub(super) vectors: Vec<Vec<f64>>,
    /// The tokens of the texts, as the provider counts them.
    pub(super) tokens: Option<u64>,
}

#[derive(Serialize)]
struct OpenAi<'a> {
    model: &'a str,
    input: &'a [&'a str],
    encoding_format: &'static str,
}

#[derive(Serialize)]
struct Ollama<'a> {
    model: &'a str,
    input: &'a [&'a str],
    /// Otherwise the end of a text that is too long would be ignored in silence.
    truncate: bool,
}

pub(super) fn request(model: &Model, texts: &[&str]) -> Request {
    let (name, input) = (model.name.as_str(), texts);
    match model.provider {
        Provider::Ollama => {
            let body = body(&Ollama { model: name, input, truncate: false });
            Request::post_json(format!("{}/api/embed", model.base), body).configured()
        }
        Provider::OpenAi | Provider::Anthropic => {
            let body = body(&OpenAi { model: name, input, encoding_format: "float" });
            openai::post(model, "embeddings", body)
        }
    }
}

/// Reads the answer to a request for `count` vectors.
pub(super) fn read(model: &Model, body: &[u8], count: usize) -> Result<Vectors, OpError> {
    let wrong = |why: &str| failure::of_protocol(model, why, &String::from_utf8_lossy(body));
    let read = match model.provider {
        Provider::Ollama => of_ollama(body),
        Provider::OpenAi | Provider::Anthropic => of_openai(body),
    };
    let read = read.map_err(|why| wrong(&format!("an answer without vectors ({why})")))?;
    let found = read.vectors.len();
    if found != count {
        return Err(wrong(&format!("{found} vectors for {count} texts")));
    }
    let Some(first) = read.vectors.first().map(Vec::len) else { return Ok(read) };
    if let Some(other) = read.vectors.iter().find(|it| it.len() != first) {
        let found = other.len();
        return Err(wrong(&format!("vectors of {first} and of {found} numbers")));
    }
    if first == 0 {
        return Err(wrong("vectors without numbers"));
    }
    Ok(read)
}

fn of_ollama(body: &[u8]) -> Result<Vectors, String> {
    #[derive(Deserialize)]
    struct Body {
        embeddings: Vec<Vec<f64>>,
        prompt_eval_count: Option<u64>,
    }
    let body: Body = serde_json::from_slice(body).map_err(|it| it.to_string())?;
    Ok(Vectors { vectors: body.embeddings, tokens: body.prompt_eval_count })
}

fn of_openai(body: &[u8]) -> Result<Vectors, String> {
    #[derive(Deserialize)]
    struct Body {
        data: Vec<One>,
        usage: Option<Usage>,
    }
    #[derive(Deserialize)]
    struct One {
        index: usize,
        embedding: Vec<f64>,
    }
    #[derive(Deserialize)]
    struct Usage {
        prompt_tokens: Option<u64>,
        total_tokens: Option<u64>,
    }
    let Body { mut data, usage } = serde_json::from_slice(body).map_err(|it| it.to_string())?;
    data.sort_by_key(|it| it.index);
    if let Some(place) = data.iter().enumerate().position(|(place, it)| it.index != place) {
        return Err(format!("expected the index {place}, found {}", data[place].index));
    }
    let vectors = data.into_iter().map(|it| it.embedding).collect();
    Ok(Vectors { vectors, tokens: usage.and_then(|it| it.prompt_tokens.or(it.total_tokens)) })
}

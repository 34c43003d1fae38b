//! Answers that are compressed for callers that ask for it.

use std::io::Write as _;

use flate2::{Compression, write::GzEncoder};
use http_body_util::{BodyExt as _, Full};
use hyper::{
    HeaderMap,
    body::{Body as _, Bytes},
    header::{self, HeaderValue},
};

use super::{reply::Answer, request::text};

/// Smaller bodies are sent as they are.
const SMALLEST: u64 = 1024;

/// Larger ones are compressed on another thread.
const LARGE: usize = 256 << 10;

/// Whether a caller reads gzip.
pub(super) fn is_wanted(headers: &HeaderMap) -> bool {
    text(headers, header::ACCEPT_ENCODING).is_some_and(|it| names_gzip(&it))
}

fn names_gzip(accept: &str) -> bool {
    accept.split(',').any(|it| {
        let mut parts = it.split(';').map(str::trim);
        let is_gzip = parts.next().is_some_and(|it| it.eq_ignore_ascii_case("gzip"));
        let weight = parts.find_map(|it| it.strip_prefix("q=")?.trim().parse::<f32>().ok());
        is_gzip && weight.is_none_or(|it| it > 0.0)
    })
}

/// The answer with a compressed body, if that is worth it. A stream of events has no size, and is
/// sent as it is.
pub(super) async fn packed(answer: Answer, is_wanted: bool) -> Answer {
    if answer.body().size_hint().exact().is_none_or(|it| it < SMALLEST) {
        return answer;
    }
    let (mut head, body) = answer.into_parts();
    head.headers.append(header::VARY, HeaderValue::from_static("accept-encoding"));
    if !is_wanted {
        return Answer::from_parts(head, body);
    }
    let Ok(collected) = body.collect().await;
    let plain = collected.to_bytes();
    let packed = if plain.len() > LARGE {
        let plain = plain.clone();
        tokio::task::spawn_blocking(move || gzip(&plain)).await.ok().flatten()
    } else {
        gzip(&plain)
    };
    let body = match packed.filter(|it| it.len() < plain.len()) {
        Some(packed) => {
            head.headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            Bytes::from(packed)
        }
        None => plain,
    };
    Answer::from_parts(head, Full::new(body).boxed())
}

fn gzip(plain: &[u8]) -> Option<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(plain).ok()?;
    encoder.finish().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gzip_is_sent_to_those_who_name_it() {
        for accept in ["gzip", "br, GZIP;q=0.5", "deflate, gzip ; q=1"] {
            assert!(names_gzip(accept), "{accept}");
        }
        for accept in ["", "br", "gzip;q=0", "gzip; q=0.0", "gzipped", "*"] {
            assert!(!names_gzip(accept), "{accept}");
        }
    }
}

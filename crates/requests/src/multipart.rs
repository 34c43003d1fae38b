//! Bodies of named parts: `multipart/form-data` (RFC 7578).

use crate::Body;

/// A part of a body.
pub struct Part<'a> {
    pub name: &'a str,
    pub filename: Option<&'a str>,
    pub media_type: Option<&'a str>,
    pub content: Vec<u8>,
}

/// The body of these parts. The same parts make the same body.
pub fn multipart(parts: &[Part<'_>]) -> Body {
    let boundary = boundary(parts);
    let mut content = Vec::new();
    for part in parts {
        let mut head = format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"{}\"",
            quoted(part.name)
        );
        if let Some(filename) = part.filename {
            head.push_str(&format!("; filename=\"{}\"", quoted(filename)));
        }
        if let Some(media_type) = part.media_type {
            head.push_str(&format!("\r\nContent-Type: {media_type}"));
        }
        content.extend_from_slice(head.as_bytes());
        content.extend_from_slice(b"\r\n\r\n");
        content.extend_from_slice(&part.content);
        content.extend_from_slice(b"\r\n");
    }
    content.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
    let media_type = format!("multipart/form-data; boundary={boundary}");
    Body { media_type: Some(media_type.into()), content }
}

/// A line that none of the parts contains.
fn boundary(parts: &[Part<'_>]) -> String {
    let is_in =
        |text: &str, content: &[u8]| content.windows(text.len()).any(|it| it == text.as_bytes());
    let mut number = 0_u32;
    loop {
        let boundary = format!("svc-part-{number:08x}");
        if !parts.iter().any(|it| is_in(&boundary, &it.content)) {
            return boundary;
        }
        number += 1;
    }
}

/// A name between quotation marks, escaped as browsers do (WHATWG, multipart/form-data encoding).
fn quoted(name: &str) -> String {
    name.replace('"', "%22").replace('\r', "%0D").replace('\n', "%0A")
}

#[cfg(test)]
mod tests {
    use super::{Part, multipart};

    fn part<'a>(name: &'a str, filename: Option<&'a str>, content: &[u8]) -> Part<'a> {
        let media_type = filename.map(|_| "text/plain");
        Part { name, filename, media_type, content: content.to_vec() }
    }

    #[test]
    fn parts_have_names_and_files_their_types() {
        let body = multipart(&[part("a", None, b"1"), part("f", Some("x.txt"), b"\xff\r\n")]);
        assert_eq!(body.media_type.unwrap(), "multipart/form-data; boundary=svc-part-00000000");
        let wanted: &[u8] = b"--svc-part-00000000\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n\
            --svc-part-00000000\r\nContent-Disposition: form-data; name=\"f\"; filename=\"x.txt\"\r\n\
            Content-Type: text/plain\r\n\r\n\xff\r\n\r\n--svc-part-00000000--\r\n";
        assert_eq!(body.content, wanted);
    }

    #[test]
    fn nothing_can_end_a_part_early() {
        let body = multipart(&[
            part("a\"\r\nX: y", Some("\"; name=\"b"), b"\r\n--svc-part-00000000--\r\n"),
            part("b", None, b"svc-part-00000001"),
        ]);
        let text = String::from_utf8(body.content).unwrap();
        assert_eq!(text.matches("--svc-part-00000002").count(), 3);
        assert!(text.contains("name=\"a%22%0D%0AX: y\"; filename=\"%22; name=%22b\""), "{text}");
    }
}

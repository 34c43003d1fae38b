//! Addresses of the web (the URL standard of the WHATWG).

use svc_contract::{
    registry::{Example, Op, Scheme, params, record},
    value::Text,
};

use super::super::Keyed;

record! {
    /// A name and a value of a query.
    struct QueryPair {
        /// The name.
        key: Text,
        /// The value; empty if there is none.
        value: Text,
    }
}

record! {
    /// The parts of an address.
    struct Address {
        /// The scheme, such as `https`, in lower case.
        scheme: Text,
        /// The host, if there is one; a name with other letters in its ASCII form.
        host: Option<Text>,
        /// The port, if it is not the usual one of the scheme.
        port: Option<u16>,
        /// The path, percent-encoded.
        path: Text,
        /// The pairs of the query, decoded, in order.
        query: Vec<QueryPair>,
        /// What follows `#`, percent-encoded.
        fragment: Option<Text>,
    }
}

params! {
    /// Takes an address of the web apart.
    ///
    /// The parts are normalised by the URL standard of the WHATWG, as browsers do: `..` in a path is
    /// resolved, and special characters are percent-encoded. A relative address needs a `base`. A
    /// password in the address is not returned. Text that is not an address is an error of kind
    /// `invalid_input`.
    pub(super) struct ParseUrl {
        /// The address.
        url: Text,
        /// The address that a relative one refers to.
        base: Option<Text> = None,
    }
}

impl Op for ParseUrl {
    const NAME: &'static str = "parse_url";
    const YIELDS: Scheme = <Address as svc_contract::registry::Field>::SCHEME;
    const SAYS: &'static [&'static str] = &[
        "host of a url",
        "query parameters of a link",
        "take a web address apart",
        "domain of each link",
        "hostname, port, path and query of a link",
        "which site or domain an address belongs to",
        "split a uri into its components",
        "which site a link goes to",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "The parts",
            r#""HTTPS://Example.com:8080/a/../b?q=x%20y&n=" >> parse_url >> { host: .host, port: .port, path: .path, query: .query }"#,
            r#"{"host":"example.com","port":8080,"path":"/b","query":[{"key":"q","value":"x y"},{"key":"n","value":""}]}"#,
        ),
        Example::ok(
            "A relative address",
            r#"parse_url("../c", "https://a.org/x/y/z").path"#,
            r#""/x/c""#,
        ),
        Example::err("No scheme", r#"parse_url("example.com")"#, "relative URL without a base"),
    ];
}

params! {
    /// Adds a path and pairs of a query to an address of the web.
    ///
    /// The values are percent-encoded. A relative `path` continues the path of the address; one that
    /// starts with `/` replaces it; `..` in it removes the part before. Pairs are appended to the query that is there. An address that is
    /// invalid, or that has no path, such as `mailto:`, is an error of kind `invalid_input`.
    pub(super) struct BuildUrl {
        /// The address.
        base: Text,
        /// The path, with `/` between its parts; not encoded.
        path: Text = "".into(),
        /// A record or JSON object of names and values; null leaves a name out.
        query: Option<Keyed> = None,
    }
}

impl Op for BuildUrl {
    const NAME: &'static str = "build_url";
    const YIELDS: Scheme = Scheme::Text;
    const SAYS: &'static [&'static str] = &[
        "add query parameters to a url",
        "make a link with a search term",
        "percent-encode values for an address",
        "join a path to a base url",
        "append search params to a link",
        "urlencode a value",
        "construct a query string",
        "put a web address together",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A search",
            r#"build_url("https://a.org/v1/", "find me", { q: "x & y", page: 2, lang: null })"#,
            r#""https://a.org/v1/find%20me?q=x+%26+y&page=2""#,
        ),
        Example::err("Not an address", r#"build_url("a b")"#, "invalid URL `a b`"),
    ];
}

#[cfg(feature = "formats")]
mod body {
    use svc_contract::{
        registry::{Field as _, Inline, OpError},
        value::{Value, json},
    };
    use url::Url;

    use super::{super::super::excerpt, Address, BuildUrl, ParseUrl, QueryPair, Text};

    fn parsed(text: &str, base: Option<&str>) -> Result<Url, OpError> {
        let invalid = |text: &str, err: url::ParseError| {
            OpError::invalid_input(format!("invalid URL `{}`: {err}", excerpt(text)))
                .help("write it with its scheme, such as `https://example.com/`")
                .because(err)
        };
        let Some(base) = base else { return Url::parse(text).map_err(|err| invalid(text, err)) };
        let base = Url::parse(base).map_err(|err| invalid(base, err))?;
        base.join(text).map_err(|err| invalid(text, err))
    }

    impl Inline for ParseUrl {
        fn run(self) -> Result<Value, OpError> {
            let url = parsed(&self.url, self.base.as_deref())?;
            let text = |it: &str| Text::from(it);
            let pair = |(key, value): (std::borrow::Cow<'_, str>, std::borrow::Cow<'_, str>)| {
                QueryPair { key: text(&key), value: text(&value) }
            };
            Ok(Address {
                scheme: text(url.scheme()),
                host: url.host_str().map(text),
                port: url.port(),
                path: text(url.path()),
                query: url.query_pairs().map(pair).collect(),
                fragment: url.fragment().map(text),
            }
            .encode())
        }
    }

    impl Inline for BuildUrl {
        fn run(self) -> Result<Value, OpError> {
            let mut url = parsed(&self.base, None)?;
            add_path(&mut url, &self.path)?;
            for (key, value) in self.query.iter().flat_map(|it| it.0.iter()) {
                let text = plain(value).ok_or_else(|| {
                    let kind = value.kind();
                    let message = format!("expected a plain value for `{key}`, found {kind}");
                    OpError::invalid_input(message)
                })?;
                if !value.is_null() {
                    url.query_pairs_mut().append_pair(key, &text);
                }
            }
            Ok(url.as_str().into())
        }
    }

    /// A value as it stands in a query; none for a list or a record.
    fn plain(value: &Value) -> Option<Text> {
        match value {
            Value::Text(text) => Some(text.clone()),
            Value::List(_) | Value::Record(_) => None,
            other => Some(json::write(other).trim_matches('"').into()),
        }
    }

    fn add_path(url: &mut Url, path: &str) -> Result<(), OpError> {
        if path.is_empty() {
            return Ok(());
        }
        let shown = url.to_string();
        let mut parts = url.path_segments_mut().map_err(|()| {
            OpError::invalid_input(format!("`{}` cannot have a path", excerpt(&shown)))
        })?;
        let path = match path.strip_prefix('/') {
            Some(path) => {
                parts.clear();
                path
            }
            None => {
                parts.pop_if_empty();
                path
            }
        };
        let mut rest = path.split('/').peekable();
        while let Some(part) = rest.next() {
            match part {
                ".." => {
                    parts.pop();
                }
                "." => {}
                part => {
                    parts.push(part);
                    continue;
                }
            }
            // Without a name behind it, a folder ends in `/`.
            if rest.peek().is_none() {
                parts.push("");
            }
        }
        Ok(())
    }

    #[cfg(test)]
    mod tests {
        use crate::testing::{fails, gives};

        use super::*;

        #[test]
        fn parts_are_normalised() {
            gives::<ParseUrl>(
                r#"["http://user:secret@BÜCHER.de:80/ä?a=1&a=2#é"]"#,
                r#"{"scheme":"http","host":"xn--bcher-kva.de","port":null,"path":"/%C3%A4","query":[{"key":"a","value":"1"},{"key":"a","value":"2"}],"fragment":"%C3%A9"}"#,
            );
            gives::<ParseUrl>(
                r#"["mailto:ann@a.org"]"#,
                r#"{"scheme":"mailto","host":null,"port":null,"path":"ann@a.org","query":[],"fragment":null}"#,
            );
            for wrong in ["", "http://", "http://a b/", "http://[::1", "//x", "http://a:99999"] {
                assert!(fails::<ParseUrl>(&format!("[{wrong:?}]")).help.is_some(), "{wrong}");
            }
        }

        #[test]
        fn nothing_is_lost() {
            gives::<BuildUrl>(
                r#"["https://a.org/x?a=1#f", "", {"b": "ü"}]"#,
                r#""https://a.org/x?a=1&b=%C3%BC#f""#,
            );
            gives::<BuildUrl>(r#"["https://a.org/x", "y/z"]"#, r#""https://a.org/x/y/z""#);
            for (path, expected) in [
                ("../z", "/x/z"),
                ("a/../z", "/x/y/z"),
                ("./z", "/x/y/z"),
                ("../../../z", "/z"),
                ("/a/../z", "/z"),
                ("..", "/x/"),
                ("z/.", "/x/y/z/"),
                ("z/", "/x/y/z/"),
            ] {
                gives::<BuildUrl>(
                    &format!(r#"["https://a.org/x/y", "{path}"]"#),
                    &format!(r#""https://a.org{expected}""#),
                );
            }
            gives::<BuildUrl>(r#"["https://a.org/x", "/y?#", {}]"#, r#""https://a.org/y%3F%23""#);
            gives::<BuildUrl>(
                r#"["https://a.org", "", {"n": 1.5, "t": true}]"#,
                r#""https://a.org/?n=1.5&t=true""#,
            );
            assert!(
                fails::<BuildUrl>(r#"["mailto:a@b.c", "x"]"#)
                    .message
                    .contains("cannot have a path")
            );
            assert!(
                fails::<BuildUrl>(r#"["https://a.org", "", [1]]"#).message.contains("found list")
            );
            assert!(
                fails::<BuildUrl>(r#"["https://a.org", "", {"x": [1]}]"#).message.contains("`x`")
            );
        }
    }
}

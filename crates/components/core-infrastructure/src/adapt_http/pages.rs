//! `http_pages`: the items of all pages of a list.

use svc_contract::{
    host::address::Address,
    registry::{Cx, Effect, ErrorKind, Example, Generic, Io, Op, OpError, Scheme, Size, params},
    value::{Record, Secret, Text, Value},
};

use super::{
    MAX_SIZE, READS,
    call::{Answer, Auth, Body, Call},
    keyed,
};
use crate::Keyed;

params! {
    /// Reads a list that an HTTP API returns in pages, and returns the items of all pages.
    ///
    /// The next page is the one that the header `Link` names as `rel="next"`; or with `next`, the
    /// address at that path of the answer, such as `paging.next`; or with `page_param`, the one with
    /// the next number, until a page has no items. It ends after `max_pages`, with a notice if there
    /// are more. `http_pages<[T]>` also checks that each item is a `T`.
    ///
    /// Each address is checked like the first one. `auth` and `headers` are not sent to another host
    /// than that of `url`. The errors are those of `request`; an answer that is not a list, or has
    /// none at `items`, is an error of the kind `failed`.
    pub(super) struct Paged {
        /// The address of the first page.
        url: Text,
        /// Fields for the query of the address: a record of strings and numbers; a list stands for
        /// several fields of that name.
        query: Option<Keyed<'Q'>> = None,
        /// The path of the list in an answer, such as `data.items`; by default, the answer is the
        /// list.
        items: Text = "".into(),
        /// The path of the next address in an answer.
        next: Text = "".into(),
        /// The field of the query with the number of the page.
        page_param: Text = "".into(),
        /// The number of the first page, for `page_param`.
        first_page: i64 = 1,
        /// The maximum number of pages to read.
        #[range(1..=10_000)]
        max_pages: i64 = 100,
        /// Headers: a record of strings; `_` in a name stands for `-`.
        headers: Option<Keyed<'H'>> = None,
        /// The secret for authorization.
        auth: Option<Secret> = None,
        /// The header for `auth`.
        auth_header: Text = "Authorization".into(),
        /// The text before the secret in that header.
        auth_prefix: Text = "Bearer ".into(),
        /// The maximum size of all answers together.
        max_size: Size = Size(10 * MAX_SIZE.0),
    }
}

impl Op for Paged {
    const NAME: &'static str = "pages";
    const YIELDS: Scheme = Scheme::Json;
    const GENERIC: Generic = Generic::Tested;
    const EFFECTS: &'static [Effect] = READS;
    const ERRORS: &'static [ErrorKind] = ErrorKind::OF_SERVERS;
    const SAYS: &'static [&'static str] = &[
        "read all pages of an api",
        "follow next links",
        "a paginated list over http",
        "collect every page of results",
        "keep asking until the last page",
        "cursor or offset of a listing endpoint",
        "whole collection from an api in parts",
        "crawl through result pages",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "Next addresses in the answers",
            r#"http_pages<[int]>(url: "https://api.example/items", items: "data", next: "next")"#,
            "[1,2,3]",
        )
        .answered(
            &[],
            &[r#"{"data": [1, 2], "next": "?page=2"}"#, r#"{"data": [3], "next": null}"#],
        ),
        Example::ok(
            "Numbers of pages",
            r#"http_pages<[string]>(url: "https://api.example/items", page_param: "page")"#,
            r#"["a","b"]"#,
        )
        .answered(&[], &[r#"["a"]"#, r#"["b"]"#, "[]"]),
        Example::err(
            "An answer without a list",
            r#"http_pages(url: "https://api.example/items", items: "data")"#,
            "expected a list at `data`",
        )
        .answered(&[], &[r#"{"rows": []}"#]),
    ];
}

impl Io for Paged {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        if !self.next.is_empty() && !self.page_param.is_empty() {
            let message = "both `next` and `page_param` are given";
            return Err(OpError::invalid_input(message).help("keep the one that the API uses"));
        }
        let mut walk = Walk::of(self);
        while let Some(url) = walk.next.take() {
            if walk.is_full() {
                let most = walk.params.max_pages;
                cx.notice(format!("there are more than {most} pages; the rest is left out"));
                break;
            }
            walk.read(cx, &url).await?;
            cx.progress("pages", walk.pages.unsigned_abs(), None);
        }
        Ok(Value::List(walk.found.into()))
    }
}

/// The pages read so far.
struct Walk {
    auth: Auth,
    no_auth: Auth,
    next: Option<String>,
    pages: i64,
    found: Vec<Value>,
    /// The bytes that the next answers may have.
    left: u64,
    params: Paged,
}

impl Walk {
    fn of(mut params: Paged) -> Self {
        let (header, prefix) = (params.auth_header.clone(), params.auth_prefix.clone());
        Self {
            auth: Auth {
                secret: params.auth.take(),
                header: header.clone(),
                prefix: prefix.clone(),
            },
            no_auth: Auth { secret: None, header, prefix },
            next: Some(params.url.as_ref().to_owned()),
            pages: 0,
            found: Vec::new(),
            left: params.max_size.0,
            params,
        }
    }

    fn is_full(&self) -> bool {
        self.pages >= self.params.max_pages
    }

    async fn read(&mut self, cx: &Cx, url: &str) -> Result<(), OpError> {
        let is_own = is_same_host(&self.params.url, url);
        let query = self.query();
        let answer = Call {
            method: "GET",
            url,
            query: query.as_ref(),
            headers: keyed(self.params.headers.as_ref().filter(|_| is_own)),
            auth: if is_own { &self.auth } else { &self.no_auth },
            body: Body::default(),
            check: true,
            max_size: Size(self.left),
        };
        let answer = answer.send(cx).await?;
        self.pages += 1;
        self.left = self.left.saturating_sub(answer.text.len() as u64);
        let body = answer.body()?;
        let items = self.items(&answer, &body)?;
        self.next = self.after(&answer, &body, items.is_empty())?;
        crate::test_list_len(self.found.len().saturating_add(items.len()))?;
        self.found.extend(items);
        Ok(())
    }

    /// The query of the next request. Addresses of later pages have their own.
    fn query(&self) -> Option<Record> {
        let own = keyed(self.params.query.as_ref());
        if self.params.page_param.is_empty() {
            return own.filter(|_| self.pages == 0).cloned();
        }
        let own = own.into_iter().flat_map(Record::iter);
        let mut fields: Vec<(Text, Value)> =
            own.map(|(name, it)| (name.clone(), it.clone())).collect();
        fields.retain(|(name, _)| *name != self.params.page_param);
        let number = self.params.first_page.saturating_add(self.pages);
        fields.push((self.params.page_param.clone(), number.into()));
        let (names, values): (Vec<Text>, Vec<Value>) = fields.into_iter().unzip();
        Some(Record::new(names.into(), values))
    }

    fn items(&self, answer: &Answer, body: &Value) -> Result<Vec<Value>, OpError> {
        let path = &self.params.items;
        match at(body, path) {
            Some(Value::List(items)) => Ok(items.into_vec()),
            found => {
                let place = if path.is_empty() { String::new() } else { format!(" at `{path}`") };
                let found = found.map_or("nothing".to_owned(), |it| it.kind().to_string());
                let message = format!(
                    "expected a list{place} in the answer of `{}`, found {found}",
                    answer.url
                );
                Err(OpError::failed(message).help("name the path of the list with `items`"))
            }
        }
    }

    /// The address of the page after this one.
    fn after(
        &self,
        answer: &Answer,
        body: &Value,
        is_empty: bool,
    ) -> Result<Option<String>, OpError> {
        if !self.params.page_param.is_empty() {
            return Ok((!is_empty).then(|| self.params.url.as_ref().to_owned()));
        }
        let reference = if self.params.next.is_empty() {
            answer.header("link").and_then(next_link).map(str::to_owned)
        } else {
            let found = at(body, &self.params.next);
            found.as_ref().and_then(Value::as_str).filter(|it| !it.is_empty()).map(str::to_owned)
        };
        let Some(reference) = reference else { return Ok(None) };
        let joined = Address::read(&answer.url).and_then(|it| it.join(&reference));
        let next = joined.map(|it| it.to_string()).map_err(|why| {
            let message = format!("`{}` names `{reference}` as the next page: {why}", answer.url);
            OpError::failed(message)
        })?;
        // A page that is its own successor would be read until the bound.
        Ok(Some(next).filter(|it| *it != answer.url))
    }
}

fn at(value: &Value, path: &str) -> Option<Value> {
    if path.is_empty() { Some(value.clone()) } else { value_at(value, path) }
}

fn value_at(value: &Value, path: &str) -> Option<Value> {
    path.split('.').try_fold(value.clone(), |it, name| it.as_record()?.get(name).cloned())
}

fn is_same_host(first: &str, other: &str) -> bool {
    let read = |it: &str| Address::read(it).ok();
    read(first).zip(read(other)).is_some_and(|(first, other)| !first.is_elsewhere(&other))
}

/// The target of `rel="next"` in a header `Link` (RFC 8288).
fn next_link(header: &str) -> Option<&str> {
    header.split('<').skip(1).find_map(|link| {
        let (target, params) = link.split_once('>')?;
        let mut params = params.split([';', ',']).map(str::trim);
        let is_next = |it: &str| {
            let rel = it.strip_prefix("rel=")?.trim_matches('"').to_ascii_lowercase();
            rel.split(' ').any(|it| it == "next").then_some(())
        };
        params.find_map(is_next).map(|()| target)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_link_is_found_among_others() {
        for (header, wanted) in [
            (
                r#"<https://a/?p=2>; rel="next", <https://a/?p=9>; rel="last""#,
                Some("https://a/?p=2"),
            ),
            (
                r#"<https://a/?p=1>; rel="prev", </x?a=1,2>; title="t"; rel="next""#,
                Some("/x?a=1,2"),
            ),
            ("<b>; rel=next", Some("b")),
            (r#"<b>; rel="last next""#, Some("b")),
            (r#"<b>; rel="nextish""#, None),
            ("", None),
            ("next", None),
        ] {
            assert_eq!(next_link(header), wanted, "{header}");
        }
    }
}

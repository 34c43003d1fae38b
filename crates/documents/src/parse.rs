//! Parses an HTML page with html5ever within limits.
//!
//! For many tags, the standard requires a tree builder to search all open elements, and to reopen
//! all formatting in each paragraph, so a page of a few bytes can take any time and produce a tree
//! of any size. Therefore the page is passed on tag by tag, and before each tag the cost of the
//! tree so far is checked: its steps may grow with the page, but not with its square. A page that
//! exceeds this counts as damaged, on every machine.

use std::{
    cell::Cell,
    fmt,
    time::{Duration, Instant},
};

use html5ever::{
    LocalName, TokenizerResult,
    buffer_queue::BufferQueue,
    local_name,
    tendril::StrTendril,
    tokenizer::{Tag, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts},
    tree_builder::{TreeBuilder, TreeBuilderOpts, TreeSink},
};

use super::{
    tags::{Outcome, Tags},
    tree::{Building, Id, Tree},
};

/// The maximum number of elements and pieces of text of a page.
const MOST_NODES: usize = 2_000_000;

/// The maximum number of attributes of a tag.
const MOST_ATTRIBUTES: usize = 2_000;

/// The maximum number of steps of any page, and per byte that was read: a typical web page takes
/// less than ten per byte.
const STEPS: u64 = 1 << 20;
const STEPS_PER_BYTE: u64 = 24;

/// The time limit of a page. The largest page takes a second.
const TIME: Duration = Duration::from_secs(20);

/// The maximum number of bytes that are passed on at once.
const PIECE: usize = 4 << 10;

/// Why the parser stopped before the end of a page.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Stopped {
    Nodes,
    Attributes,
    Steps,
    Time,
    /// The caller no longer needs the page.
    Unwanted,
}

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nodes => write!(f, "it has more than {MOST_NODES} elements and texts"),
            Self::Attributes => write!(f, "a tag has more than {MOST_ATTRIBUTES} attributes"),
            Self::Steps => f.write_str("its elements are nested too deeply, or overlap too often"),
            Self::Time => write!(f, "reading it takes longer than {}s", TIME.as_secs()),
            Self::Unwanted => f.write_str("reading it was cancelled"),
        }
    }
}

/// Parses a page within the limits.
pub(super) fn parse(html: &str, is_stopped: &dyn Fn() -> bool) -> Result<Tree, Stopped> {
    let started = Instant::now();
    let tokens = Tokens::new();
    let tokenizer = Tokenizer::new(tokens, TokenizerOpts::default());
    let (mut tags, input) = (Tags::default(), BufferQueue::default());
    let mut rest = html;
    while !rest.is_empty() {
        let building = tokenizer.sink.building();
        if building.len() > MOST_NODES {
            return Err(Stopped::Nodes);
        }
        let read = (html.len() - rest.len()) as u64;
        if building.steps() > STEPS + STEPS_PER_BYTE * read {
            return Err(Stopped::Steps);
        }
        if started.elapsed() > TIME {
            return Err(Stopped::Time);
        }
        if is_stopped() {
            return Err(Stopped::Unwanted);
        }
        let (piece, after) = rest.split_at(piece(rest));
        input.push_back(StrTendril::from_slice(piece));
        // Scripts are not run, so there is nothing to wait for.
        while !matches!(tokenizer.feed(&input), TokenizerResult::Done) {}
        if tags.follow(piece, tokenizer.sink.outcome()) > MOST_ATTRIBUTES {
            return Err(Stopped::Attributes);
        }
        rest = after;
    }
    tokenizer.end();
    Ok(tokenizer.sink.builder.sink.finish())
}

/// The end of the next piece: the next `<`, so that a piece contains at most one tag and the text
/// after it.
fn piece(rest: &str) -> usize {
    let most = rest.ceil_char_boundary(PIECE);
    let next = rest.as_bytes()[1..most].iter().position(|it| *it == b'<');
    next.map_or(most, |it| it + 1)
}

/// Passes tokens on to html5ever's tree builder, without those that are not needed.
struct Tokens {
    builder: TreeBuilder<Id, Building>,
    has_shown: Cell<bool>,
    is_raw: Cell<bool>,
}

impl Tokens {
    fn new() -> Self {
        let builder = TreeBuilder::new(Building::new(), TreeBuilderOpts::default());
        Self { builder, has_shown: Cell::default(), is_raw: Cell::default() }
    }

    fn building(&self) -> &Building {
        &self.builder.sink
    }

    /// The output since the previous call.
    fn outcome(&self) -> Outcome {
        Outcome { shown: self.has_shown.take(), is_raw: self.is_raw.get() }
    }
}

impl TokenSink for Tokens {
    type Handle = Id;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<Id> {
        let is_tag = matches!(token, Token::TagToken(_));
        let token = match token {
            Token::ParseError(_) => return TokenSinkResult::Continue,
            Token::TagToken(tag) => Token::TagToken(without_attributes(tag)),
            other => other,
        };
        self.has_shown.set(true);
        let result = self.builder.process_token(token, line);
        if is_tag {
            let is_raw = matches!(result, TokenSinkResult::RawData(_) | TokenSinkResult::Plaintext);
            self.is_raw.set(is_raw);
        }
        result
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

/// Keeps only the attributes that affect where an element is placed or whether it is visible.
/// Formatting elements that differ only in other attributes become equal, and the standard reopens
/// at most three equal ones.
fn without_attributes(mut tag: Tag) -> Tag {
    tag.attrs.retain_mut(|it| {
        let kept = kept(&tag.name, &it.name.local, &it.value);
        if kept == Kept::Name {
            it.value.clear();
        }
        kept != Kept::Nothing
    });
    tag
}

/// The part of an attribute that is needed.
#[derive(PartialEq, Eq)]
enum Kept {
    Nothing,
    Name,
    All,
}

fn kept(element: &LocalName, attribute: &LocalName, value: &str) -> Kept {
    match *attribute {
        // The language of code.
        local_name!("class") if *element == local_name!("code") && value.starts_with("lang") => {
            Kept::All
        }
        local_name!("hidden") => Kept::Name,
        // Inside a picture, a `font` with these attributes ends the picture.
        local_name!("color") | local_name!("face") | local_name!("size")
            if *element == local_name!("font") =>
        {
            Kept::Name
        }
        _ if FORMATTING.contains(&&**element) => Kept::Nothing,
        _ if READ.contains(&&**attribute) => Kept::All,
        _ => Kept::Nothing,
    }
}

/// Elements that the standard reopens in the next paragraph, once for each set of attributes. An
/// `a` is also one, but closes the one before it.
const FORMATTING: &[&str] =
    &["b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u"];

/// Attributes that say what an element is.
const READ: &[&str] = &[
    "alt",
    "aria-hidden",
    "checked",
    "class",
    "colspan",
    "content",
    "datetime",
    "encoding",
    "href",
    "id",
    "itemprop",
    "itemtype",
    "lang",
    "name",
    "property",
    "rel",
    "role",
    "rowspan",
    "src",
    "start",
    "style",
    "title",
    "type",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn of(html: &str) -> Result<usize, Stopped> {
        parse(html, &|| false).map(|it| it.ids().len())
    }

    fn numbered(count: usize, each: impl Fn(usize) -> String) -> String {
        (0..count).map(each).collect()
    }

    /// Elements that are open at the end of a page affect everything that follows.
    #[test]
    fn what_a_tree_costs_grows_with_its_page() {
        const LEN: usize = 64 << 10;
        let open_then = |open: &str, then: &str| {
            [open.repeat(LEN / 2 / open.len()), then.repeat(LEN / 2 / then.len())].concat()
        };
        for page in [
            open_then("<div></x>", "<p></p>"),
            open_then("<optgroup>", "<p></p>"),
            open_then("<rt>", "<li>"),
            open_then("<svg><g>", "</q>"),
            open_then("<span>", "</p>"),
            open_then("<a><div>", "</a>"),
            open_then("<b><i><div>", "</b></i>"),
            format!("<form>{}", "<span><input>".repeat(LEN / 13)),
        ] {
            assert_eq!(of(&page), Err(Stopped::Steps), "{}", &page[..40]);
        }
    }

    #[test]
    fn formatting_that_differs_in_attributes_is_the_same() {
        let open = numbered(900, |it| format!("<b x{it} hidden={it}><font size={it}>"));
        let nodes = of(&format!("<p>{open}{}", "<p>x".repeat(1_000))).unwrap();
        assert!((3_000..15_000).contains(&nodes), "{nodes}");
    }

    #[test]
    fn a_page_of_the_web_takes_few_steps() {
        let words = "<p class=\"a b\">Some words in a <a href='/x'>paragraph</a>, <b>bold</b>.</p>";
        let open: String = "<div class='box'>".repeat(60);
        let table = "<table><tr><td>1</td><td><span>2</span></td></tr></table>".repeat(2_000);
        let page = format!("{open}{}{table}", words.repeat(5_000));
        assert!(of(&page).is_ok_and(|it| it > 50_000));
    }

    #[test]
    fn attributes_are_counted_before_they_are_compared() {
        let many = numbered(MOST_ATTRIBUTES + PIECE, |it| format!(" a{it}"));
        for begin in ["<p", "</p", "<<p x='<y z=\"'", "<!--<p a='--><p", "<title></title"] {
            assert_eq!(of(&format!("{begin}{many}>")), Err(Stopped::Attributes), "{begin}");
        }
        let some = numbered(MOST_ATTRIBUTES, |it| format!(" a{it}"));
        for page in [
            format!("<p{some}>"),
            format!("x <!-- <p{many} --> y"),
            format!("<script>a<b {many}</script>"),
            format!("<p title='{many}'>"),
            format!("<title><b{many}</title>"),
        ] {
            assert!(of(&page).is_ok(), "{}", &page[..20]);
        }
    }

    #[test]
    fn a_page_that_is_no_longer_wanted_is_not_read() {
        assert_eq!(parse("<p>x", &|| true).err(), Some(Stopped::Unwanted));
    }
}

//! Text to query.

use svc_contract::value::{Text, Value};

use super::{Compare, Logic, Operand, Pattern, Query, Segment, Selector, pattern};

/// The most levels of filters and parentheses inside each other.
const DEEPEST: usize = 64;

/// Whole numbers that every JSON reader has.
const WIDEST: i64 = (1 << 53) - 1;

/// Why a text is not a query, and where.
#[derive(Debug)]
pub(in super::super) struct BadQuery {
    pub why: String,
    pub offset: usize,
}

type Parsed<T> = Result<T, BadQuery>;

/// Parses a query, which starts with `$`.
pub(in super::super) fn parse(text: &str) -> Parsed<Query> {
    let mut parser = Parser { text, at: 0, depth: 0 };
    if !parser.eats("$") {
        return parser.fail("expected `$`, which is the whole value");
    }
    let query = parser.segments(true)?;
    match parser.rest() {
        "" => Ok(query),
        _ => parser.fail("expected `.`, `..` or `[`"),
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

/// What a function takes or returns, as RFC 9535 calls it.
enum Item {
    Value(Operand),
    Nodes(Query),
    Logic(Logic),
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn fail<T>(&self, why: impl Into<String>) -> Parsed<T> {
        Err(BadQuery { why: why.into(), offset: self.at })
    }

    fn eats(&mut self, token: &str) -> bool {
        let is_there = self.rest().starts_with(token);
        if is_there {
            self.at += token.len();
        }
        is_there
    }

    fn expect(&mut self, token: &str) -> Parsed<()> {
        if self.eats(token) { Ok(()) } else { self.fail(format!("expected `{token}`")) }
    }

    fn space(&mut self) {
        let blank = |it: char| matches!(it, ' ' | '\t' | '\n' | '\r');
        self.at += self.rest().len() - self.rest().trim_start_matches(blank).len();
    }

    fn deeper<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth == DEEPEST {
            return self.fail(format!("too many levels of nesting (limit {DEEPEST})"));
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    fn segments(&mut self, from_root: bool) -> Parsed<Query> {
        let mut segments = Vec::new();
        loop {
            let start = self.at;
            self.space();
            let descends = self.eats("..");
            let selectors = if self.eats("[") {
                self.selectors()?
            } else if descends || self.eats(".") {
                vec![if self.eats("*") {
                    Selector::Wildcard
                } else {
                    Selector::Name(self.short()?)
                }]
            } else {
                // Space at the end belongs to what comes next.
                self.at = start;
                return Ok(Query { from_root, segments });
            };
            segments.push(Segment { descends, selectors });
        }
    }

    /// A name after a dot.
    fn short(&mut self) -> Parsed<Text> {
        let starts = |it: char| it.is_ascii_alphabetic() || it == '_' || !it.is_ascii();
        let rest = self.rest();
        if !rest.starts_with(starts) {
            return self.fail("expected a name or `*`");
        }
        let len = rest.find(|it: char| !starts(it) && !it.is_ascii_digit()).unwrap_or(rest.len());
        self.at += len;
        Ok(rest[..len].into())
    }

    fn selectors(&mut self) -> Parsed<Vec<Selector>> {
        let mut all = Vec::new();
        loop {
            self.space();
            all.push(self.selector()?);
            self.space();
            if self.eats("]") {
                return Ok(all);
            }
            if !self.eats(",") {
                return self.fail("expected `,` or `]`");
            }
        }
    }

    fn selector(&mut self) -> Parsed<Selector> {
        match self.peek() {
            Some('\'' | '"') => Ok(Selector::Name(self.string()?)),
            Some('*') => {
                self.at += 1;
                Ok(Selector::Wildcard)
            }
            Some('?') => {
                self.at += 1;
                self.space();
                Ok(Selector::Filter(self.deeper(Self::any)?))
            }
            Some('-' | ':' | '0'..='9') => self.index(),
            _ => self.fail("expected a name in quotes, an index, a slice, `*` or `?`"),
        }
    }

    fn index(&mut self) -> Parsed<Selector> {
        let start = if self.peek() == Some(':') { None } else { Some(self.int()?) };
        let before = self.at;
        self.space();
        if !self.eats(":") {
            self.at = before;
            return Ok(Selector::Index(start.unwrap_or(0)));
        }
        let mut part = || -> Parsed<Option<i64>> {
            self.space();
            let has_number = matches!(self.peek(), Some('-' | '0'..='9'));
            let number = if has_number { Some(self.int()?) } else { None };
            self.space();
            Ok(number)
        };
        let end = part()?;
        let step = if self.eats(":") {
            self.space();
            let has_number = matches!(self.peek(), Some('-' | '0'..='9'));
            if has_number { self.int()? } else { 1 }
        } else {
            1
        };
        Ok(Selector::Slice { start, end, step })
    }

    fn int(&mut self) -> Parsed<i64> {
        let rest = self.rest();
        let digits = rest.strip_prefix('-').unwrap_or(rest);
        let sign = rest.len() - digits.len();
        let len = digits.find(|it: char| !it.is_ascii_digit()).unwrap_or(digits.len());
        let is_plain = len > 0 && (len == 1 || !digits.starts_with('0'));
        let text = &rest[..sign + len];
        let number = text.parse::<i64>().ok().filter(|it| it.abs() <= WIDEST);
        match number.filter(|_| is_plain && text != "-0") {
            Some(number) => {
                self.at += text.len();
                Ok(number)
            }
            None => self.fail("expected a whole number without leading zeros, up to 2^53 - 1"),
        }
    }

    fn string(&mut self) -> Parsed<Text> {
        let quote = self.peek().unwrap_or('"');
        self.at += 1;
        let mut out = String::new();
        loop {
            let Some(letter) = self.peek() else { return self.fail("the string is not closed") };
            match letter {
                it if it == quote => {
                    self.at += 1;
                    return Ok(out.into());
                }
                '\\' => {
                    self.at += 1;
                    out.push(self.escape(quote)?);
                }
                it if it < ' ' => return self.fail("a string cannot contain control characters"),
                it => {
                    self.at += it.len_utf8();
                    out.push(it);
                }
            }
        }
    }

    fn escape(&mut self, quote: char) -> Parsed<char> {
        let letter = match self.peek() {
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some(it @ ('/' | '\\')) => it,
            Some(it) if it == quote => it,
            Some('u') => {
                self.at += 1;
                return self.unicode();
            }
            _ => return self.fail("unknown escape in a string"),
        };
        self.at += 1;
        Ok(letter)
    }

    fn unicode(&mut self) -> Parsed<char> {
        let high = self.hex()?;
        let code = match high {
            0xD800..=0xDBFF if self.eats("\\u") => {
                let low = self.hex()?;
                if !(0xDC00..=0xDFFF).contains(&low) {
                    return self.fail("expected the second half of a surrogate pair");
                }
                0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00)
            }
            it => it,
        };
        char::from_u32(code).map_or_else(|| self.fail("a surrogate without its other half"), Ok)
    }

    fn hex(&mut self) -> Parsed<u32> {
        let digits = self.rest().get(..4).filter(|it| it.bytes().all(|it| it.is_ascii_hexdigit()));
        match digits.and_then(|it| u32::from_str_radix(it, 16).ok()) {
            Some(code) => {
                self.at += 4;
                Ok(code)
            }
            None => self.fail("expected four hex digits"),
        }
    }

    fn any(&mut self) -> Parsed<Logic> {
        let mut all = vec![self.all()?];
        loop {
            self.space();
            if !self.eats("||") {
                return Ok(if all.len() == 1 { all.remove(0) } else { Logic::Any(all) });
            }
            self.space();
            all.push(self.all()?);
        }
    }

    fn all(&mut self) -> Parsed<Logic> {
        let mut all = vec![self.basic()?];
        loop {
            self.space();
            if !self.eats("&&") {
                return Ok(if all.len() == 1 { all.remove(0) } else { Logic::All(all) });
            }
            self.space();
            all.push(self.basic()?);
        }
    }

    fn basic(&mut self) -> Parsed<Logic> {
        if self.eats("!") {
            self.space();
            let negated = if self.peek() == Some('(') { self.group()? } else { self.test()? };
            return Ok(Logic::Not(Box::new(negated)));
        }
        if self.peek() == Some('(') {
            return self.group();
        }
        let start = self.at;
        let left = self.item()?;
        self.space();
        let Some(compare) = self.comparison() else { return self.tested(left, start) };
        let left = self.comparable(left, start)?;
        self.space();
        let start = self.at;
        let right = self.item()?;
        Ok(Logic::Compare(left, compare, self.comparable(right, start)?))
    }

    fn group(&mut self) -> Parsed<Logic> {
        self.at += 1;
        self.space();
        let inner = self.deeper(Self::any)?;
        self.space();
        self.expect(")")?;
        Ok(inner)
    }

    fn test(&mut self) -> Parsed<Logic> {
        let start = self.at;
        let item = self.item()?;
        self.tested(item, start)
    }

    fn tested(&mut self, item: Item, start: usize) -> Parsed<Logic> {
        match item {
            Item::Logic(logic) => Ok(logic),
            Item::Nodes(query) => Ok(Logic::Exists(query)),
            Item::Value(_) => {
                self.at = start;
                self.fail("expected a comparison: a value alone is neither true nor false")
            }
        }
    }

    fn comparison(&mut self) -> Option<Compare> {
        let all = [
            ("==", Compare::Equal),
            ("!=", Compare::NotEqual),
            ("<=", Compare::AtMost),
            (">=", Compare::AtLeast),
            ("<", Compare::Less),
            (">", Compare::Greater),
        ];
        all.into_iter().find(|(token, _)| self.eats(token)).map(|(_, it)| it)
    }

    fn comparable(&mut self, item: Item, start: usize) -> Parsed<Operand> {
        match item {
            Item::Value(operand) => Ok(operand),
            Item::Nodes(query) if query.is_single() => Ok(Operand::One(query)),
            Item::Nodes(_) => {
                self.at = start;
                self.fail("a query in a comparison must have at most one result")
            }
            Item::Logic(_) => {
                self.at = start;
                self.fail("the result of this function cannot be compared")
            }
        }
    }

    /// A literal, a query or a call.
    fn item(&mut self) -> Parsed<Item> {
        match self.peek() {
            Some('$') => {
                self.at += 1;
                self.segments(true).map(Item::Nodes)
            }
            Some('@') => {
                self.at += 1;
                self.segments(false).map(Item::Nodes)
            }
            Some('\'' | '"') => Ok(Item::Value(Operand::Literal(Value::Text(self.string()?)))),
            Some('-' | '0'..='9') => self.number().map(|it| Item::Value(Operand::Literal(it))),
            Some('a'..='z') => self.word(),
            _ => self.fail("expected `@`, `$`, a value or a function"),
        }
    }

    fn number(&mut self) -> Parsed<Value> {
        let rest = self.rest();
        let digits = |from: usize| {
            let tail = &rest[from..];
            from + tail.find(|it: char| !it.is_ascii_digit()).unwrap_or(tail.len())
        };
        let start = usize::from(rest.starts_with('-'));
        let mut end = digits(start);
        let is_plain = end > start && (end == start + 1 || !rest[start..].starts_with('0'));
        let whole = end;
        if rest[end..].starts_with('.') {
            let after = digits(end + 1);
            if after == end + 1 {
                return self.fail("expected a digit after the dot");
            }
            end = after;
        }
        if rest[end..].starts_with(['e', 'E']) {
            let sign = end + 1 + usize::from(rest[end + 1..].starts_with(['+', '-']));
            let after = digits(sign);
            if after == sign {
                return self.fail("expected a digit in the exponent");
            }
            end = after;
        }
        let text = &rest[..end];
        let int = text.parse::<i64>().ok().filter(|_| end == whole);
        let number = match int {
            Some(it) => Some(Value::Int(it)),
            None => text.parse::<f64>().ok().filter(|it| it.is_finite()).map(Value::Float),
        };
        match number.filter(|_| is_plain) {
            Some(number) => {
                self.at += end;
                Ok(number)
            }
            None => self.fail("invalid number"),
        }
    }

    fn word(&mut self) -> Parsed<Item> {
        let rest = self.rest();
        let is_part = |it: char| it.is_ascii_lowercase() || it.is_ascii_digit() || it == '_';
        let len = rest.find(|it| !is_part(it)).unwrap_or(rest.len());
        let name = &rest[..len];
        if rest[len..].starts_with('(') {
            let start = self.at;
            self.at += len + 1;
            return self.deeper(|it| it.call(name, start));
        }
        let value = match name {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            "null" => Value::Null,
            _ => return self.fail(format!("unknown word `{name}`")),
        };
        self.at += len;
        Ok(Item::Value(Operand::Literal(value)))
    }

    fn call(&mut self, name: &str, start: usize) -> Parsed<Item> {
        let mut args = Vec::new();
        self.space();
        while !self.eats(")") {
            if !args.is_empty() {
                self.expect(",")?;
                self.space();
            }
            let at = self.at;
            args.push((self.argument()?, at));
            self.space();
        }
        let mut args = args.into_iter();
        let call = match (name, args.next(), args.next(), args.next()) {
            ("length", Some((it, at)), None, None) => {
                Item::Value(Operand::Length(Box::new(self.comparable(it, at)?)))
            }
            ("count", Some((Item::Nodes(it), _)), None, None) => Item::Value(Operand::Count(it)),
            ("value", Some((Item::Nodes(it), _)), None, None) => Item::Value(Operand::Value(it)),
            ("match" | "search", Some((text, at)), Some((pattern, then)), None) => {
                let text = self.comparable(text, at)?;
                let pattern = self.comparable(pattern, then)?;
                Item::Logic(matches(text, pattern, name == "match"))
            }
            _ => {
                self.at = start;
                let known = "`length(value)`, `count(query)`, `value(query)`, \
                    `match(value, pattern)` or `search(value, pattern)`";
                return self.fail(format!("expected {known}"));
            }
        };
        Ok(call)
    }

    /// An argument of a function; none of them takes a logical one.
    fn argument(&mut self) -> Parsed<Item> {
        let item = self.item()?;
        Ok(item)
    }
}

fn matches(text: Operand, given: Operand, is_whole: bool) -> Logic {
    let pattern = match given {
        Operand::Literal(it) => Pattern::Fixed(it.as_str().and_then(|it| pattern(it, is_whole))),
        other => Pattern::Computed(other),
    };
    Logic::Matches { text, pattern, is_whole }
}

impl Query {
    fn is_single(&self) -> bool {
        self.segments.iter().all(|it| {
            !it.descends && matches!(it.selectors[..], [Selector::Name(_) | Selector::Index(_)])
        })
    }
}

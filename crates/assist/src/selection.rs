//! Ever larger parts of a script around a place.

use svc_lang::{
    check::Facts,
    diag::Span,
    syntax::{
        regions,
        token::{TokenKind, lex},
    },
};

/// The parts of a script that can be selected.
pub struct Parts<'a> {
    text: &'a str,
    all: Vec<Span>,
}

impl<'a> Parts<'a> {
    /// Brackets count with and without what they hold, so they work in a script with errors, too.
    pub fn new(text: &'a str, facts: &Facts) -> Self {
        let mut all = tokens(text);
        all.extend(facts.nodes.iter().map(|it| it.span));
        all.extend(facts.mentions.iter().map(|it| it.span));
        all.extend(regions(text));
        all.push(Span::new(0, text.len()));
        Self { text, all }
    }

    /// The parts around a place, the smallest first: each is inside the next one.
    pub fn around(&self, at: usize) -> Vec<Span> {
        let at = self.text.floor_char_boundary(at);
        let holds = |it: &Span| it.start <= at && at <= it.end && it.start < it.end;
        let all = self.all.iter().copied().chain(line(self.text, at));
        let mut parts: Vec<Span> = all.filter(holds).collect();
        parts.sort_by_key(|it| (it.end - it.start, it.start));
        parts.dedup();
        nested(parts)
    }
}

/// Leaves out what is not around everything smaller.
fn nested(parts: Vec<Span>) -> Vec<Span> {
    let mut kept: Vec<Span> = Vec::new();
    for part in parts {
        let holds = |it: &Span| part.start <= it.start && it.end <= part.end;
        if kept.last().is_none_or(holds) {
            kept.push(part);
        }
    }
    kept
}

/// Words, the texts of strings, and what brackets hold.
fn tokens(text: &str) -> Vec<Span> {
    let (mut open, mut parts) = (Vec::new(), Vec::new());
    for token in lex(text).tokens {
        match token.kind {
            TokenKind::Open(_) | TokenKind::TextOpen => open.push(token.span),
            TokenKind::Close(_) | TokenKind::TextClose => {
                let Some(start) = open.pop() else { continue };
                parts.extend([start.to(token.span), Span::new(start.end, token.span.start)]);
            }
            TokenKind::Text => {
                let inner = token.span.end.saturating_sub(1).max(token.span.start + 1);
                parts.extend([token.span, Span::new(token.span.start + 1, inner)]);
            }
            _ => parts.push(token.span),
        }
    }
    // What begins with a space is selected without it.
    let trimmed = |it: Span| {
        let Some(inner) = text.get(it.range()) else { return it };
        let start = it.start + (inner.len() - inner.trim_start().len());
        Span::new(start, (start + inner.trim().len()).max(start))
    };
    parts.into_iter().map(trimmed).collect()
}

/// The line at a place without its indentation.
fn line(text: &str, at: usize) -> Option<Span> {
    let start = text[..at].rfind('\n').map_or(0, |it| it + 1);
    let end = text[at..].find('\n').map_or(text.len(), |it| at + it);
    let line = &text[start..end];
    let start = start + (line.len() - line.trim_start().len());
    (start < end).then(|| Span::new(start, start + line.trim().len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_is_inside_the_next_one() {
        let text = "let a = [1, (2 + 30)]\n\"é\" >> up(x: \"y z\")";
        let all = Parts::new(text, &Facts::default());
        for at in 0..=text.len() {
            let parts = all.around(at);
            assert_eq!(parts.last(), Some(&Span::new(0, text.len())));
            for pair in parts.windows(2) {
                assert!(pair[1].start <= pair[0].start && pair[0].end <= pair[1].end, "{pair:?}");
                assert_ne!(pair[0], pair[1]);
            }
        }
        let shown =
            |at: usize| all.around(at).into_iter().map(|it| &text[it.range()]).collect::<Vec<_>>();
        let at = text.find("30").unwrap();
        assert_eq!(shown(at)[..4], ["30", "2 + 30", "(2 + 30)", "1, (2 + 30)"]);
        let at = text.find("y z").unwrap();
        assert_eq!(shown(at)[..3], ["y z", "\"y z\"", "x: \"y z\""]);
    }
}

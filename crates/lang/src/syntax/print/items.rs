//! Brackets with comma-separated items: arguments, lists, records, branches, arms, bounds.

use super::{
    Printer, Read,
    doc::{Doc, Fold},
};

/// A kind of bracket with items in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Brackets {
    open: &'static str,
    close: &'static str,
    /// Whether there is a space inside the brackets.
    wide: bool,
    /// Whether the last item may span several lines while the brackets stay on one.
    hugs: bool,
}

impl Brackets {
    pub(super) const ROUND: Self = Self { open: "(", close: ")", wide: false, hugs: true };
    pub(super) const SQUARE: Self = Self { open: "[", close: "]", wide: false, hugs: true };
    pub(super) const CURLY: Self = Self { open: "{", close: "}", wide: true, hugs: false };

    fn line<'a>(self) -> Doc<'a> {
        if self.wide { Doc::line() } else { Doc::soft_line() }
    }
}

/// The indentation inside brackets, and of continued lines.
pub(super) const STEP: usize = 2;

impl<'a> Printer<'a> {
    /// Items in brackets, with a comma after the last one if each is on its own line.
    pub(super) fn items<'p>(
        &mut self,
        brackets: Brackets,
        items: impl IntoIterator<Item = Read<'p>>,
        print: fn(&mut Self, Read<'p>) -> Doc<'a>,
    ) -> Doc<'a> {
        let (all, fold) = self.ungrouped_items(brackets, items, print);
        all.group(fold)
    }

    /// Like [`Self::items`], but not yet a group, so that it breaks with the text around it.
    pub(super) fn ungrouped_items<'p>(
        &mut self,
        brackets: Brackets,
        items: impl IntoIterator<Item = Read<'p>>,
        print: fn(&mut Self, Read<'p>) -> Doc<'a>,
    ) -> (Doc<'a>, Fold) {
        let open = self.tokens.open(brackets.open);
        let author = self.tokens.breaks_here();
        let mut inner: Vec<Doc<'a>> = Vec::new();
        let mut broken = Vec::new();
        let mut torn = false;
        for item in items {
            if !broken.is_empty() {
                inner.push(self.tokens.comma());
            }
            let item = print(self, item);
            broken.push(item.is_broken());
            torn |= item.is_torn();
            inner.push(item);
        }
        if broken.is_empty() {
            let comments = self.tokens.closing_comments().nest(STEP);
            let close = self.sign(brackets.close);
            return (Doc::seq(vec![open, comments, Doc::soft_line(), close]), Fold::Strict);
        }
        inner.extend([self.tokens.last_comma(), self.tokens.closing_comments()]);
        inner.insert(0, brackets.line());
        let body = Doc::seq(inner).nest(STEP);
        let close = self.sign(brackets.close);
        let all = Doc::seq(vec![open, body, brackets.line(), close]);
        let only_last = broken.iter().position(|it| *it) == Some(broken.len() - 1);
        let fold = if author {
            Fold::Open
        } else if only_last && !torn && (brackets.hugs || broken.len() == 1) {
            Fold::Loose
        } else {
            Fold::Strict
        };
        (all, fold)
    }
}

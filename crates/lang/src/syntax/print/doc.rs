//! A document: text with possible line breaks, before layout chooses them.
//!
//! The algebra is Wadler's, as extended by prettier: a [`Node::Group`] is printed on one
//! line if it fits, and broken at its own [`Node::Line`]s if not. Comments are part of it,
//! because a comment ends its line whether or not the group fits.

use std::borrow::Cow;

/// A piece of a document, and the properties known before layout.
#[derive(Debug)]
pub(super) struct Doc<'a> {
    pub(super) node: Node<'a>,
    pub(super) shape: Shape,
}

#[derive(Debug)]
pub(super) enum Node<'a> {
    /// A token, possibly with several lines; it is never changed.
    Text(Cow<'a, str>),
    Space,
    /// A space, or a line end if the group is broken.
    Line,
    /// Nothing, or a line end if the group is broken.
    SoftLine,
    HardLine,
    /// An empty line, if a line ends here anyway.
    Blank,
    Comment(Comment<'a>),
    /// Text that is printed only if the group is broken.
    IfBroken(&'static str),
    /// Indented by some columns if the group is broken.
    Nest(usize, Box<Doc<'a>>),
    Group(Fold, Kind, Box<Doc<'a>>),
    Seq(Vec<Doc<'a>>),
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Comment<'a> {
    pub(super) text: &'a str,
    /// Whether it is on its own line, not after a token.
    pub(super) own_line: bool,
}

/// The rule for breaking a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fold {
    /// If it does not fit, or if something inside must be broken.
    Strict,
    /// If it does not fit up to the first place inside that must be broken.
    Loose,
    /// Always: the author broke it.
    Open,
}

/// Where a group is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Inside its brackets.
    Brackets,
    /// Between its parts.
    Chain,
}

/// The requirements of a piece on the groups around it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    /// Whether a comment precedes the first token.
    pub(super) lead: bool,
    pub(super) tail: Tail,
    pub(super) breaks: Breaks,
}

/// The end of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tail {
    /// It has no token.
    Nothing,
    Token,
    /// A comment after its last token.
    Comment,
}

/// The line ends of a piece that cannot be removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Breaks {
    No,
    /// In a group inside.
    Inside,
    Here,
}

impl Shape {
    const EMPTY: Self = Self { lead: false, tail: Tail::Nothing, breaks: Breaks::No };

    /// The shape of two consecutive pieces.
    fn then(self, next: Self) -> Self {
        let between = self.tail == Tail::Comment || (self.tail == Tail::Token && next.lead);
        let tail = match (self.tail, next.tail) {
            (Tail::Nothing, Tail::Nothing) => Tail::Nothing,
            (_, Tail::Nothing) if between => Tail::Comment,
            (tail, Tail::Nothing) => tail,
            (_, tail) => tail,
        };
        let torn = if between && next.tail != Tail::Nothing { Breaks::Here } else { Breaks::No };
        Self {
            lead: self.lead || (self.tail == Tail::Nothing && next.lead),
            tail,
            breaks: self.breaks.max(next.breaks).max(torn),
        }
    }
}

impl<'a> Doc<'a> {
    fn new(node: Node<'a>, shape: Shape) -> Self {
        Self { node, shape }
    }

    /// A token. A comma does not count as one: a comment before it moves after it.
    pub(super) fn text(text: impl Into<Cow<'a, str>>) -> Self {
        let text = text.into();
        let tail = if text == "," { Tail::Nothing } else { Tail::Token };
        Self::new(Node::Text(text), Shape { tail, ..Shape::EMPTY })
    }

    pub(super) fn space() -> Self {
        Self::new(Node::Space, Shape::EMPTY)
    }

    pub(super) fn line() -> Self {
        Self::new(Node::Line, Shape::EMPTY)
    }

    pub(super) fn soft_line() -> Self {
        Self::new(Node::SoftLine, Shape::EMPTY)
    }

    pub(super) fn hard_line() -> Self {
        Self::new(Node::HardLine, Shape { breaks: Breaks::Here, ..Shape::EMPTY })
    }

    pub(super) fn blank() -> Self {
        Self::new(Node::Blank, Shape::EMPTY)
    }

    pub(super) fn comment(comment: Comment<'a>) -> Self {
        Self::new(Node::Comment(comment), Shape { lead: true, ..Shape::EMPTY })
    }

    pub(super) fn if_broken(text: &'static str) -> Self {
        Self::new(Node::IfBroken(text), Shape::EMPTY)
    }

    pub(super) fn seq(mut parts: Vec<Self>) -> Self {
        if parts.len() == 1 {
            return parts.remove(0);
        }
        let shape = parts.iter().fold(Shape::EMPTY, |sum, it| sum.then(it.shape));
        Self::new(Node::Seq(parts), shape)
    }

    pub(super) fn empty() -> Self {
        Self::seq(Vec::new())
    }

    pub(super) fn is_empty(&self) -> bool {
        matches!(&self.node, Node::Seq(parts) if parts.is_empty())
    }

    pub(super) fn nest(self, columns: usize) -> Self {
        let shape = self.shape;
        Self::new(Node::Nest(columns, Box::new(self)), shape)
    }

    /// Brackets and their content.
    pub(super) fn group(self, fold: Fold) -> Self {
        self.grouped(fold, Kind::Brackets)
    }

    /// Parts between which lines can end.
    pub(super) fn chain(self, fold: Fold) -> Self {
        self.grouped(fold, Kind::Chain)
    }

    fn grouped(self, fold: Fold, kind: Kind) -> Self {
        let breaks = if fold == Fold::Open { Breaks::Here } else { self.shape.breaks };
        let shape = Shape { breaks: breaks.min(Breaks::Inside), ..self.shape };
        Self::new(Node::Group(fold, kind, Box::new(self)), shape)
    }

    /// Whether it cannot be put on one line.
    pub(super) fn is_broken(&self) -> bool {
        self.shape.breaks != Breaks::No
    }

    /// Whether a line must end in it outside all its brackets.
    pub(super) fn is_torn(&self) -> bool {
        match (&self.node, self.shape.breaks) {
            (_, Breaks::No) => false,
            (Node::Seq(parts), breaks) => breaks == Breaks::Here || parts.iter().any(Self::is_torn),
            (Node::Nest(_, doc), _) => doc.is_torn(),
            (Node::Group(Fold::Loose, Kind::Chain, doc), _) => doc.is_torn(),
            (Node::Group(_, kind, _), _) => *kind == Kind::Chain,
            _ => true,
        }
    }
}

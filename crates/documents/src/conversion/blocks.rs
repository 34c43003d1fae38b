//! Writes blocks of Markdown: lines after the marks of the quotes and lists around them.

use super::escape;
use crate::html_tables::LARGEST_ANSWER;

/// The maximum number of quotes and lists around a block; those further in are not marked.
const DEEPEST: usize = 50;

struct Container {
    kind: Kind,
    /// Whether a line of it was written.
    has_begun: bool,
}

enum Kind {
    Quote,
    Item {
        marker: String,
        is_tight: bool,
        /// Whether it is the first of its list.
        is_first: bool,
    },
    /// As wide as the mark of an item.
    Indent,
}

struct List {
    /// The number of its next item; `None` for a list of points.
    next: Option<u64>,
    is_tight: bool,
    /// Whether an item was written.
    has_items: bool,
    mark: char,
}

/// Where and how the previous block was a list.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Ended {
    depth: usize,
    is_numbered: bool,
    mark: char,
}

/// Markdown so far.
#[derive(Default)]
pub(super) struct Blocks {
    pub(super) out: String,
    containers: Vec<Container>,
    lists: Vec<List>,
    ended: Option<Ended>,
}

impl Blocks {
    /// Whether the Markdown is too large: then the rest is left out.
    pub(super) fn is_full(&self) -> bool {
        self.out.len() > LARGEST_ANSWER
    }

    pub(super) fn paragraph(&mut self, text: &str) {
        if !text.is_empty() {
            self.block(&escape::lines(text));
        }
    }

    pub(super) fn heading(&mut self, level: usize, text: &str) {
        if text.is_empty() {
            return;
        }
        let text = text.replace("\\\n", " ");
        // Marks at the end would be left out.
        let marks = text.len() - text.trim_end_matches('#').len();
        let is_closed = marks > 0 && !text[..text.len() - marks].ends_with(|it| it != ' ');
        let end = text.len() - marks;
        let mark = if is_closed { "\\" } else { "" };
        self.block(&format!("{} {}{mark}{}", "#".repeat(level), &text[..end], &text[end..]));
    }

    pub(super) fn code(&mut self, language: &str, code: &str) {
        let code = code.strip_suffix('\n').unwrap_or(code);
        let fence = "`".repeat(escape::longest_run(code, '`').max(2) + 1);
        let end = if code.is_empty() { "" } else { "\n" };
        self.block(&format!("{fence}{language}\n{code}{end}{fence}"));
    }

    pub(super) fn rule(&mut self) {
        // In an item, `- ---` would be one rule.
        let is_item = self.containers.iter().any(|it| matches!(it.kind, Kind::Item { .. }));
        self.block(if is_item { "___" } else { "---" });
    }

    /// Writes a block of lines.
    pub(super) fn block(&mut self, lines: &str) {
        self.start();
        for (idx, line) in lines.split('\n').enumerate() {
            // The marks of each line may be longer than the line.
            if self.is_full() {
                break;
            }
            if idx > 0 {
                self.out.push('\n');
                self.marks(self.containers.len(), line.is_empty());
            }
            self.out.push_str(line);
        }
        self.ended = None;
    }

    /// Begins the first line of a block.
    fn start(&mut self) {
        if !self.out.is_empty() {
            self.out.push('\n');
            let fresh = self.containers.iter().position(|it| !it.has_begun);
            if !fresh.is_some_and(|it| self.is_tight(it)) {
                self.marks(fresh.unwrap_or(self.containers.len()), true);
                self.out.push('\n');
            }
        }
        self.marks(self.containers.len(), false);
    }

    /// Whether a container follows what is before it without an empty line.
    fn is_tight(&self, at: usize) -> bool {
        let is_in_tight = |it: &Container| matches!(it.kind, Kind::Item { is_tight: true, .. });
        match self.containers[at].kind {
            Kind::Item { is_tight, is_first: false, .. } => is_tight,
            Kind::Item { .. } => at > 0 && is_in_tight(&self.containers[at - 1]),
            Kind::Quote | Kind::Indent => false,
        }
    }

    /// Writes the marks of the first `count` containers; on an empty line, without spaces at the end.
    fn marks(&mut self, count: usize, is_empty: bool) {
        let start = self.out.len();
        for container in &mut self.containers[..count] {
            match &container.kind {
                Kind::Quote => self.out.push_str("> "),
                Kind::Item { marker, .. } if !container.has_begun => {
                    self.out.extend([marker, " "]);
                }
                Kind::Item { marker, .. } => {
                    self.out.extend(std::iter::repeat_n(' ', marker.len() + 1));
                }
                Kind::Indent => self.out.push_str("  "),
            }
            container.has_begun = true;
        }
        if is_empty {
            self.out.truncate(start + self.out[start..].trim_end().len());
        }
    }

    /// Enters a container and returns whether to leave it afterwards.
    fn enter(&mut self, kind: Kind) -> bool {
        let enters = self.containers.len() < DEEPEST;
        if enters {
            self.containers.push(Container { kind, has_begun: false });
        }
        enters
    }

    fn leave(&mut self) -> bool {
        self.containers.pop().is_some_and(|it| it.has_begun)
    }

    pub(super) fn enter_quote(&mut self) -> bool {
        self.enter(Kind::Quote)
    }

    pub(super) fn leave_quote(&mut self) {
        self.leave();
    }

    pub(super) fn enter_list(&mut self, next: Option<u64>, is_tight: bool) {
        let marks = if next.is_some() { ['.', ')'] } else { ['-', '*'] };
        let is_numbered = next.is_some();
        let depth = self.containers.len();
        // Two lists after each other would be one.
        let continues = self.ended == Some(Ended { depth, is_numbered, mark: marks[0] });
        let mark = marks[usize::from(continues)];
        self.lists.push(List { next, is_tight, has_items: false, mark });
    }

    pub(super) fn leave_list(&mut self) {
        let Some(list) = self.lists.pop() else { return };
        if list.has_items {
            let (depth, is_numbered) = (self.containers.len(), list.next.is_some());
            self.ended = Some(Ended { depth, is_numbered, mark: list.mark });
        }
    }

    /// Enters an item of the current list, or of one of its own.
    pub(super) fn enter_item(&mut self) -> bool {
        let (marker, is_tight, is_first) = match self.lists.last_mut() {
            None => ("-".to_owned(), true, false),
            Some(list) => {
                let marker = list.next.map_or_else(
                    || list.mark.to_string(),
                    |it| format!("{}{}", it.min(999_999_999), list.mark),
                );
                list.next = list.next.map(|it| it + 1);
                (marker, list.is_tight, !list.has_items)
            }
        };
        self.enter(Kind::Item { marker, is_tight, is_first })
    }

    /// Leaves an item. One without content is written only if it `is_kept`.
    pub(super) fn leave_item(&mut self, is_kept: bool) {
        let is_written = self.containers.last().is_some_and(|it| it.has_begun);
        if !is_written && is_kept {
            self.start();
            self.out.truncate(self.out.trim_end_matches(' ').len());
        }
        if self.leave()
            && let Some(list) = self.lists.last_mut()
        {
            list.has_items = true;
        }
    }

    /// Enters what stands below an item that has ended.
    pub(super) fn enter_indent(&mut self) -> bool {
        let enters = self.enter(Kind::Indent);
        if enters && let Some(it) = self.containers.last_mut() {
            it.has_begun = true;
        }
        enters
    }

    pub(super) fn leave_indent(&mut self) {
        self.leave();
    }
}

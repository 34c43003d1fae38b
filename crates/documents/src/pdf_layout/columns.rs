//! Tables without lines around their cells: rows of words with the same gaps between them.
//!
//! Words of one line that are nearer than two columns are one piece. Lines follow each other as long as
//! the pieces of all of them leave at least as many gaps as before, from the top of the page to its
//! bottom. Prose in columns has such gaps, too, but fills its columns.

use super::{PdfTableRules, Placed, joined, places::Word, without_empty};

/// The maximum mean length of the cells of a table without lines; those of prose are longer.
const LONGEST_CELLS: usize = 28;

/// The minimum distance of two columns in all lines together, for a font of size 1.
const LEAST_GAP: f64 = 0.28;

/// Words next to each other on a line.
struct Piece {
    left: f64,
    right: f64,
    words: Vec<Word>,
}

/// The pieces of a line from left to right.
struct Line {
    base: f64,
    size: f64,
    pieces: Vec<Piece>,
}

/// Finds the tables among words that are in none yet.
pub(super) fn tables(words: Vec<Word>, rules: PdfTableRules) -> Vec<Placed> {
    let mut tables = Vec::new();
    let mut open: Option<Block> = None;
    for line in lines(words, rules) {
        if let Some(block) = &mut open
            && block.takes(&line, rules)
        {
            block.add(line);
            continue;
        }
        tables.extend(open.take().and_then(Block::table));
        if line.pieces.len() > 1 {
            open = Some(Block::of(line));
        }
    }
    tables.extend(open.and_then(Block::table));
    tables
}

fn lines(mut words: Vec<Word>, rules: PdfTableRules) -> Vec<Line> {
    words.sort_by(|a, b| b.base.total_cmp(&a.base).then(a.left.total_cmp(&b.left)));
    let near = |a: &Word, b: &Word| a.base - b.base < a.size.min(b.size) * 0.4;
    let mut lines = Vec::new();
    let mut rest = words.into_iter().peekable();
    while let Some(first) = rest.next() {
        let mut line = vec![first];
        while let Some(word) = rest.next_if(|it| near(&line[0], it)) {
            line.push(word);
        }
        lines.push(Line::of(line, rules));
    }
    lines
}

impl Line {
    fn of(mut words: Vec<Word>, rules: PdfTableRules) -> Self {
        words.sort_by(|a, b| a.left.total_cmp(&b.left));
        let base = words[0].base;
        let size = words.iter().map(|it| it.size).fold(0.0, f64::max);
        let mut pieces: Vec<Piece> = Vec::new();
        for word in words {
            match pieces.last_mut() {
                Some(it) if word.left - it.right < word.space * rules.column_gap * 0.98 => {
                    it.right = it.right.max(word.right);
                    it.words.push(word);
                }
                _ => pieces.push(Piece { left: word.left, right: word.right, words: vec![word] }),
            }
        }
        Self { base, size, pieces }
    }
}

/// Lines that may be a table.
struct Block {
    lines: Vec<Line>,
    /// What the pieces of all lines cover, from left to right.
    columns: Vec<(f64, f64)>,
}

impl Block {
    fn of(line: Line) -> Self {
        let columns = line.pieces.iter().map(|it| (it.left, it.right)).collect();
        Self { lines: vec![line], columns }
    }

    /// Whether a line leaves the gaps between the columns.
    fn takes(&self, line: &Line, rules: PdfTableRules) -> bool {
        let Some(last) = self.lines.last() else { return false };
        // A line is 1.2 sizes below the one before it; rows of tables are up to twice as far.
        let most = rules.line_gap * 2.2 * last.size.max(line.size);
        let is_near = last.base - line.base <= most;
        is_near && covered(&self.columns, line).len() >= self.columns.len()
    }

    fn add(&mut self, line: Line) {
        self.columns = covered(&self.columns, &line);
        self.lines.push(line);
    }

    fn table(self) -> Option<Placed> {
        let (top, left) = (self.lines[0].base + self.lines[0].size, self.columns.first()?.0);
        let rows = without_empty(self.rows());
        let filled = |row: &Vec<String>| row.iter().filter(|it| !it.is_empty()).count();
        let full = rows.iter().filter(|it| filled(it) > 1).count();
        if full < 2 || full * 2 < rows.len() {
            return None;
        }
        let cells = rows.iter().flatten().filter(|it| !it.is_empty());
        let letters: usize = cells.map(|it| it.chars().count()).sum();
        let is_prose = letters > LONGEST_CELLS * rows.iter().map(filled).sum::<usize>();
        (!is_prose).then_some(Placed { top, left, rows })
    }

    /// The rows: a line in one column, or without the first, continues the one before it if it is
    /// nearer than rows are.
    fn rows(&self) -> Vec<Vec<String>> {
        let gaps = self.lines.windows(2).filter(|it| it[1].pieces.len() > 1);
        let mut gaps: Vec<f64> = gaps.map(|it| it[0].base - it[1].base).collect();
        gaps.sort_by(f64::total_cmp);
        let usual = gaps.get(gaps.len() / 2).copied().unwrap_or_default();
        let mut rows: Vec<Vec<Vec<&Word>>> = Vec::new();
        let mut before = f64::MAX;
        for line in &self.lines {
            let mut cells: Vec<Vec<&Word>> = vec![Vec::new(); self.columns.len()];
            for piece in &line.pieces {
                cells[self.column(piece)].extend(&piece.words);
            }
            let is_part = cells[0].is_empty() || line.pieces.len() == 1;
            let continues = is_part && before - line.base < 0.8 * usual;
            before = line.base;
            match rows.last_mut().filter(|_| continues) {
                Some(row) => row.iter_mut().zip(cells).for_each(|(it, more)| it.extend(more)),
                None => rows.push(cells),
            }
        }
        rows.into_iter().map(|row| row.into_iter().map(joined).collect()).collect()
    }

    fn column(&self, piece: &Piece) -> usize {
        let after = self.columns.partition_point(|(left, _)| *left <= piece.left + 0.01);
        after.saturating_sub(1)
    }
}

/// What columns and a line cover together; columns that touch are one.
fn covered(columns: &[(f64, f64)], line: &Line) -> Vec<(f64, f64)> {
    let pieces = line.pieces.iter().map(|it| (it.left, it.right));
    let mut all: Vec<(f64, f64)> = columns.iter().copied().chain(pieces).collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let least = line.size * LEAST_GAP;
    let mut covered: Vec<(f64, f64)> = Vec::new();
    for (left, right) in all {
        match covered.last_mut() {
            Some(it) if left - it.1 < least => it.1 = it.1.max(right),
            _ => covered.push((left, right)),
        }
    }
    covered
}

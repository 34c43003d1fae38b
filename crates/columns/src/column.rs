//! One column: a buffer of one type, and which rows have a value.

use std::{cmp::Ordering, collections::HashMap, sync::Arc, time::Duration};

use crate::{Bits, Text};

/// A value of the caller's type, for what has no buffer of its own: lists, records, mixed columns.
pub trait Other: Clone + 'static {
    /// The value of a cell.
    fn of(cell: Cell<'_, Self>) -> Self;

    /// A total order, which agrees with that of cells of one kind.
    fn order(&self, other: &Self) -> Ordering;

    /// Equal for values that `order` finds equal.
    fn hash(&self) -> u64;

    /// Null, in whichever form.
    fn is_null(&self) -> bool;

    /// Null and the like are cells of no kind; a number that is mixed with texts is a number.
    fn cell(&self) -> Cell<'_, Self>;

    /// The text by which JSON has a value, but for lists, records, numbers and booleans.
    fn text(cell: Cell<'_, Self>) -> Option<Text>;

    /// A text as a value of the kind of another one, such as a date; `None` for kinds that are not
    /// written as texts, and for a text that is not such a value.
    fn read(text: &Text, like: &Self) -> Option<Self>;

    /// The money, duration or time that is written exactly so.
    fn amount(text: &Text) -> Option<Self>;

    /// The name of its kind, for messages.
    fn kind_name(&self) -> &'static str;
}

/// What is in one row of a column.
#[derive(Debug, PartialEq)]
pub enum Cell<'a, T> {
    Null,
    Int(i64),
    Float(f64),
    Bool(bool),
    /// In billionths of the unit.
    Money(i64),
    Duration(Duration),
    /// Nanoseconds since 1970.
    Time(i128),
    Text(&'a Text),
    Other(&'a T),
}

impl<T> Clone for Cell<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

// Not derived: a reference to `T` is copied also if `T` is not.
impl<T> Copy for Cell<'_, T> {}

/// The kind of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Int,
    Float,
    Bool,
    Money,
    Duration,
    Time,
    Text,
    Other,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Self::Int => "int",
            Self::Float => "float",
            Self::Bool => "bool",
            Self::Money => "money",
            Self::Duration => "duration",
            Self::Time => "time",
            Self::Text => "string",
            Self::Other => "json",
        }
    }

    pub fn is_number(self) -> bool {
        matches!(self, Self::Int | Self::Float)
    }
}

/// Texts by number: each is kept once.
#[derive(Clone, Debug, Default)]
pub struct Words {
    pub codes: Vec<u32>,
    /// Each text once; some may be in no row.
    pub words: Arc<Vec<Text>>,
}

impl Words {
    pub fn get(&self, idx: usize) -> &Text {
        &self.words[self.codes[idx] as usize]
    }
}

/// A buffer. The place of a row without a value has any value.
#[derive(Clone, Debug)]
pub enum Data<T> {
    Int(Vec<i64>),
    Float(Vec<f64>),
    Bool(Vec<bool>),
    Money(Vec<i64>),
    Duration(Vec<Duration>),
    Time(Vec<i128>),
    Text(Words),
    Other(Vec<T>),
}

/// A column of a table.
#[derive(Clone, Debug)]
pub struct Column<T> {
    pub data: Data<T>,
    /// The rows that have a value; none if all have.
    pub valid: Option<Bits>,
}

/// The same expression for each kind of buffer.
macro_rules! each {
    ($data:expr, $items:ident => $do:expr, $words:ident => $text:expr) => {
        match $data {
            Data::Int($items) => Data::Int($do),
            Data::Float($items) => Data::Float($do),
            Data::Bool($items) => Data::Bool($do),
            Data::Money($items) => Data::Money($do),
            Data::Duration($items) => Data::Duration($do),
            Data::Time($items) => Data::Time($do),
            Data::Other($items) => Data::Other($do),
            Data::Text($words) => Data::Text($text),
        }
    };
}

impl<T: Other> Column<T> {
    pub fn new(data: Data<T>) -> Self {
        Self { data, valid: None }
    }

    /// With the rows that have a value; where all have, none are kept.
    pub fn with_valid(data: Data<T>, valid: Bits) -> Self {
        let valid = (valid.count() < valid.len()).then_some(valid);
        Self { data, valid }
    }

    /// A column without any value.
    pub fn nulls(len: usize) -> Self {
        let valid = (len > 0).then(|| Bits::all(len, false));
        Self { data: Data::Int(vec![0; len]), valid }
    }

    pub fn texts(all: impl IntoIterator<Item = Text>) -> Self {
        let mut builder = crate::Builder::default();
        all.into_iter().for_each(|it| builder.push(Cell::Text(&it)));
        builder.finish()
    }

    pub fn len(&self) -> usize {
        match &self.data {
            Data::Int(it) | Data::Money(it) => it.len(),
            Data::Float(it) => it.len(),
            Data::Bool(it) => it.len(),
            Data::Duration(it) => it.len(),
            Data::Time(it) => it.len(),
            Data::Text(it) => it.codes.len(),
            Data::Other(it) => it.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The name of the kind of its values, for messages: `json` if they are of several.
    pub(crate) fn kind_name(&self) -> &'static str {
        let Data::Other(all) = &self.data else { return self.kind().name() };
        let valid = all.iter().enumerate().filter(|(row, _)| self.is_valid(*row));
        let mut names = valid.map(|(_, it)| it.kind_name());
        let Some(first) = names.next() else { return Kind::Other.name() };
        if names.all(|it| it == first) { first } else { Kind::Other.name() }
    }

    pub fn kind(&self) -> Kind {
        match &self.data {
            Data::Int(_) => Kind::Int,
            Data::Float(_) => Kind::Float,
            Data::Bool(_) => Kind::Bool,
            Data::Money(_) => Kind::Money,
            Data::Duration(_) => Kind::Duration,
            Data::Time(_) => Kind::Time,
            Data::Text(_) => Kind::Text,
            Data::Other(_) => Kind::Other,
        }
    }

    pub fn is_valid(&self, idx: usize) -> bool {
        self.valid.as_ref().is_none_or(|it| it.get(idx))
    }

    /// The number of rows without a value.
    pub fn null_count(&self) -> usize {
        self.valid.as_ref().map_or(0, |it| it.len() - it.count())
    }

    pub fn has_values(&self) -> bool {
        self.null_count() < self.len()
    }

    /// What is in a row; null beyond the last one.
    pub fn cell(&self, idx: usize) -> Cell<'_, T> {
        if idx >= self.len() || !self.is_valid(idx) {
            return Cell::Null;
        }
        match &self.data {
            Data::Int(it) => Cell::Int(it[idx]),
            Data::Float(it) => Cell::Float(it[idx]),
            Data::Bool(it) => Cell::Bool(it[idx]),
            Data::Money(it) => Cell::Money(it[idx]),
            Data::Duration(it) => Cell::Duration(it[idx]),
            Data::Time(it) => Cell::Time(it[idx]),
            Data::Text(it) => Cell::Text(it.get(idx)),
            Data::Other(it) => Cell::Other(&it[idx]),
        }
    }

    pub fn cells(&self) -> impl Iterator<Item = Cell<'_, T>> {
        (0..self.len()).map(|idx| self.cell(idx))
    }

    /// The rows at these places, in this order.
    ///
    /// # Panics
    ///
    /// If a place is beyond the last row.
    #[must_use]
    pub fn take(&self, rows: &[u32]) -> Self {
        let data = each!(&self.data,
        items => taken(items, rows),
        words => Words {
            codes: rows.iter().map(|it| words.codes[*it as usize]).collect(),
            words: words.words.clone(),
        });
        let valid = self.valid.as_ref();
        match valid.map(|valid| rows.iter().map(|it| valid.get(*it as usize)).collect()) {
            Some(valid) => Self::with_valid(data, valid),
            None => Self::new(data),
        }
    }

    /// The rows at these places; no value without a place.
    #[must_use]
    pub fn take_some(&self, rows: &[Option<u32>]) -> Self {
        if self.is_empty() {
            return Self::nulls(rows.len());
        }
        let places: Vec<u32> = rows.iter().map(|it| it.unwrap_or(0)).collect();
        let taken = self.take(&places);
        let valid = rows.iter().enumerate().map(|(idx, it)| it.is_some() && taken.is_valid(idx));
        let valid = valid.collect();
        Self::with_valid(taken.data, valid)
    }

    /// The rows from `from` up to `to`.
    #[must_use]
    pub fn slice(&self, from: usize, to: usize) -> Self {
        let data = each!(&self.data,
            items => items[from..to].to_vec(),
            words => Words { codes: words.codes[from..to].to_vec(), words: words.words.clone() });
        match &self.valid {
            Some(valid) => Self::with_valid(data, (from..to).map(|it| valid.get(it)).collect()),
            None => Self::new(data),
        }
    }

    /// The rows of this column and then those of another one.
    #[must_use]
    pub fn concat(&self, other: &Self) -> Self {
        let valid = || {
            let mine = (0..self.len()).map(|it| self.is_valid(it));
            mine.chain((0..other.len()).map(|it| other.is_valid(it))).collect()
        };
        let data = match (&self.data, &other.data) {
            (Data::Int(a), Data::Int(b)) => Data::Int(joined(a, b)),
            (Data::Float(a), Data::Float(b)) => Data::Float(joined(a, b)),
            (Data::Bool(a), Data::Bool(b)) => Data::Bool(joined(a, b)),
            (Data::Money(a), Data::Money(b)) => Data::Money(joined(a, b)),
            (Data::Duration(a), Data::Duration(b)) => Data::Duration(joined(a, b)),
            (Data::Time(a), Data::Time(b)) => Data::Time(joined(a, b)),
            (Data::Other(a), Data::Other(b)) => Data::Other(joined(a, b)),
            (Data::Text(a), Data::Text(b)) => Data::Text(joined_words(a, b)),
            _ => return self.concat_mixed(other),
        };
        Self::with_valid(data, valid())
    }

    /// Two kinds: where one side has no value, the kind of the other side, else values.
    fn concat_mixed(&self, other: &Self) -> Self {
        let mut builder = crate::Builder::default();
        self.cells().chain(other.cells()).for_each(|it| builder.push(it));
        builder.finish()
    }

    /// The bytes that the buffers take.
    pub fn bytes(&self) -> usize {
        let of = match &self.data {
            Data::Int(it) | Data::Money(it) => it.len() * 8,
            Data::Float(it) => it.len() * 8,
            Data::Bool(it) => it.len(),
            Data::Duration(it) => it.len() * size_of::<Duration>(),
            Data::Time(it) => it.len() * 16,
            Data::Text(it) => {
                it.codes.len() * 4 + it.words.iter().map(|it| it.len() + 40).sum::<usize>()
            }
            Data::Other(it) => it.len() * size_of::<T>(),
        };
        of + self.valid.as_ref().map_or(0, Bits::bytes)
    }
}

fn taken<A: Clone>(all: &[A], rows: &[u32]) -> Vec<A> {
    rows.iter().map(|it| all[*it as usize].clone()).collect()
}

fn joined<A: Clone>(a: &[A], b: &[A]) -> Vec<A> {
    let mut all = Vec::with_capacity(a.len() + b.len());
    all.extend_from_slice(a);
    all.extend_from_slice(b);
    all
}

fn joined_words(a: &Words, b: &Words) -> Words {
    if Arc::ptr_eq(&a.words, &b.words) {
        return Words { codes: joined(&a.codes, &b.codes), words: a.words.clone() };
    }
    let mut words = a.words.as_ref().clone();
    let mut places: HashMap<Text, u32> = HashMap::with_capacity(words.len() + b.words.len());
    for (idx, it) in words.iter().enumerate() {
        places.insert(it.clone(), code(idx));
    }
    let mut moved = Vec::with_capacity(b.words.len());
    for it in b.words.iter() {
        moved.push(*places.entry(it.clone()).or_insert_with(|| {
            words.push(it.clone());
            code(words.len() - 1)
        }));
    }
    let mut codes = a.codes.clone();
    codes.extend(b.codes.iter().map(|it| moved[*it as usize]));
    Words { codes, words: Arc::new(words) }
}

/// The number of a row or a text: tables have fewer than 2^32 rows.
pub(crate) fn code(idx: usize) -> u32 {
    u32::try_from(idx).expect("a table has fewer than 2^32 rows")
}

/// A column of texts as values of the kind of another column, if that has what JSON writes as texts.
/// Another text stays one.
pub(crate) fn meant<T: Other>(texts: &Column<T>, other: &Column<T>) -> Option<Column<T>> {
    let Data::Text(words) = &texts.data else { return None };
    if matches!(other.data, Data::Text(_)) {
        return None;
    }
    let like = T::of(other.cells().find(|it| !matches!(it, Cell::Null))?);
    let read: Vec<Option<T>> = words.words.iter().map(|it| T::read(it, &like)).collect();
    if read.iter().all(Option::is_none) {
        return None;
    }
    let mut builder = crate::Builder::default();
    for (row, code) in words.codes.iter().enumerate() {
        let read = read[*code as usize].as_ref().map(T::cell);
        let cell = if texts.is_valid(row) { read.unwrap_or(texts.cell(row)) } else { Cell::Null };
        builder.push(cell);
    }
    Some(builder.finish())
}

/// The amounts that a column of texts has, if all of its texts are such: JSON has no money, no
/// durations and no times. The floats of a column of ints and floats.
pub(crate) fn amounts<T: Other>(column: &Column<T>) -> Option<Column<T>> {
    let is_amount = match &column.data {
        Data::Text(words) => {
            let is_amount = |it: &Text| T::amount(it).is_some();
            words.words.first().is_some_and(is_amount) && words.words.iter().all(is_amount)
        }
        Data::Other(all) => {
            let is_number =
                |it: &T| matches!(it.cell(), Cell::Null | Cell::Int(_) | Cell::Float(_));
            all.iter().all(is_number)
        }
        _ => false,
    };
    if !is_amount || !column.has_values() {
        return None;
    }
    let mut builder = crate::Builder::default();
    for cell in column.cells() {
        let plain = match cell {
            Cell::Other(it) => it.cell(),
            cell => cell,
        };
        match plain {
            Cell::Text(it) => builder.push(T::amount(it).as_ref().map_or(Cell::Null, T::cell)),
            #[expect(clippy::cast_precision_loss, reason = "an int is a float where floats are")]
            Cell::Int(it) => builder.push(Cell::Float(it as f64)),
            cell => builder.push(cell),
        }
    }
    Some(builder.finish())
}

/// The same column with its money, durations and times as texts, as JSON has them.
pub(crate) fn written_amounts<T: Other>(column: &Column<T>) -> Column<T> {
    let mut builder = crate::Builder::default();
    for cell in column.cells() {
        let plain = match cell {
            Cell::Other(it) => it.cell(),
            cell => cell,
        };
        let is_amount = matches!(plain, Cell::Money(_) | Cell::Duration(_) | Cell::Time(_));
        match T::text(plain).filter(|_| is_amount) {
            Some(it) => builder.push_text(&it),
            None => builder.push(cell),
        }
    }
    builder.finish()
}

/// A column of money, dates and the like as texts, as JSON has them.
pub(crate) fn written<T: Other>(column: &Column<T>) -> Column<T> {
    let mut builder = crate::Builder::default();
    for cell in column.cells() {
        match T::text(cell) {
            Some(it) => builder.push_text(&it),
            None => builder.push_null(),
        }
    }
    builder.finish()
}

//! Columns that grow cell by cell.

use std::{collections::HashMap, hash::BuildHasherDefault, sync::Arc};

use crate::{
    Bits, Text,
    codes::Quick,
    column::{Cell, Column, Data, Other, Words, code},
};

/// A column that is being filled. Its kind is that of its first value; a value of another kind makes
/// it a column of values.
#[derive(Clone, Debug)]
pub struct Builder<T> {
    data: Option<Data<T>>,
    valid: Option<Bits>,
    len: usize,
    words: Vec<Text>,
    places: HashMap<Text, u32, BuildHasherDefault<Quick>>,
}

impl<T> Default for Builder<T> {
    fn default() -> Self {
        let (words, places) = (Vec::new(), HashMap::default());
        Self { data: None, valid: None, len: 0, words, places }
    }
}

impl<T: Other> Builder<T> {
    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub fn push(&mut self, cell: Cell<'_, T>) {
        match cell {
            Cell::Null => return self.push_null(),
            Cell::Text(it) => return self.push_text(it),
            Cell::Other(it) if it.is_null() => return self.push_null(),
            Cell::Other(it) => match it.cell() {
                Cell::Other(_) => {}
                plain => return self.push(plain),
            },
            _ => {}
        }
        match (self.start(cell), cell) {
            (Data::Int(all), Cell::Int(it)) | (Data::Money(all), Cell::Money(it)) => all.push(it),
            (Data::Float(all), Cell::Float(it)) => all.push(it),
            (Data::Bool(all), Cell::Bool(it)) => all.push(it),
            (Data::Duration(all), Cell::Duration(it)) => all.push(it),
            (Data::Time(all), Cell::Time(it)) => all.push(it),
            (Data::Other(all), it) => all.push(T::of(it)),
            _ => {
                self.demote();
                return self.push(cell);
            }
        }
        self.grow();
    }

    pub fn push_text(&mut self, text: &str) {
        match self.data {
            None => {
                self.data =
                    Some(Data::Text(Words { codes: vec![0; self.len], words: Arc::default() }));
            }
            Some(Data::Text(_)) => {}
            _ => {
                let text = Text::from(text);
                self.demote();
                if let Some(Data::Other(all)) = &mut self.data {
                    all.push(T::of(Cell::Text(&text)));
                }
                return self.grow();
            }
        }
        let place = match self.places.get(text) {
            Some(place) => *place,
            None => {
                let (place, text) = (code(self.words.len()), Text::from(text));
                self.words.push(text.clone());
                self.places.insert(text, place);
                place
            }
        };
        if let Some(Data::Text(all)) = &mut self.data {
            all.codes.push(place);
        }
        self.grow();
    }

    pub fn push_null(&mut self) {
        self.push_nulls(1);
    }

    /// Adds rows without a value, in one step.
    pub fn push_nulls(&mut self, rows: usize) {
        if rows == 0 {
            return;
        }
        let len = self.len + rows;
        match &mut self.data {
            None => {}
            Some(Data::Int(all) | Data::Money(all)) => all.resize(len, 0),
            Some(Data::Float(all)) => all.resize(len, 0.0),
            Some(Data::Bool(all)) => all.resize(len, false),
            Some(Data::Duration(all)) => all.resize(len, std::time::Duration::ZERO),
            Some(Data::Time(all)) => all.resize(len, 0),
            Some(Data::Text(all)) => all.codes.resize(len, 0),
            Some(Data::Other(all)) => all.resize(len, T::of(Cell::Null)),
        }
        self.valid.get_or_insert_with(|| Bits::all(self.len, true)).grow(len);
        self.len = len;
    }

    fn grow(&mut self) {
        self.len += 1;
        if let Some(valid) = &mut self.valid {
            valid.push(true);
        }
    }

    /// The buffer, of the kind of the first value; the rows before had none.
    fn start(&mut self, first: Cell<'_, T>) -> &mut Data<T> {
        let len = self.len;
        self.data.get_or_insert_with(|| match first {
            Cell::Int(_) | Cell::Null => Data::Int(vec![0; len]),
            Cell::Float(_) => Data::Float(vec![0.0; len]),
            Cell::Bool(_) => Data::Bool(vec![false; len]),
            Cell::Money(_) => Data::Money(vec![0; len]),
            Cell::Duration(_) => Data::Duration(vec![std::time::Duration::ZERO; len]),
            Cell::Time(_) => Data::Time(vec![0; len]),
            Cell::Text(_) => Data::Text(Words { codes: vec![0; len], words: Arc::default() }),
            Cell::Other(_) => Data::Other(vec![T::of(Cell::Null); len]),
        })
    }

    /// Keeps everything so far as values.
    fn demote(&mut self) {
        let column = std::mem::take(self).finish();
        let all = column.cells().map(T::of).collect();
        (self.len, self.valid) = (column.len(), column.valid);
        self.data = Some(Data::Other(all));
    }

    pub fn finish(self) -> Column<T> {
        let data = match self.data {
            None => return Column::nulls(self.len),
            Some(Data::Text(all)) => {
                let mut words = self.words;
                // The place of rows without a value must be one that exists.
                if words.is_empty() && self.len > 0 {
                    words.push("".into());
                }
                Data::Text(Words { codes: all.codes, words: Arc::new(words) })
            }
            Some(data) => data,
        };
        match self.valid {
            Some(valid) => Column::with_valid(data, valid),
            None => Column::new(data),
        }
    }
}

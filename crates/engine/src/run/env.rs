//! Frames of values: the variables that a term refers to.

use std::sync::OnceLock;

use svc_contract::value::Value;
use svc_lang::check::Var;

use super::{eval_sync::field, items::Row};

/// One frame, and the frames around it. Frames live on the stack of the evaluating function.
#[derive(Clone, Copy)]
pub(super) struct Env<'a> {
    outer: Option<&'a Env<'a>>,
    slots: Slots<'a>,
}

#[derive(Clone, Copy)]
enum Slots<'a> {
    One(&'a Value),
    /// The item of a block over a list that is kept as columns.
    Row(&'a Row<'a>),
    Many(&'a [Value]),
    /// Values that may still be in computation; a term is evaluated only once all values it
    /// needs are available.
    Pending(&'a [OnceLock<Value>]),
}

impl<'a> Env<'a> {
    /// The frame of a script's inputs or of a flow's parameters.
    pub(super) fn of_params(values: &'a [Value]) -> Self {
        Self { outer: None, slots: Slots::Many(values) }
    }

    /// A frame for the input of a stage or of an item's block.
    pub(super) fn with_it(&'a self, it: &'a Value) -> Self {
        Self { outer: Some(self), slots: Slots::One(it) }
    }

    /// The same for an item that is not made yet.
    pub(super) fn with_row(&'a self, row: &'a Row<'a>) -> Self {
        Self { outer: Some(self), slots: Slots::Row(row) }
    }

    /// A frame for the lets of a block.
    pub(super) fn with_lets(&'a self, lets: &'a [OnceLock<Value>]) -> Self {
        Self { outer: Some(self), slots: Slots::Pending(lets) }
    }

    pub(super) fn get(&self, var: Var) -> &'a Value {
        match self.slots_of(var) {
            Slots::One(value) => value,
            Slots::Row(row) => row.record(),
            Slots::Many(values) => &values[var.idx],
            Slots::Pending(values) => {
                values[var.idx].get().expect("the values of a term are computed before it")
            }
        }
    }

    /// The field of a variable, as [`field`] has it.
    pub(super) fn field(&self, var: Var, name: &str) -> Value {
        match self.slots_of(var) {
            Slots::Row(row) => row.field(name),
            _ => field(self.get(var), name),
        }
    }

    fn slots_of(&self, var: Var) -> Slots<'a> {
        let mut frame = *self;
        for _ in 0..var.up {
            frame = *frame.outer.expect("the check counted the frames");
        }
        frame.slots
    }
}

/// Frames that own their values, for a computation on another thread.
pub(super) struct OwnedEnv {
    /// The outermost frame first.
    frames: Vec<OwnedSlots>,
}

enum OwnedSlots {
    Many(Vec<Value>),
    Pending(Vec<OnceLock<Value>>),
}

impl OwnedEnv {
    pub(super) fn of(env: &Env<'_>) -> Self {
        let frames = std::iter::successors(Some(env), |it| it.outer);
        let mut frames: Vec<OwnedSlots> = frames
            .map(|it| match it.slots {
                Slots::One(value) => OwnedSlots::Many(vec![value.clone()]),
                Slots::Row(row) => OwnedSlots::Many(vec![row.record().clone()]),
                Slots::Many(values) => OwnedSlots::Many(values.to_vec()),
                Slots::Pending(values) => OwnedSlots::Pending(values.to_vec()),
            })
            .collect();
        frames.reverse();
        Self { frames }
    }

    /// Calls `then` with the frames.
    pub(super) fn lend<T>(&self, then: impl FnOnce(&Env<'_>) -> T) -> T {
        lend(&self.frames, &Env::of_params(&[]), then)
    }
}

fn lend<T>(frames: &[OwnedSlots], outer: &Env<'_>, then: impl FnOnce(&Env<'_>) -> T) -> T {
    let Some((frame, inner)) = frames.split_first() else { return then(outer) };
    let slots = match frame {
        OwnedSlots::Many(values) => Slots::Many(values),
        OwnedSlots::Pending(values) => Slots::Pending(values),
    };
    lend(inner, &Env { outer: Some(outer), slots }, then)
}

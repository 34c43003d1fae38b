//! Frames of values: the variables that a term refers to.

use std::sync::OnceLock;

use svc_contract::value::Value;
use svc_lang::check::Var;

/// One frame, and the frames around it. Frames live on the stack of the evaluating function.
#[derive(Clone, Copy)]
pub(super) struct Env<'a> {
    outer: Option<&'a Env<'a>>,
    slots: Slots<'a>,
}

#[derive(Clone, Copy)]
enum Slots<'a> {
    One(&'a Value),
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

    /// A frame for the lets of a block.
    pub(super) fn with_lets(&'a self, lets: &'a [OnceLock<Value>]) -> Self {
        Self { outer: Some(self), slots: Slots::Pending(lets) }
    }

    pub(super) fn get(&self, var: Var) -> &'a Value {
        let mut frame = *self;
        for _ in 0..var.up {
            frame = *frame.outer.expect("the check counted the frames");
        }
        match frame.slots {
            Slots::One(value) => value,
            Slots::Many(values) => &values[var.idx],
            Slots::Pending(values) => {
                values[var.idx].get().expect("the values of a term are computed before it")
            }
        }
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

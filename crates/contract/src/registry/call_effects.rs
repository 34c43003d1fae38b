//! The effects of one call, for ops whose arguments decide them: the method of a request, or a
//! program that its caller declares idempotent.

use super::{Effect, OpDef, Param};
use crate::value::Value;

/// Decides the effects of a call; `None` if the arguments that decide are not known yet.
pub type DecideEffects = fn(&KnownArgs<'_, '_>) -> Option<CallEffects>;

/// What a call does.
#[derive(Clone, Copy, Debug)]
pub struct CallEffects {
    /// Some of the effects that the op declares.
    pub effects: &'static [Effect],
    /// Whether repeating the call changes nothing further.
    pub is_idempotent: bool,
}

/// The arguments of a call, as far as they are known.
pub struct KnownArgs<'a, 'v> {
    params: &'static [Param],
    effects: &'static [Effect],
    value: &'a dyn Fn(usize) -> Option<&'v Value>,
}

impl<'a, 'v> KnownArgs<'a, 'v> {
    /// `value` returns the argument at an index, if it is known.
    pub fn new(op: &OpDef, value: &'a dyn Fn(usize) -> Option<&'v Value>) -> Self {
        Self { params: *op.params, effects: op.effects, value }
    }

    /// Whether the op has a parameter with a name.
    pub fn has(&self, name: &str) -> bool {
        self.params.iter().any(|it| it.name == name)
    }

    /// The effects that the op declares.
    pub fn effects(&self) -> &'static [Effect] {
        self.effects
    }

    /// The argument with a name, if it is known.
    pub fn get(&self, name: &str) -> Option<&'v Value> {
        let idx = self.params.iter().position(|it| it.name == name)?;
        (self.value)(idx)
    }
}

impl OpDef {
    /// The effects of a call, as far as its known arguments decide them; otherwise all that the op
    /// declares.
    pub fn effects_of<'v>(&self, value: &dyn Fn(usize) -> Option<&'v Value>) -> &'static [Effect] {
        self.decided(value).map_or(self.effects, |it| it.effects)
    }

    /// Whether a second attempt of this call would do something again; `None` if arguments decide
    /// that are not known yet.
    pub fn call_writes_once<'v>(&self, value: &dyn Fn(usize) -> Option<&'v Value>) -> Option<bool> {
        match (self.decide, self.decided(value)) {
            (None, _) => Some(self.writes_once()),
            (Some(_), decided) => decided.map(|it| !it.is_idempotent),
        }
    }

    fn decided<'v>(&self, value: &dyn Fn(usize) -> Option<&'v Value>) -> Option<CallEffects> {
        self.decide.and_then(|decide| decide(&KnownArgs::new(self, value)))
    }
}

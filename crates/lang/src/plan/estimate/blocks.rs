//! Blocks: stages that run in parallel, for every item, in turns, or conditionally.

use svc_contract::value::{Text, Type};

use super::{
    Walk,
    abstract_value::{self, AbstractValue, Items},
    amount::Count,
    resource_use::{Cause, ResourceUse},
    seen::{Seen, Slot, Sources},
};
use crate::{
    check::{BoundKey, Shape, Term, TypedBranch, TypedRepeat},
    diag::Span,
    plan::ITEMS_AT_ONCE,
};

impl<'a> Walk<'a> {
    pub(super) fn parallel(
        &mut self,
        names: &'a [Text],
        branches: &'a [TypedBranch],
        term: &'a Term,
    ) -> Seen {
        self.inside("parallel", None, Sources::new(), term, |this, idx| {
            this.waits_for(idx, "all branches");
            let (mut fields, mut load) = (Vec::new(), ResourceUse::none());
            for branch in branches {
                let seen = this.below(branch.segment.to_string(), |this| this.term(&branch.body));
                let (extent, own) = if branch.optional {
                    (seen.extent.optional(&branch.body.ty), seen.load.perhaps())
                } else {
                    (seen.extent, seen.load)
                };
                fields.push(extent);
                load = load.alongside(own);
            }
            let fields = names.iter().cloned().zip(fields).collect();
            (abstract_value::record(fields, &term.ty), load.clone(), load)
        })
    }

    pub(super) fn race(
        &mut self,
        segment: &Text,
        branches: &'a [TypedBranch],
        term: &'a Term,
    ) -> Seen {
        let segment = Some(segment.to_string());
        self.inside("race", segment, Sources::new(), term, |this, idx| {
            this.waits_for(idx, "the first branch that succeeds");
            let around = this.force.race.replace((this.source.name().into(), term.span));
            let (mut extent, mut all, mut one) = (None::<AbstractValue>, None, None);
            for branch in branches {
                let Seen { extent: own, load, .. } =
                    this.below(branch.segment.to_string(), |this| this.term(&branch.body));
                extent = Some(extent.map_or(own.clone(), |it| it.or(&own, &term.ty)));
                all = Some(joined(all, load.clone(), ResourceUse::alongside));
                one = Some(joined(one, load, ResourceUse::or_sooner));
            }
            this.force.race = around;
            let all = all.unwrap_or_else(ResourceUse::none);
            let load = all.unless_first(&one.unwrap_or_else(ResourceUse::none));
            let extent = extent.unwrap_or_else(|| AbstractValue::of(&term.ty));
            (extent, load.clone(), load)
        })
    }

    pub(super) fn each(
        &mut self,
        segment: &Text,
        input: &'a Term,
        optional: bool,
        body: &'a Term,
        term: &'a Term,
    ) -> Seen {
        let list = self.term(input);
        let items = list.extent.items();
        let item_type = match &input.ty {
            Type::List(item, _) => item.as_ref(),
            _ => &Type::Json,
        };
        let item = list.extent.item(item_type);
        let word = if optional { "each?" } else { "each" };
        let at_once = self.force.max_parallel.unwrap_or(ITEMS_AT_ONCE as u64);
        self.inside(word, Some(format!("{segment}[]")), list.sources, term, |this, idx| {
            this.waits_for(idx, "all items");
            this.remark(idx, || format!("{}, {at_once} at once", shown_items(items)));
            let own = idx.into_iter().collect();
            let slot = Slot { sources: own, extent: item };
            let seen = this.framed(vec![slot], |this| this.term(body));
            let (one, given) = if optional {
                (seen.load.perhaps(), seen.extent.optional(&body.ty))
            } else {
                (seen.load, seen.extent)
            };
            let count = Count { least: items.least, usual: items.usual, most: items.most };
            let in_turn = one.time.times(count).max;
            let mut load = one.times(count, at_once);
            if this.force.is_open(BoundKey::MaxParallel) {
                load.time.max = in_turn;
            }
            // A list of an unknown type is a mistake that was reported.
            if items.most.is_none() && !input.ty.is_unknown() {
                let start = term.span.start;
                let span = Span::new(start, start + word.len());
                let source = this.source.clone();
                load.because(|| Cause::List { span, source, is_given: items.is_given });
            }
            (AbstractValue::List { items, item: given.into() }, load.clone(), list.load.then(load))
        })
    }

    pub(super) fn arms(
        &mut self,
        word: &str,
        value: &'a Term,
        arms: &[(&'a Text, &'a Term)],
        term: &'a Term,
    ) -> Seen {
        let value = self.term(value);
        self.inside(word, None, value.sources, term, |this, _| {
            let mut all: Option<(AbstractValue, ResourceUse)> = None;
            for (segment, body) in arms {
                let seen = this.below(segment.to_string(), |this| this.term(body));
                all = Some(match all {
                    None => (seen.extent, seen.load),
                    Some((extent, load)) => (extent.or(&seen.extent, &term.ty), load.or(seen.load)),
                });
            }
            let (extent, load) =
                all.unwrap_or_else(|| (AbstractValue::of(&term.ty), ResourceUse::none()));
            (extent, load.clone(), value.load.then(load))
        })
    }

    pub(super) fn repeat(&mut self, repeat: &'a TypedRepeat, term: &'a Term) -> Seen {
        let input = self.term(&repeat.input);
        let entering = self.entering(repeat, &input.extent, &term.ty);
        let word = format!("repeat {}", repeat.turns);
        let segment = Some(format!("{}[]", repeat.segment));
        let turns = u64::from(repeat.turns);
        self.inside(&word, segment, input.sources, term, |this, idx| {
            let own: Sources = idx.into_iter().collect();
            let slot = || vec![Slot { sources: own.clone(), extent: entering.clone() }];
            let until = this.framed(slot(), |this| this.term(&repeat.until));
            let body = this.framed(slot(), |this| this.term(&repeat.body));
            let mut extent = entering.clone();
            let tests = Count { least: 1, usual: 1 + turns.div_ceil(2), most: Some(turns + 1) };
            let count = Count { least: 0, usual: turns.div_ceil(2), most: Some(turns) };
            let mut load = until.load.times(tests, 1).then(body.load.times(count, 1));
            if let Some(otherwise) = &repeat.otherwise {
                let look = |this: &mut Self| this.framed(slot(), |this| this.term(otherwise));
                let seen = this.below(TypedRepeat::ELSE.to_owned(), look);

                extent = extent.or(&seen.extent, &term.ty);
                load = load.then(seen.load.perhaps());
            }
            (extent, load.clone(), input.load.then(load))
        })
    }

    /// The extent of the value at the start of every turn: the initial value, or the result of a
    /// turn on any value.
    fn entering(
        &mut self,
        repeat: &'a TypedRepeat,
        first: &AbstractValue,
        ty: &Type,
    ) -> AbstractValue {
        if self.problems.is_muted {
            return AbstractValue::of(ty);
        }
        self.problems.is_muted = true;
        let any = Slot::bare(AbstractValue::of(ty));
        let made = self.quietly(|this| this.framed(vec![any], |this| this.term(&repeat.body)));
        self.problems.is_muted = false;
        first.or(&made.extent, ty)
    }

    pub(super) fn fallback(&mut self, segment: &Text, tries: &'a [Term], term: &'a Term) -> Seen {
        self.inside("fallback", None, Sources::new(), term, |this, _| {
            this.tried_around += 1;
            let first = this.term(&tries[0]);
            this.tried_around -= 1;
            let (mut extent, mut load) = (first.extent, first.load);
            for (idx, other) in tries.iter().enumerate().skip(1) {
                let is_followed = idx + 1 < tries.len();
                this.tried_around += usize::from(is_followed);
                let next = this.below(segment.to_string(), |this| {
                    let error = Slot::bare(AbstractValue::of(&Type::Json));
                    this.framed(vec![error], |this| this.term(other))
                });
                this.tried_around -= usize::from(is_followed);
                extent = extent.or(&next.extent, &term.ty);
                load = load.or_else(next.load);
            }
            (extent, load.clone(), load)
        })
    }

    pub(super) fn shape(
        &mut self,
        segment: &Text,
        input: &'a Term,
        shape: Shape,
        key: &'a Term,
        term: &'a Term,
    ) -> Seen {
        let list = self.term(input);
        let idx = self.add(shape.word(), list.sources.clone(), term);
        if let Some(idx) = idx {
            self.nodes[idx].path = self.path_to(segment);
            self.nodes[idx].barrier = (shape != Shape::Where).then_some("all items");
        }
        let items = list.extent.items();
        let item = match &input.ty {
            Type::List(item, _) => list.extent.item(item),
            _ => AbstractValue::of(&Type::Json),
        };
        let sources = idx.map_or(list.sources, |it| vec![it]);
        let slot = Slot { sources: sources.clone(), extent: item.clone() };
        self.framed(vec![slot], |this| this.term(key));
        let extent = match shape {
            Shape::Sort => AbstractValue::List { items, item: item.into() },
            Shape::Where => {
                AbstractValue::List { items: Items { least: 0, ..items }, item: item.into() }
            }
            Shape::Group => {
                let least = items.least.min(1);
                let of = match &term.ty {
                    Type::List(group, _) => AbstractValue::of(group).settled(item.is_given()),
                    _ => AbstractValue::of(&Type::Json),
                };
                AbstractValue::List { items: Items { least, ..items }, item: of.into() }
            }
        };
        Seen { sources, extent, load: list.load }
    }
}

fn shown_items(items: Items) -> String {
    match (items.least, items.most) {
        (least, Some(most)) if least == most => format!("{most} items"),
        (least, Some(most)) => format!("{least} to {most} items"),
        (0, None) => "any number of items".to_owned(),
        (least, None) => format!("{least} items or more"),
    }
}

fn joined(
    before: Option<ResourceUse>,
    next: ResourceUse,
    join: fn(ResourceUse, ResourceUse) -> ResourceUse,
) -> ResourceUse {
    match before {
        Some(before) => join(before, next),
        None => next,
    }
}

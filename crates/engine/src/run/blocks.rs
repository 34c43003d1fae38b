//! Blocks with overlapping parts: branches, items, lets, fields. A part that fails may end the
//! others, and the finished parts may be kept.

use std::{
    future::Future,
    pin::Pin,
    sync::{Arc, OnceLock},
};

use futures_util::{StreamExt, stream::FuturesUnordered};
use svc_contract::value::{List, Record, Text, Value};
use svc_lang::{
    check::{Term, TypedBlock, TypedBranch, TypedEntry},
    diag::Span,
};

use super::{
    Run,
    aside::free,
    calls::spends,
    error::Result,
    eval_async::Place,
    eval_sync,
    events::Event,
    join::{Failure, Task, together},
    partial::{Partial, Parts},
    path::Path,
    scope::Scope,
};

/// An `each`.
#[derive(Clone, Copy)]
pub(super) struct Each<'a> {
    pub(super) segment: &'a str,
    pub(super) optional: bool,
    /// The number of bounds around it whose caps it meets: items that they cannot fund are null.
    pub(super) meets: usize,
    pub(super) body: &'a Term,
}

/// A let by its number, or the block's result, with its value.
type LetTask<'a> = Pin<Box<dyn Future<Output = (Option<usize>, Result<Value>)> + Send + 'a>>;

impl Run {
    pub(super) async fn parallel<'a>(
        &'a self,
        names: &'a Arc<[Text]>,
        branches: &'a [TypedBranch],
        place: Place<'a>,
        span: Span,
    ) -> Result<Value> {
        let scope = place.scope.child();
        let place = place.in_scope(&scope);
        let tasks = (0..branches.len()).map(|idx| self.branch(&branches[idx], place));
        let ended = together(tasks, &scope, usize::MAX, span).await;
        let values = ended.with_partial(&scope, |values, failed| {
            let named = names.iter().cloned().zip(values).enumerate();
            let finished = named.filter(|(idx, _)| !failed.contains(idx)).map(|(_, it)| it);
            Partial::of_named(Parts::Branches, finished, branches.len()).at(place.path)
        })?;
        Ok(Value::Record(Record::new(names.clone(), values)))
    }

    /// The record of the entries, which all run concurrently.
    pub(super) async fn record<'a>(
        &'a self,
        entries: &'a [TypedEntry],
        place: Place<'a>,
        span: Span,
    ) -> Result<Value> {
        let scope = place.scope.child();
        let inner = place.in_scope(&scope);
        let tasks = (0..entries.len()).map(|idx| self.eval(entries[idx].term(), inner));
        let ended = together(tasks, &scope, usize::MAX, span).await;
        let values = ended.with_partial(&scope, |values, failed| {
            let paid = entries.iter().filter(|it| spends(it.term())).count();
            let all = entries.iter().zip(values).enumerate();
            let finished = all.filter(|(idx, (it, _))| !failed.contains(idx) && spends(it.term()));
            let named = finished.filter_map(|(_, (it, value))| Some((it.name()?.clone(), value)));
            Partial::of_named(Parts::Fields, named, paid).at(place.path)
        })?;
        eval_sync::check_size(eval_sync::record_of(entries, values), span)
    }

    fn branch<'a>(&'a self, branch: &'a TypedBranch, place: Place<'a>) -> Task<'a> {
        Box::pin(async move {
            let path = place.path.name(&branch.segment);
            let result = self.eval(&branch.body, place.at(&path)).await;
            if branch.optional { self.swallow(result, place.scope, &path) } else { result }
        })
    }

    pub(super) async fn each<'a>(
        &'a self,
        each: Each<'a>,
        input: &'a Term,
        place: Place<'a>,
    ) -> Result<Value> {
        let Each { segment, body, .. } = each;
        let items = match self.eval(input, place).await? {
            Value::List(items) => items,
            other => return Err(eval_sync::not_a_list(&other, input.span)),
        };
        self.emit(&place.path.name(segment), &Event::Items { total: items.len() });
        let scope = place.scope.child();
        let place = place.in_scope(&scope);
        let met = match each.meets {
            0 => None,
            _ => Some(self.met_before(each, &items, place, input.span)?),
        };
        let is_funded = |idx: usize| met.as_ref().is_none_or(|it| it.funds(idx));
        let tasks = (0..items.len()).map(|idx| -> Task<'_> {
            if is_funded(idx) {
                self.item(each, &items, idx, place)
            } else {
                Box::pin(std::future::ready(Ok(Value::Null)))
            }
        });
        let waits_for_nobody = self.records.as_ref().is_some_and(|it| it.is_dry_run());
        let at_once = if waits_for_nobody { usize::MAX } else { scope.items_at_once() };
        let mut ended = together(tasks, &scope, at_once, body.span).await;
        if let Some(met) = met {
            self.meet(met, &mut ended, items.len(), place, body.span).await?;
        }
        let values = ended.with_partial(&scope, |values, failed| {
            Partial::of_items(values, failed, items.len()).at(place.path.name(segment))
        })?;
        free(Value::List(items)).await;
        let weight = values.len() as u64;
        self.weighed(weight, &scope, body.span, move || Ok(Value::from(values))).await
    }

    fn item<'a>(
        &'a self,
        each: Each<'a>,
        items: &'a List,
        idx: usize,
        place: Place<'a>,
    ) -> Task<'a> {
        Box::pin(async move {
            let item = items.get(idx).expect("an item of the list");
            let (env, path) = (place.env.with_it(item), place.path.item(each.segment, idx));
            let inner = Place { env: &env, scope: place.scope, path: &path };
            self.emit(&path, &Event::ItemStarted);
            let result = self.eval(each.body, inner).await;
            self.emit(&path, &Event::ItemEnded { failed: result.is_err() });
            if each.optional { self.swallow(result, place.scope, &path) } else { result }
        })
    }

    /// Turns a failure that may be swallowed here into null.
    fn swallow(&self, result: Result<Value>, scope: &Scope, path: &Path<'_>) -> Result<Value> {
        match result {
            Err(err) if err.is_caught_at(scope.depth) => {
                self.emit(path, &Event::swallowed(&err, 1));
                Ok(Value::Null)
            }
            other => other,
        }
    }

    /// Runs each let as soon as the values it needs are there, and the result likewise.
    pub(super) async fn block<'a>(
        &'a self,
        block: &'a TypedBlock,
        place: Place<'a>,
    ) -> Result<Value> {
        let slots: Vec<OnceLock<Value>> = block.lets.iter().map(|_| OnceLock::new()).collect();
        let env = place.env.with_lets(&slots);
        let scope = place.scope.child();
        let place = Place { env: &env, scope: &scope, path: place.path };
        let mut started: Vec<bool> = block.lets.iter().map(|it| it.skipped).collect();
        let mut result_started = false;
        let mut result = Value::Null;
        let mut failure = Failure::default();
        let mut running = FuturesUnordered::new();
        loop {
            if failure.is_none() {
                let there = |needs: &[usize]| needs.iter().all(|it| slots[*it].get().is_some());
                for (idx, bind) in block.lets.iter().enumerate() {
                    if !started[idx] && there(&bind.needs) {
                        started[idx] = true;
                        running.push(self.let_task(Some((idx, &bind.segment)), &bind.value, place));
                    }
                }
                if !result_started && there(&block.needs) {
                    result_started = true;
                    running.push(self.let_task(None, &block.result, place));
                }
            }
            match running.next().await {
                None => break,
                Some((Some(idx), Ok(value))) => {
                    slots[idx].set(value).expect("a let is computed once");
                }
                Some((None, Ok(value))) => result = value,
                Some((_, Err(err))) => failure.add(err, &scope),
            }
        }
        drop(running);
        let failed = failure.with_partial(&scope, || paid_lets(block, &slots, place));
        for value in slots.into_iter().filter_map(OnceLock::into_inner) {
            free(value).await;
        }
        failed.map_or(Ok(result), Err)
    }

    /// The task of a let, or of the block's result.
    fn let_task<'a>(
        &'a self,
        bind: Option<(usize, &'a Text)>,
        term: &'a Term,
        place: Place<'a>,
    ) -> LetTask<'a> {
        Box::pin(async move {
            match bind {
                Some((idx, segment)) => {
                    let path = place.path.name(segment);
                    (Some(idx), self.eval(term, place.at(&path)).await)
                }
                None => (None, self.eval(term, place).await),
            }
        })
    }
}

/// The finished lets of a block that were paid for.
fn paid_lets(block: &TypedBlock, slots: &[OnceLock<Value>], place: Place<'_>) -> Partial {
    let paid: Vec<_> = block.lets.iter().zip(slots).filter(|(it, _)| spends(&it.value)).collect();
    let finished =
        paid.iter().filter_map(|(it, slot)| Some((it.name.clone(), slot.get()?.clone())));
    Partial::of_named(Parts::Lets, finished, paid.len()).at(place.path)
}

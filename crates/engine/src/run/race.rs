//! Branches of which the first that succeeds wins.
//!
//! The winner is recorded before its value goes on, so that a resumed run goes on with the same
//! one. The calls of the others stay recorded, and what they spent counts. If that winner fails now,
//! the others run: its own calls are not made again.

use futures_util::{StreamExt, stream::FuturesUnordered};
use svc_contract::value::Value;
use svc_lang::check::{Term, TypedBranch};

use super::{
    Run,
    decision::Decision,
    error::{Result, RunError},
    eval_async::Place,
    events::Event,
};

impl Run {
    pub(super) async fn race<'a>(
        &'a self,
        segment: &'a str,
        branches: &'a [TypedBranch],
        place: Place<'a>,
        term: &'a Term,
    ) -> Result<Value> {
        let path = place.path.name(segment);
        let place = place.at(&path);
        if !term.waits {
            return self.in_turn(branches.iter().collect(), place).await;
        }
        let Some(records) = self.records.as_deref() else {
            return self.first(branches, None, place).await.map(|(_, value)| value);
        };
        // A race with other branches is another race.
        let parts = branches
            .iter()
            .flat_map(|it| [it.name.clone()].into_iter().chain(self.parts_of(&it.body)));
        let decision = Decision::new("race", "winner", place.path, parts);
        let winner = decision.before(records).map_err(|it| RunError::new(it, term.span))?;
        let is_winner =
            |it: &TypedBranch| winner.as_ref().and_then(Value::as_str) == Some(&it.name);
        let mut failed = None;
        if let Some(idx) = branches.iter().position(is_winner) {
            match self.contestant(&branches[idx], place).await {
                // With other inputs, the winner may fail where it succeeded before.
                Err(err) if err.is_caught_at(place.scope.depth) => failed = Some((idx, err)),
                ended => return ended,
            }
        }
        let (winner, value) = self.first(branches, failed, place).await?;
        let kept = decision.record(records, &Value::Text(winner.name.clone())).await;
        kept.map_err(|it| RunError::new(it, term.span)).map(|()| value)
    }

    /// The first branch that succeeds, and its value, without one that has failed already. If none
    /// does, the error of the first one in the script.
    async fn first<'a>(
        &'a self,
        branches: &'a [TypedBranch],
        failed: Option<(usize, Box<RunError>)>,
        place: Place<'a>,
    ) -> Result<(&'a TypedBranch, Value)> {
        let mut failed: Vec<(usize, Box<RunError>)> = failed.into_iter().collect();
        let over = failed.first().map(|(idx, _)| *idx);
        let scope = place.scope.child();
        let inner = place.in_scope(&scope);
        let mut running: FuturesUnordered<_> = branches
            .iter()
            .enumerate()
            .filter(|(idx, _)| Some(*idx) != over)
            .map(|(idx, it)| async move { (idx, self.contestant(it, inner).await) })
            .collect();
        let (mut won, mut ends) = (None, None);
        while let Some((idx, ended)) = running.next().await {
            match ended {
                // The others were cancelled, or succeeded too late.
                _ if won.is_some() || ends.is_some() => {}
                Ok(value) => {
                    won = Some((&branches[idx], value));
                    scope.cancel.cancel();
                }
                // A cap that cannot fund one branch may fund another one.
                Err(err) if err.is_caught_at(scope.depth) || err.is_declined_at(scope.depth) => {
                    failed.push((idx, err));
                }
                Err(err) => {
                    ends = Some(err);
                    scope.cancel.cancel();
                }
            }
        }
        failed.sort_unstable_by_key(|(idx, _)| *idx);
        let mut failed = failed.into_iter().map(|(_, it)| it);
        let ended = match (won, ends) {
            (Some(won), _) => Ok(won),
            (None, Some(err)) => return Err(err),
            (None, None) => Err(failed.next().expect("a race has branches")),
        };
        self.swallow_all(failed, place);
        ended
    }

    /// Like [`Self::first`] for branches without slow calls, of which none overlaps another.
    async fn in_turn<'a>(
        &'a self,
        branches: Vec<&'a TypedBranch>,
        place: Place<'a>,
    ) -> Result<Value> {
        let mut failed: Vec<Box<RunError>> = Vec::new();
        for branch in branches {
            match self.contestant(branch, place).await {
                Err(err) if err.is_caught_at(place.scope.depth) => failed.push(err),
                Err(err) => return Err(err),
                Ok(value) => {
                    self.swallow_all(failed, place);
                    return Ok(value);
                }
            }
        }
        let mut failed = failed.into_iter();
        let first = failed.next().expect("a race has branches");
        self.swallow_all(failed, place);
        Err(first)
    }

    fn swallow_all(&self, failed: impl IntoIterator<Item = Box<RunError>>, place: Place<'_>) {
        for err in failed {
            self.emit(place.path, &Event::swallowed(&err, 1));
        }
    }

    async fn contestant<'a>(&'a self, branch: &'a TypedBranch, place: Place<'a>) -> Result<Value> {
        let path = place.path.name(&branch.segment);
        self.eval(&branch.body, place.at(&path)).await
    }
}

//! Blocks in a row.

use std::ops::Shr;

use svc_contract::value::Value;

use super::{
    AIBlock, Inferrable, ResourceBounds, Result,
    script::{Call, Script, Shape},
};
use crate::{Engine, Response};

/// Blocks from left to right: the result of each is the input of the next one.
///
/// Each block has its own bounds and its own state. The pipeline runs on the engine of its first
/// block.
#[derive(Clone, Debug)]
pub struct PipelineBlock {
    blocks: Vec<AIBlock>,
}

impl PipelineBlock {
    /// The blocks, from left to right.
    pub fn blocks(&self) -> &[AIBlock] {
        &self.blocks
    }

    /// Checks that each block accepts the result of the one before it, and that the bounds can be
    /// kept for this input; nothing runs.
    pub fn check(&self, input: impl Into<Value>) -> Result<()> {
        self.script(input.into(), None)?.check(self.engine())
    }

    /// Runs the blocks on an input, from left to right. The whole pipeline is checked before the
    /// first block runs; `step 2: ..` in the message of a failure is the second block.
    pub async fn process(&self, input: impl Into<Value>) -> Result<Response> {
        let script = self.script(input.into(), None)?;
        script.run(self.engine()).await
    }

    /// The same within bounds: of these and the bounds of a block, the tighter ones hold. The budget
    /// is that of all blocks together.
    pub async fn process_within(
        &self,
        bounds: ResourceBounds,
        input: impl Into<Value>,
    ) -> Result<Response> {
        let script = self.script(input.into(), Some(bounds))?;
        script.run(self.engine()).await
    }

    fn engine(&self) -> &Engine {
        self.blocks[0].engine()
    }

    fn script(&self, input: Value, bounds: Option<ResourceBounds>) -> Result<Script> {
        let mut input = Some(input);
        let call = |it: &AIBlock| {
            let own = it.bounds();
            let call = it.call(input.take())?;
            Ok(Call { bounds: bounds.map_or(own, |it| own.and(it)), ..call })
        };
        let calls = self.blocks.iter().map(call).collect();
        Script::of(calls, Shape::Stages, bounds.and_then(ResourceBounds::budget))
    }

    fn then(mut self, next: impl IntoIterator<Item = AIBlock>) -> Self {
        self.blocks.extend(next);
        self
    }
}

impl From<AIBlock> for PipelineBlock {
    fn from(block: AIBlock) -> Self {
        Self { blocks: vec![block] }
    }
}

impl<I: Into<Value> + Send> Inferrable<I> for PipelineBlock {
    type Output = Response;

    async fn infer(&self, input: I) -> Result<Response> {
        self.process(input).await
    }
}

impl Shr for AIBlock {
    type Output = PipelineBlock;

    fn shr(self, next: Self) -> PipelineBlock {
        PipelineBlock::from(self).then([next])
    }
}

impl Shr<PipelineBlock> for AIBlock {
    type Output = PipelineBlock;

    fn shr(self, next: PipelineBlock) -> PipelineBlock {
        PipelineBlock::from(self).then(next.blocks)
    }
}

impl Shr<AIBlock> for PipelineBlock {
    type Output = Self;

    fn shr(self, next: AIBlock) -> Self {
        self.then([next])
    }
}

impl Shr for PipelineBlock {
    type Output = Self;

    fn shr(self, next: Self) -> Self {
        self.then(next.blocks)
    }
}

//! Agents and language models.

use crate::registry::Component;

mod llm_router;

pub(super) const ALL: &[&Component] = &[&llm_router::COMPONENT];

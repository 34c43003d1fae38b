//! Agents and language models.

use svc_contract::registry::Component;

mod llm_router;

pub const ALL: &[&Component] = &[&llm_router::COMPONENT];

//! Agents and language models.

use svc_contract::registry::Component;

mod agent_mcp;
mod agent_react;
mod llm_router;

pub const ALL: &[&Component] =
    &[&llm_router::COMPONENT, &agent_react::COMPONENT, &agent_mcp::COMPONENT];

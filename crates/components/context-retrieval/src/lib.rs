//! Context and retrieval: searching, reading and condensing documents.

use svc_contract::registry::Component;

mod ctx_docs;
mod ctx_fetch;
mod ctx_office;
mod ctx_pdf;
mod ctx_rag;
mod ctx_rerank;
mod ctx_scrape;
mod ctx_search;
mod ctx_summary;
mod input;
#[cfg(test)]
mod testing;

pub const ALL: &[&Component] = &[
    &ctx_search::COMPONENT,
    &ctx_rag::COMPONENT,
    &ctx_rerank::COMPONENT,
    &ctx_summary::COMPONENT,
    &ctx_docs::COMPONENT,
    &ctx_fetch::COMPONENT,
    &ctx_office::COMPONENT,
    &ctx_pdf::COMPONENT,
    &ctx_scrape::COMPONENT,
];

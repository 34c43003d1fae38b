//! Vectors of texts by meaning, and their nearest neighbours.
//!
//! The vectors come from a sentence encoder that the user has, or from a space that was learnt
//! ([`crate::meaning`]); those of a provider come from `llm_router.embed`.

use svc_contract::registry::{Bias, Cases, Component, compute, load, save};

use crate::meaning::{VERSION, latent::Latent};

mod infer;
mod learn;
mod meaning;
mod nearest;

pub(super) const COMPONENT: Component = Component {
    name: "ctx_vectors",
    cluster: "context-retrieval",
    summary: "Vectors of texts by meaning, from a sentence encoder, their nearest neighbours, and hits by meaning.",
    version: VERSION,
    bias: Bias::new(
        "sentence encoder, or latent semantic analysis",
        &[
            "words that occur together mean alike",
            "texts that mean alike have vectors of a similar direction",
            "the beginning of a text says what it is about",
        ],
    )
    .judged_by(CASES),
    aliases: &[("vectors", "infer"), ("by_meaning", "by_meaning")],
    ops: &[
        compute::<infer::Infer>(),
        compute::<nearest::Nearest>(),
        compute::<meaning::ByMeaning>(),
        compute::<learn::Learn>(),
        save::<Latent>(),
        load::<Latent>(),
    ],
};

const CASES: Cases = cases!("ctx_vectors.jsonl");

//! Vectors of texts by meaning, and their nearest neighbours.
//!
//! The vectors come from a sentence encoder that the user has ([`encoder`]); those of a provider come
//! from `llm_router.embed`.

use svc_contract::registry::{Bias, Component, compute};

mod encoder;
mod infer;
mod meaning;
mod nearest;

pub(super) const COMPONENT: Component = Component {
    name: "ctx_vectors",
    cluster: "context-retrieval",
    summary: "Vectors of texts by meaning, from a sentence encoder, their nearest neighbours, and hits by meaning.",
    version: 1,
    bias: Bias::new(
        "sentence encoder",
        &[
            "texts that mean alike have vectors of a similar direction",
            "the beginning of a text says what it is about",
        ],
    ),
    aliases: &[("vectors", "infer"), ("by_meaning", "by_meaning")],
    ops: &[
        compute::<infer::Infer>(),
        compute::<nearest::Nearest>(),
        compute::<meaning::ByMeaning>(),
    ],
};

//! Encoders of texts, on the CPU. Sentence encoders of the BERT family: from a folder of weights, as
//! sentence-transformers saves it, to vectors of texts by meaning. And [`latent`], what latent
//! semantic analysis is made of.
//!
//! The model is that of Devlin et al. 2019, pooled and normalised as in Reimers & Gurevych 2019.
//! Each text is encoded by itself, so its vector does not depend on the others.

use std::fmt;

use serde::Deserialize;

mod bert;
pub mod latent;
mod math;
mod pieces;
mod weights;

use bert::Bert;
use pieces::Pieces;

pub use math::{dot, dot_of_bytes};

/// The files of a folder that are read, and whether the folder must have them.
pub const FILES: [(&str, bool); 6] = [
    (CONFIG, true),
    (WEIGHTS, true),
    (VOCABULARY, true),
    (SENTENCES, false),
    (TOKENIZER, false),
    (POOLING, false),
];
const CONFIG: &str = "config.json";
const WEIGHTS: &str = "model.safetensors";
const VOCABULARY: &str = "vocab.txt";
const SENTENCES: &str = "sentence_bert_config.json";
const TOKENIZER: &str = "tokenizer_config.json";
const POOLING: &str = "1_Pooling/config.json";

/// Why a folder is not an encoder: the file, and what is wrong with it.
#[derive(Debug)]
pub struct Unusable {
    pub file: &'static str,
    pub why: String,
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: {}", self.file, self.why)
    }
}

impl std::error::Error for Unusable {}

/// A model that turns texts into vectors.
pub struct Encoder {
    pieces: Pieces,
    bert: Bert,
    pooling: Pooling,
    /// The most word pieces of a text; the rest is ignored.
    longest: usize,
}

/// How the vectors of the word pieces become one.
#[derive(Clone, Copy)]
enum Pooling {
    Mean,
    First,
}

#[derive(Deserialize)]
struct SentenceConfig {
    max_seq_length: Option<usize>,
}

#[derive(Deserialize)]
struct TokenizerConfig {
    do_lower_case: Option<bool>,
    strip_accents: Option<bool>,
}

#[derive(Deserialize)]
struct PoolingConfig {
    #[serde(default)]
    pooling_mode_cls_token: bool,
    #[serde(default)]
    pooling_mode_mean_tokens: bool,
}

impl Encoder {
    /// Reads an encoder; `file` returns the content of one of [`FILES`].
    pub fn read<'a>(file: impl Fn(&str) -> Option<&'a [u8]>) -> Result<Self, Unusable> {
        let needed = |name| {
            file(name).ok_or_else(|| Unusable { file: name, why: "it is missing".to_owned() })
        };
        let config: bert::Config = json(CONFIG, needed(CONFIG)?)?;
        let sentences = file(SENTENCES).map(|it| json::<SentenceConfig>(SENTENCES, it));
        let tokenizer = file(TOKENIZER).map(|it| json::<TokenizerConfig>(TOKENIZER, it));
        let (sentences, tokenizer) = (sentences.transpose()?, tokenizer.transpose()?);
        let lower = tokenizer.as_ref().and_then(|it| it.do_lower_case).unwrap_or(true);
        let strip = tokenizer.as_ref().and_then(|it| it.strip_accents).unwrap_or(lower);
        let pieces = Pieces::read(needed(VOCABULARY)?, lower, strip);
        let pieces = pieces.map_err(|why| Unusable { file: VOCABULARY, why })?;
        config.check(pieces.count()).map_err(|why| Unusable { file: CONFIG, why })?;
        let longest = sentences.and_then(|it| it.max_seq_length).unwrap_or(usize::MAX);
        let longest = longest.min(config.positions()).max(2);
        let bert = Bert::read(config, needed(WEIGHTS)?);
        let bert = bert.map_err(|why| Unusable { file: WEIGHTS, why })?;
        Ok(Self { pieces, bert, pooling: pooling(file(POOLING))?, longest })
    }

    /// The length of the vectors.
    pub fn dimensions(&self) -> usize {
        self.bert.dimensions()
    }

    /// The vector of a text, of length 1. Of a long text, only the beginning counts.
    pub fn encode(&self, text: &str) -> Vec<f32> {
        let ids = self.pieces.ids(text, self.longest);
        let states = self.bert.states(&ids);
        let mut vector = match self.pooling {
            Pooling::First => states.row(0).to_vec(),
            Pooling::Mean => math::mean_of_rows(&states),
        };
        math::normalize(&mut vector);
        vector
    }

    /// The numbers of a text's word pieces, as the model reads them.
    pub fn ids(&self, text: &str) -> Vec<usize> {
        self.pieces.ids(text, self.longest)
    }
}

fn json<'a, T: Deserialize<'a>>(file: &'static str, content: &'a [u8]) -> Result<T, Unusable> {
    serde_json::from_slice(content).map_err(|err| Unusable { file, why: err.to_string() })
}

/// The mean is what a folder without this file means.
fn pooling(content: Option<&[u8]>) -> Result<Pooling, Unusable> {
    let Some(content) = content else { return Ok(Pooling::Mean) };
    let config: PoolingConfig = json(POOLING, content)?;
    match (config.pooling_mode_mean_tokens, config.pooling_mode_cls_token) {
        (true, false) => Ok(Pooling::Mean),
        (false, true) => Ok(Pooling::First),
        _ => Err(Unusable {
            file: POOLING,
            why: "expected either `pooling_mode_mean_tokens` or `pooling_mode_cls_token`"
                .to_owned(),
        }),
    }
}

#[cfg(test)]
mod tests;

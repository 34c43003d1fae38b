//! The transformer of BERT, as a forward pass over one text.

use ndarray::{Array1, Array2, Axis, Slice};
use serde::Deserialize;

use super::{math, weights::Weights};

/// More than the largest published models of the family have.
const MOST_LAYERS: usize = 48;
const WIDEST: usize = 4_096;

#[derive(Deserialize)]
pub(super) struct Config {
    model_type: String,
    hidden_act: String,
    hidden_size: usize,
    intermediate_size: usize,
    num_attention_heads: usize,
    num_hidden_layers: usize,
    max_position_embeddings: usize,
    type_vocab_size: usize,
    vocab_size: usize,
    layer_norm_eps: f32,
    #[serde(default = "absolute")]
    position_embedding_type: String,
}

fn absolute() -> String {
    "absolute".to_owned()
}

impl Config {
    /// Whether this is a model that can be run, with a vocabulary of `pieces`.
    pub(super) fn check(&self, pieces: usize) -> Result<(), String> {
        let kinds = [
            ("model_type", self.model_type.as_str(), "bert"),
            ("hidden_act", &self.hidden_act, "gelu"),
            ("position_embedding_type", &self.position_embedding_type, "absolute"),
        ];
        for (name, found, expected) in kinds {
            if found != expected {
                return Err(format!("expected `{expected}` for `{name}`, found `{found}`"));
            }
        }
        let (width, heads) = (self.hidden_size, self.num_attention_heads);
        if width == 0 || width > WIDEST || self.intermediate_size > 4 * WIDEST {
            return Err(format!("expected a `hidden_size` from 1 to {WIDEST}, found {width}"));
        }
        if heads == 0 || width % heads != 0 {
            return Err(format!("{width} numbers cannot be divided into {heads} heads"));
        }
        if self.num_hidden_layers > MOST_LAYERS {
            return Err(format!("more than {MOST_LAYERS} layers"));
        }
        if pieces > self.vocab_size {
            return Err(format!("{} pieces, but the vocabulary has {pieces}", self.vocab_size));
        }
        if self.max_position_embeddings < 2 || self.type_vocab_size == 0 {
            return Err("no positions or no types".to_owned());
        }
        Ok(())
    }

    pub(super) fn positions(&self) -> usize {
        self.max_position_embeddings
    }
}

pub(super) struct Bert {
    config: Config,
    words: Array2<f32>,
    positions: Array2<f32>,
    kind: Array1<f32>,
    norm: Norm,
    layers: Vec<Layer>,
}

/// A matrix, as a layer multiplies its rows by it, and what is added.
struct Dense {
    weight: Array2<f32>,
    bias: Array1<f32>,
}

struct Norm {
    scale: Array1<f32>,
    shift: Array1<f32>,
    eps: f32,
}

struct Layer {
    query: Dense,
    key: Dense,
    value: Dense,
    mixed: Dense,
    mixed_norm: Norm,
    wide: Dense,
    narrow: Dense,
    norm: Norm,
}

/// Reads the parts of a model by their names.
struct Parts<'a> {
    weights: Weights<'a>,
    eps: f32,
}

impl Parts<'_> {
    fn dense(&self, name: &str, from: usize, to: usize) -> Result<Dense, String> {
        let weight = self.weights.matrix(&format!("{name}.weight"), [to, from])?;
        Ok(Dense { weight, bias: self.weights.vector(&format!("{name}.bias"), to)? })
    }

    fn norm(&self, name: &str, width: usize) -> Result<Norm, String> {
        let scale = self.weights.vector(&format!("{name}.weight"), width)?;
        let shift = self.weights.vector(&format!("{name}.bias"), width)?;
        Ok(Norm { scale, shift, eps: self.eps })
    }

    fn layer(&self, place: usize, width: usize, wide: usize) -> Result<Layer, String> {
        let name = |it: &str| format!("encoder.layer.{place}.{it}");
        let dense = |it: &str, from, to| self.dense(&name(it), from, to);
        Ok(Layer {
            query: dense("attention.self.query", width, width)?,
            key: dense("attention.self.key", width, width)?,
            value: dense("attention.self.value", width, width)?,
            mixed: dense("attention.output.dense", width, width)?,
            mixed_norm: self.norm(&name("attention.output.LayerNorm"), width)?,
            wide: dense("intermediate.dense", width, wide)?,
            narrow: dense("output.dense", wide, width)?,
            norm: self.norm(&name("output.LayerNorm"), width)?,
        })
    }
}

impl Bert {
    pub(super) fn read(config: Config, content: &[u8]) -> Result<Self, String> {
        let parts = Parts { weights: Weights::read(content)?, eps: config.layer_norm_eps };
        let width = config.hidden_size;
        let table = |name: &str, rows| {
            parts.weights.matrix(&format!("embeddings.{name}_embeddings.weight"), [rows, width])
        };
        let layers = 0..config.num_hidden_layers;
        let layers = layers.map(|it| parts.layer(it, width, config.intermediate_size));
        Ok(Self {
            words: table("word", config.vocab_size)?,
            positions: table("position", config.max_position_embeddings)?,
            kind: table("token_type", config.type_vocab_size)?.row(0).to_owned(),
            norm: parts.norm("embeddings.LayerNorm", width)?,
            layers: layers.collect::<Result<_, _>>()?,
            config,
        })
    }

    pub(super) fn dimensions(&self) -> usize {
        self.config.hidden_size
    }

    /// A row for each of the pieces, which are not more than there are positions.
    pub(super) fn states(&self, ids: &[usize]) -> Array2<f32> {
        let mut states = self.words.select(Axis(0), ids);
        states += &self.positions.slice_axis(Axis(0), Slice::from(..ids.len()));
        states += &self.kind;
        self.norm.apply(&mut states);
        for layer in &self.layers {
            states = layer.apply(&states, self.config.num_attention_heads);
        }
        states
    }
}

impl Dense {
    fn apply(&self, rows: &Array2<f32>) -> Array2<f32> {
        rows.dot(&self.weight.t()) + &self.bias
    }
}

impl Norm {
    fn apply(&self, rows: &mut Array2<f32>) {
        math::layer_norm(rows, &self.scale, &self.shift, self.eps);
    }
}

impl Layer {
    fn apply(&self, states: &Array2<f32>, heads: usize) -> Array2<f32> {
        let mut mixed = self.mixed.apply(&self.attended(states, heads));
        mixed += states;
        self.mixed_norm.apply(&mut mixed);
        let mut wide = self.wide.apply(&mixed);
        wide.mapv_inplace(math::gelu);
        let mut out = self.narrow.apply(&wide);
        out += &mixed;
        self.norm.apply(&mut out);
        out
    }

    /// What each piece takes from all others, by each head for its part of the width.
    fn attended(&self, states: &Array2<f32>, heads: usize) -> Array2<f32> {
        let (queries, keys) = (self.query.apply(states), self.key.apply(states));
        let values = self.value.apply(states);
        let width = states.ncols() / heads;
        let factor = math::number(width).sqrt().recip();
        let mut all = Array2::zeros(states.raw_dim());
        for head in 0..heads {
            let part = Slice::from(head * width..(head + 1) * width);
            let mut shares =
                queries.slice_axis(Axis(1), part).dot(&keys.slice_axis(Axis(1), part).t());
            shares *= factor;
            math::softmax(&mut shares);
            let taken = shares.dot(&values.slice_axis(Axis(1), part));
            all.slice_axis_mut(Axis(1), part).assign(&taken);
        }
        all
    }
}

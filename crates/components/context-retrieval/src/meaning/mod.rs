//! Vectors of texts by meaning, for the components that search, compare and learn them.

use std::{path::PathBuf, sync::Arc};

use svc_contract::{
    registry::{Cx, Field, OpError, Scheme, Trained},
    value::{Model, Value},
};
use svc_encoder::Encoder;

mod encoder;
pub(super) mod latent;
mod numbers;
mod terms;

use latent::Latent;

/// The version of the component that learns spaces and returns vectors.
pub(super) const VERSION: u32 = 2;

/// The model of an op, as its caller gives it.
#[derive(Clone, Debug)]
pub(super) enum Given {
    /// The folder of a sentence encoder.
    Folder(PathBuf),
    /// What `vectors.learn` returned.
    Learnt(Trained<Latent>),
}

impl Field for Given {
    const SCHEME: Scheme = Scheme::OneOf(&[Scheme::Path, Trained::<Latent>::SCHEME]);

    fn decode(value: Value) -> Option<Self> {
        Some(match value {
            Value::Model(_) => Self::Learnt(Field::decode(value)?),
            // In JSON, a model is its id.
            Value::Text(text) => match text.parse() {
                Ok(id) => Self::Learnt(Field::decode(Value::Model(Model::stored(id)))?),
                Err(()) => Self::Folder(text.as_ref().into()),
            },
            other => Self::Folder(PathBuf::decode(other)?),
        })
    }

    fn encode(self) -> Value {
        match self {
            Self::Folder(path) => path.encode(),
            Self::Learnt(model) => model.encode(),
        }
    }
}

/// A model that turns texts into vectors.
#[derive(Clone)]
pub(super) struct Space {
    /// Equal ones have equal vectors for equal texts.
    pub(super) id: [u8; 32],
    kind: Kind,
}

#[derive(Clone)]
enum Kind {
    Encoder(Arc<Encoder>),
    Latent(Arc<Latent>),
}

/// The texts that a learnt space reads between two looks at the clock.
const BATCH: usize = 16;

impl Given {
    /// Reads the model.
    pub(super) fn read(&self, cx: &Cx) -> Result<Space, OpError> {
        match self {
            Self::Folder(folder) => {
                let (id, encoder) = encoder::read(folder, cx)?;
                Ok(Space { id, kind: Kind::Encoder(encoder) })
            }
            Self::Learnt(model) => {
                Ok(Space { id: model.model().id().0, kind: Kind::Latent(model.state()?) })
            }
        }
    }
}

impl Space {
    /// The length of the vectors.
    pub(super) fn width(&self) -> usize {
        match &self.kind {
            Kind::Encoder(it) => it.dimensions(),
            Kind::Latent(it) => it.width(),
        }
    }

    /// The vectors of texts, of length 1 or 0, in their order.
    pub(super) fn vectors<T: AsRef<str> + Sync>(
        &self,
        texts: &[T],
        cx: &Cx,
    ) -> Result<Vec<Vec<f32>>, OpError> {
        let mut all = Vec::with_capacity(texts.len());
        for batch in texts.chunks(self.batch()) {
            cx.check()?;
            all.extend(self.encoded(batch)?);
            cx.progress("texts", all.len() as u64, Some(texts.len() as u64));
        }
        Ok(all)
    }

    /// How many texts are encoded between two looks at the clock.
    pub(super) fn batch(&self) -> usize {
        match self.kind {
            Kind::Encoder(_) => encoder::threads(),
            Kind::Latent(_) => BATCH,
        }
    }

    /// The vectors of a few texts.
    pub(super) fn encoded<T: AsRef<str> + Sync>(
        &self,
        texts: &[T],
    ) -> Result<Vec<Vec<f32>>, OpError> {
        match &self.kind {
            Kind::Encoder(it) => encoder::vectors(it, texts),
            Kind::Latent(it) => Ok(texts.iter().map(|text| it.vector(text.as_ref())).collect()),
        }
    }
}

/// A text with its title before it, unless it begins with it.
pub(super) fn titled(title: &str, text: &str) -> String {
    let title = title.trim().trim_end_matches('…');
    let text = text.trim_start_matches(['#', ' ']);
    if text.starts_with(title) { text.to_owned() } else { format!("{title}\n{text}") }
}

/// The cosine of the angle between two vectors of length 1; 0 if one is of zeros.
pub(super) fn cosine(a: &[f32], b: &[f32]) -> f64 {
    f64::from(svc_encoder::dot(a, b).clamp(-1.0, 1.0))
}

/// Maps scores to 0..1, so that the best is 1 and the worst is 0, as `CombSUM` adds them (Fox & Shaw
/// 1993). The worst and the best of equal ones are 0.
pub(super) fn spread(scores: &[f64]) -> impl Iterator<Item = f64> {
    /// The smallest range of scores that is stretched.
    const FLAT: f64 = 1e-9;
    let (low, high) =
        scores.iter().fold((f64::MAX, f64::MIN), |(low, high), it| (low.min(*it), high.max(*it)));
    let range = (high - low).max(FLAT);
    scores.iter().map(move |it| (it - low) / range)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_stands_once_before_the_text() {
        assert_eq!(titled("Heat", "It flows."), "Heat\nIt flows.");
        assert_eq!(titled(" Heat ", "# Heat\n\nIt flows."), "Heat\n\nIt flows.");
        assert_eq!(
            titled("Heat flows from…", "Heat flows from hot to cold."),
            "Heat flows from hot to cold."
        );
        assert_eq!(titled("", ""), "");
    }

    #[test]
    fn scores_are_spread_from_0_to_1() {
        assert_eq!(spread(&[3.0, 1.0, 2.0]).collect::<Vec<_>>(), [1.0, 0.0, 0.5]);
        assert_eq!(spread(&[7.0, 7.0]).collect::<Vec<_>>(), [0.0, 0.0]);
        assert_eq!(spread(&[]).count(), 0);
    }
}

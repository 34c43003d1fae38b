//! What a component has learnt, as a value: immutable, and identified by its content.

use std::{
    any::Any,
    fmt,
    str::FromStr,
    sync::{Arc, OnceLock},
};

use serde::{Deserialize, Serialize};

use super::Text;

/// A model. Clones share its content.
///
/// A model from a store or from JSON is only an id until its content is needed.
#[derive(Clone)]
pub struct Model(Arc<Inner>);

struct Inner {
    id: ModelId,
    content: OnceLock<Learnt>,
}

/// The BLAKE3 hash of a model's content.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ModelId(pub [u8; 32]);

/// The content of a model.
#[derive(Clone)]
pub struct Learnt {
    pub about: AboutModel,
    /// The state as the component encodes it.
    pub state: Arc<[u8]>,
    /// The decoded state, for calls that share the model.
    decoded: OnceLock<Arc<dyn Any + Send + Sync>>,
}

/// The description of a model, without its state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AboutModel {
    pub component: Text,
    /// The version of the component that learnt it.
    pub version: u32,
    /// The version of the state's layout.
    pub layout: u32,
    /// The number of items that it was learnt from.
    pub rows: u64,
    /// How good it is, as measured on items that it was not learnt from.
    pub metrics: Vec<Metric>,
}

/// A measured number, with its interval if it has one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Metric {
    pub name: Text,
    pub value: f64,
    pub low: Option<f64>,
    pub high: Option<f64>,
    /// The number of measurements.
    pub n: u64,
}

/// The first bytes of a model in a file.
const MAGIC: &[u8] = b"SVCM1\n";

/// The maximum size of the line that describes a model.
const LONGEST_LINE: usize = 1 << 20;

/// The maximum size of a state in bytes.
pub const LARGEST_STATE: usize = 64 << 20;

/// The line that describes a model in a file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    id: String,
    /// The size of the state in bytes.
    size: usize,
    /// The BLAKE3 hash of the compressed state.
    hash: String,
    about: AboutModel,
}

impl Model {
    pub fn new(content: Learnt) -> Self {
        let id = content.id();
        Self(Arc::new(Inner { id, content: OnceLock::from(content) }))
    }

    /// The model with this id, whose content is read when it is needed.
    pub fn stored(id: ModelId) -> Self {
        Self(Arc::new(Inner { id, content: OnceLock::new() }))
    }

    pub fn id(&self) -> ModelId {
        self.0.id
    }

    /// The content, if it is in memory.
    pub fn content(&self) -> Option<&Learnt> {
        self.0.content.get()
    }

    /// Adds the content that was read; returns whether it is that of this model.
    pub fn supply(&self, content: Learnt) -> bool {
        content.id() == self.0.id && {
            let _ = self.0.content.set(content);
            true
        }
    }

    /// Whether it may be a model of this component, as far as is known.
    pub fn may_be_of(&self, component: &str) -> bool {
        self.content().is_none_or(|it| it.about.component.as_ref() == component)
    }

    /// The share of its memory that each of its holders accounts for.
    pub(super) fn held(&self) -> usize {
        let size = self.content().map_or(0, |it| it.state.len());
        (size + size_of::<Learnt>()) / Arc::strong_count(&self.0).max(1)
    }
}

impl Learnt {
    /// A metric that is not a number is left out.
    pub fn new(mut about: AboutModel, state: impl Into<Arc<[u8]>>) -> Self {
        about.metrics.retain(|it| it.value.is_finite());
        Self { about, state: state.into(), decoded: OnceLock::new() }
    }

    /// The bytes that its id is the hash of.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.line_of_id();
        bytes.extend_from_slice(&self.state);
        bytes
    }

    /// Reads what [`Learnt::to_bytes`] wrote.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let end = bytes.iter().take(LONGEST_LINE).position(|it| *it == b'\n')?;
        let about = serde_json::from_slice(bytes.get(..end)?).ok()?;
        Some(Self::new(about, bytes.get(end + 1..)?))
    }

    /// Writes a file: a magic number, a line of JSON, and the compressed state.
    pub fn to_file(&self) -> Vec<u8> {
        let state = lz4_flex::block::compress(&self.state);
        let line = self.line(&state);
        [MAGIC, &line, b"\n", &state].concat()
    }

    /// Reads a file that [`Learnt::to_file`] wrote, or returns why it is none.
    pub fn from_file(bytes: &[u8]) -> Result<Self, String> {
        let rest = bytes.strip_prefix(MAGIC).ok_or("it is not a model")?;
        let end = rest.iter().take(LONGEST_LINE).position(|it| *it == b'\n');
        let (text, state) = rest.split_at(end.ok_or("its description has no end")?);
        let state = &state[1..];
        let line: Line = serde_json::from_slice(text)
            .map_err(|err| format!("its description is damaged: {err}"))?;
        if line.size > LARGEST_STATE {
            return Err(format!("it is too large ({} bytes, limit {LARGEST_STATE})", line.size));
        }
        let known = lz4_flex::block::decompress(state, line.size)
            .map_err(|err| format!("its state is damaged: {err}"))?;
        let content = Self::new(line.about, known);
        // A changed byte may decode to the same content, but the file is damaged nevertheless.
        if content.line(state) != text {
            return Err("its content does not match its description: it is damaged".to_owned());
        }
        Ok(content)
    }

    /// The description in a file, before a compressed state.
    fn line(&self, compressed: &[u8]) -> Vec<u8> {
        let line = Line {
            id: self.id().to_string(),
            size: self.state.len(),
            hash: blake3::hash(compressed).to_string(),
            about: self.about.clone(),
        };
        serde_json::to_vec(&line).unwrap_or_default()
    }

    /// The decoded state, which is decoded once for all holders of the model.
    pub fn decoded<T: Any + Send + Sync, E>(
        &self,
        decode: impl FnOnce(&Self) -> Result<T, E>,
    ) -> Result<Arc<T>, E> {
        if let Some(known) = self.decoded.get().and_then(|it| it.clone().downcast().ok()) {
            return Ok(known);
        }
        let state = Arc::new(decode(self)?);
        let _ = self.decoded.set(state.clone());
        Ok(state)
    }

    pub fn id(&self) -> ModelId {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.line_of_id()).update(&self.state);
        ModelId(hasher.finalize().into())
    }

    fn line_of_id(&self) -> Vec<u8> {
        let mut line = serde_json::to_vec(&self.about).unwrap_or_default();
        line.push(b'\n');
        line
    }
}

impl FromStr for ModelId {
    type Err = ();

    /// Reads 64 hex digits.
    fn from_str(text: &str) -> Result<Self, ()> {
        let hash = blake3::Hash::from_hex(text).map_err(drop)?;
        Ok(Self(hash.into()))
    }
}

impl fmt::Display for ModelId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&blake3::Hash::from_bytes(self.0).to_hex())
    }
}

impl fmt::Debug for ModelId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.id().fmt(f)
    }
}

impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Model({})", self.id())
    }
}

/// Does not show the state, which may be long.
impl fmt::Debug for Learnt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} ({} bytes)", self.about, self.state.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content() -> Learnt {
        let metric = Metric { name: "f1".into(), value: 0.1 + 0.2, low: None, high: None, n: 5 };
        let about = AboutModel {
            component: "ctx_rerank".into(),
            version: 2,
            layout: 1,
            rows: 7,
            metrics: vec![metric],
        };
        Learnt::new(about, b"some state, some state, some state".repeat(40))
    }

    #[test]
    fn a_model_comes_back_from_bytes_and_files_as_it_was() {
        let one = content();
        let file = one.to_file();
        for back in
            [Learnt::from_file(&file).unwrap(), Learnt::from_bytes(&one.to_bytes()).unwrap()]
        {
            assert_eq!((&back.about, &back.state), (&one.about, &one.state));
            assert_eq!(back.id(), one.id());
            assert_eq!(back.to_file(), file);
        }
        assert_eq!(one.id().to_string().parse(), Ok(one.id()));
    }

    #[test]
    fn damaged_files_are_not_loaded() {
        let file = content().to_file();
        for len in 0..file.len() {
            assert!(Learnt::from_file(&file[..len]).is_err(), "{len} bytes are not a model");
        }
        for (at, bit) in (0..file.len()).flat_map(|at| (0..8).map(move |bit| (at, bit))) {
            let mut damaged = file.clone();
            damaged[at] ^= 1 << bit;
            assert!(Learnt::from_file(&damaged).is_err(), "bit {bit} of byte {at}");
        }
        let mut longer = file.clone();
        longer.push(0);
        assert!(Learnt::from_file(&longer).is_err());
    }

    #[test]
    fn a_stored_model_takes_only_its_own_content() {
        let (one, mut other) = (content(), content());
        other.about.rows = 8;
        let model = Model::stored(one.id());
        assert!(model.content().is_none());
        assert!(!model.supply(Learnt::new(other.about, other.state)));
        assert!(model.supply(one.clone()));
        assert!(model.may_be_of("ctx_rerank") && !model.may_be_of("ctx_search"));
        let decode = |it: &Learnt| Ok::<_, ()>(it.state.len());
        let known = model.content().unwrap().decoded(decode).unwrap();
        assert_eq!(*known, one.state.len());
        let again = |_: &Learnt| Err(());
        assert_eq!(model.content().unwrap().decoded::<usize, ()>(again), Ok(known));
    }
}

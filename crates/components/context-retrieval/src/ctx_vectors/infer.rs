//! Vectors of texts by a model of the user.

use svc_contract::{
    registry::{
        Compute, Cx, Effect, ErrorKind, Example, Limits, Max, Op, OpError, Scheme, Scope, params,
    },
    value::{Text, Value},
};

use crate::meaning::Given;

params! {
    /// Returns the vectors of texts by meaning, from a model on this machine.
    ///
    /// `model` is what `vectors.learn` returned, or a sentence encoder: a folder with the weights of a BERT model as sentence-transformers saves it:
    /// `config.json`, `model.safetensors` (numbers of 32 or 16 bits) and `vocab.txt`; its tokenizer and
    /// pooling settings are respected. `all-MiniLM-L6-v2` and the English models of E5, GTE and BGE are
    /// of this kind. Nothing is downloaded, and no text leaves the machine. The vectors have length 1,
    /// in the order of the texts. Only the beginning of a long text counts: 256 word pieces for
    /// MiniLM.
    ///
    /// Fails with `not_found` if a file is missing, and with `invalid_input` if it is damaged or the
    /// model is of another kind.
    pub(super) struct Infer {
        /// The texts.
        texts: Vec<Text>,
        /// The folder of a sentence encoder, or what `vectors.learn` returned.
        model: Given,
    }
}

impl Op for Infer {
    const NAME: &'static str = "infer";
    const YIELDS: Scheme = Scheme::List(&Scheme::List(&Scheme::Float, Max::Unknown), Max::Input);
    const EFFECTS: &'static [Effect] = &[Effect::Reads(Scope::Path("model"))];
    const ERRORS: &'static [ErrorKind] =
        &[ErrorKind::NotFound, ErrorKind::Denied, ErrorKind::Failed];
    const LIMITS: Limits = Limits::UNTIMED;
    const SAYS: &'static [&'static str] = &[
        "embed texts on this machine",
        "sentence embeddings without an api",
        "run a sentence-transformers model locally",
        "vectors from safetensors weights",
        "offline embeddings with minilm",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("No texts", r#"[] >> vectors(model: "all-MiniLM-L6-v2")"#, "[]"),
        Example::err(
            "A folder that does not exist",
            r#"["a cat"] >> vectors(model: "nowhere")"#,
            "nowhere/config.json",
        ),
        Example::err(
            "A model of another kind",
            r#"["a cat"] >> vectors(model: "model")"#,
            "expected `bert` for `model_type`, found `t5`",
        )
        .with(&[
            (
                "model/config.json",
                r#"{"model_type": "t5", "hidden_act": "relu", "hidden_size": 4, "intermediate_size": 8,
"num_attention_heads": 2, "num_hidden_layers": 1, "max_position_embeddings": 8,
"type_vocab_size": 2, "vocab_size": 9, "layer_norm_eps": 1e-12}"#,
            ),
            ("model/model.safetensors", ""),
            ("model/vocab.txt", "[CLS]\n[SEP]\n[UNK]\n"),
        ]),
    ];
}

impl Compute for Infer {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        if self.texts.is_empty() {
            return Ok(Value::List(Vec::new().into()));
        }
        let vectors = self.model.read(cx)?.vectors(&self.texts, cx)?;
        let list = |it: Vec<f32>| -> Value {
            it.into_iter().map(|it| Value::Float(it.into())).collect::<Vec<_>>().into()
        };
        Ok(Value::List(vectors.into_iter().map(list).collect()))
    }
}

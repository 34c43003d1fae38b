//! Biases as bundles, which go from one service to another.

use svc_contract::{
    registry::{Conflict, OpError},
    value::{Value, json},
};
use svc_store::book::{Change, Changing};

use crate::{
    candidate::Record,
    knobs::{record, shown},
    layers::{self, Subject},
    value::object,
    work::Work,
};

impl Work {
    /// The active bias of a component, with its history if that is wanted, and their hash.
    pub fn export(&self, component: &str, with_history: bool) -> Result<Value, OpError> {
        let bias = self.bias(component)?;
        let name = bias.as_record().and_then(|it| it.get("name")).cloned().unwrap_or_default();
        let history = if with_history { self.history(component, usize::MAX)? } else { Value::Null };
        let hash = hash_of(&name, &bias, &history);
        Ok(object([
            ("component", name),
            ("current_bias", bias),
            ("history", history),
            ("hash", hash.into()),
        ]))
    }

    /// Makes the bias of a bundle active: after all safety layers, or without them, and then only
    /// guarded.
    pub async fn import(&self, bundle: &Value, validates: bool) -> Result<Value, OpError> {
        let Value::Record(fields) = bundle else {
            let message = format!("expected an object as the bundle, found {}", bundle.kind());
            return Err(OpError::invalid_input(message));
        };
        let field = |name: &str| {
            let found = fields.get(name).cloned();
            found
                .ok_or_else(|| OpError::invalid_input(format!("`{name}` is missing in the bundle")))
        };
        let (name, bias) = (field("component")?, field("current_bias")?);
        let component = name.as_str().ok_or_else(|| {
            OpError::invalid_input(format!(
                "expected a string for `component`, found {}",
                name.kind()
            ))
        })?;
        let mut warnings = Vec::new();
        match fields.get("hash") {
            None | Some(Value::Null) => {
                warnings.push("the bundle has no hash: it may have been changed".to_owned());
            }
            Some(hash) => {
                let history = fields.get("history").cloned().unwrap_or_default();
                if hash.as_str() != Some(&*hash_of(&name, &bias, &history)) {
                    return Err(OpError::invalid_input("the bundle does not match its hash")
                        .help("export it again"));
                }
            }
        }
        let subject = Subject::of(&self.biases, &self.engine, component)?;
        let candidate = at_version(&bias, subject.row.active);
        if validates {
            let summary = "imported";
            let applied = layers::apply(&self.biases, &subject, &candidate, summary).await?;
            warnings.extend(applied.verified.warnings.clone());
            warnings.extend(applied.verified.refused.clone());
            return Ok(imported(applied.is_done, applied.version, warnings));
        }
        let read = Record::read(&candidate, &subject.evaluator.knobs)?;
        if read.changes == subject.active {
            warnings.push("the bundle is what is active already".to_owned());
            return Ok(imported(false, subject.row.active, warnings));
        }
        warnings.push(
            "no safety layer was asked: the guard compares it with the version before".to_owned(),
        );
        let changing = Changing {
            component: subject.name().to_owned(),
            based_on: subject.row.active,
            at: subject.evaluator.engine().host().now(),
            op: "import",
            change: Change::Add {
                summary: format!("imported without validation: {}", shown(&read.changes)),
                params: json::write(&record(&read.changes)),
            },
            detail: shown(&read.changes),
        };
        let changed = self.biases.change(changing).await?;
        let version = changed.ok_or_else(|| {
            OpError::failed("the component was changed by another process meanwhile")
                .because(Conflict)
                .help("try again")
        })?;
        Ok(imported(true, version, warnings))
    }
}

fn imported(is_imported: bool, version: u64, warnings: Vec<String>) -> Value {
    object([
        ("imported", is_imported.into()),
        ("version", version.into()),
        ("warnings", crate::value::texts(warnings)),
    ])
}

/// A bias of elsewhere has the version of elsewhere.
fn at_version(bias: &Value, version: u64) -> Value {
    let Value::Record(fields) = bias else { return bias.clone() };
    let all = fields.iter().map(|(name, it)| {
        let own = if &**name == "version" { version.into() } else { it.clone() };
        (name.clone(), own)
    });
    Value::Record(all.collect())
}

fn hash_of(name: &Value, bias: &Value, history: &Value) -> String {
    let mut hasher = blake3::Hasher::new_derive_key("svc 2026 bundle of a bias");
    for part in [name, bias, history] {
        let text = json::write(part);
        hasher.update(&(text.len() as u64).to_le_bytes()).update(text.as_bytes());
    }
    hasher.finalize().to_hex()[..32].to_owned()
}

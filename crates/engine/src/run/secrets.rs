//! The secrets of a run: taken from the host, and hidden from all output of a run.

use std::{borrow::Cow, sync::Arc};

use svc_contract::{
    host::Host,
    registry::{ErrorKind, OpError},
    value::{Secret, Text, Value},
};
use svc_lang::check::Input;

use super::error::{Result, RunError};

/// The secrets of a run: every reported failure is redacted by them.
#[derive(Clone, Debug, Default)]
pub(super) struct Secrets(Arc<[Secret]>);

impl Secrets {
    pub(super) fn of(values: &[Value]) -> Self {
        let secrets = values.iter().filter_map(|it| match it {
            Value::Secret(it) if !it.reveal().is_empty() => Some(it.clone()),
            _ => None,
        });
        Self(secrets.collect())
    }

    /// The text with stars in place of secrets.
    pub(super) fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.0.iter().fold(Cow::Borrowed(text), |text, secret| {
            if text.contains(secret.reveal()) {
                Cow::Owned(text.replace(secret.reveal(), "***"))
            } else {
                text
            }
        })
    }

    /// The value with stars in place of secrets: results of calls are printed, recorded and
    /// passed on. Very short secrets are not masked, because the stars would also hide
    /// unrelated text.
    pub(super) fn hidden(&self, value: Value) -> Value {
        if self.0.is_empty() || !self.is_in(&value) {
            return value;
        }
        match value {
            Value::Text(it) => Value::Text(self.starred(&it)),
            Value::Path(it) => Value::Path(self.starred(&it)),
            Value::Bytes(it) => {
                Value::Bytes(self.starred(&String::from_utf8_lossy(&it)).as_bytes().into())
            }
            Value::List(it) => {
                Value::List(it.into_vec().into_iter().map(|it| self.hidden(it)).collect())
            }
            Value::Record(it) => {
                let fields = it.iter();
                let hidden = fields.map(|(name, it)| (self.starred(name), self.hidden(it.clone())));
                Value::Record(hidden.collect())
            }
            other => other,
        }
    }

    fn is_in(&self, value: &Value) -> bool {
        match value {
            Value::Text(it) | Value::Path(it) => self.long().any(|secret| it.contains(secret)),
            Value::Bytes(it) => self
                .long()
                .any(|secret| it.windows(secret.len()).any(|window| window == secret.as_bytes())),
            Value::List(it) => it.iter().any(|it| self.is_in(it)),
            Value::Record(it) => it.iter().any(|(name, it)| {
                self.long().any(|secret| name.contains(secret)) || self.is_in(it)
            }),
            _ => false,
        }
    }

    fn starred(&self, text: &str) -> Text {
        self.long().fold(text.to_owned(), |text, secret| text.replace(secret, "***")).into()
    }

    /// The secrets that are too long to occur by chance.
    fn long(&self) -> impl Iterator<Item = &str> {
        const SHORTEST: usize = 6;
        self.0.iter().map(Secret::reveal).filter(|it| it.len() >= SHORTEST)
    }

    /// The failure without its cause, if the cause contains a secret.
    pub(super) fn redacted(&self, mut err: OpError) -> OpError {
        if self.0.is_empty() {
            return err;
        }
        err.message = self.redact(&err.message).into_owned();
        err.help = err.help.map(|it| self.redact(&it).into_owned());
        err.source = err.source.filter(|it| {
            let text = format!("{it} {it:?}");
            self.redact(&text) == text.as_str()
        });
        err
    }
}

/// Reads the secret for a script's declaration.
pub(super) fn take(host: &dyn Host, input: &Input) -> Result<Value> {
    let name = &input.name;
    let text = host.secret(name).map_err(|err| {
        let message = format!("cannot read the secret `{name}`: {err}");
        RunError::new(OpError::new(ErrorKind::Denied, message), input.span)
    })?;
    let Some(text) = text else {
        let variable = svc_contract::host::secret_variable(name);
        let message = format!("the script needs the secret `{name}`");
        let help = format!("set `{variable}`, or `{variable}_FILE` to a file that holds it");
        return Err(RunError::new(OpError::invalid_input(message).help(help), input.span));
    };
    Ok(Value::Secret(Secret::new(text)))
}

//! Secrets of a run: taken from the host, and kept out of what a run tells.

use std::{borrow::Cow, sync::Arc};

use super::error::{Result, RunError};
use crate::{
    check::Input,
    host::Host,
    registry::{ErrorKind, OpError},
    value::{Secret, Value},
};

/// The secrets that a run holds: whatever it says of a failure passes here first.
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

    /// The text with stars where a secret stood.
    pub(super) fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.0.iter().fold(Cow::Borrowed(text), |text, secret| {
            match text.contains(secret.reveal()) {
                true => Cow::Owned(text.replace(secret.reveal(), "***")),
                false => text,
            }
        })
    }

    /// The failure without its cause when that says more than it should.
    pub(super) fn redacted(&self, mut err: OpError) -> OpError {
        if self.0.is_empty() {
            return err;
        }
        err.message = self.redact(&err.message).into_owned();
        err.help = err.help.map(|it| self.redact(&it).into_owned());
        err.source = err.source.filter(|it| {
            let told = format!("{it} {it:?}");
            self.redact(&told) == told.as_str()
        });
        err
    }
}

/// The secret of a script's declaration.
pub(super) fn take(host: &dyn Host, input: &Input) -> Result<Value> {
    let name = &input.name;
    let told = host.secret(name).map_err(|err| {
        let message = format!("cannot read the secret `{name}`: {err}");
        RunError::new(OpError::new(ErrorKind::Denied, message), input.span)
    })?;
    let Some(text) = told else {
        let variable = crate::host::secret_variable(name);
        let message = format!("the script needs the secret `{name}`");
        let help = format!("set `{variable}`, or `{variable}_FILE` to a file that holds it");
        return Err(RunError::new(OpError::invalid_input(message).help(help), input.span));
    };
    Ok(Value::Secret(Secret::new(text)))
}

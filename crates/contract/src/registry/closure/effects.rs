//! Effects as text: `reads crm`.

use std::convert::Infallible;

use super::names;
use crate::registry::{Effect, OpError, Scope};

impl TryFrom<&str> for Effect {
    type Error = OpError;

    /// Reads an effect as it is displayed, with the parameter of an address: `reads web:<url>`.
    fn try_from(text: &str) -> Result<Self, OpError> {
        let (verb, place) = text.split_once(' ').unwrap_or((text, ""));
        let (place, idempotent) = match place.strip_suffix(" on every attempt") {
            Some(place) => (place, false),
            None => (place, true),
        };
        let scope = || scope(place).ok_or_else(|| unknown(text));
        match verb {
            "reads" if idempotent => Ok(Self::Reads(scope()?)),
            "writes" => Ok(Self::Writes { scope: scope()?, idempotent }),
            "runs" if idempotent => Ok(Self::Runs(scope()?)),
            "spends" if text == verb => Ok(Self::Spends),
            "asks" if text == verb => Ok(Self::Asks),
            _ => Err(unknown(text)),
        }
    }
}

fn scope(place: &str) -> Option<Scope> {
    if let Some((kind, param)) = place.split_once(':') {
        let param = param.strip_prefix('<')?.strip_suffix('>')?;
        let param = names::is_name(param).then(|| names::kept(param))?;
        return match kind {
            "fs" => Some(Scope::Path(param)),
            "web" => Some(Scope::Web(param)),
            "cmd" => Some(Scope::Command(param)),
            _ => None,
        };
    }
    let is_own = !matches!(place, "fs" | "web" | "cmd") && names::is_name(place);
    is_own.then(|| Scope::Named(names::kept(place)))
}

fn unknown(text: &str) -> OpError {
    OpError::invalid_input(format!("invalid effect `{text}`")).help(
        "write `reads crm`, `writes mail on every attempt`, `reads fs:<path>`, `reads web:<url>`, `runs cmd:<program>`, `spends` or `asks`",
    )
}

impl Scope {
    /// The parameter that names the place.
    pub(super) fn param(self) -> Option<&'static str> {
        match self {
            Self::Path(param) | Self::Web(param) | Self::Command(param) => Some(param),
            Self::Site(_) | Self::Named(_) => None,
        }
    }
}

impl Effect {
    /// The place of the effect.
    pub(super) fn scope(self) -> Option<Scope> {
        match self {
            Self::Reads(scope) | Self::Writes { scope, .. } | Self::Runs(scope) => Some(scope),
            Self::Spends | Self::Asks => None,
        }
    }
}

impl From<Infallible> for OpError {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}

#[cfg(test)]
mod tests {
    use crate::registry::Effect;

    #[test]
    fn effects_are_read_as_they_are_shown() {
        for text in [
            "reads crm",
            "reads fs:<source>",
            "writes mail",
            "writes mail on every attempt",
            "runs cmd:<program>",
            "spends",
            "asks",
        ] {
            assert_eq!(Effect::try_from(text).unwrap().to_string(), text);
        }
        assert_eq!(Effect::try_from("reads web:<url>").unwrap().to_string(), "reads web");
        for text in
            ["", "reads", "reads web", "reads fs:docs", "spends crm", "sends mail", "reads A b"]
        {
            assert!(Effect::try_from(text).is_err(), "{text}");
        }
    }
}

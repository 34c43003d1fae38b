//! Keeps the parts of an address out of messages.

use percent_encoding::percent_decode_str;
use svc_contract::{registry::OpError, value::Secret};

/// What no message may contain: the address as a whole, and its password in both spellings.
pub(crate) struct Hidden(Vec<String>);

/// Shorter passwords are parts of other words.
const SHORTEST: usize = 4;

impl Hidden {
    pub(crate) fn of(address: &Secret) -> Self {
        let whole = address.reveal();
        let mut all = vec![whole.to_owned()];
        if let Some(password) = password(whole) {
            all.push(password.to_owned());
            all.push(percent_decode_str(password).decode_utf8_lossy().into_owned());
        }
        all.retain(|it| it.len() >= SHORTEST);
        Self(all)
    }

    pub(crate) fn in_error(&self, mut err: OpError) -> OpError {
        for it in &self.0 {
            err.message = err.message.replace(it, "***");
            err.help = err.help.map(|help| help.replace(it, "***"));
            let shown = |err: &dyn std::error::Error| format!("{err} {err:?}").contains(it);
            err.source = err.source.filter(|err| !shown(err));
        }
        err
    }
}

/// The password in an address, as written there.
pub(crate) fn password(address: &str) -> Option<&str> {
    let (_, rest) = address.split_once("://")?;
    let (login, _) = rest.rsplit_once('@')?;
    login.split_once(':').map(|(_, password)| password)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_spelling_of_a_password_is_shown() {
        let address = Secret::new("postgres://ann:s%40cret@db.example/shop");
        let err = OpError::failed("s%40cret, s@cret, postgres://ann:s%40cret@db.example/shop")
            .help("s@cret");
        let err = Hidden::of(&address).in_error(err);
        assert_eq!((err.message.as_str(), err.help.as_deref()), ("***, ***, ***", Some("***")));
    }
}

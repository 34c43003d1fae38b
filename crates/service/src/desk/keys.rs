//! Whether an API key is valid, with the lockout that every key meets.

use std::net::IpAddr;

use svc_contract::{registry::record, value::Text};

use super::{Desk, at, text};
use crate::{Fault, Visitor, tools};

record! {
    /// A key that is valid.
    pub struct KeyView {
        /// `true`: a key that is not valid is answered with 401.
        valid: bool,
        /// The id of the key, which is not secret.
        key_id: Text,
        /// The tier of its role.
        tier: Text,
        /// How many tools it may call.
        tools_total: i64,
        /// When it ends.
        expires_at: Text,
    }
}

impl Desk {
    /// Verifies a key. Failures are counted, and lock the address out for a while.
    pub async fn validate_key(&self, key: &str, address: IpAddr) -> Result<KeyView, Fault> {
        let service = self.service();
        let host = service.shared.engine.host();
        let Some(gate) = &service.shared.gate else {
            return Err(Fault::not_found("this server keeps no keys"));
        };
        let visitor = Visitor { key: Some(key), address, surface: "desktop" };
        let info = match gate.test(key, visitor, host).await {
            Ok(info) => info,
            Err(turned) => {
                // How long the test took does not show, and no thread waits.
                tokio::time::sleep(turned.pause).await;
                return Err(*turned.fault);
            }
        };
        let may_tune = gate.may_tune(&info, host.now());
        let caller = gate.caller(&info, may_tune, &service.shared.version);
        let caller = caller.map_err(|it| *it.fault)?;
        let rows = tools::table(service.engine().registry());
        let callable = rows.iter().filter(|it| caller.may_call(it.tier)).count();
        Ok(KeyView {
            valid: true,
            key_id: text(&info.id.to_string()),
            tier: caller.tier.name().into(),
            tools_total: i64::try_from(callable).unwrap_or(i64::MAX),
            expires_at: at(info.expires),
        })
    }
}

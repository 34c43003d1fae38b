//! Where reports may be sent.

use core::net::IpAddr;

use svc_contract::host::{
    address::Address,
    http::{Request, Trust},
};

use crate::{Fault, Service};

/// The longest address.
const LONGEST: usize = 2000;

impl Service {
    /// The address that a job is reported to, in its usual form, or why the caller may not name it.
    pub fn notifiable(&self, text: &str) -> Result<String, Fault> {
        let wrong = |why: String| {
            Fault::field("notify_url", format!("invalid address: {why}"))
                .help("name an address of the public internet; the operator can allow others with `--notify`")
        };
        if text.len() > LONGEST {
            return Err(wrong(format!("it is longer than {LONGEST} bytes")));
        }
        self.jobs()?;
        let request = self.request_to(text, Vec::new());
        let address = request.look().map_err(|err| wrong(err.to_string()))?;
        Ok(address.to_string())
    }

    /// A request with a report. It leads to the public internet, to addresses that the operator
    /// allows, and for the user of this machine to this machine.
    pub(super) fn request_to(&self, address: &str, body: Vec<u8>) -> Request {
        let request = Request::post_json(address, body);
        match Address::read(address) {
            Ok(it) if self.trusts(&it) => Request { trust: Trust::Configured, ..request },
            _ => request,
        }
    }

    fn trusts(&self, address: &Address) -> bool {
        let (host, port) = (address.host(), address.port());
        let is_allowed = self.shared.notify.iter().any(|it| it.0 == host && it.1 == port);
        is_allowed || (self.caller().is_local() && is_this_machine(host))
    }
}

fn is_this_machine(host: &str) -> bool {
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|it| it.to_canonical().is_loopback())
}

//! The certificate next to a script, as a step.

use std::{path::Path, time::Instant};

use svc_contract::host::{self, Host};
use svc_engine::Engine;
use svc_lang::diag::Source;

use super::{Demands, Finding, Step, StepKind};
use crate::certificate::{Certificate, verify};

/// The largest certificate, in bytes.
const LARGEST: u64 = 4 << 20;

/// Verifies the certificate of a script; no step if there is none, and none is demanded.
pub(super) fn step(engine: &Engine, script: &Source, demands: &Demands) -> Option<Step> {
    let begun = Instant::now();
    let file = script.name();
    let name = Certificate::name_for(file);
    let findings = match read(engine.host(), &name) {
        Ok(Some(certificate)) => {
            let help = remake(file, Some(&certificate));
            let verified = verify(engine, certificate, script.clone(), demands.key.as_ref());
            let problems = verified.problems().into_iter();
            problems.map(|it| Finding::error("certificate", &name, it).help(&help)).collect()
        }
        Ok(None) if demands.certified => {
            let message = format!("missing certificate `{name}`");
            vec![Finding::error("certificate", file, message).help(remake(file, None))]
        }
        Ok(None) => return None,
        Err(why) => vec![Finding::error("certificate", &name, why).help(remake(file, None))],
    };
    Some(Step::of(StepKind::Certificate, findings, begun))
}

fn read(host: &dyn Host, name: &str) -> Result<Option<Certificate>, String> {
    let path = Path::new(name);
    if host.stat(path).is_err() {
        return Ok(None);
    }
    let bytes =
        host::read(host, path, LARGEST).map_err(|err| format!("cannot read `{name}`: {err}"))?;
    let certificate = Certificate::read(&String::from_utf8_lossy(&bytes));
    certificate.map(Some).map_err(|why| format!("cannot read `{name}`: {why}"))
}

/// The command that certifies a script again, for the same inputs and limits. Terms that a terminal
/// would not show as they are, are left out.
fn remake(file: &str, certificate: Option<&Certificate>) -> String {
    let name = Certificate::name_for(file);
    let terms = certificate.map(|it| it.terms.arguments());
    let terms = terms.filter(|it| !it.is_empty() && !it.chars().any(char::is_control));
    let terms = terms.map(|it| format!(" {it}")).unwrap_or_default();
    let key = if certificate.is_some_and(|it| it.seal.is_some()) { " --sign KEY" } else { "" };
    format!("examine the change, then run `svc certify {file}{terms}{key} -o {name}`")
}

//! `svc verify`: computes a certificate again, and names what differs.

use std::path::{Component, Path, PathBuf};

use clap::Args;
use svc_api::certificate::{Certificate, PublicKey, Verified, verify};
use svc_contract::host::Host;
use svc_lang::diag::{visible, visible_line};

use super::{
    Session,
    certify::read_text,
    exit::{FAILED, Failure, OK, Result, USAGE, answered},
    script, terminal,
};

/// Verify the certificate of a script, and name what differs.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Verify {
    /// The certificate.
    #[arg(value_name = "CERT")]
    certificate: PathBuf,
    /// The script; by default, the one that the certificate names, next to the certificate or in the
    /// current folder.
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Demand a signature with this public Ed25519 key, a file in PEM.
    #[arg(long, value_name = "KEY")]
    key: Option<PathBuf>,
    /// Print one JSON object with what differs.
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "Examples:
  svc verify report.cert.json
  svc verify report.cert.json flows/report.svc
  svc verify report.cert.json --key public.pem
  svc verify report.cert.json --json | jq .differences

Nothing runs, and no network is needed. Set SVC_MODEL and SVC_PRICES as they are where the script
runs: another model or another price differs from the certificate.

Without --key, anyone may have written the certificate; it is still compared with the script.

The exit code is 1 if something differs.";

/// The largest certificate, in bytes.
const LARGEST: u64 = 4 << 20;

impl Verify {
    pub(super) fn execute(self, session: &Session) -> Result<u8> {
        answered(self.json, self.run(session))
    }

    fn run(&self, session: &Session) -> Result<u8> {
        let host = session.engine.host();
        let text = read_text(host, &self.certificate, LARGEST)?;
        let name = self.certificate.display();
        let certificate = Certificate::read(&text)
            .map_err(|why| Failure::new(FAILED, format!("cannot read `{name}`: {why}")))?;
        let key = self.key.as_deref().map(|it| public_key(host, it)).transpose()?;
        let file = self.file.clone().map_or_else(|| self.script(host, &certificate), Ok)?;
        let session = &session.at(&file)?;
        let source = script::read(session.engine.host(), &file)?;
        let verified = verify(&session.engine, certificate, source, key.as_ref());
        if self.json {
            terminal::print_json(&verified.json())?;
        } else {
            self.show(&verified, session)?;
        }
        Ok(if verified.holds() { OK } else { FAILED })
    }

    /// The script that a certificate names. It may be written by anyone, so it does not choose files
    /// elsewhere.
    fn script(&self, host: &dyn Host, certificate: &Certificate) -> Result<PathBuf> {
        let named = PathBuf::from(&certificate.script.name);
        let is_here = |it: Component<'_>| matches!(it, Component::Normal(_) | Component::CurDir);
        if !named.components().all(is_here) {
            let name = visible_line(&certificate.script.name).into_owned();
            let message = format!("the certificate names `{name}`, outside of the current folder");
            let help = format!("name the script: `svc verify {} FILE`", self.certificate.display());
            return Err(Failure::new(USAGE, message).help(help));
        }
        if host.stat(&named).is_ok() {
            return Ok(named);
        }
        let next_to = self.certificate.parent().zip(named.file_name());
        let next_to = next_to.map(|(folder, name)| folder.join(name));
        Ok(next_to.filter(|it| host.stat(it).is_ok()).unwrap_or(named))
    }

    fn show(&self, verified: &Verified, session: &Session) -> Result<()> {
        for problem in verified.problems() {
            session.terminal.print_error(&visible(&problem), None);
        }
        let name = visible_line(&verified.certificate.script.name).into_owned();
        let most = &verified.certificate.at_most;
        let signed = match &verified.certificate.seal {
            Some(_) if self.key.is_some() => "signed with this key",
            Some(_) => "signed with the key that it contains",
            None => "not signed",
        };
        let line = if verified.holds() {
            format!(
                "{name}: at most {} tokens and {}, {signed}\n",
                most.tokens,
                visible(&most.cost)
            )
        } else {
            format!("{name}: the certificate does not hold\n")
        };
        terminal::print(&line)
    }
}

pub(super) fn public_key(host: &dyn Host, file: &Path) -> Result<PublicKey> {
    let text = read_text(host, file, 1 << 16)?;
    let key = PublicKey::read(&text);
    key.map_err(|err| {
        let message = format!("cannot use the key `{}`: {err}", file.display());
        Failure::new(USAGE, message)
            .help("print the public key with `openssl pkey -in KEY -pubout`")
    })
}

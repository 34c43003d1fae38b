//! `svc certify`: states what a script may spend and do at most, for others to verify.

use std::path::{Path, PathBuf};

use clap::Args;
use svc_api::certificate::{Certificate, PolicyTerms, PrivateKey, Refused};
use svc_contract::{
    host::{self, Host},
    registry::OpError,
};
use svc_engine::Error;

use super::{
    Session,
    exit::{FAILED, Failure, INVALID, OK, Result, USAGE},
    given::{self, Given},
    script, terminal,
};

/// Certify what a script may spend and do at most.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Certify {
    /// The script.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    given: Given,
    /// Allow an effect and deny all effects that no rule allows, as for `svc plan`.
    #[arg(long, value_name = "RULE", help_heading = "What the script may do")]
    allow: Vec<String>,
    /// Deny an effect, even if another rule allows it.
    #[arg(long, value_name = "RULE", help_heading = "What the script may do")]
    deny: Vec<String>,
    /// Write the certificate to this file instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Sign it with this private Ed25519 key, a file in PEM.
    #[arg(long, value_name = "KEY")]
    sign: Option<PathBuf>,
}

const EXAMPLES: &str = "Examples:
  svc certify report.svc -o report.cert.json
  svc certify report.svc \"a question\" --max-cost 0.10 --deny runs -o report.cert.json
  openssl genpkey -algorithm ed25519 -out key.pem
  svc certify report.svc --sign key.pem -o report.cert.json
  svc schema certificate

The certificate has hashes of the script and its modules, the versions of the ops, the prices, the
envelope, the verdicts on the bounds, the effects, and what is assumed. The same facts give the same
bytes. It contains the inputs as they are given here, but no secrets.

The exit code is 7 if the script has errors, its bounds cannot be met, or nothing limits what it may
spend.";

/// The largest key file, in bytes.
const LARGEST_KEY: u64 = 1 << 16;

impl Certify {
    pub(super) fn execute(self, session: &Session) -> Result<u8> {
        if script::is_stdin(&self.file) {
            let message = "a certificate needs the name of a file, and standard input has none";
            return Err(Failure::new(USAGE, message));
        }
        let session = &session.at(&self.file)?;
        let host = session.engine.host();
        let source = script::read(host, &self.file)?;
        let policy = PolicyTerms { allow: self.allow, deny: self.deny };
        let terms = self.given.certified(policy)?;
        if let Some(why) = terms.problem() {
            return Err(Failure::new(USAGE, why));
        }
        let key = self.sign.as_deref().map(|it| private_key(host, it)).transpose()?;
        let mut certificate =
            Certificate::of(&session.engine, source, terms).map_err(|it| failure(it, session))?;
        if let Some(key) = key {
            key.seal(&mut certificate);
        }
        match &self.output {
            Some(file) => script::write(host, file, &certificate.text())?,
            None => terminal::print_data(&certificate.text())?,
        }
        Ok(OK)
    }
}

fn private_key(host: &dyn Host, file: &Path) -> Result<PrivateKey> {
    let text = read_text(host, file, LARGEST_KEY)?;
    let key = PrivateKey::read(&text);
    key.map_err(|err| {
        let message = format!("cannot sign with `{}`: {err}", file.display());
        Failure::new(USAGE, message).help("make a key with `openssl genpkey -algorithm ed25519`")
    })
}

/// Reads a small text file that the user names.
pub(super) fn read_text(host: &dyn Host, file: &Path, limit: u64) -> Result<String> {
    let bytes = host::read(host, file, limit);
    let bytes = bytes.map_err(|err| Failure::reading(OpError::io(err, file)))?;
    let text = String::from_utf8(bytes);
    text.map_err(|_| Failure::new(FAILED, format!("`{}` is not a text in UTF-8", file.display())))
}

/// What gives a script a limit.
fn limiting(why: &str) -> &'static str {
    if why.contains("no language model is configured") {
        "set SVC_MODEL and the key of its provider as they are where the script runs"
    } else if why.contains("the price of") {
        "add the model to a price table, and name the table in SVC_PRICES"
    } else {
        "give the inputs, limit lists and prompts, or cap the run with `--max-cost` and `--max-tokens`"
    }
}

fn failure(refused: Refused, session: &Session) -> Failure {
    let message = refused.message();
    match refused {
        Refused::Plan(error) => {
            let code = match &*error {
                Error::Input { error, .. } => given::print_error(error, session),
                _ => {
                    let shown = error.render(session.terminal.err.style());
                    terminal::print_err(terminal::styled(&shown));
                    INVALID
                }
            };
            Failure::shown(code, *error)
        }
        Refused::Terms(_) => Failure::new(USAGE, message),
        Refused::Unlimited(why) => {
            Failure::new(INVALID, format!("cannot certify it: {message}")).help(limiting(&why))
        }
        Refused::Impossible(_) => Failure::new(INVALID, format!("cannot certify it: {message}"))
            .help("raise the bound, or ask for less inside"),
        Refused::Prices(_) => Failure::new(FAILED, message),
    }
}

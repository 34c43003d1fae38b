//! `svc audit`: shows and verifies the decisions of a service.

use clap::Args;
use svc_api::access::{AuditHeadJson, AuditJson, audit_row};
use svc_service::access::{
    Access, AuditHead,
    audit::{read_head, show_head},
};

use super::{
    Session,
    data_folder::DataArgs,
    exit::{FAILED, Failure, OK, Result, answered},
    keeping,
    run::print_rows,
    terminal,
};

/// List the decisions of a service, or verify that none was changed.
///
/// The latest comes first. Every entry is chained to the one before it by a keyed hash.
/// `--verify` reports the first one that was changed, moved or removed. Keep the head that it
/// prints elsewhere: with `--head`, a later check also notices a service whose records were
/// replaced as a whole.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Audit {
    /// The maximum number of entries.
    #[arg(long, default_value_t = 20, value_name = "N")]
    limit: usize,
    /// Verify all entries.
    #[arg(long, conflicts_with = "limit")]
    verify: bool,
    /// A head that an earlier check printed, and that the entries must contain.
    #[arg(long, value_name = "HEAD", requires = "verify", value_parser = head)]
    head: Option<AuditHead>,
    /// Print them as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    data: DataArgs,
}

const EXAMPLES: &str = "Examples:
  svc audit
  svc audit --limit 100 --json
  svc audit --verify";

impl Audit {
    pub(super) fn execute(self, session: &Session) -> Result<u8> {
        answered(self.json, self.print(session))
    }

    fn print(&self, session: &Session) -> Result<u8> {
        let access = self.data.existing(session)?;
        if self.verify {
            return self.verified(&access);
        }
        let entries = access.audit.latest(self.limit).map_err(keeping::failure)?;
        if self.json {
            terminal::print_json(&entries.iter().map(AuditJson::new).collect::<Vec<_>>())?;
        } else {
            print_rows(entries.iter().map(audit_row), session)?;
        }
        Ok(OK)
    }

    fn verified(&self, access: &Access) -> Result<u8> {
        let head = access.audit.verify(self.head).map_err(keeping::failure)?;
        let head = head.map_err(|broken| {
            let message = format!("the audit is broken at entry {}: {}", broken.no, broken.why);
            let help = "the entries before it are as they were written; compare it with a copy of \
                the folder";
            Failure::new(FAILED, message).help(help)
        })?;
        if self.json {
            terminal::print_json(&AuditHeadJson::new(&head))?;
        } else {
            let shown = show_head(&head);
            terminal::print(&format!("{} entries, unbroken\nhead {shown}\n", head.entries))?;
        }
        Ok(OK)
    }
}

fn head(text: &str) -> std::result::Result<AuditHead, String> {
    read_head(text).ok_or_else(|| "expected a number, `:` and 64 hex digits".to_owned())
}

//! `svc hooks`: which scripts others start by webhooks, and what is sent about jobs.

use clap::{
    Args, Subcommand,
    builder::{PossibleValuesParser, TypedValueParser},
};
use svc_api::hooks::{
    DeliveryJson, HookJson, NewHookJson, SecretJson, delivery_row, hook_row, path,
};
use svc_service::{
    LOCAL,
    hooks::{
        DeliveryFilter, DeliveryState, HookForm,
        kept::{self, HookError, NewHook, Sent},
    },
};

use super::{
    Session,
    data_folder::DataArgs,
    exit::{Failure, NOT_FOUND, OK, Result, USAGE, answered},
    keeping::{self, StoreArgs},
    keys,
    run::print_rows,
    terminal,
};

/// Let others start scripts by webhooks, and show what was sent.
///
/// A hook names a script of `svc serve FOLDER`. A signed request to `/hooks/SCRIPT` queues it as a job,
/// with the rights of the owner of the hook.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Hooks {
    #[command(subcommand)]
    task: Task,
}

const EXAMPLES: &str = "Examples:
  SECRET=$(svc hooks add report)
  svc hooks add report --owner ci --role builder
  svc hooks add on_push --github --secret github_hook
  svc hooks list
  svc hooks remove hook_01k3x5v7m2q9r8s6t4w1y0z2a3
  svc hooks secret                     the secret that signs what is sent about jobs
  svc hooks deliveries --state failed
  svc hooks resend msg_0f3c8e5b7a9d4c2e8b6a1f0d3c5e7a9b";

#[derive(Subcommand)]
enum Task {
    Add(Add),
    List(List),
    Remove(Remove),
    Secret(Secret),
    Deliveries(Deliveries),
    Resend(Resend),
}

/// Let others start a script. Standard output is the secret alone.
#[derive(Args)]
struct Add {
    /// The script, by its name as a tool: `reports/daily.svc` is `reports_daily`.
    #[arg(value_name = "SCRIPT")]
    script: String,
    /// Whose runs they are. Without it, they are those of this machine's user, as long as the
    /// server needs no keys.
    #[arg(long, value_name = "OWNER", requires = "role")]
    owner: Option<String>,
    /// The role of these runs: free, researcher, builder, admin, or one of `access.toml`.
    #[arg(long, value_name = "ROLE", requires = "owner")]
    role: Option<String>,
    /// Accept signatures of GitHub (`X-Hub-Signature-256`) instead of Standard Webhooks.
    #[arg(long)]
    github: bool,
    /// A secret that the sender chose, by its name: the server reads it from `SVC_SECRET_NAME` or
    /// the file `SVC_SECRET_NAME_FILE`, as those of scripts. By default one is made.
    #[arg(long, value_name = "NAME")]
    secret: Option<String>,
    /// Print the hook and its secret as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    data: DataArgs,
}

/// List all hooks, the latest first.
#[derive(Args)]
struct List {
    /// Print them as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    data: DataArgs,
}

/// Remove a hook at once, and end its key.
#[derive(Args)]
struct Remove {
    /// The id of the hook.
    #[arg(value_name = "HOOK")]
    id: String,
    /// Print the hook as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    data: DataArgs,
}

/// Print the secret of a hook, or the one that signs what is sent about jobs.
#[derive(Args)]
struct Secret {
    /// The id of a hook; without it, the secret that signs what is sent.
    #[arg(value_name = "HOOK", conflicts_with_all = ["rotate", "owner"])]
    id: Option<String>,
    /// Sign with a new secret from now on; the old one also signs for 24 hours.
    #[arg(long)]
    rotate: bool,
    #[command(flatten)]
    of: OfArgs,
    /// Print it as JSON.
    #[arg(long)]
    json: bool,
}

/// List what was or is sent about jobs, the latest first.
#[derive(Args)]
struct Deliveries {
    /// Only those in this state.
    #[arg(long, value_parser = state(), value_name = "STATE")]
    state: Option<DeliveryState>,
    /// Only those of this job.
    #[arg(long, value_name = "JOB")]
    job: Option<String>,
    /// The maximum number of deliveries.
    #[arg(long, default_value_t = 20, value_name = "N")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=500))]
    limit: u32,
    #[command(flatten)]
    of: OfArgs,
    /// Print them as JSON.
    #[arg(long)]
    json: bool,
}

/// Send a delivery again, with all its tries.
#[derive(Args)]
struct Resend {
    /// The id of the delivery, which is the `webhook-id` of its requests.
    #[arg(value_name = "DELIVERY")]
    id: String,
    #[command(flatten)]
    of: OfArgs,
    /// Print it as JSON.
    #[arg(long)]
    json: bool,
}

/// Whose deliveries.
#[derive(Args)]
struct OfArgs {
    /// An owner of keys; by default this machine's user.
    #[arg(long, value_name = "OWNER")]
    owner: Option<String>,
    #[command(flatten)]
    data: DataArgs,
    #[command(flatten)]
    keeping: StoreArgs,
}

/// A state of deliveries by its name.
fn state() -> impl TypedValueParser<Value = DeliveryState> {
    let names = DeliveryState::ALL.map(DeliveryState::name);
    PossibleValuesParser::new(names).try_map(|it| DeliveryState::parse(&it).ok_or("unknown state"))
}

impl Hooks {
    pub(super) fn execute(self, session: &Session) -> Result<u8> {
        match self.task {
            Task::Add(it) => answered(it.json, it.execute(session)),
            Task::List(it) => answered(it.json, it.execute(session)),
            Task::Remove(it) => answered(it.json, it.execute(session)),
            Task::Secret(it) => answered(it.json, it.execute(session)),
            Task::Deliveries(it) => answered(it.json, it.execute(session)),
            Task::Resend(it) => answered(it.json, it.execute(session)),
        }
    }
}

impl Add {
    fn execute(&self, session: &Session) -> Result<u8> {
        let policy = self.data.roles(session, false)?.current();
        let access = self.data.opened(session)?;
        let form = if self.github { HookForm::Github } else { HookForm::Standard };
        let (script, secret) = (self.script.clone(), self.secret.clone());
        let holder = self.owner.clone().zip(self.role.clone());
        let new = NewHook { script, form, holder, secret };
        let hook = kept::add(&access, new, &policy, session.engine.host()).map_err(refused)?;
        let secret = kept::secret(&access, &hook);
        if self.json {
            terminal::print_json(&NewHookJson::new(&hook, secret))?;
        } else if let Some(secret) = secret {
            terminal::print_data(&format!("{secret}\n"))?;
        }
        session.terminal.note(&format!("hook `{}`: signed requests to `{}`", hook.id, path(&hook)));
        Ok(OK)
    }
}

impl List {
    fn execute(&self, session: &Session) -> Result<u8> {
        let hooks = self.data.existing(session)?.book().hooks().map_err(keeping::failure)?;
        if self.json {
            terminal::print_json(&hooks.iter().map(HookJson::new).collect::<Vec<_>>())?;
        } else {
            print_rows(hooks.iter().map(hook_row), session)?;
        }
        Ok(OK)
    }
}

impl Remove {
    fn execute(&self, session: &Session) -> Result<u8> {
        let access = self.data.existing(session)?;
        let removed = kept::remove(&access, &self.id, session.engine.host());
        let hook = removed.map_err(keeping::failure)?.ok_or_else(|| unknown_hook(&self.id))?;
        if self.json {
            terminal::print_json(&HookJson::new(&hook))?;
        }
        session.terminal.note(&format!("hook `{}` is removed", hook.id));
        Ok(OK)
    }
}

impl Secret {
    fn execute(&self, session: &Session) -> Result<u8> {
        let secret = match &self.id {
            Some(id) => {
                let access = self.of.data.existing(session)?;
                let hook = access.book().hook(id).map_err(keeping::failure)?;
                let hook = hook.ok_or_else(|| unknown_hook(id))?;
                kept::secret(&access, &hook).ok_or_else(|| {
                    let name = hook.secret.unwrap_or_default();
                    Failure::new(USAGE, format!("the hook has the secret `{name}` of the server"))
                })?
            }
            None => {
                let rotation = self.rotate.then(|| session.engine.host().now());
                self.of.sent(session)?.secret(rotation).map_err(keeping::failure)?
            }
        };
        if self.json {
            terminal::print_json(&SecretJson { secret })?;
        } else {
            terminal::print_data(&format!("{secret}\n"))?;
        }
        Ok(OK)
    }
}

impl Deliveries {
    fn execute(&self, session: &Session) -> Result<u8> {
        let sent = self.of.sent(session)?;
        let filter = DeliveryFilter { state: self.state, job: self.job.clone(), limit: self.limit };
        let all = sent.deliveries(&filter).map_err(keeping::failure)?;
        if self.json {
            let json = |it| Ok(DeliveryJson::new(it, sent.job_of(it).map_err(keeping::failure)?));
            terminal::print_json(&all.iter().map(json).collect::<Result<Vec<_>>>()?)?;
        } else {
            print_rows(all.iter().map(delivery_row), session)?;
        }
        Ok(OK)
    }
}

impl Resend {
    fn execute(&self, session: &Session) -> Result<u8> {
        let sent = self.of.sent(session)?;
        let again = sent.resend(&self.id, session.engine.host().now()).map_err(keeping::failure)?;
        let row = again.ok_or_else(|| {
            Failure::new(NOT_FOUND, format!("unknown delivery `{}`", self.id))
                .help("`svc hooks deliveries` lists them")
        })?;
        if self.json {
            let job = sent.job_of(&row).map_err(keeping::failure)?;
            terminal::print_json(&DeliveryJson::new(&row, job))?;
        }
        session.terminal.note(&format!("`{}` is sent by `svc serve`", row.id));
        Ok(OK)
    }
}

impl OfArgs {
    fn sent(&self, session: &Session) -> Result<Sent> {
        let Some(owner) = &self.owner else {
            let (_, jobs) = self.keeping.with_jobs(self.data.named(), session)?;
            return Ok(Sent::of_book(jobs.shared_book(), LOCAL));
        };
        let found = Sent::of_owner(&self.data.folder(session)?, owner, session.engine.host());
        found.map_err(keeping::failure)?.ok_or_else(|| {
            Failure::new(NOT_FOUND, format!("nothing is kept of the owner `{owner}`"))
                .help("`svc keys list` lists the owners; another folder is `--data DIR`")
        })
    }
}

fn unknown_hook(id: &str) -> Failure {
    Failure::new(NOT_FOUND, format!("unknown hook `{id}`")).help("`svc hooks list` lists the hooks")
}

fn refused(err: HookError) -> Failure {
    match err {
        HookError::Key(it) => keys::refused(it),
        HookError::Store(it) => keeping::failure(it),
        HookError::Name => Failure::new(USAGE, err.to_string())
            .help("use its name as a tool: `reports/daily.svc` is `reports_daily`"),
        HookError::Secret(ref name) => {
            let variable = svc_contract::host::secret_variable(name);
            Failure::new(USAGE, err.to_string()).help(format!(
                "set `{variable}` or `{variable}_FILE`, here and where `svc serve` runs"
            ))
        }
    }
}

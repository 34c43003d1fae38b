//! `svc call`: calls a tool by its public name.

use clap::Args;
use svc_contract::value::{Type, Value, json};
use svc_service::{Args as CallArgs, Bounds, Call, Fault, Options, Service, Work, decode};

use super::{
    Session, data_folder,
    exit::{FAILED, Failure, OK, Result, USAGE, answered},
    given::{duration, money, name_and_value, tokens},
    policy::Rules,
    run::{print_value, reader},
    show, terminal,
};

/// Call a tool by its name.
///
/// The same call as `POST /tools/NAME` of `svc serve`.
#[derive(Args)]
#[command(name = "call", after_help = EXAMPLES)]
pub(super) struct CallTool {
    /// The tool; `svc tools` lists them.
    #[arg(value_name = "TOOL")]
    tool: String,
    /// An argument: `-p query=budgets`, `-p limit=3`.
    #[arg(short, long = "param", value_name = "NAME=VALUE", value_parser = name_and_value)]
    params: Vec<(String, String)>,
    /// All arguments as a JSON object.
    #[arg(long, value_name = "JSON", conflicts_with = "params")]
    args: Option<String>,
    /// The most that the call may cost in dollars.
    #[arg(long, value_name = "DOLLARS", value_parser = money, allow_negative_numbers = true)]
    max_cost: Option<svc_contract::value::Money>,
    /// The most tokens of the call.
    #[arg(long, value_name = "N", value_parser = tokens)]
    max_tokens: Option<u64>,
    /// The most time of the call: `30s`.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    timeout: Option<std::time::Duration>,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    rules: Rules,
}

const EXAMPLES: &str = r#"Examples:
  svc call guide_ask -p query="how are budgets enforced?"
  svc call nav_discover -p query="condense documents" -p limit=1 --json
  svc call invoke_component -p component=text -p op=upper -p 'params={"text": "a"}'
  svc call run_pipeline --args '{"script": "1 + 1"}'"#;

impl CallTool {
    pub(super) async fn execute(self, session: &Session) -> Result<u8> {
        let session = &self.rules.with_rules(session)?;
        answered(self.json, self.called(session).await)
    }

    async fn called(&self, session: &Session) -> Result<u8> {
        let options = Options::new(env!("CARGO_PKG_VERSION"));
        let service = Service::new(session.engine.clone(), None, options)
            .map_err(|it| data_folder::wrong(&it))?;
        let args = self.arguments(&service)?;
        let work = Work::Tool { name: self.tool.clone(), args };
        let bounds = Bounds {
            max_tokens: self.max_tokens,
            max_cost: self.max_cost,
            timeout: self.timeout,
            max_retries: None,
        };
        let answer = service.call(Call { work, bounds }).await.map_err(|it| failure(&it))?;
        if self.json {
            terminal::print_json(&answer.value)?;
        } else {
            print_value(&show::show(&answer.value, reader(session)), reader(session))?;
        }
        Ok(OK)
    }

    /// The arguments: text becomes what the param of the tool expects.
    fn arguments(&self, service: &Service) -> Result<CallArgs> {
        if let Some(text) = &self.args {
            let value = json::read(text)
                .map_err(|err| Failure::new(USAGE, format!("`--args` is not valid JSON: {err}")))?;
            return decode::object(value, "--args").map_err(|it| failure(&it));
        }
        let op = service.engine().registry().find_tool(&self.tool);
        let mut args = CallArgs::new();
        for (name, text) in &self.params {
            let param = op.and_then(|op| op.op.params.iter().find(|it| it.name == name));
            let ty = param.map_or(Type::Unknown, |it| it.scheme.required().plain());
            let value = match ty {
                Type::Json => json::read(text).unwrap_or_else(|_| Value::from(text.as_str())),
                ty => Value::from_words(text.as_str().into(), &ty),
            };
            if args.insert(name.clone(), value).is_some() {
                return Err(Failure::new(USAGE, format!("duplicate param `{name}`")));
            }
        }
        Ok(args)
    }
}

/// A fault as a failure of the command.
pub(super) fn failure(fault: &Fault) -> Failure {
    use svc_contract::registry::ErrorKind;
    use svc_service::Why;
    let code = match fault.why {
        Why::Op(ErrorKind::InvalidInput) => USAGE,
        Why::Op(kind) => kind.exit_code(),
        Why::Check => super::exit::INVALID,
        Why::Malformed => USAGE,
        _ => FAILED,
    };
    let failure = Failure::new(code, fault.message.clone());
    match &fault.help {
        Some(help) => failure.help(help.clone()),
        None => failure,
    }
}

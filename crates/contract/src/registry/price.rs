//! The cost of a call, even if its arguments are only partly known.

use std::fmt;

use svc_text::tokens::tokens_of;

use super::{Measure, OpDef, OpError, Usage};
use crate::{
    host::Host,
    value::{Money, Text, Type, Value},
};

/// The tokens of a prompt besides its text: roles, separators, the schema's frame.
const PROMPT_OVERHEAD: u64 = 256;

/// The price of one call.
#[derive(Clone, Copy, Debug)]
pub enum Price {
    Free,
    Fixed(Money),
    Tokens(TokenPrice),
    /// Depends on the arguments and on the configuration of the host. A call that cannot be
    /// made fails here as it would when it is made.
    Quoted(fn(&Asking<'_>) -> Result<Quote, OpError>),
    /// It costs something, but the amount is unknown. Never the same as free.
    Unknown,
}

/// A price per token, and the arguments that determine the tokens of a call.
#[derive(Clone, Copy, Debug)]
pub struct TokenPrice {
    /// Per million tokens of the prompt.
    pub input: Money,
    /// Per million tokens of the answer.
    pub output: Money,
    /// The arguments that make up the prompt.
    pub prompt: &'static [&'static str],
    /// The argument that caps the tokens of the answer.
    pub cap: &'static str,
}

/// The call to be quoted.
#[derive(Clone, Copy)]
pub struct Asking<'a> {
    pub host: &'a dyn Host,
    pub op: &'a OpDef,
    /// The type between `<` and `>`.
    pub wanted: Option<&'a Type>,
    /// In the order of the op's parameters.
    pub args: &'a [Known<'a>],
    /// The token limit: no call that may use more tokens is ever started.
    pub most_tokens: Option<u64>,
}

/// An argument, as far as it is known.
#[derive(Clone, Copy, Debug)]
pub enum Known<'a> {
    Value(&'a Value),
    /// Only its size when written out.
    Sized(Sizes),
    /// A list of at most so many items; the sizes of an item, and of the list.
    Items {
        most: Option<u64>,
        each: Sizes,
        all: Sizes,
    },
}

/// The size of a value in bytes when written out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    pub least: u64,
    pub usual: u64,
    /// `None` if it may have any length.
    pub most: Option<u64>,
}

/// The usage of one call.
#[derive(Clone, Debug, Default)]
pub struct Quote {
    /// The maximum; it is reserved.
    pub most: Usage,
    pub usual: Usage,
    /// The minimum for a successful call.
    pub least: Usage,
    /// The minimum reservation, however short the unknown arguments turn out to be.
    pub reserved: Usage,
    /// The reason why its cost is unknown; the costs above are zero then. It is the error of a
    /// call under a cap of money.
    pub unpriced: Option<OpError>,
    /// The price table, and its date.
    pub prices: Option<Text>,
    /// The answering service, if the environment selects it: a language model.
    pub model: Option<Text>,
    /// The address of the service, if it is not the default; without credentials.
    pub server: Option<Text>,
}

impl Quote {
    /// The quote of a call with a constant usage.
    pub fn exact(usage: Usage) -> Self {
        Self { most: usage, usual: usage, least: usage, reserved: usage, ..Self::default() }
    }
}

impl Sizes {
    /// Exactly this many bytes.
    pub const fn exactly(bytes: u64) -> Self {
        Self { least: bytes, usual: bytes, most: Some(bytes) }
    }

    /// The size of both in sequence.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            least: self.least.saturating_add(other.least),
            usual: self.usual.saturating_add(other.usual),
            most: self.most.zip(other.most).map(|(a, b)| a.saturating_add(b)),
        }
    }
}

impl Known<'_> {
    pub fn sizes(&self) -> Sizes {
        match self {
            Self::Value(value) => Sizes::exactly(written(value)),
            Self::Sized(sizes) | Self::Items { all: sizes, .. } => *sizes,
        }
    }
}

impl Measure {
    /// The maximum size of a result in bytes, if it follows from these arguments.
    pub fn most(self, op: &OpDef, args: &[Known<'_>]) -> Option<u64> {
        match self {
            Self::Unknown => None,
            Self::Fixed(bytes) => Some(bytes),
            Self::Arg(name, each) => {
                let idx = op.params.iter().position(|it| it.name == name)?;
                match args.get(idx)? {
                    Known::Value(Value::Int(count)) => {
                        u64::try_from(*count).ok().map(|it| it.saturating_mul(each))
                    }
                    _ => None,
                }
            }
            Self::Args => args
                .iter()
                .map(Known::sizes)
                .try_fold(0_u64, |sum, it| Some(sum.saturating_add(it.most?))),
            Self::Joined(list, between) => {
                let arg = |name| args.get(op.params.iter().position(|it| it.name == name)?);
                joined(arg(list)?, arg(between)?.sizes().most?)
            }
        }
    }

    /// The usual size of a result of at most so many bytes.
    pub fn usual(self, op: &OpDef, args: &[Known<'_>], most: u64) -> u64 {
        let list = match self {
            Self::Joined(list, _) => op.params.iter().position(|it| it.name == list),
            _ => None,
        };
        // A joined text is about as long as the list when it is written.
        let usual = list.and_then(|it| args.get(it)).map(|it| it.sizes().usual);
        usual.map_or(most / 4, |it| it.min(most))
    }
}

/// The maximum size of the items of a list with so many bytes between two of them.
fn joined(list: &Known<'_>, between: u64) -> Option<u64> {
    let (count, items) = match list {
        Known::Value(Value::List(items)) => {
            (items.len() as u64, items.iter().map(written).fold(0, u64::saturating_add))
        }
        Known::Items { most: Some(0), .. } => (0, 0),
        Known::Items { most, each, .. } => ((*most)?, (*most)?.saturating_mul(each.most?)),
        _ => return None,
    };
    Some(items.saturating_add(between.saturating_mul(count.saturating_sub(1))))
}

/// The size of a value in bytes when written out.
pub fn written(value: &Value) -> u64 {
    match value {
        Value::Text(it) | Value::Path(it) => it.len() as u64,
        other => other.to_string().len() as u64,
    }
}

impl Asking<'_> {
    /// Quotes the call.
    pub fn quote(&self) -> Result<Quote, OpError> {
        match self.op.price {
            Price::Free => Ok(Quote::default()),
            Price::Fixed(cost) => Ok(Quote::exact(Usage { tokens: 0, cost })),
            Price::Tokens(price) => price.quote(self),
            Price::Quoted(quote) => quote(self),
            Price::Unknown => {
                Ok(Quote { unpriced: Some(Self::unknown_price()), ..Quote::default() })
            }
        }
    }

    fn unknown_price() -> OpError {
        let message = "its price is unknown, so it cannot run under a cap";
        OpError::new(super::ErrorKind::Budget, message)
            .help("remove the cap, or use a component with a known price")
    }

    /// The arguments as values. Those in `texts` may be unknown, and are empty texts then; all
    /// others must be known.
    pub fn values(&self, texts: &[&str]) -> Result<Vec<Value>, OpError> {
        let names = self.op.params.iter().map(|it| it.name);
        names
            .zip(self.args)
            .map(|(name, arg)| match arg {
                Known::Value(value) => Ok((*value).clone()),
                _ if texts.contains(&name) => Ok(Value::text("")),
                _ => Err(only_in_the_run(name)),
            })
            .collect()
    }

    /// The total size of the arguments in `texts` that are not known yet.
    pub fn unknown(&self, texts: &[&str]) -> Sizes {
        self.named(texts)
            .filter(|it| !matches!(it, Known::Value(_)))
            .fold(Sizes::exactly(0), |sum, it| sum.plus(it.sizes()))
    }

    fn named<'s>(&'s self, names: &'s [&str]) -> impl Iterator<Item = &'s Known<'s>> {
        let all = self.op.params.iter().zip(self.args);
        all.filter(|(it, _)| names.contains(&it.name)).map(|(_, arg)| arg)
    }

    /// The maximum number of prompt tokens, given the size of the prompt and an answer of up to
    /// `output` tokens.
    pub fn most_input(&self, prompt: Option<u64>, output: u64) -> u64 {
        let room = self.most_tokens.map(|it| it.saturating_sub(output));
        prompt.into_iter().chain(room).min().unwrap_or(u64::MAX)
    }
}

fn only_in_the_run(param: &str) -> OpError {
    OpError::invalid_input(format!("`{param}` is only known at run time"))
}

impl TokenPrice {
    /// The bytes of the prompt, an overhead, and the output cap, in tokens and in money.
    fn quote(&self, asking: &Asking<'_>) -> Result<Quote, OpError> {
        let prompt = asking.named(self.prompt);
        let prompt = prompt.fold(Sizes::exactly(PROMPT_OVERHEAD), |sum, it| sum.plus(it.sizes()));
        let output = match asking.named(&[self.cap]).next() {
            Some(Known::Value(Value::Int(cap))) => u64::try_from(*cap).unwrap_or(0),
            Some(Known::Sized(_) | Known::Items { .. }) => return Err(only_in_the_run(self.cap)),
            _ => return Err(OpError::bug("a priced call has no output cap")),
        };
        let usual = tokens_of(usize::try_from(prompt.usual).unwrap_or(usize::MAX)) as u64;
        Ok(Quote {
            most: self.usage(asking.most_input(prompt.most, output), output)?,
            usual: self.usage(usual, output / 2)?,
            least: Usage::default(),
            reserved: self.usage(prompt.least, output)?,
            ..Quote::default()
        })
    }

    fn usage(&self, input: u64, output: u64) -> Result<Usage, OpError> {
        let overflow = || OpError::invalid_input("the call costs more than can be counted");
        let (read, written) = (self.input.per_million(input), self.output.per_million(output));
        let cost = read.zip(written).and_then(|(a, b)| Money::checked_add(a, b));
        let tokens = input.checked_add(output);
        Ok(Usage { tokens: tokens.ok_or_else(overflow)?, cost: cost.ok_or_else(overflow)? })
    }
}

impl fmt::Display for Price {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Free => f.write_str("free"),
            Self::Fixed(cost) => write!(f, "{cost} a call"),
            Self::Tokens(it) => {
                write!(
                    f,
                    "{} per million input tokens, {} per million output tokens",
                    it.input, it.output
                )
            }
            Self::Quoted(_) => f.write_str("depends on its arguments and the configuration"),
            Self::Unknown => f.write_str("unknown"),
        }
    }
}

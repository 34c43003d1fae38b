//! Ops whose types are known only at run time, such as functions of another language.

use std::{fmt::Debug, sync::Arc};

use super::{
    ClosureOp, Code,
    names::{Kept, kept},
    stored,
};
use crate::{
    registry::{
        Body, BoxFuture, Cx, ErrorKind, FieldScheme, Max, OpError, Param, ParamDefault, Scheme,
    },
    value::{Text, Type, Value},
};

/// The parameters and the result of an op, as values: for functions of other languages, whose
/// types no Rust type describes. An op with Rust types is made with [`op`](super::op).
///
/// The first parameter is the input. A type that no such op can have, such as a flow, and a
/// default of another type are reported when the op is added to an engine.
#[derive(Clone, Debug)]
pub struct OpSignature {
    params: Vec<Param>,
    result: Type,
    yields: Scheme,
    mistake: Option<OpError>,
}

impl OpSignature {
    /// The signature of an op without parameters that returns values of this type.
    pub fn returning(result: &Type) -> Self {
        let (params, result) = (Vec::new(), result.clone());
        let mut signature = Self { params, result, yields: Scheme::Json, mistake: None };
        signature.yields = signature.scheme("the result", &signature.result.clone());
        signature
    }

    /// Adds a parameter, with its documentation. One without a default is required.
    #[must_use]
    pub fn param(mut self, name: &str, ty: &Type, doc: &str, default: Option<Value>) -> Self {
        let scheme = self.scheme(&format!("`{name}`"), ty);
        let default = default.and_then(|it| match it.cast(ty) {
            Ok(value) => Some(ParamDefault::Is(VALUES.get(shown(&value), || value))),
            Err(misfit) => {
                self.mistaken(format!("invalid default: {}", misfit.within(name)));
                None
            }
        });
        let is_input = self.params.is_empty();
        let param = Param::new(kept(name), kept(doc), scheme, default);
        self.params.push(Param { is_input, ..param });
        self
    }

    /// Makes an op of a function that computes: it runs on its own thread. It gets one argument
    /// for each parameter. A result of another type is an error of the kind `invalid_output`.
    pub fn op(
        self,
        name: &str,
        run: impl Fn(Cx, Vec<Value>) -> Result<Value, OpError> + Send + Sync + 'static,
    ) -> ClosureOp {
        let result = self.result.clone();
        let code = move |cx: Cx, params: &[Param], args: &mut [Value]| {
            fits(run(cx, arguments(params, args)?)?, &result)
        };
        self.named(name, Body::Compute(stored::compute), Code::Compute(Arc::new(code)))
    }

    /// The same for a function that waits for I/O.
    pub fn io_op(
        self,
        name: &str,
        run: impl Fn(Cx, Vec<Value>) -> BoxFuture + Send + Sync + 'static,
    ) -> ClosureOp {
        let result = self.result.clone();
        let code = move |cx: Cx, params: &[Param], args: &mut [Value]| -> BoxFuture {
            let result = result.clone();
            match arguments(params, args) {
                Ok(args) => {
                    let ended = run(cx, args);
                    Box::pin(async move { fits(ended.await?, &result) })
                }
                Err(err) => Box::pin(std::future::ready(Err(err))),
            }
        };
        self.named(name, Body::Io(stored::io), Code::Io(Arc::new(code)))
    }

    fn named(self, name: &str, body: Body, code: Code) -> ClosureOp {
        let mut op = ClosureOp::of(name, self.params, self.yields, body, code);
        if let Some(mistake) = self.mistake {
            op.mistaken(mistake);
        }
        op
    }

    fn scheme(&mut self, of: &str, ty: &Type) -> Scheme {
        scheme(ty).unwrap_or_else(|| {
            self.mistaken(format!("{of} cannot have the type {ty}"));
            Scheme::Json
        })
    }

    fn mistaken(&mut self, message: String) {
        self.mistake.get_or_insert(OpError::invalid_input(message));
    }
}

/// The arguments, tested against the ranges of their parameters.
fn arguments(params: &[Param], args: &mut [Value]) -> Result<Vec<Value>, OpError> {
    params.iter().zip(args).map(|(param, arg)| param.take(Some(arg))).collect()
}

fn fits(value: Value, ty: &Type) -> Result<Value, OpError> {
    value.cast(ty).map_err(|misfit| {
        let message = format!("wrong result: {misfit}");
        OpError::new(ErrorKind::InvalidOutput, message).help("return a value of the declared type")
    })
}

static SCHEMES: Kept<Scheme> = Kept::new();
static FIELDS: Kept<Vec<FieldScheme>> = Kept::new();
static VARIANTS: Kept<Vec<&'static str>> = Kept::new();
static VALUES: Kept<Value> = Kept::new();

/// The type as constant data; `None` for types whose values no other language can hold.
fn scheme(ty: &Type) -> Option<Scheme> {
    let inner = |ty: &Type| scheme(ty).map(|it| SCHEMES.get(shown(&it), || it));
    Some(match ty {
        Type::Bool => Scheme::Bool,
        Type::Int(None) => Scheme::Int,
        Type::Int(Some((low, high))) => Scheme::IntRange(*low, *high),
        Type::Float(None) => Scheme::Float,
        Type::Float(Some((low, high))) => Scheme::FloatRange(*low, *high),
        Type::Text => Scheme::Text,
        Type::Duration => Scheme::Duration,
        Type::Time => Scheme::Time,
        Type::Date => Scheme::Date,
        Type::Money => Scheme::Money,
        Type::Size => Scheme::Size,
        Type::Path => Scheme::Path,
        Type::Bytes => Scheme::Bytes,
        Type::Json => Scheme::Json,
        Type::Secret => Scheme::Secret,
        Type::List(item, _) => Scheme::List(inner(item)?, Max::Unknown),
        Type::Map(item) => Scheme::Map(inner(item)?),
        Type::Optional(some) => Scheme::Optional(inner(some)?),
        Type::Enum(of) => {
            let all: Vec<&str> = of.variants.iter().map(|it| kept(it)).collect();
            Scheme::Enum(VARIANTS.get(shown(&all), || all))
        }
        Type::Record(of) => {
            let field = |(name, ty): &(Text, Type)| {
                Some(FieldScheme { name: kept(name), doc: "", scheme: scheme(ty)? })
            };
            let fields: Option<Vec<FieldScheme>> = of.fields.iter().map(field).collect();
            let fields = fields?;
            let name = of.name.as_deref().map_or("", kept);
            Scheme::Record(name, FIELDS.get(shown(&fields), || fields))
        }
        Type::Opaque(of) => Scheme::Opaque(*of),
        Type::Unknown | Type::Never | Type::Flow(_) | Type::Model(_) | Type::Var(_) => return None,
    })
}

/// The content of constant data as text.
fn shown(it: &impl Debug) -> String {
    format!("{it:?}")
}

#[cfg(test)]
mod tests {
    use super::OpSignature;
    use crate::{
        registry::{Lent, Param, Registry},
        value::{FlowType, RecordType, Type},
    };

    fn added(signature: OpSignature) -> Result<Registry, String> {
        let op = signature.op("crm.score", |_, _| Ok(1.into()));
        let added = Registry::default().with_closures(Lent::default(), [op]);
        added.map(|it| it.0).map_err(|it| it.message)
    }

    #[test]
    fn types_and_defaults_are_those_of_the_signature() {
        let customer = Type::Record(std::sync::Arc::new(RecordType {
            name: Some("Customer".into()),
            fields: vec![("name".into(), Type::Text), ("age".into(), Type::INT.optional())],
        }));
        let signature = OpSignature::returning(&Type::list(Type::FLOAT))
            .param("who", &customer, "The customer.", None)
            .param("limit", &Type::Int(Some((1, 9))), "", Some(3.into()));
        let registry = added(signature).unwrap();
        let op = &registry.components().last().unwrap().ops[0];
        let params: Vec<String> = op.params.iter().map(Param::signature).collect();
        assert_eq!(params[1], "limit: int 1..9 = 3");
        assert_eq!(op.params[0].scheme.plain(), customer);
        assert_eq!(op.yields.plain(), Type::list(Type::FLOAT));
    }

    #[test]
    fn what_no_other_language_can_hold_is_refused() {
        let flow =
            Type::Flow(std::sync::Arc::new(FlowType { takes: Type::Text, gives: Type::Text }));
        let err = added(OpSignature::returning(&Type::list(flow))).unwrap_err();
        assert!(err.contains("the result cannot have the type"), "{err}");
        let wrong = OpSignature::returning(&Type::INT).param("n", &Type::INT, "", Some("x".into()));
        let err = added(wrong).unwrap_err();
        assert_eq!(
            err,
            "cannot add `crm.score`: invalid default: expected int for `n`, found \"x\""
        );
    }
}

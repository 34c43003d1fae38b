//! The Rust types of closures, as parameters and results of ops.

use crate::{
    registry::{Field, Flow, OpError, Param, Params, Scheme},
    value::Value,
};

/// The arguments of a closure: none, the input, or the input and a struct of named parameters; and
/// after the input a flow, if it calls one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` are not arguments of an op",
    note = "a closure takes nothing, an input that implements `Field`, or an input and a struct declared with `params!`; and after the input a `Flow<A, B>`, if it calls one"
)]
pub trait Arguments: Sized {
    /// The number of the first parameters whose names the op may choose.
    const UNNAMED: usize;

    fn params() -> Vec<Param>;

    /// Takes the arguments, in the order of the parameters of the op.
    fn decode(params: &[Param], args: &mut [Value]) -> Result<Self, OpError>;
}

impl Arguments for () {
    const UNNAMED: usize = 0;

    fn params() -> Vec<Param> {
        Vec::new()
    }

    fn decode(_: &[Param], _: &mut [Value]) -> Result<Self, OpError> {
        Ok(())
    }
}

impl<A: Field> Arguments for (A,) {
    const UNNAMED: usize = 1;

    fn params() -> Vec<Param> {
        vec![input::<A>()]
    }

    fn decode(params: &[Param], args: &mut [Value]) -> Result<Self, OpError> {
        let (input, _, _) = first(params, args)?;
        Ok((input,))
    }
}

impl<A: Field, P: Params> Arguments for (A, P) {
    const UNNAMED: usize = 1;

    fn params() -> Vec<Param> {
        std::iter::once(input::<A>()).chain(named::<P>()).collect()
    }

    fn decode(params: &[Param], args: &mut [Value]) -> Result<Self, OpError> {
        let (input, _, args) = first(params, args)?;
        Ok((input, P::decode(args)?))
    }
}

impl<A: Field, X: Field, Y: Field> Arguments for (A, Flow<X, Y>) {
    const UNNAMED: usize = 2;

    fn params() -> Vec<Param> {
        vec![input::<A>(), flow::<X, Y>()]
    }

    fn decode(params: &[Param], args: &mut [Value]) -> Result<Self, OpError> {
        let (input, params, args) = first(params, args)?;
        let (flow, _, _) = first(params, args)?;
        Ok((input, flow))
    }
}

impl<A: Field, X: Field, Y: Field, P: Params> Arguments for (A, Flow<X, Y>, P) {
    const UNNAMED: usize = 2;

    fn params() -> Vec<Param> {
        [input::<A>(), flow::<X, Y>()].into_iter().chain(named::<P>()).collect()
    }

    fn decode(params: &[Param], args: &mut [Value]) -> Result<Self, OpError> {
        let (input, params, args) = first(params, args)?;
        let (flow, _, args) = first(params, args)?;
        Ok((input, flow, P::decode(args)?))
    }
}

fn input<A: Field>() -> Param {
    Param { is_input: true, ..unnamed::<A>("input", " The input.\n") }
}

fn flow<X: Field, Y: Field>() -> Param {
    unnamed::<Flow<X, Y>>("flow", " The flow or component, by name.\n")
}

fn unnamed<T: Field>(name: &'static str, doc: &'static str) -> Param {
    Param::new(name, doc, T::SCHEME, None)
}

fn named<P: Params>() -> impl Iterator<Item = Param> {
    P::PARAMS.iter().map(|it| Param { is_input: false, ..it.clone() })
}

/// The first argument, and the other parameters and arguments.
fn first<'a, T: Field>(
    params: &'a [Param],
    args: &'a mut [Value],
) -> Result<(T, &'a [Param], &'a mut [Value]), OpError> {
    match (params.split_first(), args.split_first_mut()) {
        (Some((param, params)), Some((arg, args))) => Ok((param.take(Some(arg))?, params, args)),
        _ => Err(OpError::bug("missing argument")),
    }
}

/// The result of a closure: a value, or a `Result` with an error that converts to [`OpError`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the result of an op",
    label = "expected a type such as `String`, `i64` or `Vec<T>`, or a `Result` of it",
    note = "a struct is a result with `#[derive(svc::Record)]`",
    note = "the error of a `Result` converts to `OpError`: `.map_err(|err| OpError::failed(err.to_string()))` makes one of another error",
    note = "an async closure is for `svc::io_op`"
)]
pub trait Outcome {
    const SCHEME: Scheme;

    fn result(self) -> Result<Value, OpError>;
}

#[diagnostic::do_not_recommend]
impl<T: Field> Outcome for T {
    const SCHEME: Scheme = T::SCHEME;

    fn result(self) -> Result<Value, OpError> {
        Ok(self.encode())
    }
}

#[diagnostic::do_not_recommend]
impl<T: Field, E: Into<OpError>> Outcome for Result<T, E> {
    const SCHEME: Scheme = T::SCHEME;

    fn result(self) -> Result<Value, OpError> {
        self.map(T::encode).map_err(E::into)
    }
}

/// A closure that an op can be made of. `C` is the context that it may take; `Marker` is inferred.
#[diagnostic::on_unimplemented(
    message = "no op can be made of this closure",
    label = "its parameters are not those of an op",
    note = "it takes nothing, an input, or an input and a struct declared with `params!`, and before these a `{C}` if it needs one",
    note = "an async closure may take a `Flow<A, B>` after the input",
    note = "an input has a type such as `String`, `i64`, `Vec<T>`, or of a struct with `#[derive(svc::Record)]`",
    note = "write the types of its parameters: `|cx: Cx, id: i64| ..`"
)]
pub trait Closure<C, Marker>: Send + Sync + 'static {
    type Args: Arguments;
    type Output;

    fn call(&self, cx: C, args: Self::Args) -> Self::Output;
}

/// Marks a closure whose first parameter is its context.
#[derive(Debug)]
pub struct WithCx<M>(std::marker::PhantomData<M>);

macro_rules! closures {
    ($($arg:ident $value:ident)*) => {
        impl<F, C, R, $($arg,)*> Closure<C, fn($($arg,)*) -> R> for F
        where
            F: Fn($($arg,)*) -> R + Send + Sync + 'static,
            ($($arg,)*): Arguments,
        {
            type Args = ($($arg,)*);
            type Output = R;

            fn call(&self, _: C, ($($value,)*): Self::Args) -> R {
                self($($value,)*)
            }
        }

        impl<F, C, R, $($arg,)*> Closure<C, WithCx<fn($($arg,)*) -> R>> for F
        where
            F: Fn(C, $($arg,)*) -> R + Send + Sync + 'static,
            ($($arg,)*): Arguments,
        {
            type Args = ($($arg,)*);
            type Output = R;

            fn call(&self, cx: C, ($($value,)*): Self::Args) -> R {
                self(cx, $($value,)*)
            }
        }
    };
}

closures!();
closures!(A input);
closures!(A input P params);
closures!(A input B flow P params);

//! The Rust types of closures, as parameters and results of ops.

use crate::{
    registry::{Field, OpError, Param, Params, Scheme},
    value::Value,
};

/// The arguments of a closure: none, the input, or the input and a struct of named parameters.
#[diagnostic::on_unimplemented(
    message = "`{Self}` are not arguments of an op",
    note = "a closure takes nothing, an input that implements `Field`, or an input and a struct declared with `params!`"
)]
pub trait Arguments: Sized {
    fn params() -> Vec<Param>;

    /// Takes the arguments, in the order of the parameters.
    fn decode(args: &mut [Value]) -> Result<Self, OpError>;
}

impl Arguments for () {
    fn params() -> Vec<Param> {
        Vec::new()
    }

    fn decode(_: &mut [Value]) -> Result<Self, OpError> {
        Ok(())
    }
}

impl<A: Field> Arguments for (A,) {
    fn params() -> Vec<Param> {
        vec![input(A::SCHEME)]
    }

    fn decode(args: &mut [Value]) -> Result<Self, OpError> {
        Ok((input(A::SCHEME).take(args.first_mut())?,))
    }
}

impl<A: Field, P: Params> Arguments for (A, P) {
    fn params() -> Vec<Param> {
        let named = P::PARAMS.iter().map(|it| Param { is_input: false, ..it.clone() });
        std::iter::once(input(A::SCHEME)).chain(named).collect()
    }

    fn decode(args: &mut [Value]) -> Result<Self, OpError> {
        let (first, named) =
            args.split_first_mut().ok_or_else(|| OpError::bug("missing argument"))?;
        Ok((input(A::SCHEME).take(Some(first))?, P::decode(named)?))
    }
}

fn input(scheme: Scheme) -> Param {
    Param {
        name: "input",
        doc: " The input.\n",
        scheme,
        default: None,
        is_input: true,
        is_evolvable: false,
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

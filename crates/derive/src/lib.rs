//! `#[derive(svc::Record)]`: a Rust struct as a record type of the language.

mod record;

use proc_macro::TokenStream;
use syn::{DeriveInput, Error, parse_macro_input};

/// Makes a struct with named fields a record type of the language.
///
/// It implements `svc::registry::RecordDef` and `svc::registry::Field`, as `svc::record!` does, and
/// the conversion to a `svc::value::Value`. The documentation of the struct and of its fields is
/// that of the type. Each field has a type that implements `Field`, such as `String`, `i64`,
/// `Option<T>`, `Vec<T>` or another record.
///
/// ```ignore
/// /// A customer of the shop.
/// #[derive(svc::Record)]
/// struct Customer {
///     /// The name on the invoice.
///     name: String,
///     orders: Vec<Order>,
/// }
/// ```
#[proc_macro_derive(Record)]
pub fn record(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    record::expand(&input).unwrap_or_else(Error::into_compile_error).into()
}

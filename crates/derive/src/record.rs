//! The expansion of the derive macro.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{
    Attribute, Data, DeriveInput, Error, Expr, Field, Fields, Ident, Meta, Type, ext::IdentExt,
    spanned::Spanned,
};

/// The implementations for a struct, or the reason why there are none.
pub(super) fn expand(input: &DeriveInput) -> Result<TokenStream, Error> {
    if let Some(param) = input.generics.params.first() {
        return Err(Error::new(param.span(), "expected a struct without parameters"));
    }
    let fields = fields(input)?;
    let (definition, field) = (definition(input, &fields), conversion(&input.ident, &fields));
    let name = &input.ident;
    Ok(quote! {
        #definition
        #field

        impl ::core::convert::From<#name> for ::svc::value::Value {
            fn from(it: #name) -> Self {
                ::svc::registry::Field::encode(it)
            }
        }
    })
}

/// A field of the struct, as the record type has it.
struct RecordField<'a> {
    ident: &'a Ident,
    name: String,
    doc: TokenStream,
    ty: &'a Type,
}

fn fields(input: &DeriveInput) -> Result<Vec<RecordField<'_>>, Error> {
    let found = match &input.data {
        Data::Struct(it) => match &it.fields {
            Fields::Named(fields) => return fields.named.iter().map(record_field).collect(),
            Fields::Unnamed(_) => "a struct with unnamed fields",
            Fields::Unit => "a struct without fields",
        },
        Data::Enum(_) => "an enum; `svc::choices!` declares an enum of the language",
        Data::Union(_) => "a union",
    };
    let message = format!("expected a struct with named fields, found {found}");
    Err(Error::new(input.ident.span(), message))
}

fn record_field(field: &Field) -> Result<RecordField<'_>, Error> {
    let ident = field.ident.as_ref();
    let ident = ident.ok_or_else(|| Error::new(field.span(), "expected a field with a name"))?;
    let name = ident.unraw().to_string();
    Ok(RecordField { ident, name, doc: documentation(&field.attrs), ty: &field.ty })
}

/// The lines of a doc comment, each with its end.
fn documentation(attrs: &[Attribute]) -> TokenStream {
    let lines: Vec<&Expr> = attrs.iter().filter_map(doc_line).collect();
    quote!(::core::concat!(#(#lines, "\n"),*))
}

fn doc_line(attr: &Attribute) -> Option<&Expr> {
    match &attr.meta {
        Meta::NameValue(it) if it.path.is_ident("doc") => Some(&it.value),
        _ => None,
    }
}

/// The definition of the record type.
fn definition(input: &DeriveInput, fields: &[RecordField<'_>]) -> TokenStream {
    let (ident, doc) = (&input.ident, documentation(&input.attrs));
    let name = ident.unraw().to_string();
    let names: Vec<&String> = fields.iter().map(|it| &it.name).collect();
    let schemes = fields.iter().map(|RecordField { name, doc, ty, .. }| {
        // A type that the language does not have is a problem of this field.
        let scheme = quote_spanned!(ty.span()=> <#ty as ::svc::registry::Field>::SCHEME);
        quote!(::svc::registry::FieldScheme { name: #name, doc: #doc, scheme: #scheme })
    });
    quote! {
        impl ::svc::registry::RecordDef for #ident {
            const NAME: &'static str = #name;
            const DOC: &'static str = #doc;
            const FIELDS: &'static [::svc::registry::FieldScheme] = &[#(#schemes),*];

            fn names() -> ::std::sync::Arc<[::svc::value::Text]> {
                static NAMES: ::std::sync::LazyLock<::std::sync::Arc<[::svc::value::Text]>> =
                    ::std::sync::LazyLock::new(|| {
                        ::std::sync::Arc::from([#(::svc::value::Text::from(#names)),*])
                    });
                NAMES.clone()
            }
        }
    }
}

/// The conversion between the struct and records.
fn conversion(ident: &Ident, fields: &[RecordField<'_>]) -> TokenStream {
    let name = ident.unraw().to_string();
    let decoded = fields.iter().map(|RecordField { ident, name, ty, .. }| {
        let decode = quote_spanned!(ty.span()=> <#ty as ::svc::registry::Field>::decode);
        quote!(#ident: #decode(record.get(#name).cloned().unwrap_or_default())?)
    });
    let encoded = fields.iter().map(|RecordField { ident, ty, .. }| {
        let encode = quote_spanned!(ty.span()=> <#ty as ::svc::registry::Field>::encode);
        quote!(#encode(self.#ident))
    });
    quote! {
        impl ::svc::registry::Field for #ident {
            const SCHEME: ::svc::registry::Scheme = ::svc::registry::Scheme::Record(
                #name,
                <Self as ::svc::registry::RecordDef>::FIELDS,
            );

            fn decode(value: ::svc::value::Value) -> ::core::option::Option<Self> {
                let record = value.as_record()?;
                ::core::option::Option::Some(Self { #(#decoded),* })
            }

            fn encode(self) -> ::svc::value::Value {
                ::svc::value::Value::Record(::svc::value::Record::new(
                    <Self as ::svc::registry::RecordDef>::names(),
                    ::std::vec![#(#encoded),*],
                ))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(input: &str) -> String {
        let input: DeriveInput = syn::parse_str(input).unwrap_or_else(|err| panic!("{err}"));
        expand(&input).map_or_else(|err| err.to_string(), |it| it.to_string())
    }

    #[test]
    fn only_structs_with_named_fields_are_records() {
        let found = |input| outcome(input).replace("expected a struct with named fields, ", "");
        assert_eq!(found("struct A(u8);"), "found a struct with unnamed fields");
        assert_eq!(found("struct A;"), "found a struct without fields");
        assert!(found("enum A { B }").starts_with("found an enum; `svc::choices!`"));
        assert_eq!(found("struct A<T> { b: T }"), "expected a struct without parameters");
    }

    #[test]
    fn a_raw_name_is_the_name_without_its_mark() {
        let text = outcome("/// Doc.\nstruct A { r#type: String }");
        assert!(text.contains(r#"name : "type""#), "{text}");
        assert!(text.contains(r#"concat ! (" Doc." , "\n")"#), "{text}");
    }
}

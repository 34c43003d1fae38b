//! Record types that scripts can name without declaring them.

use super::{Field, Opaque, OpaqueDef, RecordDef, Scheme, documents, findings};
use crate::value::Type;

/// A record type that components share.
#[derive(Clone, Copy, Debug)]
pub struct SharedType {
    pub name: &'static str,
    pub doc: &'static str,
    pub scheme: Scheme,
    /// Whether only components create such records: then no script is meant to build one.
    pub is_given: bool,
}

impl SharedType {
    /// A type whose records scripts may write.
    pub const fn of<R: RecordDef>() -> Self {
        Self { name: R::NAME, doc: R::DOC, scheme: R::SCHEME, is_given: false }
    }

    /// A type whose records only components create.
    pub const fn given<R: RecordDef>() -> Self {
        Self { is_given: true, ..Self::of::<R>() }
    }

    /// A type of the embedding program, which only its ops create.
    pub const fn opaque<T: OpaqueDef>() -> Self {
        Self { name: T::NAME, doc: "", scheme: <Opaque<T> as Field>::SCHEME, is_given: true }
    }

    pub fn ty(&self) -> Type {
        self.scheme.plain()
    }
}

/// The types of every registry.
pub(super) const TYPES: &[SharedType] = &[
    SharedType::given::<documents::Doc>(),
    SharedType::given::<documents::Hit>(),
    SharedType::of::<documents::Span>(),
    SharedType::of::<documents::Cite>(),
    SharedType::of::<documents::Entity>(),
    SharedType::of::<documents::Judged>(),
    SharedType::of::<documents::File>(),
    SharedType::given::<findings::Finding>(),
];

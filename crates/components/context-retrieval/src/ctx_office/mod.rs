//! Reads office documents: their text, headings and tables, and sheets as typed records.

use svc_contract::registry::{Bias, Component, compute};

mod infer;
mod range;
mod sheet;

pub(super) const COMPONENT: Component = Component {
    name: "ctx_office",
    cluster: "context-retrieval",
    summary: "Reads office documents and their tables: DOCX, XLSX, PPTX, ODT, ODS, EPUB.",
    version: 1,
    bias: Bias::new(
        "content as the file stores it",
        &[
            "the first row with content has the names of the columns",
            "rows without content carry no data",
            "the styles of a document say what its headings are",
        ],
    ),
    aliases: &[("read_office", "infer"), ("sheet", "sheet")],
    ops: &[compute::<infer::Infer>(), compute::<sheet::ReadSheet>()],
};

//! Reads office documents: tables of workbooks.

use svc_contract::registry::{Bias, Component, compute};

mod range;
mod sheet;

pub(super) const COMPONENT: Component = Component {
    name: "ctx_office",
    cluster: "context-retrieval",
    summary: "Reads tables of workbooks: XLSX, XLSB, XLS, ODS.",
    version: 1,
    bias: Bias::new(
        "values as the workbook stores them",
        &[
            "the first row with content has the names of the columns",
            "rows without content carry no data",
        ],
    ),
    aliases: &[("sheet", "sheet")],
    ops: &[compute::<sheet::ReadSheet>()],
};

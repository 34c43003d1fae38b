//! `--output`: the result of a run in a file.

use std::path::PathBuf;

use clap::Args;
use svc_api::result_file::ResultFile;
use svc_contract::value::{Type, Value, units::show_size};
use svc_engine::Engine;

use super::{
    Session,
    exit::{Failure, OK, Result, USAGE},
};

/// The file for the result of a run.
#[derive(Args)]
pub(super) struct OutputArgs {
    /// Write the result to a file, in the format of its ending: `.csv`, `.tsv`, `.jsonl`,
    /// `.parquet`, `.xlsx`, `.html` take a list of records, and `.json` takes any result. Text
    /// may be compressed, as in `.csv.gz`. The result is not printed, unless with `--json`.
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// The file of a command, and the engine that writes it: without the rules for the script.
pub(super) struct Output<'a> {
    file: ResultFile,
    engine: &'a Engine,
    /// The type of the result, as far as it is known.
    ty: Type,
}

impl OutputArgs {
    /// The file, if there is to be one.
    pub(super) fn open<'a>(&self, session: &'a Session) -> Result<Option<Output<'a>>> {
        let Some(path) = &self.output else { return Ok(None) };
        let file = ResultFile::named(path).map_err(wrong_usage)?;
        let mut output = Output { file, engine: &session.engine, ty: Type::Unknown };
        // A folder in the place of the file is found before the run.
        output.accept(&Type::Unknown)?;
        Ok(Some(output))
    }
}

impl Output<'_> {
    /// Refuses a result of this type before anything runs, if it can never be written.
    pub(super) fn accept(&mut self, ty: &Type) -> Result<()> {
        self.ty = ty.clone();
        self.file.accepts(ty, self.engine).map_err(wrong_usage)
    }

    /// Writes a result. `otherwise` is how to get it if that fails.
    pub(super) async fn write(
        &self,
        value: &Value,
        session: &Session,
        otherwise: Option<String>,
    ) -> Result<u8> {
        let written = match self.file.write(value, &self.ty, self.engine).await {
            Ok(written) => written,
            Err(err) => {
                let mut failure = Failure::reading(err);
                if let Some(way) = otherwise {
                    let help = failure.help.take().map(|it| it + "; ").unwrap_or_default();
                    failure = failure.help(format!("{help}{way}"));
                }
                return Err(failure);
            }
        };
        let rows = match written.rows {
            Some(1) => "1 row, ".to_owned(),
            Some(rows) => format!("{rows} rows, "),
            None => String::new(),
        };
        let (path, size) = (written.path.display(), show_size(written.bytes));
        session.terminal.note(&format!("wrote `{path}`: {rows}{size}"));
        Ok(OK)
    }
}

/// A wrong option: nothing ran.
fn wrong_usage(err: svc_contract::registry::OpError) -> Failure {
    let mut failure = Failure::reading(err);
    failure.code = USAGE;
    failure
}

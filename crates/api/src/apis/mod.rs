//! APIs by their OpenAPI documents: `svc api`, and the engine of a project.

mod change;

use std::path::{Path, PathBuf};

use svc_contract::host::Host;
use svc_engine::Engine;
use svc_project::{Loaded, Project};

pub use change::{Added, Listed, Updated, add, list, remove, update};
pub(crate) use change::{remove_lock, settings_text, test_name, write};
pub use svc_openapi::Difference;
pub use svc_project::Source;

/// The engine with the components of the project of a folder, and what is wrong with those that are
/// missing. Reads the settings and the locks; an error if the settings are wrong.
pub fn engine(engine: &Engine, folder: &Path) -> Result<(Engine, Vec<String>), String> {
    let Some(project) = Project::find(engine.host(), folder)? else {
        return Ok((engine.clone(), Vec::new()));
    };
    let Loaded { components, mut problems } = project.load(&engine.shared_host());
    let mut extended = engine.clone();
    for component in &components {
        match extended.clone().with_ready(component) {
            Ok(next) => extended = next,
            Err(err) => problems.push(err.message),
        }
    }
    Ok((extended, problems))
}

/// A file that a user names, as the settings of the project of a folder name it.
pub fn source_of_file(host: &dyn Host, folder: &Path, file: &Path) -> Result<Source, String> {
    let project = project(host, folder)?;
    let real = host.real_path(&folder.join(file));
    let real = real.map_err(|err| format!("cannot read `{}`: {err}", file.display()))?;
    let own: PathBuf = real.strip_prefix(&project.folder).map_or(real.clone(), Path::to_owned);
    Ok(Source::File(own.to_string_lossy().into_owned()))
}

/// The project of a folder, or a new one there.
pub(crate) fn project(host: &dyn Host, folder: &Path) -> Result<Project, String> {
    let found = Project::find(host, folder)?;
    found.map_or_else(|| Project::new(host, folder), Ok)
}

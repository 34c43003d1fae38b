//! The settings of a project, `svc.toml`, and the components that it names: APIs by their OpenAPI
//! documents, and MCP servers by their tools.
//!
//! A document is read once, by `svc api add`, which writes a lock next to the settings. From then on
//! [`Project::load`] makes a component of the lock alone: it reads two files, uses no network and
//! starts nothing. The document may change or be gone; the lock holds until it is renewed.
//!
//! The tools of a server are read once, by `svc mcp add`, in the same way. A call starts the program of
//! a server only if the user has agreed to its command ([`Consent`]).
//!
//! **Invariant:** no value of a secret is in the settings, in a lock, or in a component; they hold
//! names.

mod api;
mod document;
mod edit;
mod found;
mod made;
mod mcp;
mod settings;
mod types;

pub use api::component;
pub use document::{lock_of, locked};
pub use edit::{with_api, with_server, without_api, without_server};
pub use found::{Loaded, Project};
pub use mcp::{Consent, McpSettings, ToolSettings, component as mcp_component};
pub use settings::{ApiSettings, OpSettings, Settings, Source};

/// The file with the settings of a project.
pub const SETTINGS: &str = "svc.toml";
/// The folder with its locks.
pub const LOCKS: &str = ".svc";

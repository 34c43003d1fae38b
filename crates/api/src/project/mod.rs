//! The files of a new project: `svc init`.

/// A file of a new project.
#[derive(Clone, Copy, Debug)]
pub struct ProjectFile {
    /// Its path in the folder of the project.
    pub path: &'static str,
    pub text: &'static str,
}

/// The script that a new project runs.
pub const SCRIPT: &str = "report.svc";

/// The policy of a new project.
pub const POLICY: &str = "policy.toml";

/// All files: a script with its test, data, a policy, and the commands that use them.
pub const FILES: [ProjectFile; 4] = [
    ProjectFile { path: SCRIPT, text: include_str!("report.svc") },
    ProjectFile { path: "data/orders.json", text: include_str!("orders.json") },
    ProjectFile { path: POLICY, text: include_str!("policy.toml") },
    ProjectFile { path: "README.md", text: include_str!("README.md") },
];

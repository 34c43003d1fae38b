//! The files of the page.

/// A file of the page.
pub(super) struct Asset {
    name: &'static str,
    pub(super) media_type: &'static str,
    pub(super) content: &'static [u8],
}

const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const PAGE: &str = "text/html; charset=utf-8";
const PICTURE: &str = "image/svg+xml";
const TEXT: &str = "text/plain; charset=utf-8";

macro_rules! files {
    ($($name:literal $media_type:expr),* $(,)?) => {
        &[$(Asset {
            name: $name,
            media_type: $media_type,
            content: include_bytes!(concat!("assets/", $name)),
        }),*]
    };
}

const ALL: &[Asset] = files![
    "LICENSES" TEXT,
    "api.js" SCRIPT,
    "app.js" SCRIPT,
    "approvals.js" SCRIPT,
    "chat.js" SCRIPT,
    "chats.js" SCRIPT,
    "code.css" STYLE,
    "code.js" SCRIPT,
    "codemirror.js" SCRIPT,
    "composer.js" SCRIPT,
    "dom.js" SCRIPT,
    "editor.js" SCRIPT,
    "engines.js" SCRIPT,
    "favicon.svg" PICTURE,
    "files.js" SCRIPT,
    "format.js" SCRIPT,
    "icons.svg" PICTURE,
    "index.html" PAGE,
    "keys.js" SCRIPT,
    "message.js" SCRIPT,
    "palette.js" SCRIPT,
    "parts.css" STYLE,
    "parts.js" SCRIPT,
    "plan.js" SCRIPT,
    "play.html" PAGE,
    "play.js" SCRIPT,
    "plots.js" SCRIPT,
    "projects.js" SCRIPT,
    "prose.js" SCRIPT,
    "quality.js" SCRIPT,
    "run.js" SCRIPT,
    "runs.js" SCRIPT,
    "settings.js" SCRIPT,
    "shell.js" SCRIPT,
    "style.css" STYLE,
    "theme.js" SCRIPT,
    "uplot.css" STYLE,
    "uplot.js" SCRIPT,
    "usage.js" SCRIPT,
    "views.css" STYLE,
    "wasm.js" SCRIPT,
    "workers.js" SCRIPT,
];

/// The file of this name.
pub(super) fn find(name: &str) -> Option<&'static Asset> {
    ALL.iter().find(|it| it.name == name)
}

/// What is in the files.
pub(super) fn contents() -> impl Iterator<Item = &'static [u8]> {
    ALL.iter().map(|it| it.content)
}

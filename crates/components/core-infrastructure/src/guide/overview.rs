//! An overview of svc.

use svc_contract::{
    registry::{Compute, Cx, Effect, Example, Field, Op, OpError, Scheme, Tool, params},
    value::Value,
};
use svc_guide::{System, overview};

use super::EFFECTS;

params! {
    /// Describes what svc is, its components, and the syntax of its language.
    pub(super) struct Overview {}
}

impl Op for Overview {
    const NAME: &'static str = "system_overview";
    const YIELDS: Scheme = System::SCHEME;
    const EFFECTS: &'static [Effect] = EFFECTS;
    const SAYS: &'static [&'static str] = &[
        "what is svc",
        "what can this system do",
        "give me an overview",
        "introduce me to the language",
        "where do i start",
        "a tour for newcomers",
        "cheat sheet of the syntax",
        "big picture and introduction for beginners",
    ];
    const TOOL: Option<Tool> = Some(Tool::free("guide_system_overview"));
    const EXAMPLES: &'static [Example] = &[Example::ok(
        "The first step",
        "guide_system_overview >> .next >> first",
        r#""svc guide plan \"what you want\"""#,
    )];
}

impl Compute for Overview {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        Ok(overview(cx.catalog()?.registry()).encode())
    }
}

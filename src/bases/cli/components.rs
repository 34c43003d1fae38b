//! `svc components`: lists the components and the standard library.

use clap::Args;
use svc_api::{
    components::{self, NeedJson},
    library::{CLUSTER, search},
};
use svc_contract::registry::Component;
use svc_lang::stdlib;

use super::{
    Session,
    exit::{Failure, NOT_FOUND, OK, Result, answered},
    library,
    terminal::{self, Ink, Stream},
};

/// List components and modules, or those that match QUERY.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Components {
    /// Words to look for in names and documentation; the best matches come first.
    #[arg(value_name = "QUERY")]
    query: Vec<String>,
    /// List only components that learn.
    #[arg(long)]
    learns: bool,
    /// Print the list as JSON.
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "Examples:
  svc components
  svc components read files
  svc components std:panel
  svc components --learns
  svc components --json | jq -r '.[].name'

`svc inspect NAME` shows the documentation of one of them.";

impl Components {
    pub(super) fn execute(self, session: &Session) -> Result<u8> {
        answered(self.json, self.printed(session))
    }

    fn printed(&self, session: &Session) -> Result<u8> {
        let out = session.terminal.out;
        let query = self.query.join(" ");
        if let Some(module) = library::named(&query).filter(|_| query != stdlib::PREFIX) {
            library::show(module?, self.json, out)?;
            return Ok(OK);
        }
        let found = session.engine.registry().search(&query).into_iter();
        let found: Vec<&Component> = found.filter(|it| !self.learns || it.learns()).collect();
        // Modules do not learn.
        let modules = if self.learns { Vec::new() } else { search(&query) };
        if self.json {
            terminal::print_json(&components::entries(&found, &modules))?;
        } else if found.is_empty() && modules.is_empty() {
            let help = "list all components with `svc components`";
            return Err(Failure::new(NOT_FOUND, self.nothing(&query)).help(help));
        } else if query.is_empty() && !self.learns {
            let heading = out.paint(CLUSTER, Ink::Cyan);
            let (found, modules) = (by_cluster(&found, out), library::entries(&modules, out));
            let text = format!("{found}\n{heading}\n\n{modules}");
            terminal::print(terminal::styled(&text))?;
        } else {
            let found: String = found.iter().map(|it| entry(it, out)).collect();
            terminal::print(terminal::styled(&[found, library::entries(&modules, out)].concat()))?;
        }
        Ok(OK)
    }

    /// The message if nothing was found.
    fn nothing(&self, query: &str) -> String {
        match (self.learns, query) {
            (true, "") => "no component learns".to_owned(),
            (true, query) => format!("no component that learns matches `{query}`"),
            (false, query) => format!("no component matches `{query}`"),
        }
    }
}

/// All components under the names of their clusters, both in the registry's order.
fn by_cluster(components: &[&Component], out: Stream) -> String {
    let shown = components::by_cluster(components).into_iter().map(|(cluster, members)| {
        let entries: String = members.into_iter().map(|it| entry(it, out)).collect();
        format!("{}\n\n{entries}", out.paint(cluster, Ink::Cyan))
    });
    shown.collect::<Vec<_>>().join("\n")
}

/// The name, the summary and the script names of a component, and the features that it lacks.
fn entry(component: &Component, out: Stream) -> String {
    let head = format!("  {}  {}", out.paint(component.name, Ink::Bold), component.summary);
    let names = component.aliases.iter().map(|(name, _)| *name);
    let names = names.fold((String::new(), 0), |(text, column), name| placed(text, column, name)).0;
    let needs = components::needs(component).into_iter().map(|it| need(component, &it, out));
    let lines = [head, names].into_iter().chain(needs).filter(|it| !it.is_empty());
    lines.collect::<Vec<_>>().join("\n") + "\n"
}

/// A feature that the component, or some of its ops, lacks in this build.
fn need(component: &Component, need: &NeedJson, out: Stream) -> String {
    let feature = need.feature;
    let line = match need.ops.as_slice() {
        ops if ops.len() == component.ops.len() => format!("needs the feature `{feature}`"),
        [op] => format!("{op} needs the feature `{feature}`"),
        ops => format!("{} need the feature `{feature}`", ops.join(", ")),
    };
    format!("      {}", out.paint(&line, Ink::Dim))
}

/// Appends a name to wrapped lines of names.
fn placed(mut text: String, column: usize, name: &str) -> (String, usize) {
    const WIDEST: usize = 76;
    if column == 0 || column + name.len() > WIDEST {
        if column > 0 {
            text.push('\n');
        }
        text.push_str("      ");
        text.push_str(name);
        return (text, 6 + name.len());
    }
    text.push(' ');
    text.push_str(name);
    (text, column + 1 + name.len())
}

#[cfg(test)]
mod tests {
    use super::{Component, Stream, entry};
    use svc_contract::{
        params,
        registry::{Bias, Body, Example, Op, OpDef, Scheme, lacking},
        value::Text,
    };

    params! {
        /// Speaks a text.
        struct Speak {
            /// The text.
            text: Text,
        }
    }

    impl Op for Speak {
        const NAME: &'static str = "speak";
        const SAYS: &'static [&'static str] = &["speak", "read aloud", "say it"];
        const YIELDS: Scheme = Scheme::Text;
        const EXAMPLES: &'static [Example] = &[];
    }

    const SPEAK: OpDef = lacking::<Speak>("media");

    const STUDIO: Component = Component {
        name: "studio",
        cluster: "testing",
        summary: "Works with sound.",
        version: 1,
        bias: Bias::NONE,
        aliases: &[],
        ops: &[SPEAK],
    };

    const MIXED: Component = Component {
        ops: &[SPEAK, OpDef { body: Body::Inline(|_| unreachable!()), ..SPEAK }],
        aliases: &[("speak", "speak")],
        ..STUDIO
    };

    #[test]
    fn entries_mark_what_needs_a_feature() {
        let out = Stream { is_terminal: false, colour: false };
        let whole = "  studio  Works with sound.\n      needs the feature `media`\n";
        assert_eq!(entry(&STUDIO, out), whole);
        let part =
            "  studio  Works with sound.\n      speak\n      speak needs the feature `media`\n";
        assert_eq!(entry(&MIXED, out), part);
    }
}

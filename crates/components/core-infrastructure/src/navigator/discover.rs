//! Finds components that match a question.

use std::collections::HashMap;

use svc_contract::{
    registry::{
        Component, Compute, Cx, Effect, Example, Field, Max, Op, OpError, Scheme, Tool, params,
        record,
    },
    value::{Text, Value},
};

use super::EFFECTS;

record! {
    /// A component that matches a question.
    struct Discovery {
        /// Its name.
        name: Text,
        /// How well it matches the question; the best one has 1.
        score: f64,
        /// The group that contains it.
        cluster: Text,
    }
}

record! {
    /// A recommended component.
    struct Recommendation {
        /// Its name.
        name: Text,
        /// The purpose of the component.
        description: Text,
    }
}

record! {
    /// The result of a recommendation.
    struct Recommendations {
        /// The components, best first.
        recommendations: Vec<Recommendation>,
    }
}

params! {
    /// Finds the components that match a question, best first.
    ///
    /// The names, phrasings, summaries, arguments and examples of their ops are compared with the
    /// words of the question, by stems. If no word of the question is found, the list is empty.
    pub(super) struct Discover {
        /// The question, in plain words.
        query: Text,
        /// The maximum number of components.
        #[range(1..=1000)]
        limit: usize = 20,
    }
}

impl Op for Discover {
    const NAME: &'static str = "discover";
    const YIELDS: Scheme = Scheme::List(&Discovery::SCHEME, Max::Arg("limit"));
    const EFFECTS: &'static [Effect] = EFFECTS;
    const SAYS: &'static [&'static str] = &[
        "find components by topic",
        "which components deal with a subject",
        "browse what is available",
        "rank components for a question",
        "explore the registry",
        "modules that have to do with a theme",
        "what is there for dates or for files",
        "list capabilities of a domain",
    ];
    const TOOL: Option<Tool> = Some(Tool::researcher("nav_discover"));
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "The best match",
            r#""condense documents" >> nav_discover(limit: 1)"#,
            r#"[{"name":"ctx_summary","score":1,"cluster":"context-retrieval"}]"#,
        ),
        Example::ok("No match", r#""xyzzy" >> nav_discover"#, "[]"),
    ];
}

impl Compute for Discover {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let found = discovered(&self.query, self.limit, cx)?;
        let discovery = |(component, score): (&Component, f64)| Discovery {
            name: component.name.into(),
            score,
            cluster: component.cluster.into(),
        };
        Ok(found.into_iter().map(discovery).collect::<Vec<_>>().encode())
    }
}

params! {
    /// Recommends components for a task, with the purpose of each.
    pub(super) struct Recommend {
        /// The task, in plain words.
        query: Text,
        /// The maximum number of components.
        #[range(1..=1000)]
        limit: usize = 5,
    }
}

impl Op for Recommend {
    const NAME: &'static str = "recommend";
    const YIELDS: Scheme = Recommendations::SCHEME;
    const EFFECTS: &'static [Effect] = EFFECTS;
    const SAYS: &'static [&'static str] = &[
        "recommend a component",
        "which component should i use",
        "suggest building blocks for a task",
        "advise me what to pick and what it is for",
        "propose candidates with their purpose",
        "best module for what i am doing",
        "best fit among the building blocks",
        "what would you advise for this use case",
    ];
    const TOOL: Option<Tool> = Some(Tool::researcher("nav_recommend"));
    const EXAMPLES: &'static [Example] = &[Example::ok(
        "A component that condenses documents",
        r#""condense documents" >> nav_recommend(limit: 1)"#,
        r#"{"recommendations":[{"name":"ctx_summary","description":"Condenses documents to their most important sentences."}]}"#,
    )];
}

impl Compute for Recommend {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let found = discovered(&self.query, self.limit, cx)?;
        let recommendation = |(component, _): (&Component, f64)| Recommendation {
            name: component.name.into(),
            description: component.summary.into(),
        };
        let recommendations = found.into_iter().map(recommendation).collect();
        Ok(Recommendations { recommendations }.encode())
    }
}

/// The components whose best op matches a question.
fn discovered(
    query: &str,
    limit: usize,
    cx: &Cx,
) -> Result<Vec<(&'static Component, f64)>, OpError> {
    let catalog = cx.catalog()?;
    let mut best: HashMap<&str, f64> = HashMap::new();
    let mut found = Vec::new();
    for it in catalog.topics().find(query) {
        let Some(op) = it.topic.op() else { continue };
        let component = op.component;
        if !best.contains_key(component.name) {
            best.insert(component.name, it.score);
            found.push((component, it.score));
        }
    }
    let most = found.first().map_or(1.0, |(_, score)| *score);
    let rounded = |score: f64| (score / most * 100.0).round() / 100.0;
    Ok(found.into_iter().take(limit).map(|(it, score)| (it, rounded(score))).collect())
}

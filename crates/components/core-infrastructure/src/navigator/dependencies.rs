//! Which part of the registry uses which, and whose results fit whose params.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

use svc_contract::{
    registry::{
        Catalog, Compute, Cx, Effect, ErrorKind, Example, Field, Op, OpError, OpRef, Registry,
        Scheme, Tool, choices, nearest, params, record,
    },
    value::{Text, Type, Value},
};

use super::EFFECTS;

/// The cluster of the modules of the standard library.
const LIBRARY: &str = "std";

record! {
    /// A component, or a module of the standard library.
    struct Node {
        /// The name of the component, or `std:NAME`.
        id: Text,
        /// The cluster of the component; `std` for a module.
        cluster: Text,
    }
}

record! {
    /// How one node depends on another one.
    struct Edge {
        /// The module that calls, or the component whose results fit.
        from: Text,
        /// The component that is called, or that takes the results.
        to: Text,
        /// `calls`: a flow of a module calls an op of a component. `feeds`: an op returns records
        /// that fit a param of an op.
        kind: Text,
        /// The ops that are called, or that take the results.
        ops: Vec<Text>,
    }
}

record! {
    /// What depends on what.
    struct Dependencies {
        /// The components and modules, by name.
        nodes: Vec<Node>,
        /// The edges, by their ends.
        edges: Vec<Edge>,
        /// The groups of nodes that lead to each other.
        cycles: Vec<Vec<Text>>,
        /// The graph in the format that was asked for; null for `json`.
        text: Option<Text>,
    }
}

choices! {
    /// A format of a graph.
    enum Format { Json = "json", Dot = "dot", Mermaid = "mermaid" }
}

choices! {
    /// Which edges are shown.
    enum Kinds { All = "all", Calls = "calls", Feeds = "feeds" }
}

params! {
    /// Shows which modules call which components, and whose results fit whose params.
    ///
    /// An edge `calls` leads from a module of the standard library to a component of which it calls
    /// an op. An edge `feeds` leads from a component to another one that takes the records it
    /// returns, alone or in lists; texts and numbers, which fit nearly everything, make no edge.
    /// Components never call each other. Those that call what their arguments name, such as
    /// `core.invoke`, have no edges for it.
    pub(super) struct DependencyGraph {
        /// The component or module to begin with; by default all are shown.
        root: Option<Text> = None,
        /// The number of edges that are followed from the root.
        #[range(0..=100)]
        depth: usize = 3,
        /// Whether the graph is also written as text.
        format: Format = Format::Json,
        /// Which edges are shown.
        kind: Kinds = Kinds::All,
    }
}

impl Op for DependencyGraph {
    const NAME: &'static str = "dependencies";
    const YIELDS: Scheme = Dependencies::SCHEME;
    const EFFECTS: &'static [Effect] = EFFECTS;
    const SAYS: &'static [&'static str] = &[
        "graph of the components",
        "which component depends on which",
        "draw how components fit together",
        "what can take the results of a component",
    ];
    const TOOL: Option<Tool> = Some(Tool::builder("dependency_graph"));
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NotFound];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "One node",
            r#"dependency_graph(root: "text", depth: 0) >> .nodes"#,
            r#"[{"id":"text","cluster":"core-infrastructure"}]"#,
        ),
        Example::err(
            "An unknown root",
            r#"dependency_graph(root: "txet")"#,
            "unknown component or module `txet`",
        ),
    ];
}

impl Compute for DependencyGraph {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let catalog = cx.catalog()?;
        let mut graph = Graph::of(catalog.as_ref(), self.kind);
        if let Some(root) = &self.root {
            graph = graph.reachable(root, self.depth)?;
        }
        let text = match self.format {
            Format::Json => None,
            Format::Dot => Some(graph.dot().into()),
            Format::Mermaid => Some(graph.mermaid().into()),
        };
        let cycles = graph.cycles();
        let Graph { nodes, edges } = graph;
        let nodes = nodes.into_iter().map(|(id, cluster)| Node { id, cluster }).collect();
        let edge = |((from, to, kind), ops): (Ends, BTreeSet<Text>)| Edge {
            from,
            to,
            kind: kind.into(),
            ops: ops.into_iter().collect(),
        };
        let edges = edges.into_iter().map(edge).collect();
        Ok(Dependencies { nodes, edges, cycles, text }.encode())
    }
}

/// Where an edge begins and ends, and its kind.
type Ends = (Text, Text, &'static str);

/// Nodes with their clusters, and edges with the ops that they lead to.
struct Graph {
    nodes: BTreeMap<Text, Text>,
    edges: BTreeMap<Ends, BTreeSet<Text>>,
}

impl Graph {
    fn of(catalog: &dyn Catalog, kinds: Kinds) -> Self {
        let registry = catalog.registry();
        let components = registry.components().iter().map(|it| (it.name.into(), it.cluster.into()));
        let mut graph = Self { nodes: components.collect(), edges: BTreeMap::new() };
        if kinds != Kinds::Feeds {
            graph.add_calls(catalog);
        }
        if kinds != Kinds::Calls {
            graph.add_feeds(registry);
        }
        graph
    }

    fn add_calls(&mut self, catalog: &dyn Catalog) {
        for module in catalog.modules() {
            let id: Text = format!("{LIBRARY}:{}", module.name).into();
            self.nodes.insert(id.clone(), LIBRARY.into());
            for op in module.calls {
                self.add(id.clone(), op, "calls");
            }
        }
    }

    fn add_feeds(&mut self, registry: &Registry) {
        let ops = || {
            let of = |it: &&'static svc_contract::registry::Component| {
                let component = *it;
                component.ops.iter().map(move |op| OpRef { component, op })
            };
            registry.components().iter().flat_map(of)
        };
        let takers: Vec<(OpRef, Type)> = ops()
            .flat_map(|op| {
                op.op.params.iter().flat_map(|it| records(it.scheme)).map(move |it| (op, it))
            })
            .collect();
        for maker in ops() {
            for made in records(*maker.op.yields) {
                for (taker, wanted) in &takers {
                    let is_other = !std::ptr::eq(maker.component, taker.component);
                    if is_other && made.fits(wanted) {
                        self.add(maker.component.name.into(), *taker, "feeds");
                    }
                }
            }
        }
    }

    fn add(&mut self, from: Text, to: OpRef, kind: &'static str) {
        let ends = (from, to.component.name.into(), kind);
        self.edges.entry(ends).or_default().insert(to.to_string().into());
    }

    /// What can be reached from a node with at most this many edges.
    fn reachable(self, root: &str, depth: usize) -> Result<Self, OpError> {
        if !self.nodes.contains_key(root) {
            let error = OpError::not_found(format!("unknown component or module `{root}`"));
            return Err(match nearest(root, self.nodes.keys().map(AsRef::as_ref)) {
                Some(meant) => error.help(format!("did you mean `{meant}`?")),
                None => error.help("`list_components` lists the components"),
            });
        }
        let mut reached: BTreeSet<Text> = [Text::from(root)].into();
        for _ in 0..depth {
            let next = self.edges.keys().filter(|(from, ..)| reached.contains(from));
            let next: Vec<Text> = next.map(|(_, to, _)| to.clone()).collect();
            let before = reached.len();
            reached.extend(next);
            if reached.len() == before {
                break;
            }
        }
        let nodes = self.nodes.into_iter().filter(|(id, _)| reached.contains(id)).collect();
        let is_inside =
            |(from, to, _): &Ends| depth > 0 && reached.contains(from) && reached.contains(to);
        let edges = self.edges.into_iter().filter(|(ends, _)| is_inside(ends)).collect();
        Ok(Self { nodes, edges })
    }

    /// The groups of several nodes that lead to each other: the strongly connected ones.
    fn cycles(&self) -> Vec<Vec<Text>> {
        let reached: BTreeMap<&Text, BTreeSet<&Text>> =
            self.nodes.keys().map(|it| (it, self.reached(it))).collect();
        let mut seen: BTreeSet<&Text> = BTreeSet::new();
        let mut cycles = Vec::new();
        for node in self.nodes.keys() {
            if seen.contains(node) {
                continue;
            }
            let both = |it: &&&Text| reached[**it].contains(node);
            let group: Vec<&Text> = reached[node].iter().filter(both).copied().collect();
            if group.len() > 1 {
                seen.extend(&group);
                cycles.push(group.into_iter().cloned().collect());
            }
        }
        cycles
    }

    /// All nodes that a node leads to; itself only if it is in a cycle.
    fn reached<'a>(&'a self, from: &'a Text) -> BTreeSet<&'a Text> {
        let mut found = BTreeSet::new();
        let mut open = vec![from];
        while let Some(next) = open.pop() {
            let edges = self.edges.keys().filter(|(from, ..)| from == next);
            open.extend(edges.map(|(_, to, _)| to).filter(|it| found.insert(*it)));
        }
        found
    }

    fn dot(&self) -> String {
        let mut text = String::from("digraph dependencies {\n  rankdir = LR;\n");
        // Names have no signs that would need an escape, and writing to a string cannot fail.
        for (id, cluster) in &self.nodes {
            let _ = writeln!(text, "  \"{id}\" [tooltip = \"{cluster}\"];");
        }
        for (from, to, kind) in self.edges.keys() {
            let style = if *kind == "calls" { "solid" } else { "dashed" };
            let _ = writeln!(text, "  \"{from}\" -> \"{to}\" [style = {style}];");
        }
        text.push_str("}\n");
        text
    }

    fn mermaid(&self) -> String {
        let mut text = String::from("flowchart LR\n");
        let numbers: BTreeMap<&Text, usize> =
            self.nodes.keys().enumerate().map(|(number, id)| (id, number)).collect();
        for (id, number) in &numbers {
            let _ = writeln!(text, "  n{number}[\"{id}\"]");
        }
        for (from, to, kind) in self.edges.keys() {
            let arrow = if *kind == "calls" { "-->" } else { "-.->" };
            let _ = writeln!(text, "  n{} {arrow} n{}", numbers[from], numbers[to]);
        }
        text
    }
}

/// The records that a type is, or holds in lists.
fn records(scheme: Scheme) -> Vec<Type> {
    match scheme {
        Scheme::List(item, _) | Scheme::Optional(item) => records(*item),
        Scheme::OneOf(all) => all.iter().flat_map(|it| records(*it)).collect(),
        Scheme::Record(_, fields) if !fields.is_empty() => vec![scheme.plain()],
        _ => Vec::new(),
    }
}

//! The tools over the invariants.

use std::thread;

use svc_contract::{
    registry::{
        Catalog, Compute, Cx, Effect, ErrorKind, Example, Field, Inline, Op, OpError, Scheme,
        Scope, Takes, Tool, nearest, params, record,
    },
    value::{Text, Value},
};
use svc_engine::Engine;

use super::{
    system::{Depth, System},
    table::{ALL, Checked, Invariant, Level, Looked, categories, find},
};
use crate::components::engine_of;

/// The registry and the engine are not arguments, so reading them is an effect.
const EFFECTS: &[Effect] = &[Effect::Reads(Scope::Named("system"))];

record! {
    /// The results of checked invariants.
    struct Results {
        /// One for each invariant.
        results: Vec<Checked>,
    }
}

params! {
    /// Checks what this system promises of itself: its registry, its rights, its bounds, its runs and
    /// its secrets.
    ///
    /// Each result says what was looked at. Nothing is changed, and nothing outside is reached.
    pub(super) struct Check {
        /// Only these invariants.
        ids: Option<Vec<Text>> = None,
        /// Only those of this category.
        category: Option<Text> = None,
        /// Only what concerns this component.
        component: Option<Text> = None,
    }
}

impl Op for Check {
    const NAME: &'static str = "check";
    const YIELDS: Scheme = Results::SCHEME;
    const EFFECTS: &'static [Effect] = EFFECTS;
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NotFound, ErrorKind::Failed];
    const TAKES: Takes = Takes::Usually(std::time::Duration::from_secs(1));
    const SAYS: &'static [&'static str] = &[
        "are the invariants of the system kept",
        "check the promises of this server",
        "does the system hold what it promises",
    ];
    const TOOL: Option<Tool> = Some(Tool::free("invariants_check"));
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "One invariant",
            r#"invariants_check(ids: ["tool_names"]) >> .results >> each { .holds }"#,
            "[true]",
        ),
        Example::err(
            "An unknown one",
            r#"invariants_check(ids: ["tool_name"])"#,
            "unknown invariant `tool_name`",
        ),
    ];
}

impl Compute for Check {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let chosen = chosen(self.ids.as_deref(), self.category.as_deref())?;
        let component = self.component.as_deref();
        let results = aside(cx, component, |system, cx| {
            let depth = Depth::shallow(cx);
            let of_component = component.is_some();
            let chosen = chosen.iter().filter(|it| !of_component || it.is_of_components);
            chosen.map(|it| Ok(it.checked(system, depth)?.0)).collect::<Result<Vec<_>, OpError>>()
        })?;
        Ok(Results { results }.encode())
    }
}

fn chosen(
    ids: Option<&[Text]>,
    category: Option<&str>,
) -> Result<Vec<&'static Invariant>, OpError> {
    let all: Vec<&'static Invariant> = match ids {
        Some(ids) => ids.iter().map(|it| find(it)).collect::<Result<_, _>>()?,
        None => ALL.iter().collect(),
    };
    let Some(category) = category else { return Ok(all) };
    if !categories().contains(&category) {
        let error = OpError::not_found(format!("unknown category `{category}`"));
        return Err(match nearest(category, categories()) {
            Some(meant) => error.help(format!("did you mean `{meant}`?")),
            None => error.help("`invariants_list_categories` lists them"),
        });
    }
    Ok(all.into_iter().filter(|it| it.category == category).collect())
}

/// Works on a thread of its own: the runs of a check are not part of the run that asks for it.
fn aside<T: Send>(
    cx: &Cx,
    component: Option<&str>,
    work: impl FnOnce(&System, &dyn Fn() -> Result<(), OpError>) -> Result<T, OpError> + Send,
) -> Result<T, OpError> {
    let engine: Engine = engine_of(cx)?;
    if let Some(name) = component {
        known(name, &engine)?;
    }
    let cancel = cx.cancel.clone();
    let working = || {
        let look = || if cancel.is_cancelled() { Err(OpError::cancelled()) } else { Ok(()) };
        let system = System::of(&engine)?;
        let system = match component {
            Some(name) => system.only(name),
            None => system,
        };
        work(&system, &look)
    };
    let panicked = |_| Err(OpError::bug("a check of an invariant panicked"));
    thread::scope(|scope| scope.spawn(working).join().unwrap_or_else(panicked))
}

fn known(component: &str, engine: &Engine) -> Result<(), OpError> {
    let names = || Catalog::registry(engine).components().iter().map(|it| it.name);
    if names().any(|it| it == component) {
        return Ok(());
    }
    let error = OpError::not_found(format!("unknown component `{component}`"));
    Err(match nearest(component, names()) {
        Some(meant) => error.help(format!("did you mean `{meant}`?")),
        None => error.help("`list_components` lists them"),
    })
}

record! {
    /// The result of a thorough check.
    struct Verified {
        /// The invariant.
        id: Text,
        /// Whether it holds.
        holds: bool,
        /// How it was established, and what was looked at, if it holds.
        proof: Option<Text>,
        /// The first case that breaks it: `subject` and `found`.
        counterexample: Option<Value>,
    }
}

params! {
    /// Checks one invariant, and returns the evidence or a case that breaks it.
    pub(super) struct Verify {
        /// The invariant.
        id: Text,
        /// Whether to run all examples and many generated cases, which takes longer.
        deep: bool = false,
    }
}

impl Op for Verify {
    const NAME: &'static str = "verify";
    const YIELDS: Scheme = Verified::SCHEME;
    const EFFECTS: &'static [Effect] = EFFECTS;
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NotFound, ErrorKind::Failed];
    const TAKES: Takes = Takes::Usually(std::time::Duration::from_secs(1));
    const SAYS: &'static [&'static str] = &[
        "prove one invariant",
        "find a counterexample to a promise",
        "verify a property of the system deeply",
    ];
    const TOOL: Option<Tool> = Some(Tool::free("invariants_verify"));
    const EXAMPLES: &'static [Example] = &[
        Example::ok("One that holds", r#"invariants.verify("unique_names") >> .holds"#, "true"),
        Example::err("An unknown one", r#"invariants.verify("x")"#, "unknown invariant `x`"),
    ];
}

impl Compute for Verify {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let invariant = find(&self.id)?;
        let deep = self.deep;
        let (checked, looked) = aside(cx, None, |system, look| {
            let depth = if deep { Depth::deep(look) } else { Depth::shallow(look) };
            invariant.checked(system, depth)
        })?;
        Ok(verified(invariant, &checked, &looked).encode())
    }
}

fn verified(invariant: &Invariant, checked: &Checked, looked: &Looked) -> Verified {
    let proof = format!("{}: {}", invariant.level.name(), checked.evidence);
    Verified {
        id: checked.id.clone(),
        holds: checked.holds,
        proof: checked.holds.then(|| proof.into()),
        counterexample: looked.broken.first().map(super::table::Broken::value),
    }
}

record! {
    /// A category of invariants.
    struct Category {
        /// Its name.
        name: Text,
        /// The number of its invariants.
        count: i64,
    }
}

record! {
    /// The categories of invariants.
    struct Categories {
        /// In the order of the list.
        categories: Vec<Category>,
    }
}

params! {
    /// Lists the categories of the invariants of this system.
    pub(super) struct ListCategories {}
}

impl Op for ListCategories {
    const NAME: &'static str = "list_categories";
    const YIELDS: Scheme = Categories::SCHEME;
    const SAYS: &'static [&'static str] =
        &["kinds of invariants", "categories of promises", "what sorts of guarantees are checked"];
    const TOOL: Option<Tool> = Some(Tool::free("invariants_list_categories"));
    const EXAMPLES: &'static [Example] = &[Example::ok(
        "The first one",
        "invariants.list_categories() >> .categories >> each { .name } >> first",
        r#""registry""#,
    )];
}

impl Inline for ListCategories {
    fn run(self) -> Result<Value, OpError> {
        let count = |name: &str| ALL.iter().filter(|it| it.category == name).count();
        let category = |name| Category { name: Text::from(name), count: number(count(name)) };
        Ok(Categories { categories: categories().into_iter().map(category).collect() }.encode())
    }
}

record! {
    /// How many invariants hold.
    struct Summed {
        /// All of them.
        total: i64,
        /// Those that hold.
        holding: i64,
        /// Those that a case breaks.
        violated: i64,
        /// Those whose check did not end.
        unchecked: i64,
    }
}

params! {
    /// Checks all invariants of this system, and counts those that hold.
    pub(super) struct Summary {}
}

impl Op for Summary {
    const NAME: &'static str = "summary";
    const YIELDS: Scheme = Summed::SCHEME;
    const EFFECTS: &'static [Effect] = EFFECTS;
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const TAKES: Takes = Takes::Usually(std::time::Duration::from_secs(1));
    const SAYS: &'static [&'static str] =
        &["how many invariants hold", "are any promises broken", "count the violated invariants"];
    const TOOL: Option<Tool> = Some(Tool::free("invariants_summary"));
    const EXAMPLES: &'static [Example] =
        &[Example::ok("None is broken", "invariants.summary() >> .violated", "0")];
}

impl Compute for Summary {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let results = aside(cx, None, |system, look| {
            let depth = Depth::shallow(look);
            let checked = ALL.iter().map(|it| (it.check)(system, depth).map(|it| it.holds()));
            Ok(checked.collect::<Vec<_>>())
        })?;
        // A cancelled check says nothing about those that were not reached.
        cx.check()?;
        let count = |wanted: Option<bool>| {
            number(results.iter().filter(|it| it.as_ref().ok().copied() == wanted).count())
        };
        let summed = Summed {
            total: number(results.len()),
            holding: count(Some(true)),
            violated: count(Some(false)),
            unchecked: count(None),
        };
        Ok(summed.encode())
    }
}

record! {
    /// What is known of the invariants as a whole.
    struct About {
        /// The version of the list.
        version: Text,
        /// How an invariant can be established, the weakest first.
        tiers: Vec<Text>,
    }
}

params! {
    /// Describes how the invariants of this system are established.
    pub(super) struct Info {}
}

impl Op for Info {
    const NAME: &'static str = "info";
    const YIELDS: Scheme = About::SCHEME;
    const SAYS: &'static [&'static str] =
        &["version of the invariants", "how are the promises established", "levels of evidence"];
    const TOOL: Option<Tool> = Some(Tool::free("invariants_info"));
    const EXAMPLES: &'static [Example] = &[Example::ok(
        "The tiers",
        "invariants.info() >> .tiers",
        r#"["declared","typed","property-tested","proven"]"#,
    )];
}

impl Inline for Info {
    fn run(self) -> Result<Value, OpError> {
        let tiers = Level::ALL.iter().map(|it| it.name().into()).collect();
        let version = super::COMPONENT.version.to_string().into();
        Ok(About { version, tiers }.encode())
    }
}

record! {
    /// An invariant of this system.
    struct Described {
        /// Its id.
        id: Text,
        /// Its category.
        category: Text,
        /// What always holds.
        says: Text,
        /// How it is established: 0 to 3.
        tier: i64,
    }
}

record! {
    /// Invariants of one tier.
    struct AtOneTier {
        /// In the order of the list.
        invariants: Vec<Described>,
    }
}

params! {
    /// Lists the invariants that are established in one way: declared (0), typed (1), property-tested
    /// (2) or proven (3).
    pub(super) struct AtTier {
        /// The tier, 0 to 3.
        #[range(0..=3)]
        tier: i64,
    }
}

impl Op for AtTier {
    const NAME: &'static str = "at_tier";
    const YIELDS: Scheme = AtOneTier::SCHEME;
    const SAYS: &'static [&'static str] = &[
        "which invariants are proven",
        "list the property-tested promises",
        "invariants of one level of evidence",
    ];
    const TOOL: Option<Tool> = Some(Tool::free("invariants_at_tier"));
    const EXAMPLES: &'static [Example] = &[Example::ok(
        "The first proven one",
        "invariants.at_tier(3) >> .invariants >> each { .id } >> first",
        r#""unique_names""#,
    )];
}

impl Inline for AtTier {
    fn run(self) -> Result<Value, OpError> {
        let is_there = |it: &&Invariant| it.level.number() == self.tier;
        let invariants = ALL.iter().filter(is_there).map(|it| Described {
            id: it.id.into(),
            category: it.category.into(),
            says: it.says.into(),
            tier: it.level.number(),
        });
        Ok(AtOneTier { invariants: invariants.collect() }.encode())
    }
}

record! {
    /// What a component lacks for a tier.
    struct Gap {
        /// The invariants that are violated, or established less well.
        missing: Vec<Text>,
        /// The tier that all invariants of the component have reached.
        reached: i64,
    }
}

params! {
    /// Says which invariants of a component are violated, or established less well than a tier
    /// demands.
    pub(super) struct TierGap {
        /// The component.
        component: Text,
        /// The demanded tier, 0 to 3.
        #[range(0..=3)]
        target: i64,
    }
}

impl Op for TierGap {
    const NAME: &'static str = "tier_gap";
    const YIELDS: Scheme = Gap::SCHEME;
    const EFFECTS: &'static [Effect] = EFFECTS;
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::NotFound, ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "what does a component lack to be proven",
        "gap between the evidence and a level",
        "which promises of a component are weak",
    ];
    const TOOL: Option<Tool> = Some(Tool::free("invariants_tier_gap"));
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "Nothing is missing for the lowest tier",
            r#"invariants.tier_gap("core", target: 0) >> .missing"#,
            "[]",
        ),
        Example::err(
            "An unknown component",
            r#"invariants.tier_gap("cor", target: 0)"#,
            "unknown component `cor`",
        ),
    ];
}

impl Compute for TierGap {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let target = self.target;
        let gap = aside(cx, Some(&self.component), |system, look| {
            let mut gap = Gap { missing: Vec::new(), reached: Level::Proven.number() };
            for invariant in ALL.iter().filter(|it| it.is_of_components) {
                let looked = (invariant.check)(system, Depth::shallow(look))?;
                // It says nothing about a component without such cases.
                if looked.cases == 0 {
                    continue;
                }
                // A broken promise is only declared.
                let tier = if looked.holds() { invariant.level.number() } else { -1 };
                gap.reached = gap.reached.min(tier.max(0));
                if tier < target {
                    gap.missing.push(invariant.id.into());
                }
            }
            Ok(gap)
        })?;
        Ok(gap.encode())
    }
}

fn number(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

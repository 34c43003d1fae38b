//! The list of all invariants, and what a check of one reports.

use std::time::Instant;

use svc_contract::{
    registry::{OpError, record},
    value::{Text, Value},
};

use super::{
    bounds, effects, language, names, rights, runs, schemas, secrets,
    system::{Depth, System},
    values, wall,
};

/// How an invariant is established, the weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    /// Declarations say so, and their presence is checked.
    Declared,
    /// It follows from declared types, each of which is checked.
    Typed,
    /// Examples and generated inputs are run, and none breaks it.
    PropertyTested,
    /// Every case that this system has is tried.
    Proven,
}

impl Level {
    pub(super) const ALL: [Self; 4] =
        [Self::Declared, Self::Typed, Self::PropertyTested, Self::Proven];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Declared => "declared",
            Self::Typed => "typed",
            Self::PropertyTested => "property-tested",
            Self::Proven => "proven",
        }
    }

    pub(super) fn number(self) -> i64 {
        self as i64
    }
}

/// Something that always holds of this system.
pub(super) struct Invariant {
    pub(super) id: &'static str,
    pub(super) category: &'static str,
    pub(super) level: Level,
    /// What holds, in one sentence.
    pub(super) says: &'static str,
    /// Whether it is about each component, and not about the engine as a whole.
    pub(super) is_of_components: bool,
    pub(super) check: fn(&System, Depth<'_>) -> Result<Looked, OpError>,
}

/// What a check looked at, and what it found.
#[derive(Clone, Debug, Default)]
pub(super) struct Looked {
    pub(super) cases: usize,
    /// What the cases are: `tools`.
    pub(super) of: &'static str,
    pub(super) broken: Vec<Broken>,
}

/// A case that breaks an invariant.
#[derive(Clone, Debug)]
pub(super) struct Broken {
    /// The op, the tool or the script.
    pub(super) subject: String,
    /// What was expected, and what was found.
    pub(super) found: String,
}

impl Looked {
    pub(super) fn new(of: &'static str) -> Self {
        Self { of, ..Self::default() }
    }

    /// Counts a case, which holds if nothing was found.
    pub(super) fn case(&mut self, subject: impl Into<String>, found: Option<String>) {
        self.cases += 1;
        if let Some(found) = found {
            self.broken.push(Broken { subject: subject.into(), found });
        }
    }

    pub(super) fn holds(&self) -> bool {
        self.broken.is_empty()
    }

    /// What a reader can follow: the number of cases, or those that break it.
    pub(super) fn evidence(&self) -> String {
        const SHOWN: usize = 3;
        let Self { cases, of, broken } = self;
        if broken.is_empty() {
            return format!("{cases} {of} checked, none breaks it");
        }
        let shown = broken.iter().take(SHOWN).map(|it| format!("{}: {}", it.subject, it.found));
        let shown = shown.collect::<Vec<_>>().join("; ");
        let more = match broken.len().saturating_sub(SHOWN) {
            0 => String::new(),
            more => format!("; and {more} more"),
        };
        format!("{} of {cases} {of} break it: {shown}{more}", broken.len())
    }
}

record! {
    /// The result of a check of one invariant.
    pub(super) struct Checked {
        /// The invariant.
        id: Text,
        /// Whether it holds.
        holds: bool,
        /// What was looked at, and what breaks it.
        evidence: Text,
        /// The time of the check in milliseconds.
        ms: f64,
    }
}

impl Invariant {
    pub(super) fn checked(
        &self,
        system: &System,
        depth: Depth<'_>,
    ) -> Result<(Checked, Looked), OpError> {
        let begun = Instant::now();
        let looked = (self.check)(system, depth)?;
        let checked = Checked {
            id: self.id.into(),
            holds: looked.holds(),
            evidence: looked.evidence().into(),
            ms: (begun.elapsed().as_secs_f64() * 1_000_000.0).round() / 1000.0,
        };
        Ok((checked, looked))
    }
}

impl Broken {
    pub(super) fn value(&self) -> Value {
        let fields = [("subject", self.subject.as_str()), ("found", self.found.as_str())];
        Value::Record(fields.into_iter().map(|(name, it)| (name.into(), it.into())).collect())
    }
}

macro_rules! invariants {
    ($($id:literal $category:literal $level:ident $scope:ident $check:path, $says:literal;)*) => {
        /// All invariants, by category.
        pub(super) const ALL: &[Invariant] = &[$(Invariant {
            id: $id,
            category: $category,
            level: Level::$level,
            says: $says,
            is_of_components: $scope,
            check: $check,
        }),*];
    };
}

const COMPONENTS: bool = true;
const ENGINE: bool = false;

invariants! {
    "unique_names" "registry" Proven COMPONENTS names::unique,
        "no two components share a name or an alias, and every alias names an op of its component";
    "tool_names" "registry" Proven COMPONENTS names::tools,
        "every tool has a valid name that no other tool has";
    "documented" "registry" Declared COMPONENTS names::documented,
        "every op has documentation, three to eight phrasings, and an example";
    "defaults_fit" "registry" Typed COMPONENTS schemas::defaults,
        "every default of a param has the type and the range of the param";
    "schemas_agree" "registry" PropertyTested COMPONENTS schemas::agree,
        "what the schema of a tool allows is accepted, and what it does not name is refused";
    "examples_check" "language" Typed COMPONENTS language::examples_check,
        "every example that should succeed passes the check";
    "format_keeps" "language" PropertyTested COMPONENTS language::format_keeps,
        "formatting a script changes neither its plan nor, a second time, its text";
    "plans_repeat" "language" PropertyTested COMPONENTS language::plans_repeat,
        "the same script has the same plan every time";
    "tier_wall" "rights" Proven COMPONENTS wall::through_meta_tools,
        "no caller reaches an op above its tier, or one that runs programs, through a tool that names its work";
    "tools_above_tier" "rights" Proven COMPONENTS wall::tools,
        "every tool above the tier of a caller is refused, and every other one is not";
    "roles_decide" "rights" Proven COMPONENTS rights::roles,
        "a role may call the ops of its tier and no others, and no role an op that runs programs";
    "meta_in_scripts" "rights" Proven ENGINE rights::meta_in_scripts,
        "a tool that names its work does nothing inside of a script";
    "envelope_covers" "bounds" PropertyTested COMPONENTS bounds::envelope,
        "no run uses more, and no successful one less, than its plan says";
    "caps_hold" "bounds" PropertyTested ENGINE bounds::caps,
        "no run spends more than its cap, and one that cannot succeed within it does not start";
    "plan_has_effects" "effects" Proven COMPONENTS effects::in_plan,
        "the effects of a plan contain those of every op that it calls";
    "pure_is_pure" "effects" PropertyTested COMPONENTS effects::pure,
        "an op without effects touches no file, no network, no program and no environment";
    "examples_hold" "values" PropertyTested COMPONENTS values::examples,
        "the examples of pure ops give the results that the documentation shows";
    "results_repeat" "values" PropertyTested COMPONENTS values::repeat,
        "a pure script gives the same result every time";
    "replay_is_equal" "runs" PropertyTested ENGINE runs::replay,
        "the replay of a kept run gives the recorded result";
    "resume_pays_once" "runs" PropertyTested ENGINE runs::resume,
        "a resumed run pays for no call a second time";
    "keys_are_hidden" "secrets" PropertyTested ENGINE secrets::keys,
        "no log, error, audit or report contains the secret of a key";
    "messages_hide" "secrets" PropertyTested ENGINE secrets::messages,
        "no message of a run contains a secret that an op was given";
}

/// The invariant with this id.
pub(super) fn find(id: &str) -> Result<&'static Invariant, OpError> {
    let found = ALL.iter().find(|it| it.id == id);
    found.ok_or_else(|| {
        let error = OpError::not_found(format!("unknown invariant `{id}`"));
        match svc_contract::registry::nearest(id, ALL.iter().map(|it| it.id)) {
            Some(meant) => error.help(format!("did you mean `{meant}`?")),
            None => error.help("`invariants_at_tier` lists them"),
        }
    })
}

/// The categories, each once, in their order.
pub(super) fn categories() -> Vec<&'static str> {
    let mut all: Vec<&str> = ALL.iter().map(|it| it.category).collect();
    all.dedup();
    all
}

/// What is wrong with the declarations of a registry; nothing is run for it.
pub(in crate::components) fn unsound(engine: &svc_engine::Engine) -> Result<Vec<String>, OpError> {
    let look = || Ok(());
    let working = || {
        let system = System::of(engine)?;
        let mut all = Vec::new();
        for id in ["unique_names", "tool_names", "documented", "defaults_fit"] {
            let invariant = find(id)?;
            let looked = (invariant.check)(&system, Depth::shallow(&look))?;
            let broken = looked.broken.into_iter();
            all.extend(broken.map(|it| format!("{id}: {}: {}", it.subject, it.found)));
        }
        Ok(all)
    };
    // A runtime cannot end inside of another one.
    let panicked = |_| Err(OpError::bug("a check of the registry panicked"));
    std::thread::scope(|scope| scope.spawn(working).join().unwrap_or_else(panicked))
}

//! A component whose op `dub` needs a feature that no build has, and whose op `mix` can be tuned
//! in every way.

use svc_contract::{
    registry::{
        Bias, Component, Example, Inline, Op, OpDef, OpError, Scheme, Tool, inline, lacking,
    },
    value::{Text, Value},
};

pub(crate) const STUDIO: Component = Component {
    name: "studio",
    cluster: "testing",
    summary: "Works with sound.",
    version: 1,
    bias: Bias::new("two tracks", &["both tracks begin at the same time"]),
    aliases: &[("dub", "dub"), ("mix", "mix")],
    ops: &[inline::<Mix>(), lacking::<Dub>("media")],
};

/// The same with only the op that cannot be called.
pub(crate) const ABSENT: Component = Component {
    name: "absent",
    aliases: &[],
    ops: &[OpDef { tool: None, ..lacking::<Dub>("media") }],
    ..STUDIO
};

svc::choices! {
    /// The shape of a fade.
    enum Fade {
        Linear = "linear",
        Curved = "curved",
    }
}

svc::params! {
    /// Puts two tracks together.
    struct Mix {
        /// The first track.
        track: Text,
        /// The loudness.
        #[tune]
        #[range(0.0..=1.0)]
        gain: f64 = 0.5,
        /// The number of steps.
        #[range(1..=9)]
        steps: i64 = 3,
        /// Whether silence is removed.
        #[tune]
        tight: bool = false,
        /// The shape of the fade.
        #[tune]
        fade: Fade = Fade::Linear,
        /// What it is called; not tunable.
        title: Text = "mix".into(),
    }
}

impl Op for Mix {
    const NAME: &'static str = "mix";
    const YIELDS: Scheme = Scheme::Text;
    const SAYS: &'static [&'static str] = &["mix two tracks", "blend sounds", "join recordings"];
    const EXAMPLES: &'static [Example] = &[];
}

impl Inline for Mix {
    fn run(self) -> Result<Value, OpError> {
        let Self { track, gain, steps, tight, fade, title } = self;
        let fade = match fade {
            Fade::Linear => "linear",
            Fade::Curved => "curved",
        };
        Ok(format!("{track} {gain} {steps} {tight} {fade} {title}").into())
    }
}

svc::params! {
    /// Speaks a text.
    pub(crate) struct Dub {
        /// The text.
        text: Text,
    }
}

impl Op for Dub {
    const NAME: &'static str = "dub";
    const YIELDS: Scheme = Scheme::Text;
    const SAYS: &'static [&'static str] = &["speak a text", "read it aloud", "dub a film"];
    const TOOL: Option<Tool> = Some(Tool::builder("dub_text"));
    const EXAMPLES: &'static [Example] = &[];
}

//! Identifiers and random numbers.

use svc_contract::{
    registry::{
        Bias, Component, Cx, Effect, ErrorKind, Example, Inline, Io, Op, OpError, Scheme, Scope,
        Var, inline, io, params,
    },
    value::{Value, json},
};
use uuid::Builder;

pub(super) const COMPONENT: Component = Component {
    name: "random",
    cluster: "core-infrastructure",
    summary: "Makes identifiers, and random numbers from seeds.",
    version: 1,
    bias: Bias::new(
        "the hash of a seed is its number; identifiers come from the host",
        &["numbers need not be secret", "122 random bits never repeat"],
    ),
    aliases: &[("random", "infer"), ("uuid", "uuid")],
    ops: &[inline::<Infer>(), io::<Uuid>()],
};

params! {
    /// Returns a random number from 0 up to, but not including, 1, which depends only on the seed.
    ///
    /// The seed is any value that can be written as JSON: `range(0, 10) >> each { random("test ${it}") }`
    /// returns ten numbers, and always the same ones, on every machine. They are spread evenly, but
    /// anyone who knows the seed knows the number.
    struct Infer {
        /// The seed.
        seed: Var<'T'>,
    }
}

impl Op for Infer {
    const NAME: &'static str = "infer";
    const YIELDS: Scheme = Scheme::FloatRange(0.0, 1.0);
    const SAYS: &'static [&'static str] = &[
        "a random number",
        "pick at random but reproducibly",
        "pseudorandom value from a seed",
        "roll a die",
        "flip a coin",
        "noise between zero and one",
        "random float with a seed",
        "let chance decide",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("The same number for the same seed", r#"random("a") == random("a")"#, "true"),
        Example::ok(
            "A sample of a list",
            "range(0, 1000) >> where { random(it) < 0.1 } >> len",
            "105",
        ),
    ];
}

impl Inline for Infer {
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit in a float")]
    fn run(self) -> Result<Value, OpError> {
        let hash = blake3::hash(json::write(&self.seed.0).as_bytes());
        let first = hash.as_bytes().first_chunk::<8>().map_or(0, |it| u64::from_le_bytes(*it));
        Ok(Value::Float((first >> 11) as f64 / (1_u64 << 53) as f64))
    }
}

params! {
    /// Returns a new identifier: a random UUID (version 4), such as
    /// `f81d4fae-7dec-41d0-a765-00a0c91e6bf6`.
    ///
    /// Each call returns another one. A recorded run keeps it: `svc resume` and `svc replay` use the
    /// same identifier again.
    struct Uuid {}
}

impl Op for Uuid {
    const NAME: &'static str = "uuid";
    const YIELDS: Scheme = Scheme::Text;
    const EFFECTS: &'static [Effect] = &[Effect::Reads(Scope::Named("random"))];
    const ERRORS: &'static [ErrorKind] = &[];
    const SAYS: &'static [&'static str] = &[
        "a unique id",
        "generate a uuid",
        "a new identifier for a record",
        "random id that never repeats",
        "guid",
        "something unguessable to name a thing",
        "globally unique key",
        "an id that is used only once",
    ];
    const EXAMPLES: &'static [Example] = &[Example::ok("Its length", "uuid() >> len", "36")];
}

impl Io for Uuid {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let mut bytes = [0; 16];
        cx.host().random(&mut bytes)?;
        Ok(Builder::from_random_bytes(bytes).into_uuid().to_string().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::gives;

    /// The numbers are part of the contract: others would change recorded results. These were computed
    /// with another implementation of BLAKE3.
    #[test]
    fn a_seed_has_its_number_for_ever() {
        gives::<Infer>(r#"["a"]"#, "0.05303865961826293");
        gives::<Infer>("[1]", "0.7561292142280295");
    }

    #[test]
    fn numbers_are_spread_evenly() {
        let mut counts = [0_usize; 10];
        for seed in 0..10_000_i64 {
            let Ok(Value::Float(it)) = crate::testing::call::<Infer>(vec![seed.into()]) else {
                panic!("{seed} has no number");
            };
            assert!((0.0..1.0).contains(&it));
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 9")]
            let tenth = (it * 10.0) as usize;
            counts[tenth] += 1;
        }
        assert!(counts.iter().all(|it| (900..1_100).contains(it)), "{counts:?}");
    }
}

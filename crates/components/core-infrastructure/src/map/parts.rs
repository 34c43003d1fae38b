//! The values of a map.

use svc_contract::{
    registry::{Example, Inline, Max, Op, OpError, Scheme, params},
    value::Value,
};

use super::super::Mapped;

params! {
    /// Returns the values of a map, in the order of its keys.
    ///
    /// The values of a record count, if they have a common type. A `json` value that is not an object is an
    /// error of kind `invalid_input`.
    pub(super) struct Values {
        /// The map.
        map: Mapped,
    }
}

impl Op for Values {
    const NAME: &'static str = "values";
    const YIELDS: Scheme = Scheme::List(&Scheme::Var('T'), Max::Unknown);
    const SAYS: &'static [&'static str] = &[
        "the values of a map",
        "all values of an object",
        "drop the keys of a dictionary",
        "the contents of a record as a list",
        "just the values, not the keys",
        "every value in a dictionary as an array",
        "object values without their names",
        "what is in an object, whatever the keys",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("A record", "values({ b: 1, a: 2 })", "[1,2]"),
        Example::ok("An object", r#"'{"x": 1}' >> parse_json >> values"#, "[1]"),
        Example::err("Not an object", "'[1]' >> parse_json >> values", "found list"),
    ];
}

impl Inline for Values {
    fn run(self) -> Result<Value, OpError> {
        Ok(Value::List(self.map.0.iter().map(|(_, it)| it.clone()).collect()))
    }
}

//! The list of everything that can be wrong before a run.
//!
//! A code is part of the interface: one that was released never gets another meaning.

use std::fmt;

macro_rules! codes {
    ($($code:ident $title:literal,)*) => {
        /// The stable number of a kind of problem.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Code {
            $(#[doc = $title] $code,)*
        }

        impl Code {
            /// Every code, in order.
            pub const ALL: &'static [Self] = &[$(Self::$code),*];

            /// What kind of problem it is, in a few words.
            pub fn title(self) -> &'static str {
                match self {
                    $(Self::$code => $title,)*
                }
            }

            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$code => stringify!($code),)*
                }
            }
        }
    };
}

codes! {
    // E1xx: the text
    E101 "something else is due here",
    E102 "a bracket without its partner",
    E103 "a string without its end",
    E104 "nested or chained too deep",
    E105 "a literal that denotes nothing",
    E106 "another language's pipe sign",
    E107 "an argument without its name",
    E108 "a space before the arguments",
    E109 "another language's operator",
    E110 "another language's comment",
    E111 "another language's variable",
    E112 "an `if` without `else`",
    E113 "another language's control flow",
    E114 "branches without names",
    E116 "a reserved word as a name",
    E117 "a record where a pipeline stands",
    E118 "an edition that this version does not know",
    E119 "more than one main pipeline",
    E120 "a name that is too long",
    E121 "too many parts in one place",
    // E2xx: names and types
    E201 "a name that nothing has",
    E202 "an argument that the op does not take",
    E203 "a stage that does not accept what comes in",
    E204 "an argument of the wrong type",
    E205 "an argument that is missing",
    E206 "a field that the record lacks",
    E207 "a type that nothing has",
    E208 "an operator that does not work on these types",
    E209 "alternatives of different types",
    E210 "a name that is taken",
    E211 "`it` where nothing enters",
    E212 "a value where a stage is due, or a stage where a value is",
    E213 "a name that depends on itself",
    E214 "a literal outside its type",
    E215 "a value that may be null",
    E216 "a value that has no text",
    E217 "a value of another type than declared",
    E218 "a slow component inside an expression",
    E219 "a type that is not given",
    E220 "a name that hides a component",
    E221 "a `let` that nothing uses",
    E222 "a `match` that does not cover its type",
    E223 "a pattern that never matches",
    E224 "a hole that is still to be filled",
    E225 "a file that cannot be used",
    E226 "a mock of what always runs",
    E227 "a value without a type",
    // E3xx: bounds and effects
    E301 "a bound that does not exist",
    E302 "a bound of the wrong type",
    E303 "a bound that is no constant",
    E304 "retries or earlier results for a call that must happen once",
    E305 "a bound that is given twice",
    E306 "bounds that bound nothing",
    E307 "two writes to one place without an order",
    E308 "a secret where it could be seen",
    E309 "a bound that cannot be kept",
    E310 "a cap over a list of any length",
    E311 "a cap over something without a price",
    E315 "an effect that the policy refuses",
    // E4xx: the run, one code for each kind of error, and two of tests
    E401 "a value does not fit what the op accepts",
    E402 "the thing named does not exist",
    E403 "the op cannot do this",
    E404 "the caller or the host may not do this",
    E405 "it took longer than its bound",
    E406 "someone else's system asks to wait",
    E407 "someone else's system failed",
    E408 "what came back does not fit what was asked for",
    E409 "there is not enough left of a cap",
    E410 "the turns of a loop are used up",
    E411 "the run was cancelled",
    E412 "the op or the script says that it failed",
    E413 "a mistake of this program",
    E414 "an expectation that does not hold",
    E415 "a component without a mock in a test",
    // E5xx: rhai
    E501 "inline code that rhai cannot read",
    E502 "a type that inline code cannot hold",
    E503 "an argument of a template that is no constant",
    E504 "a template that builds no pipeline",
    E505 "a template whose pipeline does not check",
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

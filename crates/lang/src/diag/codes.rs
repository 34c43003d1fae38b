//! The codes of all problems of a check or a run.
//!
//! A code is part of the public interface: the meaning of a released code never changes.

use std::fmt;

macro_rules! codes {
    ($($code:ident $title:literal,)*) => {
        /// Stable code of a kind of problem.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Code {
            $(#[doc = $title] $code,)*
        }

        impl Code {
            /// Every code, in order.
            pub const ALL: &'static [Self] = &[$(Self::$code),*];

            /// Short description of the kind of problem.
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
    // E1xx: syntax
    E101 "unexpected token",
    E102 "unmatched bracket",
    E103 "unterminated string",
    E104 "nested or chained too deeply",
    E105 "invalid literal",
    E106 "pipe operator of another language",
    E107 "missing argument name",
    E108 "space before the arguments",
    E109 "operator of another language",
    E110 "comment of another language",
    E111 "variable syntax of another language",
    E112 "`if` without `else`",
    E113 "control flow of another language",
    E114 "branches without names",
    E116 "reserved word used as a name",
    E117 "record where a pipeline is expected",
    E118 "unknown edition",
    E119 "more than one main pipeline",
    E120 "name too long",
    E121 "too many parts in one place",
    // E2xx: names and types
    E201 "unknown name",
    E202 "unknown argument",
    E203 "input of the wrong type",
    E204 "argument of the wrong type",
    E205 "missing argument",
    E206 "unknown field",
    E207 "unknown type",
    E208 "operator not defined for these types",
    E209 "alternatives of different types",
    E210 "duplicate name",
    E211 "`it` without an input",
    E212 "value where a stage is expected, or a stage where a value is",
    E213 "cyclic definition",
    E214 "literal not allowed by its type",
    E215 "value may be null",
    E216 "value has no text form",
    E217 "value does not match its declared type",
    E218 "slow component inside an expression",
    E219 "missing type",
    E220 "name shadows a component",
    E221 "unused name",
    E222 "`match` is not exhaustive",
    E223 "unreachable pattern",
    E224 "unfilled hole",
    E225 "file cannot be used",
    E226 "mock of something that always runs",
    E227 "value without a type",
    E228 "op that needs a feature of another build",
    E229 "`??` or `?` without effect",
    E230 "field that is not kept",
    E231 "invalid argument",
    // E3xx: bounds and effects
    E301 "unknown bound",
    E302 "bound of the wrong type",
    E303 "bound is not a constant",
    E304 "retry or reuse of a call that must happen once",
    E305 "duplicate bound",
    E306 "bounds without effect",
    E307 "unordered writes to the same place",
    E308 "exposed secret",
    E309 "bound cannot be met",
    E310 "cap over a list of unlimited length",
    E311 "cap over something without a known price",
    E312 "`race` of calls that must happen once",
    E315 "effect refused by the policy",
    // E4xx: the run, one code for each kind of error, and three for tests
    E401 "invalid input",
    E402 "not found",
    E403 "not supported by the op",
    E404 "permission denied",
    E405 "timeout",
    E406 "rate limit of a service reached",
    E407 "service unavailable",
    E408 "invalid output",
    E409 "not enough left of a cap",
    E410 "loop turns or memory used up",
    E411 "run cancelled",
    E412 "failure reported by the op or the script",
    E413 "bug in the program",
    E414 "expectation does not hold",
    E415 "missing mock in a test",
    E416 "unused mock",
    // E5xx: rhai
    E501 "invalid inline code",
    E502 "type not available in inline code",
    E503 "template argument is not a constant",
    E504 "template does not build a pipeline",
    E505 "template builds an invalid pipeline",
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

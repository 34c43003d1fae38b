//! Inline code in a program that was compiled without the feature `rhai`: every script with such
//! code has a mistake.

use std::sync::Arc;

use svc_contract::{
    host::Host,
    registry::Registry,
    value::{Text, Type, Value},
};

use super::{Ended, Failure, Mistake, Watch};

/// Code in a script: there is none.
#[derive(Debug)]
pub enum InlineScript {}

/// Code in a separate file: there is none.
#[derive(Debug)]
pub enum Templates {}

fn absent(code: &str, base: usize) -> Mistake {
    Mistake {
        message: "rhai code is not part of this program".to_owned(),
        label: "not part of this program",
        help: Some("compile the program with the feature `rhai` of the crate `svc`".to_owned()),
        meant: None,
        is_sure: false,
        place: (base, base + code.len()),
    }
}

impl InlineScript {
    pub fn new(code: &str, base: usize, _: &[Text], _: &Type) -> Result<Self, Mistake> {
        Err(absent(code, base))
    }

    pub fn yields(&self) -> &Type {
        match *self {}
    }

    #[must_use]
    pub fn with_result(&self, _: Type) -> Self {
        match *self {}
    }

    pub fn run(&self, _: &[Value], _: &Watch) -> Result<Value, Ended> {
        match *self {}
    }

    pub fn run_in_worker(&self, _: &[Value], _: &Watch, _: &dyn Host) -> Result<Value, Ended> {
        match *self {}
    }
}

impl Templates {
    pub fn new(code: &str, _: &Registry) -> Result<Self, Mistake> {
        Err(absent(code, 0))
    }

    pub fn has(&self, _: &str, _: usize) -> bool {
        match *self {}
    }

    pub fn build(&self, _: &str, _: &[Value], _: Option<Arc<dyn Host>>) -> Result<String, Failure> {
        match *self {}
    }
}

/// Whether earlier code left too much memory behind.
pub fn is_swollen() -> bool {
    false
}

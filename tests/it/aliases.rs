//! Aliases of components when an engine gets further ones.

use svc_contract::registry::Component;

use crate::components::{ALL, TESTING};

#[test]
fn a_component_that_replaces_another_replaces_its_aliases() {
    const FEWER: Component = Component { aliases: &[("slower", "slow")], ..TESTING };
    let engine = svc::engine().with(ALL).with(&[&FEWER]);
    assert!(engine.registry().resolve("slower").is_some());
    assert!(engine.registry().resolve("slow").is_none());
}

#[test]
#[should_panic(expected = "`slow` is an alias of both `testing` and `other`")]
fn two_components_cannot_have_the_same_alias() {
    const OTHER: Component = Component { name: "other", ..TESTING };
    drop(svc::engine().with(ALL).with(&[&OTHER]));
}

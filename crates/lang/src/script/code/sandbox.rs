//! The engine that runs inline code: a few packages, all limits, and no access to the outside.

use std::sync::LazyLock;

use rhai::{
    Dynamic, Engine, OptimizationLevel,
    module_resolvers::DummyModuleResolver,
    packages::{
        ArithmeticPackage, BasicArrayPackage, BasicFnPackage, BasicIteratorPackage,
        BasicMapPackage, BasicMathPackage, BasicStringPackage, LogicPackage, MoreStringPackage,
        Package,
    },
};

use super::{amount, limits, safe, watch};

/// Words that code cannot use: they would run or load other code, or print something.
/// A function with bound values (`curry`) could contain itself, over and over; no value is
/// shared, so `is_shared` has nothing to say.
pub(super) const DISABLED: [&str; 7] =
    ["eval", "import", "export", "print", "debug", "curry", "is_shared"];

/// One engine for all code; it keeps no state of the code that it runs.
pub(super) static ENGINE: LazyLock<Engine> = LazyLock::new(engine);

pub(super) fn engine() -> Engine {
    let mut engine = Engine::new_raw();
    packages(&mut engine);
    safe::register(&mut engine);
    amount::register(&mut engine);
    engine
        .set_optimization_level(OptimizationLevel::None)
        .set_strict_variables(true)
        .set_module_resolver(DummyModuleResolver::new())
        .set_max_strings_interned(0)
        .on_progress(|_| watch::must_stop().then_some(Dynamic::UNIT));
    engine
        .set_max_operations(limits::OPERATIONS)
        .set_max_call_levels(limits::CALLS)
        .set_max_expr_depths(limits::EXPRESSIONS, limits::EXPRESSIONS)
        .set_max_string_size(limits::TEXT)
        .set_max_array_size(limits::ITEMS)
        .set_max_map_size(limits::FIELDS)
        .set_max_variables(limits::VARIABLES)
        .set_max_functions(limits::FUNCTIONS)
        .set_max_modules(0);
    for word in DISABLED {
        engine.disable_symbol(word);
    }
    engine
}

/// Registers packages without clock, randomness or system access: the same arguments give the
/// same result.
fn packages(engine: &mut Engine) {
    ArithmeticPackage::new().register_into_engine(engine);
    LogicPackage::new().register_into_engine(engine);
    BasicMathPackage::new().register_into_engine(engine);
    BasicStringPackage::new().register_into_engine(engine);
    MoreStringPackage::new().register_into_engine(engine);
    BasicArrayPackage::new().register_into_engine(engine);
    BasicMapPackage::new().register_into_engine(engine);
    BasicIteratorPackage::new().register_into_engine(engine);
    BasicFnPackage::new().register_into_engine(engine);
}

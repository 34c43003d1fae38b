//! Properties of all optimizers.

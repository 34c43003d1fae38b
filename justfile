# What is done often. `just` lists it.

_default:
    @just --list

# All that a change must pass.
ci: lint test doc deny

# Formatting and lints.
lint:
    cargo fmt --check
    cargo clippy --all-targets --locked -- -D warnings
    cargo clippy --lib --bins --features otlp --locked -- -D warnings

# All tests, those in the documentation too.
test *args:
    cargo test --locked {{ args }}

# The documentation of the library.
doc:
    RUSTDOCFLAGS="-D warnings" cargo doc --no-deps --locked

# The C interface and the Python package.
bindings:
    cargo test --locked -p svc-bindings -p svc-c
    maturin develop --locked
    python -m unittest discover -s bindings/python/tests

# Licences, advisories and sources of the dependencies.
deny:
    cargo deny check

# The promises about speed, each measured beside what was promised: `just bench "4 check"`.
bench *words:
    cargo bench --locked --bench promises --bench memory -- {{ words }}

# How time grows with what is done, as criterion measures it: `just measure --bench store`.
measure *args:
    cargo bench --locked {{ args }}

# The instructions of the hot paths, compared with the baseline; `--save` makes another one.
instructions *args:
    benches/instructions {{ args }}

# Looks for input that makes a target panic: `just fuzz parse 600`.
fuzz target seconds="600":
    cd fuzz && cargo fuzz run {{ target }} -- -dict=svc.dict -max_len=4096 -timeout=5 -max_total_time={{ seconds }}

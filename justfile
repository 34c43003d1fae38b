# What is done often. `just` lists it.

_default:
    @just --list

# All that a change must pass.
ci: lint test doc deny

# Formatting and lints.
lint:
    cargo fmt --check
    cargo clippy --all-targets --locked -- -D warnings
    cargo clippy --lib --bins --features otlp,servers --locked -- -D warnings

# All tests, those in the documentation too.
test *args:
    cargo test --locked {{ args }}

# The documentation of the library.
doc:
    RUSTDOCFLAGS="-D warnings" cargo doc --no-deps --locked

# The book, as a site that can be searched: `target/book/site`. Needs `cargo install mdbook`.
book:
    rm -rf target/book
    cargo run --locked --quiet -- book target/book --chapters docs
    mdbook build target/book

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

# An archive for users in `target/dist`: the program, its pages and completions, checksums, SBOM.
dist:
    cargo build --locked --profile dist --bin svc
    just pack "${CARGO_TARGET_DIR:-target}/dist/svc"

# The same for a program that is already built.
pack program:
    #!/usr/bin/env bash
    set -euo pipefail
    out=target/dist
    version=$("{{ program }}" --version | cut -d ' ' -f 2)
    name="svc-$version-$(rustc -vV | sed -n 's/^host: //p')"
    rm -rf "$out/$name"
    mkdir -p "$out/$name/completions"
    cp "{{ program }}" "$out/$name/svc"
    strip "$out/$name/svc"
    cp README.md CHANGELOG.md LICENSE-APACHE LICENSE-MIT "$out/$name/"
    "{{ program }}" man "$out/$name/man1"
    for shell in bash zsh fish; do
        "{{ program }}" completions "$shell" >"$out/$name/completions/svc.$shell"
    done
    if command -v cargo-sbom >/dev/null && command -v jq >/dev/null; then
        # cargo-sbom lists the libraries of all systems, features and tests, in any order.
        linked=$(cargo tree --locked --package svc --edges normal,no-proc-macro --prefix none --format '{p}' |
            awk '{ print $1 "-" substr($2, 2) }' | sort -u)
        cargo sbom --cargo-package svc --output-format cyclone_dx_json_1_4 |
            jq --sort-keys --arg linked "$linked" '
                ($linked | split("\n") | map({ key: ("CycloneDxRef-Component-" + .), value: true }) | from_entries) as $kept
                | .components |= (map(select($kept[."bom-ref"])) | sort_by(."bom-ref"))
                | .dependencies |= (map(select($kept[.ref]) | .dependsOn |= (map(select($kept[.])) | sort)) | sort_by(.ref))
                | del(.serialNumber, .metadata.timestamp, .metadata.authors)' >"$out/$name/sbom.cdx.json"
    else
        echo "no SBOM: it needs \`jq\`, and \`cargo install cargo-sbom\`" >&2
    fi
    # The same content makes the same archive.
    tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$(git log -1 --format=%ct)" \
        -C "$out" -czf "$out/$name.tar.gz" "$name"
    cd "$out"
    sha256sum "$name.tar.gz" | tee "$name.tar.gz.sha256"

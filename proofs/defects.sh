#!/usr/bin/env bash
# Puts back the defects of caps and records that were found before, one by one, and prints the tests
# that catch each. It fails if one is not caught.
#
#     proofs/defects.sh [DEFECT..]
#
# `defects.patch` adds all of them to a copy of the tree in target/defects, and SVC_DEFECT switches one
# on. The first build takes as long as that of all tests, a round of tests a minute or two.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
place=$root/target/defects
mkdir -p "$place"
rm -rf "$place/tree"
mkdir "$place/tree"
cd "$root"
git ls-files -z | xargs -0 cp --parents --preserve=timestamps -t "$place/tree"
patch --quiet -p1 -d "$place/tree" <proofs/defects.patch
cd "$place/tree"

export CARGO_TARGET_DIR=$place/build CARGO_INCREMENTAL=0
cargo test --locked --quiet --no-run -p svc-engine --lib
cargo test --locked --quiet --no-run --test it

# Runs the tests of caps, records and resumed runs; prints those that fail.
failing() {
    {
        SVC_DEFECT=$1 timeout 900 cargo test --locked -p svc-engine --lib || echo "ended: $?"
        SVC_DEFECT=$1 timeout 900 cargo test --locked --test it -- \
            promises::resumed proofs:: models::kills models::caps race:: kept:: || echo "ended: $?"
    } >"$place/log" 2>&1
    cp "$place/log" "$place/$1.log"
    sed -nE 's/^test ([a-z_:0-9]+) .*FAILED$/\1/p; s/^test result.*//p' "$place/log" | grep . | sort -u ||
        grep -q '^ended:' "$place/log" && sed -nE 's/.*(signal: [0-9]+).*/\1/p' "$place/log" || true
}

broken=$(failing none)
if [ -n "$broken" ]; then
    printf 'without a defect, these tests fail:\n%s\n' "$broken" >&2
    exit 2
fi

missed=0
defects=("$@")
if [ $# = 0 ]; then
    mapfile -t defects < <(sed -nE 's/^\+.*has_defect\("([a-z-]+)"\).*/\1/p' "$root/proofs/defects.patch" | sort -u)
fi
for defect in "${defects[@]}"; do
    tests=$(failing "$defect" | paste -sd' ')
    printf '%s: %s\n' "$defect" "${tests:-not caught}"
    [ -n "$tests" ] || missed=$((missed + 1))
done
echo "${#defects[@]} defects, $missed not caught"
[ "$missed" = 0 ]

#!/usr/bin/env bash
# Checks every proof, prints what the theorems rest on, and builds the checker `OUT/model`.
#
#     proofs/build.sh [OUT]
#
# It needs `coqc` (Debian: apt install coq); the checker needs `ocamlfind ocamlopt` as well.
set -euo pipefail

source_dir=$(cd "$(dirname "$0")" && pwd)
out=${1:-$source_dir/../target/proofs}
mkdir -p "$out"
cp "$source_dir"/*.v "$source_dir"/main.ml "$out"
cd "$out"

if grep -nE '\b(Admitted|admit|Axiom|Parameter|Conjecture|Hypothesis|Abort)\b' ./*.v; then
    echo "a proof is not complete" >&2
    exit 1
fi

theories=(Program Steps Envelope Around Effects Ledger Caps Link Once Defects Examples)
for theory in "${theories[@]}"; do
    coqc -q -Q . Svc "$theory.v"
done

coqc -q -Q . Svc Audit.v | tee audit.txt
theorems=$(grep -c '^Print Assumptions' Audit.v)
closed=$(grep -c '^Closed under the global context$' audit.txt || true)
if [ "$theorems" != "$closed" ]; then
    echo "$((theorems - closed)) of $theorems theorems rest on axioms" >&2
    exit 1
fi
echo "$theorems theorems, none with an axiom"

coqc -q -Q . Svc Extract.v
if command -v ocamlfind >/dev/null && command -v ocamlopt >/dev/null; then
    rm -f model.mli
    ocamlfind ocamlopt -w -a -o model model.ml main.ml
    echo "checker: $out/model"
else
    echo "skipped: the checker needs ocamlfind and ocamlopt"
fi

#!/usr/bin/env bash
# Builds the playground as a folder of files, for any web server: the page of `svc desktop` at /play,
# with the checker as WebAssembly in it.
#
#   editors/play/build.sh FOLDER
set -euo pipefail
unset CDPATH CARGO_ENCODED_RUSTFLAGS
out=${1:?the folder to write to is missing}
mkdir -p "$out/assets"
out=$(cd "$out" && pwd)
cd "$(dirname "$0")/../.."

target=wasm32-unknown-unknown
if [ ! -d "$(rustc --print sysroot)/lib/rustlib/$target" ]; then
    rustup target add "$target"
fi
# Ops have no bodies in it, and random numbers come from the page.
RUSTFLAGS='--cfg svc_declarations --cfg getrandom_backend="wasm_js"' \
    cargo rustc --locked --profile web --target "$target" -p svc-web --crate-type cdylib

from=src/bases/desktop/assets
policy="default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; img-src 'self' data: blob:; base-uri 'none'"
sed -e 's/data-engine="server"/data-engine="page"/' \
    -e "s|<meta charset=\"utf-8\">|&<meta http-equiv=\"content-security-policy\" content=\"$policy\">|" \
    $from/play.html >"$out/index.html"
grep -q 'data-engine="page"' "$out/index.html"
grep -q content-security-policy "$out/index.html"
for file in LICENSES api.js code.css code.js codemirror.js dom.js engines.js favicon.svg format.js \
    icons.svg parts.css parts.js plan.js play.js style.css theme.js views.css wasm.js; do
    cp "$from/$file" "$out/assets/"
done
built=$(cargo metadata --format-version 1 --no-deps | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')
cp "$built/$target/web/svc_web.wasm" "$out/assets/svc.wasm"
du -sh "$out/assets/svc.wasm"

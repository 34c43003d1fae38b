// Compares what the checker in the page says with what `svc` says: `node editors/play/test.js SITE [SVC]`.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { load } from "../../src/bases/desktop/assets/wasm.js";

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const [site, given] = process.argv.slice(2);
if (!site) {
  console.error("usage: node editors/play/test.js SITE [SVC]");
  process.exit(2);
}
const svc = given ? resolve(given) : ["release", "debug"].map((kind) => join(ROOT, "target", kind, "svc")).find(existsSync) ?? "svc";

const ask = await load(await WebAssembly.compile(readFileSync(join(site, "assets/svc.wasm"))));

/** What `svc` prints with these arguments, as JSON; null if it prints none. */
function native(folder, ...args) {
  const { stdout, error } = spawnSync(svc, args, { cwd: join(ROOT, folder), encoding: "utf8", env: { PATH: process.env.PATH, HOME: "/nonexistent" } });
  if (error) throw new Error(`cannot start ${svc}: ${error.message}`);
  try { return JSON.parse(stdout); } catch { return null; }
}

const codes = (problems) => problems.map((one) => `${one.code} ${one.message}`).sort().join("\n");
const nodes = (plan) => JSON.stringify(plan?.nodes?.map(({ path, op, type, cost_class, effects }) => [path, op, type, cost_class, effects]) ?? null).replaceAll("fs:./", "fs:");

let [compared, wrong, slowest] = [0, 0, 0];
for (const folder of ["examples", ...["errors", "language", "runs", "warnings"].map((it) => `tests/scripts/${it}`)]) {
  for (const file of readdirSync(join(ROOT, folder)).filter((it) => it.endsWith(".svc")).sort()) {
    const path = join(folder, file);
    const text = readFileSync(join(ROOT, path), "utf8");
    // The page has no other files.
    if (/^use "(?!std:)/m.test(text)) continue;
    const from = performance.now();
    const checked = await ask({ ask: "check", text });
    slowest = Math.max(slowest, performance.now() - from);
    const expected = native(folder, "check", "--json", file);
    const plan = (await ask({ ask: "plan", text })).plan;
    const planned = native(folder, "plan", "--json", file);
    compared += 1;
    const pairs = [[codes(checked.diagnostics), codes(expected.files[0].problems)], [nodes(plan), nodes(planned)]];
    for (const [found, should] of pairs) {
      if (found !== should) {
        wrong += 1;
        console.log(`${path}\n  expected ${should.slice(0, 600)}\n  found    ${found.slice(0, 600)}`);
      }
    }
    if (plan && !(await ask({ ask: "draw", text })).svg?.startsWith("<svg")) {
      wrong += 1;
      console.log(`${path}: no drawing`);
    }
  }
}
console.log(`${compared} scripts compared, ${wrong} differences; the slowest check took ${slowest.toFixed(0)} ms`);
process.exit(wrong || !compared ? 1 : 0);

// Makes the vendored files of the page: the editor as one module, uPlot, and the texts of their licences.
import { build } from "esbuild";
import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const assets = `${here}../../src/bases/desktop/assets/`;
const modules = `${here}node_modules/`;

const made = await build({
  entryPoints: [`${here}editor.js`],
  outfile: `${assets}codemirror.js`,
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  charset: "utf8",
  legalComments: "none",
  banner: { js: "// CodeMirror 6 and a mode for svc, made by editors/desktop. MIT, see LICENSES." },
  metafile: true,
});

await build({
  entryPoints: [`${modules}uplot/dist/uPlot.esm.js`],
  outfile: `${assets}uplot.js`,
  minify: true,
  format: "esm",
  target: "es2022",
  legalComments: "none",
  banner: { js: "// uPlot, made by editors/desktop. MIT, see LICENSES." },
});
copyFileSync(`${modules}uplot/dist/uPlot.min.css`, `${assets}uplot.css`);

/** The packages whose files are in the bundle, and uPlot. */
const names = new Set(["uplot"]);
for (const file of Object.keys(made.metafile.inputs)) {
  const name = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1];
  if (name) names.add(name);
}

const parts = [...names].sort().map((name) => {
  const folder = `${modules}${name}/`;
  const { version } = JSON.parse(readFileSync(`${folder}package.json`, "utf8"));
  const licence = existsSync(folder) && readdirSync(folder).find((file) => /^licen[cs]e/i.test(file));
  if (!licence) throw new Error(`no licence in ${folder}`);
  return `${name} ${version}\n\n${readFileSync(folder + licence, "utf8").trim()}\n`;
});
writeFileSync(`${assets}LICENSES`, parts.join(`\n${"-".repeat(80)}\n\n`));

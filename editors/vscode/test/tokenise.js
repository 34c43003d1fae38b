// Tokenises scripts with the highlighting engine of the editor.
//
// Standard input: {"grammar": "..", "scripts": [{"name": "..", "text": ".."}]}
// Standard output: for each script its tokens, each with its line, its text and its innermost
// scope, and how many rules are still open at its end.

const fs = require("fs");
const path = require("path");

// The packages are in the current folder.
const modules = path.join(process.cwd(), "node_modules");
const oniguruma = require(path.join(modules, "vscode-oniguruma"));
const { Registry, INITIAL, parseRawGrammar } = require(path.join(modules, "vscode-textmate"));

async function load(file) {
  await oniguruma.loadWASM(fs.readFileSync(path.join(modules, "vscode-oniguruma/release/onig.wasm")));
  const registry = new Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async () => parseRawGrammar(fs.readFileSync(file, "utf8"), file),
  });
  return registry.loadGrammar("source.svc");
}

function tokenise(grammar, text) {
  const tokens = [];
  let state = INITIAL;
  text.split("\n").forEach((line, number) => {
    const read = grammar.tokenizeLine(line, state);
    for (const it of read.tokens) {
      const words = line.slice(it.startIndex, it.endIndex).trim();
      if (words) {
        tokens.push({ line: number + 1, text: words, scopes: it.scopes.slice(1).join(" ") });
      }
    }
    state = read.ruleStack;
  });
  return { tokens, open: state.depth - 1 };
}

async function main() {
  const { grammar: file, scripts } = JSON.parse(fs.readFileSync(0, "utf8"));
  const grammar = await load(file);
  const read = scripts.map(({ name, text }) => ({ name, ...tokenise(grammar, text) }));
  process.stdout.write(JSON.stringify(read));
}

main();

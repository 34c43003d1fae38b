// The program `svc.wasm`: requests and answers are JSON texts in its memory.

/** Begins the program, and returns how it is asked: `ask({ ask: "check", text })`. */
export async function load(module) {
  let exports = await begin(module);
  return (request) => {
    try { return asked(exports, request); } catch (error) {
      // A program that has trapped cannot go on; the next request gets a new one.
      if (error instanceof WebAssembly.RuntimeError) begin(module).then((made) => { exports = made; });
      throw error;
    }
  };
}

async function begin(module) {
  let exports = null;
  // Libraries of the components import functions of the page. Only that for random numbers, which tables by hash begin with, is called: no op runs in this program.
  const imports = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    (imports[from] ??= {})[name] = name.startsWith("__wbg_getRandomValues")
      ? (at, length) => { crypto.getRandomValues(new Uint8Array(exports.memory.buffer, at, length)); }
      : () => { throw new Error(`the checker has called ${name}`); };
  }
  ({ exports } = await WebAssembly.instantiate(module, imports));
  return exports;
}

function asked({ memory, svc_request: place, svc_answer: answer, svc_text: found }, request) {
  const bytes = new TextEncoder().encode(JSON.stringify(request));
  const at = place(bytes.length);
  // Memory may grow in each call, so it is looked at anew.
  new Uint8Array(memory.buffer, at, bytes.length).set(bytes);
  const length = answer();
  const reply = JSON.parse(new TextDecoder().decode(new Uint8Array(memory.buffer, found(), length)));
  if (reply.error) throw new Error(reply.error);
  return reply;
}

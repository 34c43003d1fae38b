// The program `svc.wasm`: requests and answers are JSON texts in its memory.

/** What the program itself says about a request. */
class Refused extends Error {}

/** Begins the program, and returns how it is asked: `await ask({ ask: "check", text })`. */
export async function load(module) {
  let exports = await begin(module);
  return async (request) => {
    try { return asked(exports, request); } catch (error) {
      if (error instanceof Refused) throw error;
      // A program that was interrupted, as by a script that is nested too deeply for the stack of the page, cannot go on.
      exports = await begin(module);
      throw new Error(`the checker cannot read this script (${error.message})`);
    }
  };
}

async function begin(module) {
  let exports = null;
  // Libraries of the components import functions of the page. Only that for random numbers, which tables by hash begin with, is called: no op runs in this program.
  const imports = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    (imports[from] ??= {})[name] = name.startsWith("__wbg_getRandomValues")
      ? (at, length) => { crypto.getRandomValues(new Uint8Array(exports.memory.buffer, at >>> 0, length)); }
      : () => { throw new Error(`the checker has called ${name}`); };
  }
  ({ exports } = await WebAssembly.instantiate(module, imports));
  return exports;
}

function asked({ memory, svc_request: place, svc_answer: answer, svc_text: found }, request) {
  const bytes = new TextEncoder().encode(JSON.stringify(request));
  const at = place(bytes.length) >>> 0;
  // Memory may grow in each call, so it is looked at again.
  new Uint8Array(memory.buffer, at, bytes.length).set(bytes);
  const length = answer() >>> 0;
  const reply = JSON.parse(new TextDecoder().decode(new Uint8Array(memory.buffer, found() >>> 0, length)));
  if (reply.error) throw new Refused(reply.error);
  return reply;
}

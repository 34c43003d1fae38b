// What knows the language: the server of this page, or the program in the page itself.
import { post } from "./api.js";
import { asset } from "./dom.js";
import { load } from "./wasm.js";

/** The engine of the server. `pause` is how long nothing must be typed before it is asked, in milliseconds. */
export const server = {
  pause: 350,
  check: (text, signal) => post("/editor/check", { text }, { signal }),
  plan: (text, signal) => post("/editor/plan", { text }, { signal }),
  draw: (text, signal) => post("/editor/draw", { text }, { signal }),
  complete: (text, at, signal) => post("/editor/complete", { text, at }, { signal }),
  format: (text) => post("/editor/format", { text }),
};

/** The engine in the page: nothing leaves it. */
export async function local() {
  const file = await fetch(asset("svc.wasm"));
  if (!file.ok) throw new Error(`the checker cannot be loaded: the server answered ${file.status}`);
  // Not while it is loaded, since some servers of files give it another media type.
  const ask = await load(await WebAssembly.compile(await file.arrayBuffer()));
  return {
    pause: 60,
    check: (text) => ask({ ask: "check", text }),
    plan: (text) => ask({ ask: "plan", text }),
    draw: (text) => ask({ ask: "draw", text }),
    complete: (text, at) => ask({ ask: "complete", text, at }),
    format: (text) => ask({ ask: "format", text }),
  };
}

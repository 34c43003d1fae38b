// The playground: a script that is checked, completed, planned and drawn, and does not run. A link to the page can have the script in it; what is typed is kept in the tab.
import { codePane } from "./code.js";
import { button, errorNotice, fill, h, toast, toastError } from "./dom.js";
import { local, server } from "./engines.js";
import { busyButton, drafts, saveScript, viewHead } from "./parts.js";

const EXAMPLES = {
  "Search and summarize": `svc 1 within { timeout: 2m }

## The question to answer.
param question: string

question
  >> search(source: "docs", top_k: 8)
  >> rag_retrieval(top_k: 6)
  >> summary(max_sentences: 4)
`,
  "Branches at the same time": `svc 1

param text: string

text >> parallel {
  length: count_tokens,
  language: detect_language,
  words: keywords(top_k: 5),
}
`,
  "A model within a budget": `svc 1 within { max_cost: $0.05, timeout: 1m }

type Minutes = { date: date?, decisions: [string; max 20] }

## The minutes of a meeting.
param text: string

text >> ask<Minutes>(prompt: "What was decided?\\n\\n\${it}", max_tokens: 800)
`,
  "A mistake": `svc 1

["a", "b"] >> each { uper } >> join(separator: ", ")
`,
};

const view = document.getElementById("view");

/** The script in the address, if there is one. */
function given() {
  const code = new URLSearchParams(location.hash.slice(1)).get("script");
  if (code === null) return null;
  try { return new TextDecoder().decode(Uint8Array.from(atob(code.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0))); } catch { return null; }
}

/** The address of this page with a script. */
function link(text) {
  const bytes = Array.from(new TextEncoder().encode(text), (one) => String.fromCharCode(one)).join("");
  const code = btoa(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  return `${location.href.split("#")[0]}#script=${code}`;
}

async function start() {
  const isLocal = document.documentElement.dataset.engine === "page";
  const pane = await codePane({ engine: isLocal ? await local() : server, first: given() ?? (drafts.get("play") || Object.values(EXAMPLES)[0]), changed: (text) => drafts.set("play", text) });
  const examples = h("select", { id: "examples", change: () => { pane.set(EXAMPLES[examples.value]); examples.value = ""; } },
    h("option", { value: "" }, "Choose one"), Object.keys(EXAMPLES).map((name) => h("option", {}, name)));
  const share = async () => {
    const address = link(pane.text());
    history.replaceState(null, "", address);
    try {
      await navigator.clipboard.writeText(address);
      toast("The link is copied");
    } catch { toast("The link is the address of this page now"); }
  };
  const format = async () => {
    if (!await pane.format()) toast("The script is formatted already");
  };
  addEventListener("hashchange", () => given() !== null && pane.set(given()));
  fill(view,
    viewHead("Playground", { sub: isLocal ? "Checked in this page: nothing is sent anywhere, and nothing runs." : "Checked by the server of this page. Nothing runs.", actions: [
      busyButton("Copy a link", share, { icon: "send" }), button("Save as a file", () => saveScript(pane.text()), { icon: "download" }),
      busyButton("Format", format, { icon: "format", title: "Ctrl Shift F" })] }),
    h("div.toolbar", {}, h("label.small-text.muted", { for: "examples" }, "Example"), examples, pane.state),
    h("div.editor-columns", {}, h("div.stack", {}, pane.frame, pane.problems), h("section.stack", { "aria-label": "Plan" }, pane.plan)));
}

start().catch((error) => { fill(view, errorNotice(error)); toastError(error); });
